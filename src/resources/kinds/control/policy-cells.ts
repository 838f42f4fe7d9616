/** Columns that both kinds of admission policies have. */

import { isJsonObject, type JsonObject } from '../../../api/json.ts'
import { ageColumn, at, type Column, nameColumn, sizeAt, text } from '../../columns/cells.ts'

function paramKind(policy: JsonObject): string {
  const kind = at(policy, 'spec', 'paramKind')
  return isJsonObject(kind) ? `${text(kind['apiVersion'])}/${text(kind['kind'])}` : '<unset>'
}

export const policyColumns = (counted: string, path: string): readonly Column[] => [
  nameColumn,
  { name: counted, cell: sizeAt(path), type: 'integer' },
  { name: 'ParamKind', cell: paramKind },
  ageColumn,
]
