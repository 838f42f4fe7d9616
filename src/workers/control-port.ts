/**
 * The messages between the primary and one worker, beside the channel of the store: news, questions with answers, and sockets.
 * Over the channel that Node opens to a child process.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Awaitable } from '../lib/awaitable.ts'

/** A child process seen by the primary, or the own process seen by a worker. */
export type ControlChannel = Pick<ChildProcess, 'on' | 'once' | 'connected' | 'send'>

interface ControlMessage {
  readonly kind: string
  readonly payload?: unknown
  /** Of a question, or of the question that this is the answer to. */
  readonly id?: number
  /** Why there is no answer. */
  readonly failure?: string
}

type Handler = (payload: unknown, socket: Socket | undefined) => Awaitable<unknown>

const answerKind = 'answer'

export class ControlPort {
  readonly #channel: ControlChannel
  readonly #handlers = new Map<string, Handler>()
  readonly #asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  #lastId = 0

  constructor(channel: ControlChannel) {
    this.#channel = channel
    channel.on('message', (message: unknown, socket: unknown) =>
      this.#take(message as ControlMessage, socket as Socket | undefined),
    )
    channel.once('disconnect', () => this.#giveUp())
  }

  /** One handler a kind: what it returns is the answer, if one is wanted. */
  on<T>(kind: string, handler: (payload: T, socket: Socket | undefined) => Awaitable<unknown>): void {
    this.#handlers.set(kind, handler as Handler)
  }

  /** `sent` is called when it has left, or with the error. */
  notify(kind: string, payload?: unknown, socket?: Socket, sent?: (error: Error | null) => void): void {
    this.#send({ kind, payload }, socket, sent)
  }

  /** Rejects when the other process fails, or is gone. */
  ask<T>(kind: string, payload?: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#asked.set(id, { resolve: resolve as (answer: unknown) => void, reject })
      if (!this.#channel.connected) this.#giveUp()
      else this.#send({ kind, payload, id })
    })
  }

  #send(message: ControlMessage, socket?: Socket, sent: (error: Error | null) => void = () => undefined): void {
    // The channel may end while something is on its way: the owner of the process gets its exit.
    if (this.#channel.connected) this.#channel.send(message, socket, {}, sent)
    else sent(new Error('the other process is gone'))
  }

  #take({ kind, payload, id, failure }: ControlMessage, socket: Socket | undefined): void {
    if (kind === answerKind) {
      const asked = this.#asked.get(id ?? 0)
      this.#asked.delete(id ?? 0)
      if (failure === undefined) asked?.resolve(payload)
      else asked?.reject(new Error(failure))
      return
    }
    const handler = this.#handlers.get(kind)
    if (handler === undefined) return
    if (id === undefined) {
      void handler(payload, socket)
      return
    }
    void this.#answer(id, async () => handler(payload, socket))
  }

  async #answer(id: number, handle: () => Promise<unknown>): Promise<void> {
    try {
      this.#send({ kind: answerKind, id, payload: await handle() })
    } catch (error) {
      this.#send({ kind: answerKind, id, failure: error instanceof Error ? error.message : String(error) })
    }
  }

  #giveUp(): void {
    for (const { reject } of this.#asked.values()) reject(new Error('the other process is gone'))
    this.#asked.clear()
  }
}
