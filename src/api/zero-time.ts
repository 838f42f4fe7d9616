/** `creationTimestamp: null` of objects that have no creation time: releases up to 1.33 write it. */
import { isJsonObject, type JsonObject } from './json.ts'

export function withoutZeroTime(object: JsonObject): JsonObject {
  const { metadata } = object
  if (!isJsonObject(metadata) || metadata['creationTimestamp'] !== null) return object
  const { creationTimestamp: _, ...rest } = metadata
  return { ...object, metadata: rest }
}
