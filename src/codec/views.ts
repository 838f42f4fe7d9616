/**
 * The views of an object that a client can ask for instead of the object: a Table, or its metadata only. `viewOf` reads
 * what was negotiated; `showObject`, `showList` and `WatchView` make the answer, in steps: rows of large objects take
 * long. Status objects are shown as they are.
 */
import { invalid } from '../api/field-error.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import { ApiError, badRequest, unknownError } from '../api/status-error.ts'
import type { TableDefinition } from '../api/table.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { RequestedKind } from './negotiation.ts'
import { type IncludeObject, partialMetadata, type TableOptions, tableOfList, tableOfObject } from './table.ts'

export type View =
  | { readonly kind: 'whole' }
  | { readonly kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'; readonly apiVersion: string }
  | { readonly kind: 'Table'; readonly apiVersion: string; readonly include: IncludeObject }

export interface ViewContext {
  readonly table: TableDefinition
  /** How messages name the type: `core.ConfigMap`, `unstructured.Unstructured`. */
  readonly goType: string
  readonly now: number
  /** The object as it is shown whole, beside what a table says of it; as it is if absent. */
  readonly whole?: (object: JsonObject) => JsonObject
}

/** What custom objects are. Whether one is a list is only found out when it is read as one. */
const untyped = 'unstructured.Unstructured'

const whole: View = { kind: 'whole' }

/** `includeObject` is the query parameter. Throws a 400 when a Table is wanted with an unknown value of it. */
export function viewOf(convert: RequestedKind | undefined, includeObject: string | undefined): View {
  if (convert === undefined) return whole
  const apiVersion = `${convert.group}/${convert.version}`
  switch (convert.kind) {
    case 'Table':
      return { kind: 'Table', apiVersion, include: parseIncludeObject(includeObject ?? '') }
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { kind: convert.kind, apiVersion }
    default:
      return whole
  }
}

function parseIncludeObject(text: string): IncludeObject {
  if (text === '' || text === 'Metadata') return 'Metadata'
  if (text === 'None' || text === 'Object') return text
  const { field, message } = invalid('includeObject', text, "must be 'Metadata', 'Object', 'None', or empty")
  throw badRequest(`Unable to convert to Table as requested: ${field}: ${message}`)
}

const isStatus = ({ kind, apiVersion }: JsonObject): boolean => kind === 'Status' && apiVersion === 'v1'

/** One object. Throws a 406 when the view is one of lists. */
export function* showObject(object: JsonObject, view: View, context: ViewContext): Steps<JsonObject> {
  if (view.kind === 'whole' || isStatus(object)) return object
  if (view.kind === 'Table') return yield* tableOfObject(object, tableOptions(object, view, context))
  if (view.kind === 'PartialObjectMetadata') return partialMetadata(object, view.apiVersion)
  if (context.goType === untyped) throw unknownError('content is not a list')
  throw wrongView(
    `you requested PartialObjectMetadataList, but the requested object is not a list (*${context.goType})`,
  )
}

/** A list. Throws a 406 when the view is one of single objects. */
export function* showList(list: JsonObject, view: View, context: ViewContext): Steps<JsonObject> {
  if (view.kind === 'whole' || isStatus(list)) return list
  const items = Array.isArray(list['items']) ? list['items'].filter(isJsonObject) : []
  if (view.kind === 'Table') {
    return yield* tableOfList(list['metadata'], items, {
      definition: context.table,
      apiVersion: view.apiVersion,
      include: view.include,
      now: context.now,
      ...(context.whole && { whole: context.whole }),
    })
  }
  if (view.kind === 'PartialObjectMetadataList') {
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: view.apiVersion,
      metadata: list['metadata'] ?? {},
      // The reference makes a list only when there is something to put into it.
      items: items.length === 0 ? null : items.map((item) => partialMetadata(item, view.apiVersion)),
    }
  }
  throw wrongView(`you requested PartialObjectMetadata, but the requested object is a list (*${context.goType}List)`)
}

const wrongView = (message: string): ApiError => new ApiError({ code: 406, reason: 'NotAcceptable', message })

/** The objects of a watch's events. The columns of a table come with the first event only. */
export class WatchView {
  readonly #view: View
  #first = true

  constructor(view: View) {
    this.#view = view
  }

  /** Throws a 406 when the view is one of lists, which ends the stream. */
  *show(object: JsonObject, context: ViewContext): Steps<JsonObject> {
    const view = this.#view
    if (view.kind !== 'Table' || isStatus(object)) return yield* showObject(object, view, context)
    const withColumns = this.#first
    this.#first = false
    return yield* tableOfObject(object, { ...tableOptions(object, view, context), withColumns })
  }
}

type TableView = Extract<View, { kind: 'Table' }>

/** The bookmark that ends the initial events is known by its annotation, so its metadata is always there. */
function tableOptions(object: JsonObject, view: TableView, { table, now, whole }: ViewContext): TableOptions {
  const include = view.include === 'None' && endsInitialEvents(object) ? 'Metadata' : view.include
  return { definition: table, apiVersion: view.apiVersion, include, now, ...(whole && { whole }) }
}

function endsInitialEvents({ metadata }: JsonObject): boolean {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined
  return isJsonObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true'
}
