/**
 * One request and its answer, whatever protocol carries them. `http` makes exchanges, the pipeline looks at them, and
 * handlers answer them, once.
 */
import type { X509Certificate } from 'node:crypto'
import type { Duplex } from 'node:stream'

export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>

export interface Peer {
  readonly remoteAddress: string
  /** Whether the connection is encrypted. Absent: it is not, or there is none. */
  readonly isSecure?: boolean
  /** The client's certificate chain, leaf first; empty without one. */
  certificates(): readonly X509Certificate[]
}

export interface Exchange {
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  /** The query as sent, without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: HeaderValues
  /** Names and values in turn, as they came: the only form that keeps repeated headers apart. */
  readonly rawHeaders?: readonly string[] | undefined
  readonly httpVersion: '1.0' | '1.1' | '2.0'
  readonly peer: Peer
  /** Aborted when the client has gone before the answer was complete. */
  readonly signal: AbortSignal
  /** True once an answer was begun. */
  readonly answered: boolean
  /** True once nothing more will be sent. */
  readonly complete: boolean
  /** True once the connection was taken over: what goes over it is no answer any more. Absent: that cannot be. */
  readonly upgraded?: boolean

  /** The whole body. Throws a 413 when it is longer than the limit, before reading it all. */
  readBody(limit: number): Promise<Buffer>
  /** The body as it comes, for proxying. */
  bodyStream(): NodeJS.ReadableStream

  /** A header that is added to the answer. A repeated name adds a value. */
  addHeader(name: string, value: string): void
  /** Takes back all that was added under the name. */
  removeHeader(name: string): void
  /** The whole answer. The first answer counts: what comes after it is not sent. */
  respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void
  /** The beginning of an answer that comes in pieces. */
  stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream
  /** Called once, when the answer begins, with its status. Must not throw. */
  onStart(listener: (status: number) => void): void
  /**
   * Called once, when the answer is complete or can no longer be: with its status (0: there was none) and the bytes of
   * its body. Must not throw.
   */
  onEnd(listener: (status: number, bytes: number) => void): void
  /** Breaks the connection (or resets the stream) as it is: for failures on purpose. */
  cut(): void
  /** Takes over the connection of an HTTP/1.1 upgrade request; undefined when this is none. */
  upgrade(): UpgradedConnection | undefined
}

/** With an error: the chunk was not taken as a whole, and may be in use still. */
export type WriteCallback = (error?: Error | null) => void

export interface AnswerStream {
  /** False: wait for `onDrain` before writing more. `sent` is called when the chunk was taken, and may be used again. */
  write(chunk: Buffer | string, sent?: WriteCallback): boolean
  end(chunk?: Buffer | string): void
  /** Breaks the connection (or resets the stream): the client must see that the answer is not whole. */
  destroy(): void
  onDrain(listener: () => void): void
  /** Called once, when nothing more can be written, for whatever reason. */
  onClose(listener: () => void): void
  readonly closed: boolean
  /** Bytes that were written and not taken by the client. Absent: that is not known. */
  readonly bufferedBytes?: number
}

export interface UpgradedConnection {
  readonly socket: Duplex
  /** What the client sent after its request. */
  readonly head: Buffer
}
