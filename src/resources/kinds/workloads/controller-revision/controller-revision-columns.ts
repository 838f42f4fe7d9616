/**
 * The table of ControllerRevision.
 * Mirrors pkg/printers/internalversion: printControllerRevision.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, numberAt, objects, textValue } from '../../../columns/cells.ts'

function controllerName(object: JsonObject): string {
  const owners = objects(at(object, 'metadata', 'ownerReferences'))
  const controller = owners.find((owner) => owner['controller'] === true)
  if (controller === undefined) return '<none>'
  const [version = '', group] = textValue(controller['apiVersion']).split('/').toReversed()
  const kind = textValue(controller['kind'])
  return `${(group === undefined || version === '' ? kind : `${kind}.${group}`).toLowerCase()}/${textValue(controller['name'])}`
}

export const controllerRevisionTable: TableDefinition = defineTable('ControllerRevision', [
  kindNameColumn,
  { name: 'Controller', cell: controllerName },
  { name: 'Revision', cell: numberAt('revision') },
  kindAgeColumn,
])
