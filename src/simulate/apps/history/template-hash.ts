/**
 * The hashes by which the reference names what it makes of a template: the same ones, so that a cluster can go from one to
 * the other. Mirrors pkg/controller: ComputeHash. Mirrors pkg/controller/history: HashControllerRevision.
 */
import { goJson } from '../../../api/golang/json-text.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import { fnv32, fnv32a, safeEncode } from '../../framework/values.ts'
import { podTemplateText } from './pod-template-text.ts'

/** Of a ReplicaSet, or of a DaemonSet's revision; other values of `collisions` give others. */
export function templateHash(template: PodTemplateSpec, collisions: number | undefined): string {
  const suffix = Buffer.alloc(collisions === undefined ? 0 : 8)
  if (collisions !== undefined) suffix.writeUInt32LE(collisions)
  return encoded(fnv32a(Buffer.concat([Buffer.from(podTemplateText(template)), suffix])))
}

/** Of a StatefulSet's revision. */
export const revisionHash = (data: JsonObject, collisions: number): string =>
  encoded(fnv32(Buffer.from(`${goJson(data)}${collisions}`)))

const encoded = (hash: number): string => safeEncode(String(hash))
