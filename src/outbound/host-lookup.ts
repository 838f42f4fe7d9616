/**
 * Which addresses a connection may be opened to. A host is an IP address, written strictly, or a name for DNS: what the
 * C library reads besides (`0177.0.0.1`, `0x7f.1`, `2130706433`) is neither, as for Go's resolver. Names are resolved once,
 * by the connection itself, and the addresses are checked there: what was checked is what is dialled.
 */
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type IpAddress, isGlobalUnicastIp, parseIp } from '../api/ip.ts'

/**
 * `proxyable`: not the server's own machine, nor its neighbours by link-local addresses: for destinations that users
 * who may write a pod, a node or endpoints can choose. Mirrors pkg/registry/core/node: isProxyableHostname.
 */
export type AddressPolicy = 'any' | 'proxyable'

export class AddressNotAllowedError extends Error {
  readonly code = 'ERR_ADDRESS_NOT_ALLOWED'

  constructor() {
    super('address not allowed')
    this.name = 'AddressNotAllowedError'
  }
}

/** The IPv4 address is as good as it: a gateway, or the kernel, may lead there. The reference does not look at it. */
export function isProxyable(address: string): boolean {
  const ip = parseIp(address)
  if (ip === undefined || !isGlobalUnicastIp(ip)) return false
  const inner = embedded(ip)
  return inner === undefined || isGlobalUnicastIp({ family: 'IPv4', value: inner })
}

/** The IPv4 address that an IPv6 one stands for: NAT64 (64:ff9b::/96), 6to4 (2002::/16) and the compatible ones of old (::/96). */
function embedded({ family, value }: IpAddress): bigint | undefined {
  if (family !== 'IPv6') return undefined
  const high = value >> 32n
  if (high === 0n || high === 0x0064_ff9b_0000_0000_0000_0000n) return value & 0xffff_ffffn
  return value >> 112n === 0x2002n ? (value >> 80n) & 0xffff_ffffn : undefined
}

/** Names whose last label is a number are no DNS names; the C library takes some of them for IPv4 addresses. */
const isNumeric = (host: string): boolean => /(^|\.)(0[xX][0-9a-fA-F]*|\d+)\.?$/.test(host)

interface HostNotFoundError extends Error {
  code: string
  hostname: string
}

function hostNotFound(host: string): HostNotFoundError {
  return Object.assign(new Error(`lookup ${host}: no such host`), { code: 'ENOTFOUND', hostname: host })
}

/**
 * Which addresses the server at `first` may redirect this server to: all when its administrator sent it to this machine in the
 * first place. The reference follows strangers to everywhere; the neighbours of this server are none of their business.
 */
export const reachFrom = (first: string): AddressPolicy =>
  (isIP(first) !== 0 && !isProxyable(first)) || /^(?:.*\.)?localhost\.?$/i.test(first) ? 'any' : 'proxyable'

/** For an address that is dialled without a lookup: throws for one that is not allowed. */
export function assertAllowed(host: string, policy: AddressPolicy): void {
  if (policy === 'proxyable' && isIP(host) !== 0 && !isProxyable(host)) throw new AddressNotAllowedError()
}

/** The `lookup` of a connection. All addresses of a name must be allowed. */
export function hostLookup(policy: AddressPolicy): LookupFunction {
  return (host, options, callback) => {
    if (isIP(host) === 0 && isNumeric(host)) {
      process.nextTick(callback, hostNotFound(host), '', 0)
      return
    }
    systemLookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) {
        callback(error ?? hostNotFound(host), '', 0)
      } else if (policy === 'proxyable' && !addresses.every(({ address }) => isProxyable(address))) {
        callback(new AddressNotAllowedError(), '', 0)
      } else if (options.all === true) {
        callback(null, addresses)
      } else {
        callback(null, first.address, first.family)
      }
    })
  }
}

/** An allowed address of the host, for a dial that takes only one. */
export function resolveHost(host: string, policy: AddressPolicy): Promise<string> {
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0) {
      assertAllowed(host, policy)
      resolve(host)
      return
    }
    hostLookup(policy)(host, {}, (error, address) => {
      if (error === null) resolve(address as string)
      else reject(error)
    })
  })
}
