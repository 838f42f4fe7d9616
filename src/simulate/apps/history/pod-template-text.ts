/**
 * The text of a pod template that the reference hashes: the value of the Go struct in full, with its
 * types and without addresses. Mirrors k8s.io/apimachinery/pkg/util/dump: ForHash.
 */
import { readQuantity } from '../../../api/golang/quantity.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import { fieldJson, type GoType, internalType, isNil, scalarOf } from '../../../catalog/internal-types.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'

export function podTemplateText(template: PodTemplateSpec): string {
  return typed(internalType('v1.PodTemplateSpec'), template as unknown as JsonObject)
}

/** Within a list or a map, whose type says it, a value has no type of its own. */
const typed = (type: GoType, json: JsonValue | undefined): string => `(${type.name})${plain(type, json)}`

function plain(type: GoType, json: JsonValue | undefined): string {
  switch (type.kind) {
    case 'struct':
      return `{${type.fields.map((field) => `${field.name}:${typed(field.type, fieldJson(field, json))}`).join(' ')}}`
    case 'pointer':
      return isNil(json) ? '<nil>' : plain(type.to, json)
    case 'slice':
      if (!Array.isArray(json) || json.length === 0) return '<nil>'
      return `[${json.map((item: JsonValue) => plain(type.items, item)).join(' ')}]`
    case 'map':
      return mapText(type.values, json)
    case 'quantity':
      return quantityText(String(scalarOf(type, json)))
    case 'time':
      return timeText
    default:
      return String(scalarOf(type, json))
  }
}

/** In the order of the keys' bytes. What came in Protobuf knows no empty maps and lists. */
function mapText(values: GoType, json: JsonValue | undefined): string {
  if (!isJsonObject(json)) return '<nil>'
  const members = Object.entries(json).map(([key, value]) => ({ key: Buffer.from(key), text: plain(values, value) }))
  if (members.length === 0) return '<nil>'
  members.sort((a, b) => Buffer.compare(a.key, b.key))
  return `map[${members.map(({ key, text }) => `${key}:${text}`).join(' ')}]`
}

/** As it is read from its canonical form. */
function quantityText(canonical: string): string {
  const { value, scale, isExact, isCanonical, format } = readQuantity(canonical)
  const amount = `(resource.int64Amount){value:(int64)${isExact ? value : 0} scale:(resource.Scale)${isExact ? scale : 0}}`
  const decimal = `(resource.infDecAmount){Dec:(*inf.Dec)${isExact ? '<nil>' : `{${canonical}}`}}`
  return `{i:${amount} d:${decimal} s:(string)${isCanonical ? canonical : ''} Format:(resource.Format)${format}}`
}

/** Templates have the time of nothing. */
const timeText = '{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}'
