/**
 * The network of a simulated cluster, inside the process: connections to the addresses of simulated nodes and pods lead to the
 * simulation, by streams in memory, and never to the machine's own network. Everything else goes the way it would.
 */
import { createServer, type Server } from 'node:https'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import { createCertificateAuthority, issueCertificate } from '../../pki/certificates.ts'
import type { RunningNodes } from './simulated-nodes.ts'

export class SimulatedNetwork {
  readonly #clock: Pick<Clock, 'now'>
  #nodes: RunningNodes | undefined
  #kubelets: Server | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The simulation runs. */
  attach(nodes: RunningNodes): void {
    this.#nodes = nodes
  }

  /** The way there for everything that the server dials in the cluster. */
  dialOver(base: Dial | undefined): Dial {
    return async (host, port) => {
      const reached = this.#nodes?.reach(host, port)
      if (reached === undefined) return base === undefined ? straight(host, port) : base(host, port)
      if (reached.kind === 'silence') throw refused(host, port)
      const [near, far] = connectedStreams()
      if (reached.kind === 'port') answerOnce(far, reached.answer)
      else this.#server().emit('connection', far)
      return near
    }
  }

  close(): void {
    this.#kubelets?.close()
    this.#kubelets?.closeAllConnections()
  }

  #server(): Server {
    if (this.#kubelets !== undefined) return this.#kubelets
    const now = this.#clock.now()
    const authority = createCertificateAuthority('simulated kubelets', now)
    const names = ['simulated-kubelet']
    const { certPem, keyPem } = issueCertificate(authority, { commonName: 'kubelet', usage: 'server', names, now })
    const server = createServer({ cert: certPem, key: keyPem, maxHeaderSize: maxHeaderBytes })
    server.on('request', (request, response) => this.#nodes?.kubelet.handle(request, response))
    server.on('upgrade', (request, socket, head) => this.#nodes?.kubelet.upgrade(request, socket, head))
    this.#kubelets = server
    return server
  }
}

/** As Go's servers: commands are in the URL, and may be long. */
const maxHeaderBytes = 1 << 20

const refused = (host: string, port: number): Error =>
  Object.assign(new Error(`connect ECONNREFUSED ${host}:${port}`), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: host,
    port,
  })

function straight(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** One answer to the first that is said. */
function answerOnce(stream: Duplex, answer: (request: string) => string): void {
  stream.once('data', (chunk: Buffer) => stream.end(answer(chunk.toString('latin1'))))
  stream.on('error', () => stream.destroy())
  stream.on('end', () => stream.end())
}

class HalfOfPair extends Duplex {
  other: HalfOfPair | undefined
  #taken: (() => void) | undefined

  override _read(): void {
    const taken = this.#taken
    this.#taken = undefined
    taken?.()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const { other } = this
    if (other === undefined || other.destroyed) done()
    else if (other.push(chunk)) setImmediate(done)
    else other.#taken = done
  }

  override _final(done: () => void): void {
    this.other?.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this
    this.other = undefined
    if (other !== undefined && !other.destroyed) setImmediate(() => other.destroy())
    done(error)
  }
}

/** What is written to one comes out of the other. */
function connectedStreams(): [Duplex, Duplex] {
  const near = new HalfOfPair()
  const far = new HalfOfPair()
  near.other = far
  far.other = near
  return [near, far]
}
