/** Connections that fail, in the words of the reference: nothing there, or a certificate that is not to be trusted. */
import { isIP } from 'node:net'

export interface DialedAddress {
  readonly host: string
  readonly port: number | string
  /** What the certificate must be for, if that is not the host. */
  readonly serverName?: string
}

interface NetworkError {
  readonly code?: string
  readonly message?: string
  readonly cert?: { readonly subjectaltname?: string }
  /** What the name of the host stands for. */
  readonly address?: string
}

/** Errors of other kinds keep their message. */
export function goDialError(error: unknown, { host, port, serverName }: DialedAddress): string {
  const { code = '', message = String(error), cert, address = host } = error as NetworkError
  const dial = `dial tcp ${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}:${port}`
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
      return `dial tcp: lookup ${host}: no such host`
    case 'ECONNRESET':
      return 'EOF'
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `${verify} certificate signed by unknown authority`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${verify} ${misnamed(cert?.subjectaltname ?? '', serverName ?? host)}`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${verify} certificate has expired or is not yet valid`
    default:
      return message === 'The operation was aborted due to timeout' ? 'context deadline exceeded' : message
  }
}

const verify = 'tls: failed to verify certificate: x509:'

/** `names` as in `DNS:a.example.com, IP Address:10.0.0.1`. */
function misnamed(names: string, host: string): string {
  const all = names.split(', ').map((each) => each.split(/:(.*)/s))
  const of = (kind: string): string[] => all.filter(([each]) => each === kind).map(([, name = '']) => name)
  if (isIP(host) !== 0) {
    const addresses = of('IP Address')
    return addresses.length === 0
      ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
      : `certificate is valid for ${addresses.join(', ')}, not ${host}`
  }
  const hosts = of('DNS')
  return hosts.length === 0
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : `certificate is valid for ${hosts.join(', ')}, not ${host}`
}
