/** IP addresses and networks, read strictly. */

import { quote } from '../../api/field-error.ts'
import { GoNative } from '../../api/golang/native.ts'
import type { Cidr, IpAddress } from '../../api/ip.ts'
import {
  AddressError,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  formatIp,
  isGlobalUnicastIp,
  isLinkLocalMulticastIp,
  isLinkLocalUnicastIp,
  isLoopbackIp,
  isMapped,
  isUnspecifiedIp,
  maskedCidr,
  parseAddress,
  parsePrefix,
  widthOf,
} from '../../api/ip.ts'
import { countWork, WORK } from '../evaluation.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { BOOL, INT, opaqueType, STRING } from '../types.ts'
import type { Opaque, Value } from '../values.ts'
import { CelError, errorOr, noSuchOverload } from '../values.ts'
import type { Library } from './library.ts'

const IP = opaqueType('net.IP')
const CIDR = opaqueType('net.CIDR')

class IpValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = IP
  readonly address: IpAddress
  constructor(address: IpAddress) {
    this.address = address
  }
  get size(): number {
    return widthOf(this.address.family) / 8
  }
  equals(other: Value): Value {
    if (!(other instanceof IpValue)) return errorOr(other)
    return this.address.family === other.address.family && this.address.value === other.address.value
  }
  native(): GoNative {
    return GoNative.pointer('netip.Addr', formatIp(this.address))
  }
}

class CidrValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = CIDR
  readonly cidr: Cidr
  constructor(cidr: Cidr) {
    this.cidr = cidr
  }
  get size(): number {
    return Math.ceil(this.cidr.bits / 8)
  }
  equals(other: Value): Value {
    return other instanceof CidrValue ? formatCidr(this.cidr) === formatCidr(other.cidr) : errorOr(other)
  }
  native(): GoNative {
    return GoNative.pointer('netip.Prefix', formatCidr(this.cidr))
  }
}

function attempt<T>(read: () => T, explain: (message: string) => string): T | CelError {
  try {
    return read()
  } catch (error) {
    if (error instanceof AddressError) return new CelError(explain(error.message))
    throw error
  }
}

/** No address is as long; a message shows no more of what is. */
const MAX_TEXT = 1000
const cutText = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** Without zones and without IPv4 in disguise. */
function readIp(whole: string): IpValue | CelError {
  countWork(WORK.address)
  const text = cutText(whole)
  const address = attempt(
    () => parseAddress(text),
    (message) => `IP Address ${quote(text)} parse error during conversion from string: ${message}`,
  )
  if (address instanceof CelError) return address
  if (address.zone !== undefined) return new CelError(`IP address ${quote(text)} with zone value is not allowed`)
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`)
  return new IpValue(address)
}

const CIDR_ERROR = 'network address parse error during conversion from string: '

function readCidr(whole: string): CidrValue | CelError {
  countWork(WORK.address)
  const text = cutText(whole)
  const cidr = attempt(
    () => parsePrefix(text),
    (message) => `${CIDR_ERROR}${CIDR_ERROR}${message}`,
  )
  if (cidr instanceof CelError) return cidr
  if (isMapped(cidr.address)) return new CelError(`${CIDR_ERROR}IPv4-mapped IPv6 address ${quote(text)} is not allowed`)
  return new CidrValue(cidr)
}

const addressOf = (value: Value): IpAddress => (value as IpValue).address
const cidrOf = (value: Value): Cidr => (value as CidrValue).cidr

const containsIp = (cidr: Cidr, ip: IpValue): Value => cidrContains(cidr, ip.address)

/** The value of a bad address is not in the error: the reference reports no such overload. */
function containsIpText(cidr: Cidr, text: string): Value {
  const ip = readIp(text)
  return ip instanceof CelError ? noSuchOverload() : containsIp(cidr, ip)
}

function containsCidr(outer: Cidr, inner: CidrValue | CelError): Value {
  if (inner instanceof CelError) return inner
  return cidrsOverlap(maskedCidr(outer), maskedCidr(inner.cidr)) && outer.bits <= inner.cidr.bits
}

const isCanonical: Implementation = (a) => {
  const ip = readIp(a as string)
  return ip instanceof CelError ? ip : formatIp(ip.address) === a
}

function ipTest(name: string, id: string, test: (address: IpAddress) => boolean): FunctionDeclaration {
  return declareFunction(name, { members: [[id, [IP], BOOL, (a) => test(addressOf(a))]] })
}

export const ipLibrary: Library = {
  types: [IP],
  functions: [
    declareFunction('ip', { overloads: [['string_to_ip', [STRING], IP, (a) => readIp(a as string)]] }),
    declareFunction('isIP', {
      overloads: [['is_ip', [STRING], BOOL, (a) => !(readIp(a as string) instanceof CelError)]],
    }),
    declareFunction('ip.isCanonical', { overloads: [['ip_is_canonical', [STRING], BOOL, isCanonical]] }),
    declareFunction('family', {
      members: [['ip_family', [IP], INT, (a) => (addressOf(a).family === 'IPv4' ? 4 : 6)]],
    }),
    ipTest('isUnspecified', 'ip_is_unspecified', isUnspecifiedIp),
    ipTest('isLoopback', 'ip_is_loopback', isLoopbackIp),
    ipTest('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticastIp),
    ipTest('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicastIp),
    ipTest('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicastIp),
    declareFunction('string', { overloads: [['ip_to_string', [IP], STRING, (a) => formatIp(addressOf(a))]] }),
  ],
}

export const cidrLibrary: Library = {
  types: [CIDR],
  functions: [
    declareFunction('cidr', { overloads: [['string_to_cidr', [STRING], CIDR, (a) => readCidr(a as string)]] }),
    declareFunction('isCIDR', {
      overloads: [['is_cidr', [STRING], BOOL, (a) => !(readCidr(a as string) instanceof CelError)]],
    }),
    declareFunction('containsIP', {
      members: [
        ['cidr_contains_ip_string', [CIDR, STRING], BOOL, (a, b) => containsIpText(cidrOf(a), b as string)],
        ['cidr_contains_ip_ip', [CIDR, IP], BOOL, (a, b) => containsIp(cidrOf(a), b as IpValue)],
      ],
    }),
    declareFunction('containsCIDR', {
      members: [
        ['cidr_contains_cidr_string', [CIDR, STRING], BOOL, (a, b) => containsCidr(cidrOf(a), readCidr(b as string))],
        ['cidr_contains_cidr', [CIDR, CIDR], BOOL, (a, b) => containsCidr(cidrOf(a), b as CidrValue)],
      ],
    }),
    declareFunction('ip', { members: [['cidr_ip', [CIDR], IP, (a) => new IpValue(cidrOf(a).address)]] }),
    declareFunction('prefixLength', { members: [['cidr_prefix_length', [CIDR], INT, (a) => cidrOf(a).bits]] }),
    declareFunction('masked', {
      members: [['cidr_masked', [CIDR], CIDR, (a) => new CidrValue(maskedCidr(cidrOf(a)))]],
    }),
    declareFunction('string', { overloads: [['cidr_to_string', [CIDR], STRING, (a) => formatCidr(cidrOf(a))]] }),
  ],
}
