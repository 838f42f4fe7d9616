/**
 * Spans: what happened for a request, when, and inside of what. Which request a piece of work belongs to is known by
 * its asynchronous context, so only what is traced needs to know of tracing. Spans that are not sampled are not kept.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

export type Attributes = Readonly<Record<string, string | number | boolean>>
export type SpanKind = 'internal' | 'server' | 'client'

/** What of a span other processes know, by the header `traceparent`. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
}

export interface FinishedSpan {
  readonly context: SpanContext
  readonly parentSpanId: string | undefined
  /** A span that had to do with it and is not its parent. */
  readonly link: SpanContext | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: Attributes
  /** What went wrong. */
  readonly error: string | undefined
}

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  /** A span of another process: its decision to sample counts here too. */
  readonly parent?: SpanContext | undefined
  readonly link?: SpanContext | undefined
}

export interface TracerOptions {
  /** How many of the traces that begin here are kept: 0 to 1. */
  readonly sampleRatio: number
  readonly onEnd: (span: FinishedSpan) => void
}

/** Runs something as a part of the current span, with a span of its own. */
export type Trace = <T>(name: string, attributes: Attributes, run: () => T) => T

export class Tracer {
  readonly #options: TracerOptions
  readonly #current = new AsyncLocalStorage<Span>()

  constructor(options: TracerOptions) {
    this.#options = options
  }

  /** Runs something inside of a new span, which the caller ends. */
  run<T>(start: SpanStart, run: (span: Span) => T): T {
    const span = this.#begin(start)
    return this.#current.run(span, () => run(span))
  }

  /** Runs something inside of a span that ends with it. Work that belongs to no request is not traced. */
  readonly trace: Trace = (name, attributes, run) => {
    const parent = this.#current.getStore()
    if (parent === undefined || !parent.context.sampled) return run()
    const span = this.#begin({ name, kind: 'internal', attributes, parent: parent.context })
    return this.#current.run(span, () => endWith(span, run))
  }

  /** The value of the header `traceparent` for requests to others. */
  traceparent(): string | undefined {
    const context = this.#current.getStore()?.context
    return context && `00-${context.traceId}-${context.spanId}-${context.sampled ? '01' : '00'}`
  }

  #begin(start: SpanStart): Span {
    const { parent } = start
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    const context = {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      sampled: parent?.sampled ?? isSampled(traceId, this.#options.sampleRatio),
    }
    return new Span(context, start, this.#options.onEnd)
  }
}

export class Span {
  readonly context: SpanContext
  readonly #start: SpanStart
  readonly #onEnd: (span: FinishedSpan) => void
  readonly #startNanos = nanosNow()
  #ended = false

  constructor(context: SpanContext, start: SpanStart, onEnd: (span: FinishedSpan) => void) {
    this.context = context
    this.#start = start
    this.#onEnd = onEnd
  }

  end(more: { readonly attributes?: Attributes; readonly error?: string | undefined } = {}): void {
    if (this.#ended || !this.context.sampled) return
    this.#ended = true
    const { name, kind, attributes, parent, link } = this.#start
    this.#onEnd({
      context: this.context,
      parentSpanId: parent?.spanId,
      link,
      name,
      kind,
      startNanos: this.#startNanos,
      endNanos: nanosNow(),
      attributes: { ...attributes, ...more.attributes },
      error: more.error,
    })
  }
}

function endWith<T>(span: Span, run: () => T): T {
  const failed = (error: unknown): never => {
    span.end({ error: error instanceof Error ? error.message : String(error) })
    throw error
  }
  try {
    const result = run()
    if (result instanceof Promise) {
      return result.then((value: unknown) => {
        span.end()
        return value
      }, failed) as T
    }
    span.end()
    return result
  } catch (error) {
    return failed(error)
  }
}

const nanosNow = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6))

/** The same for everybody who looks at the trace's id: its lower half against the ratio. */
const isSampled = (traceId: string, ratio: number): boolean =>
  BigInt(`0x${traceId.slice(16)}`) >> 1n < BigInt(Math.round(ratio * 1_000_000)) * (2n ** 63n / 1_000_000n)

/** The span of another process that a `traceparent` header names. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
