/** A long list in the view and encoding of its request, a batch of items at a time. */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { typeSchema } from '../catalog/catalog.ts'
import {
  cborListPieces,
  jsonListPieces,
  type ListPieces,
  prettyJsonListPieces,
  protobufListPieces,
  yamlListPieces,
} from '../codec/list-pieces.ts'
import { isPretty } from '../codec/negotiation.ts'
import { encodeMessage } from '../codec/protobuf.ts'
import { SideTable } from '../lib/memo.ts'
import { pushAll } from '../lib/push-all.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { ListView } from './list.ts'
import type { RequestView } from './request-view.ts'
import { SharedMessages } from './shared-messages.ts'

/** Objects of a list, made when they are asked for. */
export interface ListedObjects {
  readonly length: number
  at(index: number): KubeObject | undefined
  /** Where it is from, if it is just what the cache has in the version of the request. */
  readonly entryAt?: (index: number) => CacheEntry
}

interface ShownList extends RequestView {
  /** The list with these objects only. */
  readonly show: (objects: readonly KubeObject[]) => JsonObject
}

const batchSize = 8

/** Throws, before the first piece, what is wrong with the view. */
export function listPieces(context: RequestContext, list: ListView, shown: ShownList): ListPieces {
  const { choice, objects } = list
  const { encoding } = choice.mediaType
  const frame = shown.show([objects.at(0) as KubeObject])
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
): Generator<JsonObject[]> {
  const compare = view.kind === 'Table' ? context.table.compare : undefined
  let ordered = objects
  if (compare !== undefined) {
    const all: KubeObject[] = []
    for (const batch of batchesOf(objects)) {
      pushAll(all, batch)
      yield []
    }
    ordered = all.sort(compare)
  }
  for (const batch of batchesOf(ordered)) yield show(batch)[member] as JsonObject[]
}

function* batchesOf(objects: ListedObjects): Generator<KubeObject[]> {
  for (let from = 0; from < objects.length; from += batchSize) {
    const length = Math.min(batchSize, objects.length - from)
    yield Array.from({ length }, (_, i) => objects.at(from + i) as KubeObject)
  }
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

function* shownMessages(objects: ListedObjects, { show }: ShownList, schema: ObjectSchema): Generator<Buffer[]> {
  for (const batch of batchesOf(objects)) {
    yield (show(batch)['items'] as JsonObject[]).map((item) => encodeMessage(item, schema))
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
): Generator<readonly Buffer[]> {
  const encode = (i: number): Buffer => encodeMessage(objects.at(i) as KubeObject, schema)
  for (let from = 0; from < objects.length; from += batchSize) {
    const length = Math.min(batchSize, objects.length - from)
    yield Array.from({ length }, (_, i) => {
      const entry = objects.entryAt?.(from + i)
      return entry === undefined ? encode(from + i) : messages.of(entry, () => encode(from + i))
    })
  }
}
