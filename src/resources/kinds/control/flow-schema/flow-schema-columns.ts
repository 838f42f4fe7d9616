/**
 * The table of FlowSchema.
 * Mirrors pkg/printers/internalversion: printFlowSchema.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  condition,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  number,
  numberAt,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

const precedence = (schema: JsonObject): number => Number(number(at(schema, 'spec', 'matchingPrecedence')))

const nameOf = (object: JsonObject): string => textValue(at(object, 'metadata', 'name'))

export const flowSchemaTable: TableDefinition = defineTable(
  'FlowSchema',
  [
    kindNameColumn,
    { name: 'PriorityLevel', cell: textAt('spec.priorityLevelConfiguration.name') },
    { name: 'MatchingPrecedence', cell: numberAt('spec.matchingPrecedence') },
    { name: 'DistinguisherMethod', cell: textAt('spec.distinguisherMethod.type', '<none>') },
    kindAgeColumn,
    { name: 'MissingPL', cell: (schema) => textValue(condition(schema, 'Dangling')?.['status'], '?') },
  ],
  {
    compare: (a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  },
)
