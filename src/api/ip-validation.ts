/**
 * What is wrong with a text that should be an address or a range, in the reference's words, and what deserves a
 * warning. "Legacy" fields came before the strict rules and take more.
 */
import { quote } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import {
  AddressError,
  type Cidr,
  compareIps,
  firstIp,
  formatCidr,
  formatIp,
  type IpAddress,
  isMapped,
  maskedCidr,
  parseAddress,
  parseCidr,
  parseIp,
  parsePrefix,
  widthOf,
} from './ip.ts'
import { checkPortNumber, type Messages } from './names.ts'

type At = FieldPath | string

const noIp: Messages = ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
const noCidr: Messages = ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']

const canonicalOnly = (value: string, canonical: string): Messages =>
  value === canonical ? [] : [`must be in canonical form (${quote(canonical)})`]

function strictly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AddressError) return undefined
    throw error
  }
}

/** An address of an older field; `strict` is the gate StrictIPCIDRValidation. */
export function checkLegacyIp(value: string, strict = false): Messages {
  if (parseIp(value) === undefined) return noIp
  if (!strict) return []
  const address = strictly(() => parseAddress(value))
  if (address === undefined) return ['must not have leading 0s']
  return isMapped(address) ? ['must not be an IPv4-mapped IPv6 address'] : []
}

/** An address of a newer field: strict and in canonical form. */
export function checkIp(value: string): Messages {
  const messages = checkLegacyIp(value, true)
  return messages.length > 0 ? messages : canonicalOnly(value, formatIp(parseIp(value) as IpAddress))
}

/** A range of an older field; `strict` is the gate StrictIPCIDRValidation. */
export function checkLegacyCidr(value: string, strict = false): Messages {
  if (parseCidr(value) === undefined) return noCidr
  if (!strict) return []
  const prefix = strictly(() => parsePrefix(value))
  if (prefix === undefined) return ['must not have leading 0s in IP or prefix length']
  if (isMapped(prefix.address)) return ['must not have an IPv4-mapped IPv6 address']
  const exact = compareIps(prefix.address, firstIp(prefix)) === 0
  return exact ? [] : ['must not have bits set beyond the prefix length']
}

/** A range of a newer field: strict and in canonical form. */
export function checkCidr(value: string): Messages {
  const messages = checkLegacyCidr(value, true)
  return messages.length > 0 ? messages : canonicalOnly(value, formatCidr(maskedCidr(parseCidr(value) as Cidr)))
}

/** An address with the length of its subnet's prefix: `192.168.1.5/24`. */
export function checkInterfaceAddress(value: string): Messages {
  const cidr = parseCidr(value)
  if (cidr === undefined) {
    return ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)']
  }
  return canonicalOnly(value, formatCidr(cidr))
}

/** `0.0.0.0:10254`, `[::]:10254`. */
export function checkSocketAddress(value: string): Messages {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]*)\]|([^[\]:]*)):([^[\]:]*)$/.exec(value) ?? []
  const host = bracketed ?? plain
  if (host === undefined || port === undefined) {
    return ['must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)']
  }
  return [...checkPortNumber(/^[-+]?[0-9]+$/.test(port) ? Number(port) : 0), ...checkLegacyIp(host)]
}

/** Warnings about an address of an older field that passed its check. */
export function warningsForIp(at: At, value: string): Messages {
  const lenient = parseIp(value)
  if (lenient === undefined) return []
  const strict = strictly(() => parseAddress(value))
  if (strict === undefined || isMapped(strict)) return [nonStandard(at, 'IP address', value, formatIp(lenient))]
  const canonical = formatIp(strict)
  return strict.family === 'IPv6' && canonical !== value ? [nonCanonical(at, 'address', value, canonical)] : []
}

/** Warnings about a range of an older field that passed its check. */
export function warningsForCidr(at: At, value: string): Messages {
  const lenient = parseCidr(value)
  if (lenient === undefined) return []
  const warnings: string[] = []
  const network = maskedCidr(lenient)
  if (compareIps(network.address, lenient.address) !== 0) {
    const single = `${formatIp(lenient.address)}/${widthOf(lenient.address.family)}`
    warnings.push(
      `${at}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(formatCidr(network))} or ${quote(single)}?)`,
    )
  }
  const strict = strictly(() => parsePrefix(value))
  if (strict === undefined || isMapped(strict.address)) {
    warnings.push(nonStandard(at, 'CIDR value', value, formatCidr(network)))
  } else if (warnings.length === 0 && strict.address.family === 'IPv6' && formatCidr(strict) !== value) {
    warnings.push(nonCanonical(at, 'CIDR value', value, formatCidr(strict)))
  }
  return warnings
}

const nonStandard = (at: At, what: string, value: string, better: string): string =>
  `${at}: non-standard ${what} ${quote(value)} will be considered invalid in a future Kubernetes release: use ${quote(better)}`

const nonCanonical = (at: At, what: string, value: string, better: string): string =>
  `${at}: IPv6 ${what} ${quote(value)} should be in RFC 5952 canonical format (${quote(better)})`
