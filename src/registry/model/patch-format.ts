/** Which patches a resource takes, and how what a patch made of an object is read as one again. */

import { quote } from '../../api/field-error.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { type ApiError, invalid } from '../../api/status-error.ts'
import { DecodeError } from '../../codec/decode-error.ts'
import { encodeTree, JsonDocument } from '../../codec/json.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { JsonNode } from '../../schema/json-tree.ts'
import type { ResourceDefinition, ResourceVersion } from '../resource-definition.ts'

export const jsonPatch = 'application/json-patch+json'
export const mergePatch = 'application/merge-patch+json'
export const strategicPatch = 'application/strategic-merge-patch+json'
export const applyYaml = 'application/apply-patch+yaml'
export const applyCbor = 'application/apply-patch+cbor'

export interface PatchTarget {
  readonly definition: ResourceDefinition
  /** The version of the request. */
  readonly version: ResourceVersion
}

/** What a patch made of an object. */
export interface PatchedValue {
  readonly value: JsonObject
  /** What it was made of. */
  readonly current: KubeObject
  /** Merged as an object of the type, so that it is one whatever its `kind` says. */
  readonly typed: boolean
  /** The value as errors show it. */
  readonly shown: () => JsonNode
  /** The value alone has lost how its numbers were written. */
  readonly exact: boolean
  /** So large that it is decoded in several turns. */
  readonly isLarge: boolean
}

export interface AppliedValue {
  readonly value: JsonObject
  readonly current: KubeObject | undefined
  readonly config: JsonObject
  /** So large that it is decoded in several turns. */
  readonly isLarge: boolean
}

export interface PatchFormat {
  /** Media types, in the order in which refusals list them; that of CBOR comes last, where it is enabled. */
  readonly types: readonly string[]
  /** The keys of an object in the order in which errors show them. */
  inShownOrder<T extends JsonValue>(value: T): T
  /** A patch whose result is not an object of the kind is a 422. */
  decodePatched(
    target: PatchTarget,
    patched: PatchedValue,
  ): Steps<{ readonly object: JsonObject; readonly strict: readonly string[] }>
  /** What an apply makes of the object must be an object of the kind; here that is a 500. */
  decodeApplied(target: PatchTarget, applied: AppliedValue): Steps<JsonObject>
}

/** Why a document has neither `apiVersion` nor `kind`: of several reasons the first one in its text. */
export function noTypeMeta(document: JsonNode): string {
  try {
    new JsonDocument(Buffer.from(encodeTree(document))).typeMeta()
  } catch (error) {
    if (error instanceof DecodeError) return `couldn't get version/kind; json parse error: ${error.message}`
    throw error
  }
  return ''
}

export function invalidPatched(shown: () => JsonNode, problem: string): ApiError {
  const message = `Invalid value: ${quote(encodeTree(shown()))}: ${problem}`
  return invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }])
}
