/**
 * The tables of RoleBinding, ClusterRoleBinding.
 * Mirrors pkg/printers/internalversion: printRoleBinding, printClusterRoleBinding.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  ageColumn,
  at,
  type Column,
  defineTable,
  type MakeCell,
  nameColumn,
  objects,
  text,
} from '../../../columns/cells.ts'

const subjects =
  (kind: string): MakeCell =>
  (binding) =>
    objects(binding['subjects'])
      .filter((subject) => subject['kind'] === kind)
      .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${text(namespace)}/${text(name)}` : text(name)))
      .join(', ')

const bindingColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Role',
    cell: (binding) => `${text(at(binding, 'roleRef', 'kind'))}/${text(at(binding, 'roleRef', 'name'))}`,
  },
  ageColumn,
  { name: 'Users', cell: subjects('User'), wide: true },
  { name: 'Groups', cell: subjects('Group'), wide: true },
  { name: 'ServiceAccounts', cell: subjects('ServiceAccount'), wide: true },
]

export const roleBindingTable: TableDefinition = defineTable('RoleBinding', bindingColumns)

export const clusterRoleBindingTable: TableDefinition = defineTable('ClusterRoleBinding', bindingColumns)
