/** Columns that both kinds of admission policies have. */

import { isJsonObject, type JsonObject } from '../../../api/json.ts'
import { at, type Column, kindAgeColumn, kindNameColumn, sizeAt, textValue } from '../../columns/cells.ts'

function paramKind(policy: JsonObject): string {
  const kind = at(policy, 'spec', 'paramKind')
  return isJsonObject(kind) ? `${textValue(kind['apiVersion'])}/${textValue(kind['kind'])}` : '<unset>'
}

export const policyColumns = (counted: string, path: string): readonly Column[] => [
  kindNameColumn,
  { name: counted, cell: sizeAt(path), type: 'integer' },
  { name: 'ParamKind', cell: paramKind },
  kindAgeColumn,
]
