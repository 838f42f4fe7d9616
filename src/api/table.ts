/** How a kind shows as a Table: its columns, and the cells of one object's row. */
import type { Steps } from '../lib/in-turns.ts'
import type { JsonObject, JsonValue } from './json.ts'

export type ColumnType = 'string' | 'integer' | 'number' | 'boolean' | 'date'

export interface ColumnDefinition {
  readonly name: string
  readonly type: ColumnType
  /** `name` marks the column that identifies the object. */
  readonly format: string
  readonly description: string
  /** Columns above 0 are for wide output. The server fills them all the same. */
  readonly priority: number
}

export interface RowCondition extends JsonObject {
  type: string
  status: string
  reason: string
  message: string
}

export interface TableDefinition {
  readonly columns: readonly ColumnDefinition[]
  /** One row of an object in the version that this definition is for. `now` is in milliseconds. */
  cells(object: JsonObject, now: number): JsonValue[]
  /** The same where rows may be large. */
  cellsInSteps?(object: JsonObject, now: number): Steps<JsonValue[]>
  /** What a client may want to know about the row, such as that a pod has come to its end. */
  conditions?(object: JsonObject): RowCondition[] | undefined
  /** The order of the rows of a list, where it is not the list's own. */
  compare?(a: JsonObject, b: JsonObject): number
  /** Every event of a watch has the columns, not the first alone. */
  readonly repeatsColumns?: boolean
}

/** What the columns Name and Age are called in every table. */
export const nameDescription = 'The name of the object, unique for its kind within its namespace.'
export const createdDescription = 'When the server created the object.'

export const nameColumn: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameDescription,
  priority: 0,
}
