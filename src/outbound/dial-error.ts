/** Connections that fail, in the words of the reference: nothing there, or a certificate that is not to be trusted. */
import { reasonOf } from '../lib/fault.ts'
import { hostPort, ProxyConnectError } from './dial.ts'
import { untrustedCertificates } from './transport.ts'

export interface DialedAddress {
  readonly host: string
  readonly port: number | string
}

interface NetworkError {
  readonly code?: string
  /** What the name of the host stands for. */
  readonly address?: string
  readonly port?: number
  /** Of each address that was tried. */
  readonly errors?: readonly unknown[]
}

/** Errors of other kinds keep their message. */
export function goDialError(error: unknown, { host, port }: DialedAddress): string {
  if (error instanceof ProxyConnectError) return `proxyconnect tcp: ${goDialError(error.cause, error.proxy)}`
  const given = error as NetworkError
  const last = given.errors?.at(-1)
  if (last !== undefined) return goDialError(last, { host, port })
  const message = reasonOf(error)
  const { code = '', address = host, port: dialled = port } = given
  const dial = `dial tcp ${hostPort(address.replace(/^\[|\]$/g, ''), dialled)}`
  switch (code) {
    case 'ECONNREFUSED':
      return `${dial}: connect: connection refused`
    case 'EHOSTUNREACH':
      return `${dial}: connect: no route to host`
    case 'ENETUNREACH':
      return `${dial}: connect: network is unreachable`
    case 'ETIMEDOUT':
      return `${dial}: i/o timeout`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${host}: no such host`
    case 'ECONNRESET':
      return isReset(error) ? `read tcp ${hostPort(address, dialled)}: read: connection reset by peer` : 'EOF'
    case 'EPIPE':
      return `write tcp ${hostPort(address, dialled)}: write: broken pipe`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `${verify} certificate signed by unknown authority`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${verify} certificate has expired or is not yet valid${validity(error as object)}`
    case 'INVALID_PURPOSE':
      return `${verify} certificate specifies an incompatible key usage`
    case 'PATH_LENGTH_EXCEEDED':
      return `${verify} too many intermediates for path length constraint`
    case 'EPROTO':
      return /wrong version number|packet length too long/.test(message)
        ? 'tls: first record does not look like a TLS handshake'
        : message
    default:
      return message === 'The operation was aborted due to timeout' ? 'context deadline exceeded' : message
  }
}

/** The other side broke the connection, instead of just ending it. */
export const isReset = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ECONNRESET' && (error as Error).message !== 'socket hang up'

const verify = 'tls: failed to verify certificate: x509:'

const shortTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z')

/** Empty when another certificate of the chain is meant. */
function validity(error: object): string {
  const certificate = untrustedCertificates.get(error)
  if (certificate === undefined) return ''
  const [now, from, to] = [new Date(), new Date(certificate.valid_from), new Date(certificate.valid_to)]
  if (now > to) return `: current time ${shortTime(now)} is after ${shortTime(to)}`
  return now < from ? `: current time ${shortTime(now)} is before ${shortTime(from)}` : ''
}
