/**
 * The table of Node.
 * Mirrors pkg/printers/internalversion: printNode.
 */

import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  type Column,
  condition,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  objects,
  sortedUnique,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

function nodeStatus(node: JsonObject): string {
  const ready = condition(node, 'Ready')
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status
}

const rolePrefix = 'node-role.kubernetes.io/'

function nodeRoles(node: JsonObject): string {
  const labels = at(node, 'metadata', 'labels')
  if (!isJsonObject(labels)) return '<none>'
  const roles: string[] = []
  for (const key of keysOf(labels)) {
    if (key.startsWith(rolePrefix)) roles.push(key.slice(rolePrefix.length))
    else if (key === 'kubernetes.io/role') roles.push(textValue(labels[key]))
  }
  return sortedUnique(roles).join(',') || '<none>'
}

const nodeAddress =
  (type: string) =>
  (node: JsonObject): string =>
    textValue(
      objects(at(node, 'status', 'addresses')).find((address) => address['type'] === type)?.['address'],
      '<none>',
    )

const nodeInfo = (key: string) => textAt(`status.nodeInfo.${key}`, '<unknown>')

const withArchitecture = (node: JsonObject): string => {
  const architecture = textValue(at(node, 'status', 'nodeInfo', 'architecture'))
  const version = textValue(at(node, 'status', 'nodeInfo', 'kernelVersion'))
  if (version === '') return '<unknown>'
  return architecture === '' ? version : `${version} (${architecture})`
}

const nodeColumns: readonly Column[] = [
  kindNameColumn,
  { name: 'Status', cell: nodeStatus },
  { name: 'Roles', cell: nodeRoles },
  kindAgeColumn,
  { name: 'Version', cell: textAt('status.nodeInfo.kubeletVersion') },
  { name: 'Internal-IP', cell: nodeAddress('InternalIP'), wide: true },
  { name: 'External-IP', cell: nodeAddress('ExternalIP'), wide: true },
  { name: 'OS-Image', cell: nodeInfo('osImage'), wide: true },
  { name: 'Kernel-Version', cell: nodeInfo('kernelVersion'), wide: true },
  { name: 'Container-Runtime', cell: nodeInfo('containerRuntimeVersion'), wide: true },
]

export const nodeTable: TableDefinition = defineTable('Node', nodeColumns)

export const nodeTableWithArchitecture: TableDefinition = defineTable(
  'Node',
  nodeColumns.map((column) => (column.name === 'Kernel-Version' ? { ...column, cell: withArchitecture } : column)),
)
