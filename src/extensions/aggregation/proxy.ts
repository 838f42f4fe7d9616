/** Passes requests on to aggregated servers. Mirrors kube-aggregator/pkg/apiserver: proxyHandler. */
import type { Exchange, HeaderValues } from '../../api/exchange.ts'
import { quote } from '../../api/golang/quote.ts'
import { reencodedPath, requestTarget } from '../../api/golang/url.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { UserInfo } from '../../api/user.ts'
import { forward, wantsUpgrade } from '../../handlers/connect/forward.ts'
import { goDialError } from '../../outbound/dial-error.ts'
import type { ResolveService, ServiceAddress } from '../../outbound/webhook-address.ts'
import type { RemoteVersion } from './availability.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

interface ForwardOptions {
  /** The uid of the user is passed on, too. */
  readonly withUid: boolean
  /** Aggregated servers may not send clients elsewhere. */
  readonly refusesRedirects: boolean
}

export interface AggregatedVersions {
  readonly hasRemotes: boolean
  remote(group: string, version: string): RemoteVersion | undefined
}

/** Undefined when the group version of the request is served by this server. */
export function forwardToAggregated(
  context: RequestContext,
  services: AggregatedVersions,
  { resolveService, ...rest }: ForwardOptions & { readonly resolveService: ResolveService },
): Promise<void> | undefined {
  if (!services.hasRemotes) return undefined
  const { exchange } = context
  const [, root, group = '', version = ''] = exchange.path.split('/', 4)
  const remote = root === 'apis' ? services.remote(group, version) : undefined
  if (remote === undefined) return undefined
  if (!remote.isAvailable) return refuseUnavailable(exchange)
  return resolveService(remote.place).then(
    (address) => forwardTo(context, remote, { ...rest, address }),
    () => refuseUnavailable(exchange),
  )
}

async function refuseUnavailable(exchange: Exchange): Promise<void> {
  exchange.respond(503, plain, 'service unavailable\n')
}

function forwardTo(
  { exchange, user, auditId }: RequestContext,
  { transport }: RemoteVersion,
  { address, withUid, refusesRedirects }: ForwardOptions & { readonly address: ServiceAddress },
): Promise<void> {
  const query = new URLSearchParams(readableQuery(exchange.query))
  query.sort()
  const identity = identityHeaders(exchange.headers, user, withUid)
  const onUnreachable = (error: Error): void => {
    const what = wantsUpgrade(exchange) ? 'error dialing backend' : 'error trying to reach service'
    exchange.respond(503, plain, `${what}: ${goDialError(error, address)}\n`)
  }
  const unsent = unsendable(identity)
  if (unsent !== undefined) {
    onUnreachable(new Error(`net/http: invalid header field value for ${quote(unsent)}`))
    return Promise.resolve()
  }
  return forward(exchange, {
    transport,
    destination: { scheme: 'https', ...address, path: requestTarget(reencodedPath(exchange.path), query.toString()) },
    headers: { ...identity, 'audit-id': auditId },
    front: { prefix: '', scheme: 'https', host: `${address.host}:${address.port}` },
    refusesRedirects,
    onFault: (why) => exchange.respond(503, plain, `${why}\n`),
    onUnreachable,
  })
}

/** Without the parameters that Go cannot read, and leaves out when it writes a query anew: mirrors net/url: ParseQuery. */
const readableQuery = (query: string): string =>
  query
    .split('&')
    .filter((part) => !part.includes(';') && !/%(?![0-9a-fA-F]{2})/.test(part))
    .join('&')

/** The authenticated user as headers that only this server may set; headers of the client that claim an identity are dropped. */
function identityHeaders(
  given: HeaderValues,
  user: UserInfo,
  withUid: boolean,
): Record<string, string | readonly string[] | undefined> {
  const headers: Record<string, string | readonly string[] | undefined> = {}
  for (const name of Object.keys(given)) {
    // Some servers take an underscore for a dash.
    if (/^(?:impersonate|x[-_]remote)[-_]/.test(name)) headers[name] = undefined
  }
  headers['x-remote-user'] = headerBytes(user.name)
  if (withUid && user.uid !== undefined && user.uid !== '') headers['x-remote-uid'] = headerBytes(user.uid)
  if (user.groups.length > 0) headers['x-remote-group'] = user.groups.map(headerBytes)
  for (const [key, values] of user.extra) headers[`x-remote-extra-${encodeURIComponent(key)}`] = values.map(headerBytes)
  return headers
}

/** Names are UTF-8 on the wire; Node writes a letter of a header as one byte. */
const headerBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The header that no server could be sent, such as one with a line end in a name. Mirrors net/http: Transport.roundTrip. */
function unsendable(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header has any.
  const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
  const found = Object.entries(headers).find(([, values]) => [values ?? []].flat().some((value) => control.test(value)))
  return found?.[0].replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
