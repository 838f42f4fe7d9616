// The requests that a server has had: recorded, matched, replayed.
import type { ApiObject } from './objects.ts'
import type { WaitOptions } from './server.ts'

/**
 * Which requests. All that are given must fit; `*` stands for anything within a text. A verb or a resource that there is
 * not is refused: it would match nothing.
 */
export interface RequestMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; several as a list. */
  verb?: string | readonly string[]
  /** `pods`, `deployments.apps`; with a subresource `pods/status`. Without one it is about the resource itself alone. */
  resource?: string | readonly string[]
  namespace?: string
  name?: string
  user?: string
  userAgent?: string
  path?: string
  /** Anything else; a fault's sees the body as well. What it throws is the error of the test's next call of the server. */
  where?: (request: RecordedRequest) => boolean
}

/** One request that came over the network. */
export interface RecordedRequest {
  /** Counts up from 1. */
  readonly id: number
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** `deployments.apps`; empty for what is no resource. */
  readonly resource: string
  readonly subresource: string
  readonly version: string
  readonly namespace: string
  readonly name: string
  readonly user: string
  readonly groups: readonly string[]
  readonly userAgent: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of the answer, names in lower case. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The texts of the answer's `Warning` headers. */
  readonly warnings: readonly string[]
  /** What was noted for the audit log, whether there is one or not. */
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** The server's time when it came. */
  readonly time: number
  /** 0 while there is no answer, and when there never was one. */
  readonly status: number
  /** Milliseconds; undefined while the answer is not complete. */
  readonly duration: number | undefined
  /**
   * The body as data, whatever its encoding (JSON, YAML, Protobuf, CBOR); what cannot be decoded as bytes; undefined when
   * there was none.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly body: any
  /** What was answered, likewise; undefined for watches and other streams, and for what is larger than 256 KiB. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly response: any
  /** The faults that it met. */
  readonly faults: readonly string[]
}

/** What the code under test sent, oldest first. Bounded: the oldest go first. */
export interface RequestLog extends Iterable<RecordedRequest> {
  readonly length: number
  /**
   * Those that match.
   *
   * @example
   * const core = await server.client(CoreV1Api)
   * await core.createNamespace({ body: { metadata: { name: 'shop' } } })
   * const [request] = server.requests.filter({ verb: 'create', resource: 'namespaces' })
   * assert.equal(request?.status, 201)
   * assert.equal(request?.body.metadata.name, 'shop')
   */
  filter(match: RequestMatch | ((request: RecordedRequest) => boolean)): RecordedRequest[]
  all(): RecordedRequest[]
  clear(): void
  /** Resolves to the first request that matches and is answered, now or later. */
  waitFor(match: RequestMatch, options?: Pick<WaitOptions, 'timeout'>): Promise<RecordedRequest>
  /** Writes those that match (or all) to a file, for `server.replay`: one JSON object a line, without tokens. */
  save(file: string, match?: RequestMatch): void
}

/** A request to be sent again. */
export interface SavedRequest {
  /** The server's time when it came. */
  readonly time: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly user: string
  readonly groups: readonly string[]
  readonly userAgent: string
  /** What it was answered with. */
  readonly status: number
  readonly contentType?: string
  readonly body?: unknown
}

export interface ReplayOptions {
  /** `recorded`: the server's clock passes between two requests as it did then. `at once` unless given. */
  timing?: 'at once' | 'recorded'
}

export interface Replayed {
  readonly request: SavedRequest
  readonly status: number
  /** Whether the code is the one of then. */
  readonly isSame: boolean
  readonly body: ApiObject
}
