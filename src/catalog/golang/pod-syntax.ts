/**
 * Values as the reference's messages print what JSON cannot say: maps, lists and structs in Go's own syntax (`%#v`).
 * What they share with metadata is in api/golang/struct.ts.
 */

import { duplicateAs, type FieldError, fieldError, invalidAs, notSupportedAs, quote } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { goJson } from '../../api/golang/json-text.ts'
import { GoLiteral, goNull, goOf, jsonOf, type RenderedValue } from '../../api/golang/literal.ts'
import { firstItems, quotedItems } from '../../api/golang/quoted-items.ts'
import { goStringMap, goStruct, goPointer as plainPointer } from '../../api/golang/struct.ts'
import { goStrings } from '../../api/golang/value.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import { isInternalType } from '../internal-types.ts'
import type { NodeSelectorTerm, Toleration } from '../types/core-v1.ts'
import type { LabelSelector } from '../types/meta-v1.ts'
import { goDump } from './dump.ts'

export { duplicateAs, goNull, goStringMap, goStrings, goStruct, invalidAs, notSupportedAs }

/** An `Invalid value` that does not quote the value at all. */
export const invalidOmitted = (at: FieldPath, detail: string): FieldError =>
  fieldError('FieldValueInvalid', at, () => `Invalid value: ${detail}`)

/** A pointer that is a field of a struct. What it points to is shown in JSON only, as its internal type has it. */
export function podSyntaxPointer(type: string, value: unknown): GoLiteral {
  const isStruct = isJsonObject(value as JsonValue | undefined) && isInternalType(type)
  return plainPointer(type, value, isStruct ? (release) => goDump(type, value).jsonAt(release) : undefined)
}

export const podSyntaxText = (value = ''): GoLiteral => new GoLiteral(quote(value), () => goJson(value))

export const goNumbers = (type: string, values: readonly number[] | null | undefined): GoLiteral =>
  goStructs(type, values ?? undefined, String)

export function goStructs<T>(
  type: string,
  values: readonly T[] | undefined,
  print: (value: T) => RenderedValue,
): GoLiteral {
  if (values === undefined) return new GoLiteral(`[]${type}(nil)`, 'null')
  const json = (release: number): string =>
    firstItems(values)
      .map((value) => jsonOf(print(value), release))
      .join(',')
  return new GoLiteral(
    `[]${type}{${quotedItems(values, (value) => goOf(print(value)))}}`,
    (release) => `[${json(release)}]`,
  )
}

export function goSelector(selector: LabelSelector | null | undefined): GoLiteral {
  if (selector === undefined || selector === null) return goNull
  const expressions = goStructs('v1.LabelSelectorRequirement', selector.matchExpressions, ({ key, operator, values }) =>
    goStruct('v1.LabelSelectorRequirement', {
      Key: podSyntaxText(key),
      Operator: podSyntaxText(operator),
      Values: goStrings(values),
    }),
  )
  return goStruct('v1.LabelSelector', {
    MatchLabels: goStringMap(selector.matchLabels),
    MatchExpressions: expressions,
  })
}

export function goNodeSelectorTerm({ matchExpressions, matchFields }: NodeSelectorTerm): GoLiteral {
  const type = 'core.NodeSelectorRequirement'
  const requirements = (list: NodeSelectorTerm['matchFields']): GoLiteral =>
    goStructs(type, list, ({ key, operator, values }) =>
      goStruct(type, { Key: podSyntaxText(key), Operator: podSyntaxText(operator), Values: goStrings(values) }),
    )
  return goStruct('core.NodeSelectorTerm', {
    MatchExpressions: requirements(matchExpressions),
    MatchFields: requirements(matchFields),
  })
}

export const goNodeSelectorTerms = (terms: readonly NodeSelectorTerm[] | null | undefined): GoLiteral =>
  goStructs('core.NodeSelectorTerm', terms ?? undefined, goNodeSelectorTerm)

export const goToleration = ({ key, operator, value, effect, tolerationSeconds }: Toleration): GoLiteral =>
  goStruct('core.Toleration', {
    Key: podSyntaxText(key),
    Operator: podSyntaxText(operator),
    Value: podSyntaxText(value),
    Effect: podSyntaxText(effect),
    TolerationSeconds: podSyntaxPointer('int64', tolerationSeconds),
  })

export const goIntOrString = (value: number | string): GoLiteral =>
  typeof value === 'number'
    ? new GoLiteral(`intstr.IntOrString{Type:0, IntVal:${value}, StrVal:""}`, String(value))
    : new GoLiteral(`intstr.IntOrString{Type:1, IntVal:0, StrVal:${quote(value)}}`, goJson(value))
