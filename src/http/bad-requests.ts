/** Requests that are refused before there is an exchange: what Go's server answers to what is no HTTP, names an unknown method or has no usable host. */
import http, { type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { methodNotAllowed } from '../api/status-error.ts'

const malformedHost = { status: 400, text: '400 Bad Request: malformed Host header' }
const malformedRequest = { status: 400, text: '400 Bad Request' }
const unknownTransfer = { status: 501, text: 'Unsupported transfer encoding' }

/**
 * What Node lets pass and Go does not: a request line of HTTP/0.9, and a body in an encoding that is not known, whose bytes would be
 * taken for the next request.
 */
export function refusalOf(request: IncomingMessage): { readonly status: number; readonly text: string } | undefined {
  if (request.httpVersionMajor < 1) return malformedRequest
  const transfer = request.headers['transfer-encoding']
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return unknownTransfer
  return isAddressed(request) ? undefined : malformedHost
}
/** What a host with a port may hold, as Go's HTTP server checks it. */
const hostText = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/

/** Exactly one readable host: two would be taken for one by some and for the other by others. */
function isAddressed({ rawHeaders, headers }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
  }
  return hosts <= 1 && hostText.test(headers.host ?? '')
}

/**
 * What cannot be read as a request gets the reference's answer for it, and nothing more. What still comes is discarded for a while: a
 * connection that is closed on unread bytes is reset, and the answer lost. Mirrors net/http: conn.closeWriteAndWait.
 */
export function refuseBadRequest(error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void {
  if (socket.writableEnded && error.code !== 'ECONNRESET') return
  const status = badRequestStatus[error.code ?? ''] ?? '400 Bad Request'
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const isMethod = error.code === 'HPE_INVALID_METHOD' && namesUnknownMethod(error.rawPacket)
  socket.end(isMethod ? unknownMethodAnswer() : plainAnswer(status, status, 'text/plain; charset=utf-8'))
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const lingerMs = 500

const plainAnswer = (status: string, body: string, type: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Node's parser knows the registered methods alone; to the reference any token is one, which no resource has. */
function unknownMethodAnswer(): string {
  const body = `${JSON.stringify(methodNotAllowed().toStatus())}\n`
  return plainAnswer('405 Method Not Allowed', body, 'application/json')
}

/** A packet that begins with a request line whose method is a token of another kind. */
function namesUnknownMethod(packet: Buffer | undefined): boolean {
  const line = /^([\w!#$%&'*+.^`|~-]+) \/[^ \r\n]* HTTP\/1\.[01]\r\n/.exec(packet?.toString('latin1', 0, maxLine) ?? '')
  return line !== null && !http.METHODS.includes(line[1] ?? '')
}

/** As much of a packet as is looked at for its first line. */
const maxLine = 8192

const badRequestStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
