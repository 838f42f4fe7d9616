/** The table of a custom resource: its name and the columns that its definition gives, found by JSON path. */
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { formatValue } from './field-error.ts'
import { humanDuration } from './human-duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { compileJsonPath, type JsonPath, JsonPathError } from './json-path.ts'
import { type ColumnDefinition, createdDescription, nameColumn, type TableDefinition } from './table.ts'
import { millisOfInstant, parseTime, TimeError } from './time.ts'

/** One entry of `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: createdDescription,
  jsonPath: '.metadata.creationTimestamp',
}

/** Without columns there is an age. With one whose path is none, there are those before it. */
export function customTable(columns: readonly PrinterColumn[]): TableDefinition {
  const found = readable(columns.length === 0 ? [ageColumn] : columns)
  function* cellsInSteps(object: JsonObject, now: number): Steps<JsonValue[]> {
    const name = isJsonObject(object['metadata']) ? object['metadata']['name'] : undefined
    const cells: JsonValue[] = [name ?? '']
    for (const { column, path } of found) {
      cells.push(cell(column.type, (yield* path(object))[0], now))
      yield
    }
    return cells
  }
  return {
    columns: [nameColumn, ...found.map(({ column }) => columnDefinition(column))],
    cells: (object, now) => runToEnd(cellsInSteps(object, now)),
    cellsInSteps,
  }
}

interface ReadableColumn {
  readonly column: PrinterColumn
  readonly path: JsonPath
}

function readable(columns: readonly PrinterColumn[]): ReadableColumn[] {
  const found: ReadableColumn[] = []
  for (const column of columns) {
    try {
      found.push({ column, path: compileJsonPath(column.jsonPath) })
    } catch (error) {
      if (error instanceof JsonPathError) return found
      throw error
    }
  }
  return found
}

const columnDefinition = (column: PrinterColumn): ColumnDefinition => ({
  name: column.name,
  type: column.type as ColumnDefinition['type'],
  format: column.format ?? '',
  description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
  priority: column.priority ?? 0,
})

/** The first value that the path finds, if it is of the column's type. */
function cell(type: string, value: JsonValue | undefined, now: number): JsonValue {
  if (value === undefined) return null
  switch (type) {
    case 'string':
      return printed(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null
    case 'number':
      return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return null
  }
}

function printed(value: JsonValue): string {
  if (value === null) return '<no value>'
  return typeof value === 'object' ? formatValue(value) : String(value)
}

function dateCell(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>'
  try {
    return humanDuration(now - millisOfInstant(parseTime(text)))
  } catch (error) {
    if (error instanceof TimeError) return '<invalid>'
    throw error
  }
}
