/**
 * Values as the reference's messages print what JSON cannot say: maps, lists and structs in Go's own syntax (`%#v`).
 * What they share with metadata is in api/golang/struct.ts.
 */
import { type FieldError, fieldError, quote } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { goPointer, goStringMap, goStruct } from '../../api/golang/struct.ts'
import { goStrings } from '../../api/golang/value.ts'
import type { NodeSelectorTerm, Toleration } from '../types/core-v1.ts'
import type { LabelSelector } from '../types/meta-v1.ts'

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
