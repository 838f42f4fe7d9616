/** A long list in the view and encoding of its request, a batch of items at a time. */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { typeSchema } from '../catalog/catalog.ts'
import {
  type Batches,
  cborListPieces,
  jsonListPieces,
  type ListPieces,
  prettyJsonListPieces,
  protobufListPieces,
  yamlListPieces,
} from '../codec/list-pieces.ts'
import { isPretty } from '../codec/negotiation.ts'
import { encodeMessage, encodeMessageInSteps } from '../codec/protobuf.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { pushAll } from '../lib/push-all.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import { isLarge } from '../registry/write-request.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { ListView } from './list.ts'
import type { RequestView } from './request-view.ts'
import { SharedMessages } from './shared-messages.ts'

/** Objects of a list, made when they are asked for. */
export interface ListedObjects {
  readonly length: number
  at(index: number): KubeObject | undefined
  /** As `at`, of one that is large. */
  readonly atInSteps?: (index: number) => Steps<KubeObject>
  /** How many bytes its text has. What is computed for the request is small. */
  readonly sizeAt?: (index: number) => number
  /** Where it is from, if it is just what the cache has in the version of the request. */
  readonly entryAt?: (index: number) => CacheEntry
}

const isLargeAt = ({ sizeAt }: ListedObjects, i: number): boolean => isLarge(sizeAt?.(i) ?? 0)

export function* listedObject(objects: ListedObjects, i: number): Steps<KubeObject> {
  if (objects.atInSteps !== undefined && isLargeAt(objects, i)) return yield* objects.atInSteps(i)
  return objects.at(i) as KubeObject
}

interface ShownList extends RequestView {
  /** The list with these objects only. */
  readonly show: (objects: readonly KubeObject[]) => Steps<JsonObject>
}

const batchSize = 8

/** Throws, before the first piece, what is wrong with the view. */
export function listPieces(context: RequestContext, list: ListView, shown: ShownList): ListPieces {
  const { choice, objects } = list
  const { encoding } = choice.mediaType
  const frame = runToEnd(shown.show([]))
  if (encoding === 'protobuf') return protobufPieces(list, shown, frame)
  const member = shown.view.kind === 'Table' ? 'rows' : 'items'
  const items = { frame, member, count: objects.length, batches: shownBatches(objects, shown, member) } as const
  if (encoding === 'yaml') return yamlListPieces(items)
  if (encoding === 'cbor') {
    return cborListPieces({ ...items, schema: shown.schema === undefined ? list.target.version.schema : undefined })
  }
  const pretty = isPretty(choice, context.info.query.get('pretty'), context.header('user-agent'))
  return pretty ? prettyJsonListPieces(items) : jsonListPieces(items)
}

function* shownBatches(
  objects: ListedObjects,
  { view, context, show }: ShownList,
  member: 'items' | 'rows',
): Batches<JsonObject> {
  const compare = view.kind === 'Table' ? context.table.compare : undefined
  let ordered = objects
  if (compare !== undefined) {
    const all: KubeObject[] = []
    for (const batch of batchesOf(objects)) {
      if (batch !== undefined) pushAll(all, batch.items)
      yield
    }
    ordered = all.sort(compare)
  }
  for (const batch of batchesOf(ordered)) {
    if (batch === undefined) yield
    else
      yield { items: (yield* taken(show(batch.items), batch.isLarge))[member] as JsonObject[], isLarge: batch.isLarge }
  }
}

function* taken<T>(steps: Steps<T>, isLong: boolean): Steps<T> {
  return isLong ? yield* steps : runToEnd(steps)
}

/** A large object is a batch of its own, and takes several steps. */
function* batchesOf(objects: ListedObjects): Batches<KubeObject> {
  let items: KubeObject[] = []
  let bytes = 0
  for (let i = 0; i < objects.length; i++) {
    const isAlone = isLargeAt(objects, i)
    if (items.length > 0 && (isAlone || items.length === batchSize || isLarge(bytes))) {
      yield { items, isLarge: false }
      items = []
      bytes = 0
    }
    if (isAlone) yield { items: [yield* listedObject(objects, i)], isLarge: true }
    else {
      items.push(objects.at(i) as KubeObject)
      bytes += objects.sizeAt?.(i) ?? 0
    }
  }
  if (items.length > 0) yield { items, isLarge: false }
}

interface ProtobufFrame {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: JsonObject
}

function protobufPieces({ target, objects }: ListView, shown: ShownList, frame: JsonObject): ListPieces {
  const { kind, apiVersion, metadata } = frame as JsonObject & ProtobufFrame
  const head = { kind, apiVersion, metadata }
  if (shown.view.kind === 'whole') return wholePieces(objects, target.version, head)
  return protobufListPieces(head, shownMessages(objects, shown, typeSchema('meta.v1.PartialObjectMetadata')))
}

function* shownMessages(
  objects: ListedObjects,
  { show }: ShownList,
  schema: ObjectSchema,
): Generator<Buffer | undefined> {
  for (const batch of batchesOf(objects)) {
    yield
    if (batch === undefined) continue
    const shown = yield* taken(show(batch.items), batch.isLarge)
    for (const item of shown['items'] as JsonObject[])
      yield yield* taken(encodeMessageInSteps(item, schema), batch.isLarge)
  }
}

/** Of lists under way in the same version. */
const shared = new SideTable<ResourceVersion, SharedMessages>()

function* wholePieces(objects: ListedObjects, version: ResourceVersion, frame: ProtobufFrame): ListPieces {
  const messages = shared.getOrMake(version, () => new SharedMessages())
  messages.acquire()
  try {
    yield* protobufListPieces(frame, wholeMessages(objects, version.schema, messages))
  } finally {
    messages.release()
  }
}

/** Messages of whole objects: their kind and version are no part of them. */
function* wholeMessages(
  objects: ListedObjects,
  schema: ObjectSchema,
  messages: SharedMessages,
): Generator<Buffer | undefined> {
  for (let i = 0; i < objects.length; i++) {
    const entry = objects.entryAt?.(i)
    const known = entry === undefined ? undefined : messages.get(entry)
    if (known !== undefined) {
      yield known
      continue
    }
    const message = isLargeAt(objects, i)
      ? yield* encodeMessageInSteps(yield* listedObject(objects, i), schema)
      : encodeMessage(objects.at(i) as KubeObject, schema)
    if (entry !== undefined) messages.keep(entry, message)
    yield message
  }
}
