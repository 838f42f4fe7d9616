/**
 * Sends spans to an OpenTelemetry collector: OTLP over gRPC. Spans wait in a bounded queue and go in batches; when the
 * queue is full, or the collector does not take a batch, spans are lost, because tracing must not slow down the server.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { Writer } from 'protobufjs/minimal.js'
import type { Clock } from './clock.ts'
import type { Attributes, FinishedSpan, SpanKind } from './tracer.ts'

export interface OtlpExporterOptions {
  /** A gRPC target. */
  readonly endpoint: string
  /** Who sends the spans. */
  readonly resource: Attributes
  readonly clock: Clock
  readonly onLost: (count: number, why: string) => void
}

const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
const maxWaiting = 2048
const batchSize = 512
const batchMs = 5000
const sendTimeoutMs = 10_000

export class OtlpExporter {
  readonly #options: OtlpExporterOptions
  readonly #client: Client
  readonly #waiting: FinishedSpan[] = []
  #lost = 0
  #sending: Promise<void> | undefined
  #cancelWait: (() => void) | undefined

  constructor(options: OtlpExporterOptions) {
    this.#options = options
    this.#client = new Client(options.endpoint, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 })
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#lost++
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= batchSize) this.#flush()
    else this.#cancelWait ??= this.#options.clock.setTimeout(() => this.#flush(), batchMs)
  }

  /** Sends what waits, as far as the collector takes it. */
  async close(): Promise<void> {
    await this.#sending
    while (this.#waiting.length > 0) {
      this.#flush()
      await this.#sending
    }
    this.#cancelWait?.()
    this.#client.close()
  }

  /** One batch at a time. */
  #flush(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    if (this.#sending !== undefined || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, batchSize)
    this.#sending = this.#send(batch).then((failure) => {
      this.#sending = undefined
      if (failure !== undefined || this.#lost > 0) {
        this.#options.onLost(this.#lost + (failure === undefined ? 0 : batch.length), failure ?? 'the queue is full')
        this.#lost = 0
      }
      if (this.#waiting.length >= batchSize) this.#flush()
      else if (this.#waiting.length > 0) {
        this.#cancelWait ??= this.#options.clock.setTimeout(() => this.#flush(), batchMs)
      }
    })
  }

  #send(batch: readonly FinishedSpan[]): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        path,
        (spans: readonly FinishedSpan[]) => Buffer.from(exportRequest(spans, this.#options.resource)),
        () => undefined,
        batch,
        new Metadata(),
        { deadline: Date.now() + sendTimeoutMs },
        (error) => resolve(error === null ? undefined : error.details),
      )
    })
  }
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const statusError = 2

const bytesField = (number: number): number => (number << 3) | 2
const varintField = (number: number): number => number << 3
const fixed64Field = (number: number): number => (number << 3) | 1

/** An ExportTraceServiceRequest with one resource and one scope. */
function exportRequest(spans: readonly FinishedSpan[], resource: Attributes): Uint8Array {
  const writer = Writer.create()
  writer.uint32(bytesField(1)).fork()
  writer.uint32(bytesField(1)).fork()
  writeAttributes(writer, 1, resource)
  writer.ldelim()
  writer.uint32(bytesField(2)).fork()
  writer.uint32(bytesField(1)).fork().uint32(bytesField(1)).string('pilothouse').ldelim()
  for (const span of spans) writeSpan(writer.uint32(bytesField(2)).fork(), span).ldelim()
  writer.ldelim()
  return writer.ldelim().finish()
}

function writeSpan(writer: Writer, span: FinishedSpan): Writer {
  const { context, parentSpanId, link, name, kind, startNanos, endNanos, attributes, error } = span
  writer.uint32(bytesField(1)).bytes(Buffer.from(context.traceId, 'hex'))
  writer.uint32(bytesField(2)).bytes(Buffer.from(context.spanId, 'hex'))
  if (parentSpanId !== undefined) writer.uint32(bytesField(4)).bytes(Buffer.from(parentSpanId, 'hex'))
  writer.uint32(bytesField(5)).string(name)
  writer.uint32(varintField(6)).int32(kinds[kind])
  writeFixed64(writer, 7, startNanos)
  writeFixed64(writer, 8, endNanos)
  writeAttributes(writer, 9, attributes)
  if (link !== undefined) {
    writer.uint32(bytesField(13)).fork()
    writer.uint32(bytesField(1)).bytes(Buffer.from(link.traceId, 'hex'))
    writer.uint32(bytesField(2)).bytes(Buffer.from(link.spanId, 'hex')).ldelim()
  }
  if (error !== undefined) {
    writer.uint32(bytesField(15)).fork().uint32(bytesField(2)).string(error)
    writer.uint32(varintField(3)).int32(statusError).ldelim()
  }
  return writer
}

function writeFixed64(writer: Writer, field: number, value: bigint): void {
  const low = Number(value & 0xffff_ffffn)
  const high = Number(value >> 32n)
  writer.uint32(fixed64Field(field)).fixed32(low).fixed32(high)
}

function writeAttributes(writer: Writer, field: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    writer.uint32(bytesField(field)).fork().uint32(bytesField(1)).string(key).uint32(bytesField(2)).fork()
    if (typeof value === 'string') writer.uint32(bytesField(1)).string(value)
    else if (typeof value === 'boolean') writer.uint32(varintField(2)).bool(value)
    else if (Number.isSafeInteger(value)) writer.uint32(varintField(3)).int64(value)
    else writer.uint32(fixed64Field(4)).double(value)
    writer.ldelim().ldelim()
  }
}
