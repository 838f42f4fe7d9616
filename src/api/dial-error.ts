/** Failed connections in the words of the reference. */

export interface DialedAddress {
  readonly host: string
  readonly port: number | string
}

/** Errors of other kinds keep their message. */
export function goDialError(error: unknown, { host, port }: DialedAddress): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  const dial = `dial tcp ${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
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
    default:
      return message === 'The operation was aborted due to timeout' ? 'context deadline exceeded' : message
  }
}
