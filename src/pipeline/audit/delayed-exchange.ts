/**
 * An exchange whose answer waits until the events about it are kept, as blocking audit modes promise: the head of an
 * answer that lasts waits for the event that it begins, the end of every answer for the event that it is complete.
 * Writers are held back as by a slow client, so that no more is kept meanwhile than they write in one go.
 */
import type { AnswerStream, Exchange, UpgradedConnection, WriteCallback } from '../../api/exchange.ts'
import { WrappedExchange } from '../../api/wrapped-exchange.ts'

/** Called before something goes out, once each. A promise: it waits. Must not reject. */
export interface AnswerHooks {
  readonly beforeHead?: ((status: number) => Promise<unknown> | undefined) | undefined
  readonly beforeEnd?: ((status: number) => Promise<unknown> | undefined) | undefined
}

type Headers = Readonly<Record<string, string>>

export class DelayedExchange extends WrappedExchange {
  readonly #holds: AnswerHooks
  #answered = false

  constructor(inner: Exchange, holds: AnswerHooks) {
    super(inner)
    this.#holds = holds
  }

  override get answered(): boolean {
    return this.#answered || this.inner.answered
  }

  override respond(status: number, headers: Headers, body: Buffer | string): void {
    if (this.answered) return
    this.#answered = true
    after(this.#holds.beforeHead?.(status), () =>
      after(this.#holds.beforeEnd?.(status), () => this.inner.respond(status, headers, body)),
    )
  }

  override stream(status: number, headers: Headers): AnswerStream {
    if (this.answered) return this.inner.stream(status, headers)
    this.#answered = true
    const answer = new HeldAnswer(() => this.inner.stream(status, headers), this.inner.signal)
    const { beforeEnd } = this.#holds
    if (beforeEnd !== undefined) answer.beforeEnd = () => beforeEnd(status)
    after(this.#holds.beforeHead?.(status), () => answer.open())
    return answer
  }

  override cut(): void {
    this.#answered = true
    this.inner.cut()
  }

  /** What is sent to the client waits in the socket. */
  override upgrade(): UpgradedConnection | undefined {
    const connection = this.inner.upgrade()
    if (connection === undefined) return undefined
    this.#answered = true
    const held = this.#holds.beforeHead?.(101)
    if (held !== undefined) {
      connection.socket.cork()
      after(held, () => connection.socket.uncork())
    }
    return connection
  }
}

function after(held: Promise<unknown> | undefined, go: () => void): void {
  if (held === undefined) go()
  else void held.then(go)
}

type Step = (to: AnswerStream) => void

class HeldAnswer implements AnswerStream {
  readonly #make: () => AnswerStream
  readonly #signal: AbortSignal
  /** What is to be done once the answer may begin. */
  #steps: Step[] = []
  #inner: AnswerStream | undefined
  #isEnding = false
  #hasRoom = false
  #onDrain: (() => void) | undefined
  beforeEnd: (() => Promise<unknown> | undefined) | undefined

  constructor(make: () => AnswerStream, signal: AbortSignal) {
    this.#make = make
    this.#signal = signal
  }

  open(): void {
    const inner = this.#make()
    for (const step of this.#steps) step(inner)
    this.#steps = []
    this.#inner = inner
    if (this.#hasRoom) this.#onDrain?.()
  }

  get closed(): boolean {
    return this.#isEnding || (this.#inner?.closed ?? this.#signal.aborted)
  }

  write(chunk: Buffer | string, sent?: WriteCallback): boolean {
    if (this.closed) return false
    if (this.#inner !== undefined) return this.#inner.write(chunk, sent)
    this.#steps.push((to) => {
      this.#hasRoom = to.write(chunk, sent)
    })
    return false
  }

  end(chunk?: Buffer | string): void {
    if (this.closed) return
    this.#isEnding = true
    this.#do((to) => {
      if (chunk !== undefined) to.write(chunk)
      after(this.beforeEnd?.(), () => to.end())
    })
  }

  destroy(): void {
    this.#isEnding = true
    this.#do((to) => to.destroy())
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.#do((to) => to.onDrain(listener))
  }

  onClose(listener: () => void): void {
    this.#do((to) => to.onClose(listener))
  }

  #do(step: Step): void {
    if (this.#inner === undefined) this.#steps.push(step)
    else step(this.#inner)
  }
}
