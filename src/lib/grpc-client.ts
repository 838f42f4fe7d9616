/**
 * Calls of a plugin (KMS, token signer) on a unix socket. A plugin that is not there yet is waited for, until the call's time is up;
 * what a failed call says is worded as the reference words it.
 */
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { reasonOf } from './fault.ts'
import { refuseForeignSocket } from './private-files.ts'

export interface GrpcMethod<Request, Response> {
  /** `/v2.KeyManagementService/Status`. */
  readonly path: string
  encode(request: Request): Buffer
  decode(bytes: Buffer): Response
}

const channelOptions = {
  'grpc.default_authority': 'localhost',
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.use_local_subchannel_pool': 1,
}

export class GrpcClient {
  readonly #client: Client
  /** Begins with `/@` where it is in the abstract name space, in which there are no rights. */
  readonly #socket: string
  readonly #timeoutMs: number

  constructor(endpoint: string, timeoutMs: number) {
    this.#socket = endpoint.replace(/^unix:(\/\/)?/i, '')
    this.#client = new Client(targetOf(this.#socket), credentials.createInsecure(), channelOptions)
    this.#timeoutMs = timeoutMs
  }

  /** The listener gets keys in the clear: no other user may listen in place of the plugin. */
  #refuseForeign(): void {
    if (this.#socket.startsWith('/@')) return
    try {
      refuseForeignSocket(this.#socket)
    } catch (error) {
      throw new GrpcError('Unavailable', reasonOf(error))
    }
  }

  call<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    timeoutMs = this.#timeoutMs,
  ): Promise<Response> {
    const metadata = new Metadata({ waitForReady: true })
    const options = { deadline: Date.now() + timeoutMs }
    return new Promise((resolve, reject) => {
      this.#refuseForeign()
      this.#client.makeUnaryRequest(
        method.path,
        (message: Request) => method.encode(message),
        (bytes: Buffer) => method.decode(bytes),
        request,
        metadata,
        options,
        (error, response) => {
          if (error !== null) reject(grpcError(error))
          else resolve(response as Response)
        },
      )
    })
  }

  close(): void {
    this.#client.close()
  }
}

const targetOf = (socket: string): string => (socket.startsWith('/@') ? `unix:\0${socket.slice(2)}` : `unix:${socket}`)

class GrpcError extends Error {
  readonly grpcCode: string

  constructor(code: string, details: string) {
    super(`rpc error: code = ${code} desc = ${details}`)
    this.name = 'GrpcError'
    this.grpcCode = code
  }
}

function grpcError({ code, details }: ServiceError): GrpcError {
  const isLate = code === status.DEADLINE_EXCEEDED
  return new GrpcError(codeName(code), isLate ? 'context deadline exceeded' : details)
}

/** `DEADLINE_EXCEEDED` is `DeadlineExceeded` to dashboards; `OK` stays. */
function codeName(code: status): string {
  const name = status[code] ?? 'UNKNOWN'
  if (name === 'CANCELLED') return 'Canceled'
  return name
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('')
}
