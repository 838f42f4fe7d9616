/**
 * Why an etcd cannot be used: a connection of its own to each server, and what goes wrong with it, in one line with its remedy. gRPC
 * distinguishes a channel that fails from one that is slow only by its deadline.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { hostPort } from '../../outbound/dial.ts'
import { secureContext, verifyHostname } from '../../outbound/trust.ts'
import type { EtcdTls } from './endpoints.ts'
import { parseServer } from './etcd-address.ts'

export interface EtcdProbe {
  readonly servers: readonly string[]
  readonly tls: EtcdTls
  /** Another gRPC target for the address of a server, which then is not asked itself. */
  readonly target?: ((server: string) => string | undefined) | undefined
  /** How addresses are written where the user gave them. */
  readonly schemes: { readonly plain: string; readonly secure: string }
}

/** One line for a server that cannot be used; undefined where nothing is wrong with the connection. */
type Finding = string | undefined

const probeMs = 2000
/** The client's preface of HTTP/2, and an empty frame of settings. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')

/** What is wrong with each server that has something wrong with it, or `otherwise`. */
export async function explainUnusable(probe: EtcdProbe, otherwise: string): Promise<string> {
  const findings = await Promise.all(probe.servers.map((server) => findingOf(server, probe)))
  const known = findings.flatMap((finding, i) => (finding === undefined ? [] : [{ server: probe.servers[i], finding }]))
  if (known.length === 0) return otherwise
  if (probe.servers.length === 1) return known[0]?.finding ?? otherwise
  return known.map(({ server, finding }) => `${server}: ${finding}`).join('; ')
}

async function findingOf(server: string, probe: EtcdProbe): Promise<Finding> {
  if (probe.target?.(server) !== undefined) return undefined
  const { host, port, secure } = parseServer(server)
  const place = { host, port, address: hostPort(host, port) }
  try {
    const answer = await (secure ? answerTo(place, (socket) => handshake(socket, host, probe.tls)) : answerTo(place))
    if (answer === undefined) return await ofClosed(secure, place, probe)
    return ofAnswer(answer, place, probe)
  } catch (error) {
    // Some end a connection that begins otherwise than they expect, others say what is wrong with it.
    if (secure && isEnd(error)) return ofClosed(secure, place, probe)
    return ofFailure(error as NodeJS.ErrnoException, place, probe)
  }
}

interface EtcdEndpoint {
  readonly host: string
  readonly port: number
  readonly address: string
}

/** What a server says first to a client of HTTP/2; undefined when it ends the connection. */
async function answerTo(
  { host, port }: EtcdEndpoint,
  wrap = async (socket: Socket): Promise<Socket> => socket,
): Promise<Buffer | undefined> {
  const socket = connect({ host, port }).on('error', () => undefined)
  try {
    await inTime(once(socket, 'connect'))
    const stream = await wrap(socket)
    const answer = Promise.race([once(stream, 'data'), once(stream, 'end')])
    stream.write(preface)
    const [data] = (await inTime(answer)) as [Buffer?]
    return data
  } finally {
    socket.destroy()
  }
}

async function handshake(socket: Socket, host: string, { ca, cert, key }: EtcdTls): Promise<Socket> {
  const text = (pem: Buffer | undefined): string | undefined => pem?.toString('utf8')
  const stream = connectTls({
    socket,
    host,
    secureContext: secureContext({ ca: text(ca), cert: text(cert), key: text(key) }),
    ALPNProtocols: ['h2'],
    checkServerIdentity: (_, certificate) => verifyHostname(host, certificate),
  })
  stream.on('error', () => undefined)
  await inTime(once(stream, 'secureConnect'))
  return stream
}

const isEnd = (error: unknown): boolean =>
  (error as Error).message === 'Client network socket disconnected before secure TLS connection was established'

/** The other kind of connection shows why this kind was ended. */
async function ofClosed(secure: boolean, place: EtcdEndpoint, { schemes, tls }: EtcdProbe): Promise<string> {
  const { address, host } = place
  const isOther = secure
    ? await answerTo(place).then(
        (answer) => answer !== undefined,
        () => false,
      )
    : await answerTo(place, (socket) => handshake(socket, host, tls)).then(
        () => true,
        (error) => !isEnd(error) && !isSilence(error),
      )
  if (!isOther) return `${address} ends the connection; check that it is etcd`
  return secure ? noTls(address, schemes.plain) : tlsOnly(address, schemes.secure)
}

const noTls = (address: string, scheme: string): string => `${address} does not speak TLS; use ${scheme}://`
const tlsOnly = (address: string, scheme: string): string =>
  `${address} speaks TLS; use ${scheme}:// and give its CA with --etcd-cafile`

class SilenceError extends Error {}

const isSilence = (error: unknown): boolean => error instanceof SilenceError

async function inTime<T>(happening: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilenceError()), probeMs)
  })
  try {
    return await Promise.race([happening, silence])
  } finally {
    clearTimeout(timer)
  }
}

/** A server of HTTP/2 begins with a frame of settings, TLS refuses with an alert. */
function ofAnswer(data: Buffer, { address }: EtcdEndpoint, { schemes }: EtcdProbe): Finding {
  const isAlert = data[0] === 0x15 && data[1] === 0x03
  const text = data.toString('latin1')
  if (isAlert || text.includes('HTTP request to an HTTPS server')) {
    return tlsOnly(address, schemes.secure)
  }
  if (text.startsWith('HTTP/1.')) {
    return `${address} is a web server, but no etcd; give the client port of etcd (2379 unless it was changed)`
  }
  return undefined
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
])

function ofFailure(error: NodeJS.ErrnoException, { host, address }: EtcdEndpoint, { tls, schemes }: EtcdProbe): string {
  const { code = '', message } = error
  if (error instanceof SilenceError)
    return `${address} does not answer; check the address, and that no firewall is between`
  if (unknownAuthority.has(code)) {
    return `the certificate of ${address} is signed by ${tls.ca === undefined ? 'an unknown authority; give the CA of etcd with --etcd-cafile' : 'another authority than those in --etcd-cafile; give the CA of this etcd'}`
  }
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens on ${address}; start etcd, or correct the address`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} is not known; correct the name, or check the name server`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route to ${address}; correct the address, or check the network`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `the certificate of ${address} has expired or is not yet valid; renew it, or check the clock of this machine`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${message.replace(/^.*x509: /, '')}; use a name that is in the certificate of etcd, or add ${host} to it`
  }
  if (/wrong version number|packet length too long|record layer failure/.test(message)) {
    return noTls(address, schemes.plain)
  }
  if (/alert (certificate required|bad certificate|unknown ca|handshake failure)/.test(message)) {
    return tls.cert === undefined
      ? `${address} demands a client certificate; give one with --etcd-certfile and --etcd-keyfile`
      : `${address} refuses the client certificate of --etcd-certfile; give one that the --trusted-ca-file of etcd has signed`
  }
  return `the connection to ${address} fails: ${message}`
}
