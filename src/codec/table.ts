/** Makes Table objects: one generic builder over a kind's `TableDefinition`. */

import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { type ColumnDefinition, createdDescription, nameColumn, type TableDefinition } from '../api/table.ts'
import type { Steps } from '../lib/in-turns.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  readonly definition: TableDefinition
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string
  readonly include: IncludeObject
  readonly now: number
  /** The object as its row holds it whole. */
  readonly whole?: (object: JsonObject) => JsonObject
  /** Left out in all but the first event of a watch. */
  readonly withColumns?: boolean
}

/** The rows hold the object whole, its metadata, or nothing. */
function* tableRow(object: JsonObject, options: TableOptions): Steps<JsonObject> {
  const { definition, apiVersion, include, now, whole } = options
  const conditions = definition.conditions?.(object)
  return {
    cells: definition.cellsInSteps ? yield* definition.cellsInSteps(object, now) : definition.cells(object, now),
    ...(conditions?.length ? { conditions } : {}),
    object:
      include === 'None'
        ? null
        : include === 'Object'
          ? (whole?.(object) ?? object)
          : partialMetadata(object, apiVersion),
  }
}

/** A table of one object: its list metadata is the object's version. */
export function* tableOfObject(object: JsonObject, options: TableOptions): Steps<JsonObject> {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const version = metadata['resourceVersion']
  return table(version === undefined ? {} : { resourceVersion: version }, [yield* tableRow(object, options)], options)
}

/** A table of a list's items, under the list's own metadata. */
export function* tableOfList(
  metadata: JsonValue | undefined,
  items: readonly JsonObject[],
  options: TableOptions,
): Steps<JsonObject> {
  const { compare } = options.definition
  const ordered = compare ? items.toSorted(compare) : items
  // The reference's standard table makes its rows only when there is something to show.
  const isNull = items.length === 0 && options.definition === defaultTable
  const rows: JsonObject[] = []
  for (const item of ordered) {
    rows.push(yield* tableRow(item, options))
    yield
  }
  return table(metadata ?? {}, isNull ? null : rows, options)
}

function table(metadata: JsonValue, rows: JsonObject[] | null, options: TableOptions): JsonObject {
  return {
    kind: 'Table',
    apiVersion: options.apiVersion,
    metadata,
    columnDefinitions:
      options.withColumns === false && options.definition.repeatsColumns !== true
        ? null
        : columnDefinitions(options.definition.columns),
    rows,
  }
}

const columnDefinitions = (columns: readonly ColumnDefinition[]): JsonObject[] =>
  columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority }))

/** The metadata of an object as an object of its own. */
export function partialMetadata(object: JsonObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: withoutField(metadataOf(object)) }
}

/** An annotation that stands for a field: the object has it, its metadata alone does not. */
const fieldAnnotation = 'deprecated.daemonset.template.generation'

function withoutField(metadata: JsonObject): JsonObject {
  const { annotations, ...rest } = metadata
  if (!isJsonObject(annotations) || annotations[fieldAnnotation] === undefined) return metadata
  const { [fieldAnnotation]: _, ...others } = annotations
  return Object.keys(others).length === 0 ? rest : { ...rest, annotations: others }
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isJsonObject(metadata) ? metadata : {})

/** The table of kinds that have none of their own. */
export const defaultTable: TableDefinition = {
  columns: [nameColumn, { name: 'Created At', type: 'date', format: '', description: createdDescription, priority: 0 }],
  cells(object) {
    const { name, creationTimestamp } = metadataOf(object)
    return [name ?? '', creationTimestamp ?? '0001-01-01T00:00:00Z']
  },
}
