/**
 * The proxy that the environment names for a request: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or the same in small
 * letters. Loopback addresses are never reached through one. Mirrors golang.org/x/net/http/httpproxy, which the
 * reference's clients use by http.ProxyFromEnvironment.
 */
import { BlockList, isIP } from 'node:net'
import { type GoUrl, parseGoUrl } from '../api/golang/url.ts'

export interface ProxyServer extends GoUrl {
  /** Of the Proxy-Authorization header. */
  readonly authorization: string | undefined
}

export interface ProxiedRequest {
  readonly scheme: 'http' | 'https'
  /** Host and port as the URL names them; the port may be left out. */
  readonly authority: string
}

/** Undefined: straight there. Throws when the environment names no proxy that could be used. */
export type ChooseProxy = (request: ProxiedRequest) => ProxyServer | undefined

type Environment = Readonly<Record<string, string | undefined>>

export function proxyFromEnvironment(environment: Environment): ChooseProxy {
  const named = (name: string): string => environment[name] || environment[name.toLowerCase()] || ''
  const proxies = { http: named('HTTP_PROXY'), https: named('HTTPS_PROXY') }
  // A CGI script's HTTP_PROXY may be a header of a request.
  const isScript = (environment['REQUEST_METHOD'] ?? '') !== ''
  const isExempt = exemptions(named('NO_PROXY'))
  return ({ scheme, authority }) => {
    const text = proxies[scheme]
    if (text === '') return undefined
    if (scheme === 'http' && isScript)
      throw new Error('refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy')
    const { host, port } = splitAuthority(authority, scheme)
    return isExempt(host, port) ? undefined : parseProxy(text)
  }
}

/** Without a scheme it is an HTTP proxy. */
function parseProxy(text: string): ProxyServer {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = parseGoUrl(whole)
  if (url === undefined) throw new Error(`invalid proxy address ${JSON.stringify(text)}`)
  const userinfo = /^[a-z]+:\/\/([^/?#@]*)@/i.exec(whole)?.[1]
  const authorization =
    userinfo === undefined ? undefined : `Basic ${Buffer.from(decodedUserinfo(userinfo)).toString('base64')}`
  return { ...url, authorization }
}

function decodedUserinfo(userinfo: string): string {
  const [name = '', ...password] = userinfo.split(':')
  const decoded = [name, password.join(':')].map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return decoded.join(':')
}

function splitAuthority(authority: string, scheme: 'http' | 'https'): { host: string; port: string } {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(authority) ?? []
  const host = (bracketed ?? plain).trim().toLowerCase()
  return { host, port: port || (scheme === 'https' ? '443' : '80') }
}

type IsExempt = (host: string, port: string) => boolean

function exemptions(text: string): IsExempt {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase())
  if (entries.includes('*')) return () => true
  const rules = entries.flatMap((entry) => exemption(entry) ?? [])
  return (host, port) => host === 'localhost' || isLoopback(host) || rules.some((rule) => rule(host, port))
}

function exemption(entry: string): IsExempt | undefined {
  const range = /^(.*)\/(\d+)$/.exec(entry)
  if (range !== null) return inRange(range[1] ?? '', Number(range[2]))
  const [, bracketed, plain, port = ''] =
    isIP(entry) !== 0 ? ['', undefined, entry] : (/^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(entry) ?? [])
  const name = bracketed ?? plain ?? ''
  if (name === '') return undefined
  const isPort = (asked: string): boolean => port === '' || port === asked
  if (isIP(name) !== 0)
    return (host, asked) => isIP(host) !== 0 && inRange(name, undefined)?.(host, asked) === true && isPort(asked)
  const suffix = name.replace(/^\*\./, '.')
  return suffix.startsWith('.')
    ? (host, asked) => host.endsWith(suffix) && isPort(asked)
    : (host, asked) => (host === suffix || host.endsWith(`.${suffix}`)) && isPort(asked)
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Undefined for what is no range of addresses. */
function inRange(address: string, bits: number | undefined): IsExempt | undefined {
  const width = isIP(address) === 6 ? 128 : 32
  const prefix = bits ?? width
  if (isIP(address) === 0 || prefix > width) return undefined
  const list = new BlockList()
  list.addSubnet(address, prefix, familyOf(address))
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host))
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
const isLoopback = (host: string): boolean => isIP(host) !== 0 && loopback.check(host, familyOf(host))
