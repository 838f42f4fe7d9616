/**
 * Values as the reference's messages print what JSON cannot say: maps, lists and structs in Go's own syntax (`%#v`).
 * What they share with metadata is in api/go-struct.ts.
 */
import { type FieldError, fieldError, quote } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { goPointer, goStringMap, goStruct } from '../../../api/go-struct.ts'
import { goStrings } from '../../../api/go-value.ts'
import type { JsonValue } from '../../../api/json.ts'
import { Quantity, type QuantityFormat } from '../../../api/quantity.ts'
import type { NodeSelectorTerm, Toleration } from '../../../catalog/types/core-v1.ts'
import type { LabelSelector } from '../../../catalog/types/meta-v1.ts'

export { goPointer, goStringMap, goStrings, goStruct }

/** Go's syntax, or what makes it: where many errors may quote much, it is made for those alone that are shown. */
type GoSyntax = string | (() => string)
const textOf = (value: GoSyntax): string => (typeof value === 'string' ? value : value())

/** An `Invalid value` whose value is already in Go's syntax. */
export const invalidAs = (at: FieldPath, value: GoSyntax, detail: string): FieldError =>
  fieldError('FieldValueInvalid', at, () => `Invalid value: ${textOf(value)}: ${detail}`)

export const duplicateAs = (at: FieldPath, value: GoSyntax): FieldError =>
  fieldError('FieldValueDuplicate', at, () => `Duplicate value: ${textOf(value)}`)

/** An `Invalid value` that does not quote the value at all. */
export const invalidOmitted = (at: FieldPath, detail: string): FieldError =>
  fieldError('FieldValueInvalid', at, () => `Invalid value: ${detail}`)

export const notSupportedAs = (at: FieldPath, value: GoSyntax, valid: readonly string[]): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    at,
    () => `Unsupported value: ${textOf(value)}: supported values: ${valid.map(quote).join(', ')}`,
  )

/** How messages show a pointer to nothing. */
export const goNull = '"null"'

export const goText = (value: string | undefined): string => quote(value ?? '')

export function goNumbers(type: string, values: readonly number[] | null | undefined): string {
  return values === undefined || values === null ? `[]${type}(nil)` : `[]${type}{${values.join(', ')}}`
}

export function goStructs<T>(type: string, values: readonly T[] | undefined, print: (value: T) => string): string {
  return values === undefined ? `[]${type}(nil)` : `[]${type}{${values.map(print).join(', ')}}`
}

export function goSelector(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return goNull
  const expressions = goStructs('v1.LabelSelectorRequirement', selector.matchExpressions, ({ key, operator, values }) =>
    goStruct('v1.LabelSelectorRequirement', {
      Key: goText(key),
      Operator: goText(operator),
      Values: goStrings(values),
    }),
  )
  return goStruct('v1.LabelSelector', {
    MatchLabels: goStringMap(selector.matchLabels),
    MatchExpressions: expressions,
  })
}

export function goNodeSelectorTerm({ matchExpressions, matchFields }: NodeSelectorTerm): string {
  const type = 'core.NodeSelectorRequirement'
  const requirements = (list: NodeSelectorTerm['matchFields']): string =>
    goStructs(type, list, ({ key, operator, values }) =>
      goStruct(type, { Key: goText(key), Operator: goText(operator), Values: goStrings(values) }),
    )
  return goStruct('core.NodeSelectorTerm', {
    MatchExpressions: requirements(matchExpressions),
    MatchFields: requirements(matchFields),
  })
}

/** None at all is shown as Go shows a list that is not there. */
export const goNodeSelectorTerms = (terms: readonly NodeSelectorTerm[]): string =>
  goStructs('core.NodeSelectorTerm', terms.length === 0 ? undefined : terms, goNodeSelectorTerm)

export const goToleration = ({ key, operator, value, effect, tolerationSeconds }: Toleration): string =>
  goStruct('core.Toleration', {
    Key: goText(key),
    Operator: goText(operator),
    Value: goText(value),
    Effect: goText(effect),
    TolerationSeconds: goPointer('int64', tolerationSeconds),
  })

export const goIntOrString = (value: number | string): string =>
  typeof value === 'number'
    ? `intstr.IntOrString{Type:0, IntVal:${value}, StrVal:""}`
    : `intstr.IntOrString{Type:1, IntVal:0, StrVal:${quote(value)}}`

const decimalScales: ReadonlyMap<string, number> = new Map(
  ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, i) => [suffix, 3 * (i - 3)]),
)

export interface QuantityReading {
  /** The text that it was parsed from, where that is not the canonical form. */
  readonly written?: string | undefined
  /** `String()` was called on it, which caches the text. */
  readonly isTold?: boolean
}

/**
 * A quantity as the reference holds it: the digits and the exponent that it was read with, and its text where that was
 * canonical when it was read, or where it was asked for since.
 */
export function goQuantity(canonical: string, { written = canonical, isTold = false }: QuantityReading = {}): string {
  const { value, scale, isExact, isCanonical, format } = readQuantity(written)
  const text = isTold || isCanonical ? canonical : ''
  const wide = goPointer('inf.Dec', isExact ? undefined : canonical)
  return `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:${wide}}, s:${quote(text)}, Format:"${format}"}`
}

interface ReadQuantity {
  readonly value: bigint
  readonly scale: number
  /** Not held as an unbounded decimal. */
  readonly isExact: boolean
  readonly isCanonical: boolean
  readonly format: QuantityFormat
}

export function readQuantity(text: string): ReadQuantity {
  const { format } = Quantity.parse(text)
  if (text === '0') return { value: 0n, scale: 0, isExact: true, isCanonical: true, format }
  const [, sign = '', zeros = '', number = '', fraction = '', suffix = ''] =
    /^([+-]?)(0*)(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? []
  const digits = (number === '' && zeros !== '' ? '0' : number) + fraction
  const read = BigInt(digits === '' ? '0' : digits)
  const signed = sign === '-' ? -read : read
  if (format === 'BinarySI') {
    if (fraction !== '') return { value: 0n, scale: 0, isExact: false, isCanonical: false, format }
    const power = 10n * BigInt(['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix))
    return { value: signed << power, scale: 0, isExact: true, isCanonical: read % 8n !== 0n, format }
  }
  const exponent = decimalScales.get(suffix) ?? Number(suffix.slice(1))
  const scale = exponent - fraction.length
  const isCanonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return { value: signed, scale, isExact: true, isCanonical, format }
}

/** JSON that is kept as it came. */
export function goRawExtension(value: JsonValue | undefined): string {
  const bytes = value === undefined || value === null ? [] : [...Buffer.from(JSON.stringify(value))]
  const raw = bytes.length === 0 ? '(nil)' : `{${bytes.map((byte) => `0x${byte.toString(16)}`).join(', ')}}`
  return `runtime.RawExtension{Raw:[]uint8${raw}, Object:runtime.Object(nil)}`
}
