/**
 * exec and attach over a WebSocket (version 5 of the protocol) for kubelets that speak SPDY: each channel of the WebSocket
 * becomes a stream. What goes wrong after the handshake is reported on the error channel. Mirrors
 * apiserver/pkg/util/proxy: StreamTranslatorHandler and client-go/tools/remotecommand.
 */
import type { Exchange } from '../../api/exchange.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { SpdyConnection, type SpdyStream } from '../../outbound/spdy/spdy-connection.ts'
import { SpdyRefusal, upgradeToSpdy } from '../../outbound/spdy/upgrade-to-spdy.ts'
import { webSocketProtocols } from '../web-socket.ts'
import type { Forwarding } from './forward.ts'
import { handshakeProblem, WebSocketServer } from './web-socket-server.ts'

/** The protocol in which a client can close one channel. */
const closingProtocol = 'v5.channel.k8s.io'
const kubeletProtocols = [
  closingProtocol,
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
]

export interface StreamOptions {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

export interface TranslatorOptions extends Pick<Forwarding, 'transport' | 'destination'> {
  readonly streams: StreamOptions
  readonly clock: Clock
  /** Called for every request, with the status that it ended with. */
  readonly onEnd: (code: number) => void
}

export const speaksClosingProtocol = ({ headers }: Exchange): boolean =>
  String(headers['upgrade'] ?? '').toLowerCase() === 'websocket' &&
  webSocketProtocols(String(headers['sec-websocket-protocol'] ?? '')).includes(closingProtocol)

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const
const maxResizeBytes = 4096
const maxErrorBytes = 64 * 1024

/** Resolves when everything was passed on. */
export async function translateStreams(exchange: Exchange, options: TranslatorOptions): Promise<void> {
  const problem = handshakeProblem(exchange)
  if (problem !== undefined) {
    options.onEnd(400)
    exchange.respond(problem.status, {}, problem.text)
    return
  }
  await new StreamTranslation(options).run(exchange)
}

class StreamTranslation {
  readonly #options: TranslatorOptions
  #client: WebSocketServer | undefined
  #kubelet: SpdyConnection | undefined
  /** Streams to the kubelet by channel; what comes before they are open waits in the socket. */
  readonly #inputs = new Map<number, SpdyStream>()
  /** Of the message that is being read; undefined before its first byte. */
  #channel: number | undefined
  #resize = ''
  #error = ''
  #isGone = false
  #onGone: () => void = () => {}

  constructor(options: TranslatorOptions) {
    this.#options = options
  }

