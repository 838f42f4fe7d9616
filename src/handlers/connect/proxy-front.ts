/**
 * How a proxied server appears to clients: `X-Forwarded-*` headers, and redirects that lead back through the proxy.
 * Mirrors apimachinery/pkg/util/proxy: Transport.
 */
import { posix } from 'node:path'
import type { Exchange, HeaderValues } from '../../api/exchange.ts'
import { escapedPath } from '../../api/golang/url.ts'
import type { Destination } from '../../outbound/transport.ts'

export interface ProxyFront {
  /** What the client's path has before the destination's: `/api/v1/namespaces/a/pods/b/proxy`. */
  readonly prefix: string
  /** Empty where the client's own address stays. */
  readonly scheme: string
  readonly host: string
}

/** Every proxy of the chain is named, this server's client last. */
export function forwardedFor({ headers, peer }: Exchange): string {
  const before = headers['x-forwarded-for']
  const known = before === undefined ? [] : [before].flat()
  return [...known, peer.remoteAddress].join(', ')
}

export function forwardedHeaders({ prefix, scheme, host }: ProxyFront, target: string): Record<string, string> {
  const [path = ''] = target.split('?', 1)
  return {
    'x-forwarded-uri': withPrefix(prefix, path),
    ...(host === '' ? {} : { 'x-forwarded-host': host }),
    ...(scheme === '' ? {} : { 'x-forwarded-proto': scheme }),
  }
}

const reference = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is

/** What a page or a redirect is an answer to. */
export interface ProxiedAnswer {
  readonly destination: Destination
  readonly requestHost: string
}

/** A link to another place of the destination goes through the proxy; one to elsewhere stays. */
export function rewrittenLocation(
  location: string,
  front: ProxyFront,
  { destination, requestHost }: ProxiedAnswer,
): string {
  const [, scheme = '', host = '', path = '', rest = ''] = reference.exec(location) ?? []
  const own = destination.authority ?? `${destination.host}:${destination.port}`
  const isElsewhere = host !== '' && host !== own && host !== requestHost
  if (isElsewhere || !path.startsWith('/')) return location
  const keeps = host === requestHost && front.scheme === '' && front.host === ''
  const [toScheme, toHost] = keeps ? [scheme, host] : [front.scheme, front.host]
  const origin = `${toScheme === '' ? '' : `${toScheme}:`}${toHost === '' ? '' : `//${toHost}`}`
  return `${origin}${path.startsWith(front.prefix) ? path : withPrefix(front.prefix, path)}${rest}`
}

/** Cleaned of dots and double slashes, but for a slash at its end. Mirrors path.Join. */
const withPrefix = (prefix: string, path: string): string => {
  const joined = posix.join(prefix, path).replace(/(.)\/$/s, '$1')
  return path.endsWith('/') && joined !== '/' ? `${joined}/` : joined
}

/** A link in a page: what is no URL stays as it is. Mirrors net/url: Parse, URL.String. */
export function rewrittenLink(link: string, front: ProxyFront, page: ProxiedAnswer): string {
  const [, scheme = '', host, path = '', rest = ''] = reference.exec(link) ?? []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no URL has any.
  const isBroken = /[\u0000-\u001f\u007f]/.test(link) || /%(?![0-9a-fA-F]{2})/.test(path) || link.startsWith(':')
  if (isBroken || (scheme !== '' && host === undefined && !path.startsWith('/'))) return link
  const authority = host === undefined ? '' : `//${host}`
  const url = `${scheme === '' ? '' : `${scheme.toLowerCase()}:`}${authority}${escapedPath(path)}${rest}`
  return rewrittenLocation(url, front, page)
}

const crossOrigin = /^access-control-allow-(credentials|headers|methods|origin)$/

/** Which sites may read an answer is not for the destination to say. */
export const isCrossOriginHeader = (name: string): boolean => crossOrigin.test(name)

export const hostHeader = (headers: HeaderValues): string => String(headers['host'] ?? headers[':authority'] ?? '')
