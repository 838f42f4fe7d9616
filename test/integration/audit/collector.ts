/** A real OpenTelemetry collector for tests: OTLP over gRPC, read by the protocol's own description. */
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { parse } from 'protobufjs'

const proto = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resourceSpans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Scope { string name = 1; string version = 2; }
message Span {
  bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
  fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9; repeated Link links = 13;
  Status status = 15;
}
message Link { bytes traceId = 1; bytes spanId = 2; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4; } }
`

export interface CollectedSpan {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly error: string | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: messages as the library reads them
type Message = any

export class Collector {
  readonly spans: CollectedSpan[] = []
  readonly #server = new Server()

  constructor() {
    const { root } = parse(proto, { keepCase: true })
    const request = root.lookupType('ExportTraceServiceRequest')
    const definition = {
      Export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: () => Buffer.alloc(0),
        requestDeserialize: (bytes: Buffer) =>
          request.toObject(request.decode(bytes), { longs: String, bytes: Buffer }),
        responseSerialize: () => Buffer.alloc(0),
        responseDeserialize: () => ({}),
      },
    } as const
    this.#server.addService(definition, {
      Export: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) => {
        for (const resource of call.request.resourceSpans) this.#take(resource)
        done(null, {})
      },
    })
  }

  /** The endpoint. */
  start(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
      )
    })
  }

  close(): void {
    this.#server.forceShutdown()
  }

  #take({ resource, scopeSpans }: Message): void {
    const service = String(attributesOf(resource)['service.name'])
    for (const { spans } of scopeSpans) {
      for (const span of spans) {
        this.spans.push({
          service,
          ...ids(span),
          parentSpanId: hex(span.parentSpanId),
          name: span.name,
          kind: span.kind,
          start: BigInt(span.startTimeUnixNano),
          end: BigInt(span.endTimeUnixNano),
          attributes: attributesOf(span),
          links: (span.links ?? []).map(ids),
          error: span.status?.message,
        })
      }
    }
  }
}

const hex = (bytes: Buffer | undefined): string => (bytes === undefined ? '' : Buffer.from(bytes).toString('hex'))
const ids = ({ traceId, spanId }: Message) => ({ traceId: hex(traceId), spanId: hex(spanId) })
const attributesOf = ({ attributes = [] }: Message): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }: Message) => [key, Object.values(value)[0]]))
