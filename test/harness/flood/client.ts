/** What the floods are made of: connections, requests, and clients that are slow on purpose. */
import http2 from 'node:http2'
import type { FloodTarget } from './target.ts'

export type Session = http2.ClientHttp2Session

export function connect({ url }: FloodTarget, options: http2.SecureClientSessionOptions = {}): Promise<Session> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(url, { rejectUnauthorized: false, ...options })
    session.once('connect', () => resolve(session))
    session.once('error', reject)
    session.on('error', () => {})
  })
}

export interface FloodRequest {
  readonly method?: string
  readonly path: string
  readonly user?: string
  readonly accept?: string
  readonly body?: unknown
}

/** Opens it and leaves reading to the caller. */
export function open(
  session: Session,
  target: FloodTarget,
  { method = 'GET', path, user = 'flood', accept = 'application/json', body }: FloodRequest,
): http2.ClientHttp2Stream {
  const stream = session.request(
    {
      ':method': method,
      ':path': path,
      authorization: `Bearer ${target.token}`,
      accept,
      ...(user === '' ? {} : { 'impersonate-user': user }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    { endStream: body === undefined },
  )
  stream.on('error', () => {})
  if (body !== undefined) stream.end(JSON.stringify(body))
  return stream
}

/** Reads it to its end. Resolves to the status, 0 when it broke. */
export function request(
  session: Session,
  target: FloodTarget,
  asked: FloodRequest,
  onBytes?: (bytes: number) => void,
): Promise<number> {
  return new Promise((resolve) => {
    const stream = open(session, target, asked)
    let status = 0
    stream.on('response', (headers) => {
      status = Number(headers[':status'])
    })
    stream.on('data', (chunk: Buffer) => onBytes?.(chunk.length))
    stream.on('end', () => resolve(status))
    stream.on('close', () => resolve(0))
  })
}

/** The text of an answer to the administrator. */
export function text(session: Session, target: FloodTarget, path: string): Promise<string> {
  return new Promise((resolve) => {
    const stream = open(session, target, { path, user: '', accept: '*/*' })
    let body = ''
    stream.on('data', (chunk) => {
      body += String(chunk)
    })
    stream.on('close', () => resolve(body))
  })
}
