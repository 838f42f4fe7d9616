/** Watch events as bytes: one frame for an event, in the encoding, version and view that the watch asked for. */

import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { ApiError } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { WatchEventType } from '../cache/watcher.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { encodeCbor, encodeCborEvent, encodeCborInSteps } from '../codec/cbor.ts'
import { encodeJson } from '../codec/json.ts'
import { encodeJsonInSteps } from '../codec/json-in-steps.ts'
import type { NegotiatedType } from '../codec/negotiation.ts'
import { encodeProtobuf, encodeProtobufInSteps, encodeWatchFrame } from '../codec/protobuf.ts'
import { WatchView } from '../codec/views.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { objectInVersion } from '../registry/convert.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { isLarge } from '../registry/write-request.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { listSchema } from './list-schema.ts'
import { type RequestView, viewedVersion } from './request-view.ts'
import { messageFrame } from './web-socket.ts'

export interface FrameMaker {
  /** Frames with the same key are identical for all watchers: encoded once. Absent where they are not. */
  readonly keys: FrameKeys | undefined
  /** A promise where a webhook converts the object, or it is large. */
  event(type: string, entry: CacheEntry): Awaitable<Buffer>
  bookmark(revision: number, initialEventsEnd: boolean): Buffer
  error(error: ApiError): Buffer
}

/** One for each type, made once: every watcher of every event asks by it. */
export type FrameKeys = Readonly<Record<WatchEventType, string>>

const frameKeys = (shape: string): FrameKeys => ({
  ADDED: `ADDED ${shape}`,
  MODIFIED: `MODIFIED ${shape}`,
  DELETED: `DELETED ${shape}`,
})

export interface FrameOptions {
  readonly target: ServedResource
  readonly choice: NegotiatedType
  readonly view: RequestView
}

export function frameMaker(options: FrameOptions): FrameMaker {
  const { target, choice, view } = options
  const asIs = target.version === target.registry.definition.hub && view.view.kind === 'whole'
  if (asIs && choice.mediaType.encoding === 'json') return plainJsonFrames(options)
  return encodedFrames(options)
}

/** Each frame as one message of a WebSocket: text where the encoding is, and without a length of its own. */
export function webSocketFrames(frames: FrameMaker, { mediaType }: NegotiatedType): FrameMaker {
  const { encoding } = mediaType
  const wrap = (frame: Buffer): Buffer =>
    messageFrame(encoding === 'protobuf' ? frame.subarray(4) : frame, encoding === 'json' ? 'text' : 'binary')
  return {
    keys: frames.keys && frameKeys(`message ${frames.keys.ADDED}`),
    event: (type, entry) => {
      const frame = frames.event(type, entry)
      return whenReady(frame, wrap)
    },
    bookmark: (revision, end) => wrap(frames.bookmark(revision, end)),
    error: (error) => wrap(frames.error(error)),
  }
}

const plainJsonKeys = frameKeys('json')

function plainJsonFrames(options: FrameOptions): FrameMaker {
  return {
    keys: plainJsonKeys,
    event: (type, entry) => {
      const head = `{"type":"${type}","object":`
      const frame = Buffer.allocUnsafe(head.length + entry.jsonLength + 2)
      frame.write(head, 'latin1')
      const end = entry.writeJson(frame, head.length)
      frame.write('}\n', end, 'latin1')
      return frame
    },
    bookmark: (revision, end) => jsonFrame('BOOKMARK', bookmarkObject(options, revision, end)),
    error: (error) => jsonFrame('ERROR', error.toStatus()),
  }
}

const jsonFrame = (type: string, object: JsonObject): Buffer => Buffer.from(`${encodeJson({ type, object })}\n`)

function encodedFrames(options: FrameOptions): FrameMaker {
  const { target, choice, view } = options
  const { version, registry } = target
  const encode = frameEncoder(choice)
  const viewed = viewedVersion(target, choice)
  const shown = new WatchView(view.view)
  const schema = view.schema ?? version.schema
  const { kind } = view.view
  function* frame(type: string, object: JsonObject): Steps<Buffer> {
    return yield* encode(type, { object: yield* shown.show(object, view.context), schema })
  }
  // A view that there is not of one object is refused before anything is encoded.
  const isStepped = ({ size }: CacheEntry): boolean => isLarge(size) && kind !== 'PartialObjectMetadataList'
  return {
    keys:
      kind === 'Table' || registry.definition.remoteConversion !== undefined
        ? undefined
        : frameKeys(`${choice.mediaType.encoding} ${version.apiVersion} ${kind}`),
    event: (type, entry) => {
      const take: Take = isStepped(entry) ? inTurns : runToEnd
      const inVersion = (object: KubeObject): Awaitable<KubeObject> =>
        objectInVersion(registry.definition, viewed, object)
      const object = whenReady(take(entry.objectInSteps()), inVersion)
      return whenReady(object, (converted) => take(frame(type, converted)))
    },
    bookmark: (revision, end) => runToEnd(frame('BOOKMARK', bookmarkObject(options, revision, end))),
    error: (error) => runToEnd(encode('ERROR', { object: error.toStatus(), schema: typeSchema('meta.v1.Status') })),
  }
}

type Take = <T>(steps: Steps<T>) => Awaitable<T>

function frameEncoder({
  mediaType,
}: NegotiatedType): (type: string, value: { object: JsonObject; schema: ObjectSchema }) => Steps<Buffer> {
  switch (mediaType.encoding) {
    case 'protobuf':
      return function* (type, { object, schema }) {
        return encodeWatchFrame(type, yield* encodeProtobufInSteps(object, schema))
      }
    case 'cbor':
      return function* (type, { object, schema }) {
        return encodeCborEvent(type, yield* encodeCborInSteps(object, schema))
      }
    case 'json':
    case 'yaml':
      return function* (type, { object }) {
        return Buffer.from(`${yield* encodeJsonInSteps({ type, object })}\n`)
      }
  }
}

function bookmarkObject(options: FrameOptions, revision: number, end: boolean): JsonObject {
  const { kind, apiVersion } = options.target.version
  const { gate } = options.target.registry
  const blueprint = (): JsonObject => ({
    'kubernetes.io/initial-events-list-blueprint': listBlueprint(options).toString('base64'),
  })
  const annotations = { 'k8s.io/initial-events-end': 'true', ...(gate('release:noListBlueprint') ? {} : blueprint()) }
  return { kind, apiVersion, metadata: { resourceVersion: String(revision), ...(end ? { annotations } : {}) } }
}

/** An empty list in the encoding of the watch, from which a client makes the list that the initial events are. */
function listBlueprint({ target, choice, view }: FrameOptions): Buffer {
  const { version, registry } = target
  const { listKind, model } = registry.definition
  const { apiVersion } = version
  if (view.view.kind === 'PartialObjectMetadata') {
    const list = { kind: `${view.view.kind}List`, apiVersion: view.view.apiVersion, metadata: {}, items: null }
    return encodeList(choice, list, () => typeSchema('meta.v1.PartialObjectMetadataList'))
  }
  return encodeList(choice, model.views.emptyList(listKind, apiVersion), () => listSchema(version))
}

function encodeList({ mediaType }: NegotiatedType, list: JsonObject, schema: () => ObjectSchema): Buffer {
  switch (mediaType.encoding) {
    case 'protobuf':
      return Buffer.from(encodeProtobuf(list, schema()))
    case 'cbor':
      return Buffer.from(encodeCbor(list))
    case 'json':
    case 'yaml':
      return Buffer.from(`${encodeJson(list)}\n`)
  }
}
