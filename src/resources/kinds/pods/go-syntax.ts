/**
 * Values as the reference's messages print what JSON cannot say: maps, lists and structs in Go's own syntax (`%#v`).
 * Pointers inside a struct are printed as addresses, which mean nothing; they all have the same one here.
 */
import { type FieldError, quote } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { NodeSelectorTerm } from '../../../catalog/types/core-v1.ts'
import type { LabelSelector } from '../../../catalog/types/meta-v1.ts'

const address = '0xc000000000'

/** An `Invalid value` whose value is already in Go's syntax. */
export const invalidAs = (at: FieldPath, value: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: String(at),
  message: `Invalid value: ${value}: ${detail}`,
})

/** An `Invalid value` that does not quote the value at all. */
export const invalidOmitted = (at: FieldPath, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: String(at),
  message: `Invalid value: ${detail}`,
})

export const notSupportedAs = (at: FieldPath, value: string, valid: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: String(at),
  message: `Unsupported value: ${value}: supported values: ${valid.map(quote).join(', ')}`,
})

/** How messages show a pointer to nothing. */
export const goNull = '"null"'

/** `T{A:1, B:"x"}` from the printed fields in the order of the struct. */
export const goStruct = (type: string, fields: Readonly<Record<string, string>>): string =>
  `${type}{${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}`)
    .join(', ')}}`

/** A pointer that is a field of a struct. */
export const goPointer = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : address})`

export const goText = (value: string | undefined): string => quote(value ?? '')

export function goStrings(values: readonly string[] | undefined): string {
  return values === undefined ? '[]string(nil)' : `[]string{${values.map(quote).join(', ')}}`
}

export function goNumbers(type: string, values: readonly number[] | null | undefined): string {
  return values === undefined || values === null ? `[]${type}(nil)` : `[]${type}{${values.join(', ')}}`
}

export function goStructs<T>(type: string, values: readonly T[] | undefined, print: (value: T) => string): string {
  return values === undefined ? `[]${type}(nil)` : `[]${type}{${values.map(print).join(', ')}}`
}

/** `emptied`: it is absent because somebody took its last key away. */
export function goStringMap(map: Readonly<Record<string, string>> | undefined, emptied = false): string {
  if (map === undefined) return emptied ? 'map[string]string{}' : 'map[string]string(nil)'
  const members = Object.keys(map)
    .sort()
    .map((key) => `${quote(key)}:${goText(map[key])}`)
  return `map[string]string{${members.join(', ')}}`
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

export const goIntOrString = (value: number | string): string =>
  typeof value === 'number'
    ? `intstr.IntOrString{Type:0, IntVal:${value}, StrVal:""}`
    : `intstr.IntOrString{Type:1, IntVal:0, StrVal:${quote(value)}}`

/** A quantity with the digits and the exponent that the reference keeps. */
export function goQuantity(text: string): string {
  const [, digits = '0', fraction = '', suffix = ''] = /^([+-]?\d+)(?:\.(\d*))?(.*)$/.exec(text) ?? []
  const scales: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
  const decimal = scales[suffix]
  const exact = decimal !== undefined
  const value = exact ? Number(digits + fraction) : Quantity.parse(text).value()
  const scale = exact ? decimal - fraction.length : 0
  const format = suffix.endsWith('i') ? 'BinarySI' : /^[eE][+-]?\d+$/.test(suffix) ? 'DecimalExponent' : 'DecimalSI'
  return `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:${quote(text)}, Format:"${format}"}`
}

/** A time as Go prints it. */
export function goTime(text: string): string {
  return `${text.slice(0, 10)} ${text.slice(11, 19)} +0000 UTC`
}
