/** Annotations that stand for fields of versions that are gone. They hold numbers, which are read with the object. */
import { quote } from '../../../api/field-error.ts'
import { parseGroupVersion } from '../../../api/group-version.ts'
import { isJsonObject, type JsonObject, ownValue } from '../../../api/json.ts'
import { badRequest } from '../../../api/status-error.ts'

export interface NumberAnnotation {
  readonly kind: string
  readonly annotation: string
  /** An empty text is none, and goes. */
  readonly mayBeEmpty?: boolean
  /** What comes before the words of the number's reader. */
  readonly refusal?: (text: string) => string
}

/** Versions that do not have the field itself. */
const versions: ReadonlySet<string> = new Set(['v1', 'v1beta2'])

/** The object with the number in its plain form. Refuses what is no number, as if the body could not be read. */
export function withNumberAnnotation(object: JsonObject, rules: NumberAnnotation): JsonObject {
  const { metadata } = object
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined
  if (!isJsonObject(metadata) || !isJsonObject(annotations)) return object
  const text = ownValue(annotations, rules.annotation)
  const { version = '' } = parseGroupVersion(String(object['apiVersion'])) ?? {}
  if (typeof text !== 'string' || !versions.has(version)) return object
  if (text === '' && rules.mayBeEmpty === true) {
    const { [rules.annotation]: _none, ...others } = annotations
    const { annotations: _, ...rest } = metadata
    const kept = Object.keys(others).length === 0 ? rest : { ...metadata, annotations: others }
    return { ...object, metadata: kept }
  }
  const number = plainNumber(text, (why) => {
    const words = `${rules.refusal?.(text) ?? ''}strconv.ParseInt: parsing ${quote(text)}: ${why}`
    return badRequest(`${rules.kind} in version ${quote(version)} cannot be handled as a ${rules.kind}: ${words}`)
  })
  if (number === text) return object
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [rules.annotation]: number } } }
}

/** Of 64 bits, as Go writes it. */
function plainNumber(text: string, refuse: (why: string) => Error): string {
  if (!/^[+-]?\d+$/.test(text)) throw refuse('invalid syntax')
  const value = BigInt(text.replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) !== value) throw refuse('value out of range')
  return String(value)
}
