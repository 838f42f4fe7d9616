/**
 * The parts that tables of built-in kinds are made of. A table is a list of columns, each with the function that makes
 * its cell; what a column means is in descriptions.ts under the kind and the column's name.
 */
import { age } from '../../api/human-duration.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { compareTexts, keysOf } from '../../api/key-lists.ts'
import { LabelSelector, type LabelSelectorObject, selectorTextInSteps, termCount } from '../../api/label-selector.ts'
import { listInSteps, sortInSteps } from '../../api/large-values.ts'
import { rulesInSteps, stepsOfRules } from '../../api/rules-in-steps.ts'
import { ApiError } from '../../api/status-error.ts'
import { type ColumnDefinition, createdDescription, nameDescription, type TableDefinition } from '../../api/table.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { descriptions } from './descriptions.ts'

export type MakeCell = (object: JsonObject, now: number) => JsonValue

export interface Column {
  readonly name: string
  readonly cell: MakeCell
  readonly type?: ColumnDefinition['type']
  readonly format?: string
  /** Shown in wide output only. */
  readonly wide?: boolean
  /** In place of the one in descriptions.ts. */
  readonly description?: string
}

/** The value at the end of a path of keys; undefined where there is none. */
export function at(object: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let value = object
  for (const key of path) {
    if (!isJsonObject(value)) return undefined
    value = ownValue(value, key)
  }
  return value
}

/** A text, or `otherwise` where it is absent or empty. */
export function textValue(value: JsonValue | undefined, otherwise = ''): string {
  return value === undefined || value === null || value === '' ? otherwise : String(value)
}

/** A number, or 0. */
export const number = (value: JsonValue | undefined): number | bigint =>
  typeof value === 'number' || typeof value === 'bigint' ? value : 0

export const listValue = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

export const objects = (value: JsonValue | undefined): readonly JsonObject[] => listValue(value).filter(isJsonObject)

/** How many elements or keys there are. */
export const size = (value: JsonValue | undefined): number =>
  Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0

/** Texts that are not empty, each once, in order. */
export const sortedUnique = (texts: readonly string[]): string[] =>
  [...new Set(texts.filter((item) => item !== ''))].sort()

/** `a,b,c + 2 more...` when there are more than fit. */
export function listed(texts: readonly string[], most: number, separator = ','): string {
  const shown = texts.slice(0, most).join(separator)
  return texts.length > most ? `${shown} + ${texts.length - most} more...` : shown
}

/** `a=1,b=2`, or `<none>`. */
export function labelsText(labels: JsonValue | undefined): string {
  if (!isJsonObject(labels)) return '<none>'
  return stepsOfRules(labels, keysOf(labels).length, () => pairsInSteps(labels)) || '<none>'
}

function* pairsInSteps(labels: JsonObject): Steps<string> {
  const keys = yield* sortInSteps([...keysOf(labels)], compareTexts)
  const pairs = yield* listInSteps(keys, (key) => `${key}=${labels[key]}`)
  return pairs.join(',')
}

/** The text form of a selector object; undefined when it is not valid. */
export function selectorDisplay(selector: JsonValue | undefined): string | undefined {
  try {
    const given = (selector ?? undefined) as LabelSelectorObject | undefined
    if (given === undefined) return LabelSelector.nothing.toString()
    return stepsOfRules(given, termCount(given), () => selectorTextInSteps(given))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** As `selectorText`, `<none>` for an empty one and `<error>` for one that is not valid. */
export const selectorCell = (selector: JsonValue | undefined): string => {
  const shown = selectorDisplay(selector)
  return shown === undefined ? '<error>' : shown || '<none>'
}

/** The condition of that type. */
export const condition = (object: JsonObject, type: string): JsonObject | undefined =>
  objects(at(object, 'status', 'conditions')).find((item) => item['type'] === type)

export const isDeleting = (object: JsonObject): boolean => textValue(at(object, 'metadata', 'deletionTimestamp')) !== ''

/** A cell that is the text at a path. */
export const textAt =
  (path: string, otherwise = ''): MakeCell =>
  (object) =>
    textValue(at(object, ...path.split('.')), otherwise)

/** A cell that is the number at a path. */
export const numberAt =
  (path: string): MakeCell =>
  (object) =>
    number(at(object, ...path.split('.')))

/** A cell that counts what is at a path. */
export const sizeAt =
  (path: string): MakeCell =>
  (object) =>
    size(at(object, ...path.split('.')))

/** A cell that says how long ago the time at a path was. */
export const ageAt =
  (path: string, otherwise = '<unknown>'): MakeCell =>
  (object, now) => {
    const time = at(object, ...path.split('.'))
    return textValue(time) === '' ? otherwise : age(time, now)
  }

export const kindNameColumn: Column = {
  name: 'Name',
  cell: textAt('metadata.name'),
  format: 'name',
  description: nameDescription,
}

const marksDefault = (object: JsonObject, annotations: readonly string[]): boolean =>
  annotations.some((annotation) => at(object, 'metadata', 'annotations', annotation) === 'true')

/** The name of a class, marked where one of these annotations makes it the default. */
export const markedNameColumn = (...annotations: string[]): Column => ({
  ...kindNameColumn,
  cell: (object) =>
    `${textValue(at(object, 'metadata', 'name'))}${marksDefault(object, annotations) ? ' (default)' : ''}`,
})

export const kindAgeColumn: Column = {
  name: 'Age',
  cell: ageAt('metadata.creationTimestamp'),
  description: createdDescription,
}

/** Names and images of the containers of a pod template, and what else is for wide output. */
export const containerColumns = (template: string, wide = true): Column[] => {
  const path = [...template.split('.'), 'spec', 'containers']
  const joined =
    (key: string): MakeCell =>
    (object) =>
      objects(at(object, ...path))
        .map((container) => textValue(container[key]))
        .join(',')
  return [
    { name: 'Containers', cell: joined('name'), wide },
    { name: 'Images', cell: joined('image'), wide },
  ]
}

/** The table of a kind. */
export function defineTable(
  kind: string,
  columns: readonly Column[],
  more: Pick<TableDefinition, 'conditions' | 'compare'> & { readonly unnamed?: MakeCell } = {},
): TableDefinition {
  const { unnamed, ...rest } = more
  const makers = columns.map(({ cell }) => cell)
  if (unnamed !== undefined) makers.push(unnamed)
  const cells: TableDefinition['cells'] = (object, now) => makers.map((make) => make(object, now))
  return {
    columns: columns.map((column) => columnDefinition(kind, column)),
    cells,
    cellsInSteps: (object, now) => rulesInSteps(() => cells(object, now)),
    ...rest,
  }
}

function columnDefinition(kind: string, column: Column): ColumnDefinition {
  return {
    name: column.name,
    type: column.type ?? 'string',
    format: column.format ?? '',
    description: column.description ?? descriptions[kind]?.[column.name] ?? '',
    priority: column.wide ? 1 : 0,
  }
}
