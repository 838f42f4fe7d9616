/** Patches of built-in kinds: their result is decoded by its type, and shares with the current object what it left alone. */

import { quote } from '../../api/field-error.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { unknownError } from '../../api/status-error.ts'
import { typesOf } from '../../catalog/catalog.ts'
import type { TypeMeta } from '../../codec/json.ts'
import { withSortedRaw } from '../../patch/raw-json.ts'
import { restoreError } from '../../patch/restore-error.ts'
import { wrapIntegers } from '../../patch/wrap-integers.ts'
import { canonicalize, decodeTree, decodeValue, decodeValueInSteps } from '../../schema/canonicalize.ts'
import { formatStrictError, type StrictError } from '../../schema/decode-exact.ts'
import type { ResourceVersion } from '../resource-definition.ts'
import { otherInternalKind, otherKind } from './other-kind.ts'
import {
  applyYaml,
  invalidPatched,
  jsonPatch,
  mergePatch,
  noTypeMeta,
  type PatchFormat,
  strategicPatch,
} from './patch-format.ts'

export const typedPatch: PatchFormat = {
  types: [jsonPatch, mergePatch, strategicPatch, applyYaml],
  inShownOrder: (value) => value,
  *decodePatched({ definition, version }, { value, current, typed, shown, exact, isLarge }) {
    const { apiVersion, kind } = typed ? version : value
    if (!isText(apiVersion) || !isText(kind)) throw invalidPatched(shown, noTypeMeta(shown()))
    const meta = { apiVersion: apiVersion || version.apiVersion, kind: kind || version.kind }
    if (!apiVersion) {
      const problem = otherInternalKind(meta.kind, version, typesOf(version.schema))
      if (problem !== undefined) throw invalidPatched(shown, problem)
      return ofNoVersion(value, version)
    }
    if (parseGroupVersion(apiVersion) === undefined) {
      throw invalidPatched(shown, `unexpected GroupVersion string: ${apiVersion}`)
    }
    const other = otherKind(meta, version, typesOf(version.schema))
    if (other !== undefined && other.schema === undefined) throw invalidPatched(shown, other.problem)
    const baseline = other === undefined && version === definition.hub ? current : undefined
    const schema = other?.schema ?? version.schema
    const decoded = exact
      ? decodeTree(shown(), schema)
      : isLarge
        ? yield* decodeValueInSteps(value, schema, { baseline })
        : decodeValue(value, schema, { baseline })
    // Of several wrong values the first one in the text is reported.
    if (decoded.error !== undefined) throw invalidPatched(shown, decodeTree(shown(), schema).error ?? decoded.error)
    if (other !== undefined) throw invalidPatched(shown, other.problem)
    return {
      object: hasMeta(decoded.object, meta) ? decoded.object : { ...decoded.object, ...meta },
      // The reference looks at the patched object with its keys in alphabetical order.
      strict: [...new Set(decoded.strict.map((error) => formatStrictError(typed ? unkeyed(error) : error)))].sort(),
    }
  },
  *decodeApplied({ definition, version }, { value, current, config, isLarge }) {
    const { schema } = version
    const baseline = version === definition.hub ? current : undefined
    const raw = withSortedRaw(value, schema)
    const decoded = isLarge
      ? yield* decodeValueInSteps(raw, schema, { baseline })
      : decodeValue(raw, schema, { baseline })
    if (decoded.error === undefined) return decoded.object
    const problem = restoreError(value, { schema })
    const wrapped = problem === undefined ? decodeValue(wrapIntegers(value, schema), schema, { baseline }) : decoded
    if (wrapped.error === undefined) return wrapped.object
    const kind = `${version.group}/${version.version}, Kind=${version.kind}`
    const { namespace = '', name = '' } = isJsonObject(config['metadata']) ? config['metadata'] : {}
    throw unknownError(
      `failed to convert new object (${String(namespace)}/${String(name)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${problem ?? wrapped.error}`,
    )
  },
}

/** Of what is merged as an object of its type the reference names no keys of maps. Mirrors apimachinery/pkg/runtime: mapFromUnstructured. */
const unkeyed = ({ reason, path, fieldPath = path }: StrictError): StrictError => ({ reason, path: fieldPath })

const isText = (value: JsonValue | undefined): value is string | null | undefined =>
  typeof value === 'string' || value === undefined || value === null

/** Without a version it is read as of a type that has none of the fields that are known outside. */
function ofNoVersion(
  value: JsonObject,
  { apiVersion, kind, schema }: ResourceVersion,
): { object: JsonObject; strict: readonly string[] } {
  const names = Object.keys(value).filter((name) => name !== 'apiVersion' && name !== 'kind')
  const strict = names.sort().map((name) => `unknown field ${quote(name)}`)
  return { object: canonicalize({ apiVersion, kind }, schema), strict }
}

const hasMeta = ({ apiVersion, kind }: JsonObject, meta: TypeMeta): boolean =>
  apiVersion === meta.apiVersion && kind === meta.kind
