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
  return embedded(ip).every((value) => isGlobalUnicastIp({ family: 'IPv4', value }))
}

/** The IPv4 addresses that an IPv6 one stands for, or may: prefixes of translators and tunnels, and where they have them. */
function embedded({ family, value }: IpAddress): bigint[] {
  if (family !== 'IPv6') return []
  const at = (shift: bigint): bigint => (value >> shift) & 0xffff_ffffn
  const high = value >> 32n
  // Compatible ones of old (::/96), translated ones (::ffff:0:0/96), NAT64 (64:ff9b::/96).
  if (high === 0n || high === 0xffff_0000n || high === 0x0064_ff9b_0000_0000_0000_0000n) return [at(0n)]
  // NAT64 of a network's own (64:ff9b:1::/48): around the byte of zeros as RFC 6052 has it, or at the end; either may count.
  if (value >> 80n === 0x0064_ff9b_0001n) {
    const around = ((at(64n) & 0xffffn) << 16n) | (at(40n) & 0xffffn)
    const given = [around, at(0n)].filter((each) => each !== 0n)
    return given.length === 0 ? [0n] : given
  }
  // 6to4 (2002::/16); Teredo (2001::/32), whose client is written inverted.
  if (value >> 112n === 0x2002n) return [at(80n)]
  if (value >> 96n === 0x2001_0000n) return [at(64n), at(0n) ^ 0xffff_ffffn]
  // ISATAP, under any prefix.
  return (at(32n) & 0xfcff_ffffn) === 0x5efen ? [at(0n)] : []
}

/** Names whose last label is a number are no DNS names; the C library takes some of them for IPv4 addresses. */
const isNumeric = (host: string): boolean => /(^|\.)(0[xX][0-9a-fA-F]*|\d+)\.?$/.test(host)

/** Nor are names with other characters: the system's resolver reads other forms of digits and letters (`①②⑦.0.0.1`), and up to a NUL. */
const hasNoName = (host: string): boolean => /[^\x21-\x7e]/.test(host)

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

/** Before a connection is looked for: throws for an address that is not allowed, and for what is no host at all. */
export function assertAllowed(host: string, policy: AddressPolicy): void {
  if (hasNoName(host)) throw hostNotFound(host)
  if (policy === 'proxyable' && isIP(host) !== 0 && !isProxyable(host)) throw new AddressNotAllowedError()
}

/** The `lookup` of a connection. All addresses of a name must be allowed. */
export function hostLookup(policy: AddressPolicy): LookupFunction {
  return (host, options, callback) => {
    if (isIP(host) === 0 && (isNumeric(host) || hasNoName(host))) {
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
