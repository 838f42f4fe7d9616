/**
 * The tables of ValidatingAdmissionPolicyBinding, MutatingAdmissionPolicyBinding.
 * Mirrors pkg/printers/internalversion: printValidatingAdmissionPolicyBinding, printMutatingAdmissionPolicyBinding.
 */

import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  type Column,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listValue,
  objects,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

function paramRef(binding: JsonObject): string {
  const ref = at(binding, 'spec', 'paramRef')
  if (!isJsonObject(ref)) return '<unset>'
  const name = textValue(ref['name'])
  if (name !== '') return `${textValue(ref['namespace'], '*')}/${name}`
  return isJsonObject(ref['selector']) ? selectorDump(ref['selector']) : '<unset>'
}

/** A selector as the reference prints the structure, not as a selector's text. */
function selectorDump({ matchLabels, matchExpressions }: JsonObject): string {
  const labels = isJsonObject(matchLabels) ? matchLabels : {}
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${labels[key]},`)
  const requirements = objects(matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${textValue(key)},Operator:${textValue(operator)},Values:[${listValue(values).join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`
}

const policyBindingColumns: readonly Column[] = [
  kindNameColumn,
  { name: 'PolicyName', cell: textAt('spec.policyName') },
  { name: 'ParamRef', cell: paramRef },
  kindAgeColumn,
]

export const validatingAdmissionPolicyBindingTable: TableDefinition = defineTable(
  'ValidatingAdmissionPolicyBinding',
  policyBindingColumns,
)

export const mutatingAdmissionPolicyBindingTable: TableDefinition = defineTable(
  'MutatingAdmissionPolicyBinding',
  policyBindingColumns,
)