  async run(exchange: Exchange): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#onGone = resolve
    })
    this.#client = WebSocketServer.accept(exchange, closingProtocol, {
      part: (chunk) => this.#takePart(chunk),
      messageEnd: () => {
        this.#channel = undefined
      },
      close: () => {
        this.#isGone = true
        this.#onGone()
      },
    })
    if (this.#client === undefined) return
    this.#client.pause()
    this.#announce()
    try {
      await Promise.race([this.#stream(), gone])
      this.#end(this.#isGone ? undefined : outcomeOf(this.#error))
    } catch (error) {
      this.#end(
        error instanceof SpdyRefusal && error.status !== undefined ? given(error.status) : failure(reasonOf(error)),
      )
    }
  }

  /** An empty message on the first channel that is written to says that the connection is there. */
  #announce(): void {
    const { stdout, stderr } = this.#options.streams
    this.#send(stdout ? channels.stdout : stderr ? channels.stderr : channels.error, Buffer.alloc(0))
  }

  #send(channel: number, chunk: Buffer): void {
    const isTaken = this.#client?.send(Buffer.concat([Buffer.of(channel), chunk])) ?? true
    if (!isTaken) this.#kubelet?.pause()
  }

  async #stream(): Promise<void> {
    const { transport, destination, clock, streams } = this.#options
    const { socket, head, protocol } = await upgradeToSpdy(transport, destination, kubeletProtocols)
    if (this.#isGone) {
      socket.destroy()
      return
    }
    const kubelet = new SpdyConnection(socket, head, { clock, onClose: () => {} })
    this.#kubelet = kubelet
    this.#client?.onDrain(() => kubelet.resume())
    kubelet.onDrain(() => this.#client?.resume())
    const ended: Promise<void>[] = []
    const open = (streamType: string, data: (chunk: Buffer) => void, isAwaited: boolean): Promise<SpdyStream> => {
      let end: () => void = () => {}
      const over = new Promise<void>((resolve) => {
        end = resolve
      })
      if (isAwaited) ended.push(over)
      return kubelet.open({ streamtype: streamType }, { data, end })
    }
    const ignored = (): void => {}
    await open('error', (chunk) => this.#takeError(chunk), true)
    if (streams.stdin) this.#inputs.set(channels.stdin, await open('stdin', ignored, false))
    if (streams.stdout) await open('stdout', (chunk) => this.#send(channels.stdout, chunk), true)
    if (streams.stderr && !streams.tty) await open('stderr', (chunk) => this.#send(channels.stderr, chunk), true)
    const hasResize =
      streams.tty && protocol !== 'v2.channel.k8s.io' && protocol !== 'channel.k8s.io' && protocol !== ''
    if (hasResize) this.#inputs.set(channels.resize, await open('resize', ignored, false))
    this.#client?.resume()
    await Promise.all(ended)
  }

  #takeError(chunk: Buffer): void {
    if (this.#error.length < maxErrorBytes) this.#error += chunk.toString('utf8')
  }

  #takePart(chunk: Buffer): void {
    let rest = chunk
    if (this.#channel === undefined) {
      this.#channel = chunk[0] as number
      rest = chunk.subarray(1)
    }
    if (rest.length === 0) return
    if (this.#channel === channels.close) this.#closeInput(rest[0] as number)
    else if (this.#channel === channels.resize) this.#takeResize(rest)
    else this.#write(this.#channel, rest)
  }

  #closeInput(channel: number): void {
    this.#inputs.get(channel)?.end()
  }

  #write(channel: number, chunk: Buffer): void {
    if (this.#inputs.get(channel)?.write(chunk) === false) this.#client?.pause()
  }

  /** Sizes are written anew: nothing else goes to the kubelet on that stream. */
  #takeResize(chunk: Buffer): void {
    this.#resize += chunk.toString('latin1')
    if (this.#resize.length > maxResizeBytes) this.#resize = ''
    const size = sizeIn(this.#resize)
    if (size === undefined) return
    this.#resize = ''
    this.#write(channels.resize, Buffer.from(`${JSON.stringify(size)}\n`))
  }

  /** Undefined: the client has gone. */
  #end(outcome: Outcome | undefined): void {
    for (const input of this.#inputs.values()) input.end()
    this.#kubelet?.close()
    if (outcome !== undefined) {
      this.#client?.send(Buffer.concat([Buffer.of(channels.error), Buffer.from(JSON.stringify(outcome.status))]))
    }
    this.#client?.close()
    this.#options.onEnd(outcome?.code ?? 200)
  }
}

interface Outcome {
  readonly status: JsonObject
  /** For the metrics. */
  readonly code: number
}

const success: Outcome = { status: { metadata: {}, status: 'Success' }, code: 200 }

const failure = (why: string): Outcome => ({
  status: {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${why}`,
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
    code: 500,
  },
  code: 500,
})

const given = (status: JsonObject): Outcome => ({
  status,
  code: typeof status['code'] === 'number' ? status['code'] : 500,
})

/** What the kubelet said on the error stream. Mirrors client-go/tools/remotecommand: errorDecoderV4. */
function outcomeOf(text: string): Outcome {
  if (text === '') return success
  const status = parsed(text)
  if (!isJsonObject(status)) return failure(`error executing remote command: ${text}`)
  if (status['status'] === 'Success') return success
  if (status['status'] !== 'Failure') return failure('error stream protocol error: unknown error')
  if (status['reason'] !== 'NonZeroExitCode') return failure(String(status['message'] ?? ''))
  const details = status['details']
  if (!isJsonObject(details)) return failure('error stream protocol error: details must be set')
  const causes = Array.isArray(details['causes']) ? details['causes'].filter(isJsonObject) : []
  const code = causes.find(({ reason }) => reason === 'ExitCode')?.['message']
  if (code === undefined) return failure('error stream protocol error: no ExitCode cause given')
  if (typeof code !== 'string' || !/^\d{1,3}$/.test(code) || Number(code) > 255) {
    return failure(`error stream protocol error: invalid exit code value ${JSON.stringify(code)}`)
  }
  return exited(Number(code))
}

const exited = (code: number): Outcome => ({
  status: {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  },
  code: 200,
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sizeIn(text: string): { readonly Width: number; readonly Height: number } | undefined {
  const size = parsed(text)
  if (!isJsonObject(size)) return undefined
  const number = (name: string): number => {
    const value = size[name] ?? size[name.toLowerCase()] ?? 0
    return typeof value === 'number' ? value & 0xffff : 0
  }
  return { Width: number('Width'), Height: number('Height') }
}
