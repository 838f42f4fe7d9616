/** A peer that the server asks over TLS, and that answers in every wrong way: or, for comparison, not wrong at all. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority, issueCertificate } from '../../../src/pki/certificates.ts'

export const peerFaults = [
  'hangs',
  'answers garbage',
  'answers nothing',
  'answers half',
  'closes at once',
  'closes midway',
  'drips',
  'answers 500',
  'answers 200 with another kind',
  'answers null',
  'answers without end',
  'redirects to itself',
  'answers deep JSON',
] as const
export type PeerFault = (typeof peerFaults)[number]

export interface FaultyPeer {
  readonly url: string
  readonly caPem: string
  /** Undefined: it behaves. */
  fault: PeerFault | undefined
  close(): Promise<void>
}

/** `answer` makes the proper answer of a request, by its body and its path. */
export async function startFaultyPeer(answer: (body: unknown, path: string) => unknown): Promise<FaultyPeer> {
  const now = Date.now()
  const ca = createCertificateAuthority('peer CA', now)
  const pair = issueCertificate(ca, { commonName: 'peer', usage: 'server', names: ['127.0.0.1'], now })
  const timers = new Set<NodeJS.Timeout>()
  const server = https.createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const proper = JSON.stringify(answer(parsed(chunks), request.url ?? '/'))
      if (peer.fault === undefined) response.setHeader('content-type', 'application/json').end(proper)
      else misbehave(peer.fault, { request, response, proper, timers })
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const peer: FaultyPeer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caPem: ca.certPem,
    fault: undefined,
    async close() {
      for (const timer of timers) clearInterval(timer)
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return peer
}

/** Undefined where it is no JSON. */
function parsed(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly proper: string
  readonly timers: Set<NodeJS.Timeout>
}

function misbehave(fault: PeerFault, { request, response, proper, timers }: Exchange): void {
  const repeat = (ms: number, write: () => void): void => {
    const timer = setInterval(write, ms)
    timers.add(timer)
    response.on('close', () => clearInterval(timer))
  }
  response.setHeader('content-type', 'application/json')
  switch (fault) {
    case 'hangs':
      return
    case 'answers garbage':
      response.end(Buffer.from([0xff, 0xfe, 0, 1, 2, 0x7b, 0x22]))
      return
    case 'answers nothing':
      response.end()
      return
    case 'answers half':
      response.end(proper.slice(0, proper.length >> 1))
      return
    case 'closes at once':
      request.socket.destroy()
      return
    case 'closes midway':
      response.setHeader('content-length', proper.length)
      response.write(proper.slice(0, proper.length >> 1), () => request.socket.destroy())
      return
    case 'drips':
      response.flushHeaders()
      repeat(50, () => response.write(' '))
      return
    case 'answers 500':
      response.writeHead(500).end('an internal error')
      return
    case 'answers 200 with another kind':
      response.end('{"apiVersion":"v1","kind":"Pod","response":[],"status":7}')
      return
    case 'answers null':
      response.end('null')
      return
    case 'answers without end':
      repeat(1, () => response.write('x'.repeat(64 * 1024)))
      return
    case 'redirects to itself':
      response.writeHead(307, { location: request.url ?? '/' }).end()
      return
    case 'answers deep JSON':
      response.end('['.repeat(200_000))
  }
}
