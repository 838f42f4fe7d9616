/**
 * The tables of RoleBinding, ClusterRoleBinding.
 * Mirrors pkg/printers/internalversion: printRoleBinding, printClusterRoleBinding.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  type Column,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  type MakeCell,
  objects,
  textValue,
} from '../../../columns/cells.ts'

const subjects =
  (kind: string): MakeCell =>
  (binding) =>
    objects(binding['subjects'])
      .filter((subject) => subject['kind'] === kind)
      .map(({ name, namespace }) =>
        kind === 'ServiceAccount' ? `${textValue(namespace)}/${textValue(name)}` : textValue(name),
      )
      .join(', ')

const bindingColumns: readonly Column[] = [
  kindNameColumn,
  {
    name: 'Role',
    cell: (binding) => `${textValue(at(binding, 'roleRef', 'kind'))}/${textValue(at(binding, 'roleRef', 'name'))}`,
  },
  kindAgeColumn,
  { name: 'Users', cell: subjects('User'), wide: true },
  { name: 'Groups', cell: subjects('Group'), wide: true },
  { name: 'ServiceAccounts', cell: subjects('ServiceAccount'), wide: true },
]

export const roleBindingTable: TableDefinition = defineTable('RoleBinding', bindingColumns)

export const clusterRoleBindingTable: TableDefinition = defineTable('ClusterRoleBinding', bindingColumns)
