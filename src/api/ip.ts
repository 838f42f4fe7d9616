/**
 * IP addresses and address ranges as plain data. Two readers: the strict one, as expressions and new fields use it, with
 * error texts; and the lenient one of the older fields, which takes leading zeros and takes an IPv4 address written as
 * IPv6 for IPv4.
 */
import { quote } from './field-error.ts'

export type IpFamily = 'IPv4' | 'IPv6'

export interface IpAddress {
  readonly family: IpFamily
  /** 32 or 128 bits. */
  readonly value: bigint
  /** Of an IPv6 address, such as an interface's name; only the strict reader takes one. */
  readonly zone?: string
}

export interface Cidr {
  /** As it was written, bits beyond the prefix included. */
  readonly address: IpAddress
  readonly bits: number
}

/** A text that is no address or range; the message is Go's. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

const widths = { IPv4: 32, IPv6: 128 } as const
const mappedPrefix = 0xffffn

/** Characters of an address without a zone: eight groups of four digits, the last two of which as in IPv4. */
export const maxIpLength = 45

export const widthOf = (family: IpFamily): number => widths[family]

/** Reads strictly; throws an `AddressError`. An IPv4-mapped IPv6 address stays IPv6. */
export function parseAddress(text: string): IpAddress {
  const kind = /[.:%]/.exec(text)?.[0]
  if (kind === '.') return { family: 'IPv4', value: readIpv4(text, text, false) }
  if (kind === ':') return readIpv6(text, false)
  throw addressError(text, kind === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

/** Reads strictly; throws an `AddressError`. */
export function parsePrefix(text: string): Cidr {
  const error = (what: string): AddressError => new AddressError(`netip.ParsePrefix(${quote(text)}): ${what}`)
  const slash = text.lastIndexOf('/')
  if (slash < 0) throw error("no '/'")
  const address = attempt(() => parseAddress(text.slice(0, slash)))
  if (address instanceof AddressError) throw error(address.message)
  if (address.zone !== undefined) throw error('IPv6 zones cannot be present in a prefix')
  const bitsText = text.slice(slash + 1)
  if (!/^(?:[0-9]|[1-9][0-9]{1,17})$/.test(bitsText)) throw error(`bad bits after slash: ${quote(bitsText)}`)
  const bits = Number(bitsText)
  if (bits > widths[address.family]) throw error('prefix length out of range')
  return { address, bits }
}

/** Reads leniently. */
export function parseIp(text: string): IpAddress | undefined {
  const kind = /[.:]/.exec(text)?.[0]
  if (kind === undefined) return undefined
  const address = attempt(
    (): IpAddress => (kind === '.' ? { family: 'IPv4', value: readIpv4(text, text, true) } : readIpv6(text, true)),
  )
  return address instanceof AddressError ? undefined : unmapped(address)
}

/** Reads leniently. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const [addressText, bitsText] = [text.slice(0, slash), text.slice(slash + 1)]
  const written = addressText.includes(':') ? 'IPv6' : 'IPv4'
  const address = parseIp(addressText)
  const bits = /^[0-9]+$/.test(bitsText) ? Number(bitsText) : Number.NaN
  if (address === undefined || !(bits <= widths[written])) return undefined
  if (written === address.family) return { address, bits }
  if (bits >= 96) return { address, bits: bits - 96 }
  return { address: { family: 'IPv6', value: (mappedPrefix << 32n) | address.value }, bits }
}

/** An IPv4 address that is written as IPv6 is IPv4. */
function unmapped(address: IpAddress): IpAddress {
  return isMapped(address) ? { family: 'IPv4', value: address.value & 0xffffffffn } : address
}

/** `::ffff:1.2.3.4` and the like. */
export const isMapped = ({ family, value }: IpAddress): boolean => family === 'IPv6' && value >> 32n === mappedPrefix

/** The canonical text: dotted, or RFC 5952. */
export function formatIp(address: IpAddress): string {
  const { family, value, zone } = address
  const text =
    family === 'IPv4'
      ? formatIpv4(value)
      : isMapped(address)
        ? `::ffff:${formatIpv4(value & 0xffffffffn)}`
        : formatIpv6(value)
  return zone === undefined ? text : `${text}%${zone}`
}

/** Address and prefix as they are, bits beyond the prefix included. */
export const formatCidr = ({ address, bits }: Cidr): string => `${formatIp(address)}/${bits}`

const hostMask = ({ address, bits }: Cidr): bigint => (1n << BigInt(widths[address.family] - bits)) - 1n

/** The range with no bits beyond its prefix. */
export const maskedCidr = (cidr: Cidr): Cidr => ({ address: firstIp(cidr), bits: cidr.bits })

export const firstIp = (cidr: Cidr): IpAddress => ({
  family: cidr.address.family,
  value: cidr.address.value & ~hostMask(cidr),
})

export const lastIp = (cidr: Cidr): IpAddress => ({
  family: cidr.address.family,
  value: cidr.address.value | hostMask(cidr),
})

/** How many addresses lie in the range. */
export const cidrSize = (cidr: Cidr): bigint => hostMask(cidr) + 1n

export const cidrContains = (cidr: Cidr, address: IpAddress): boolean =>
  cidr.address.family === address.family && (cidr.address.value ^ address.value) <= hostMask(cidr)

export const cidrContainsCidr = (outer: Cidr, inner: Cidr): boolean =>
  outer.bits <= inner.bits && cidrContains(outer, inner.address)

export const cidrsOverlap = (a: Cidr, b: Cidr): boolean => cidrContains(a, b.address) || cidrContains(b, a.address)

/** So many addresses further; undefined beyond the last or before the first. */
export function offsetIp({ family, value }: IpAddress, offset: bigint): IpAddress | undefined {
  const moved = value + offset
  return moved >= 0n && moved >> BigInt(widths[family]) === 0n ? { family, value: moved } : undefined
}

export const nextIp = (address: IpAddress): IpAddress | undefined => offsetIp(address, 1n)

/** IPv4 before IPv6, then by number. */
export function compareIps(a: IpAddress, b: IpAddress): number {
  if (a.family !== b.family) return a.family === 'IPv4' ? -1 : 1
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0
}

export const isUnspecifiedIp = ({ value }: IpAddress): boolean => value === 0n

export const isLoopbackIp = ({ family, value }: IpAddress): boolean =>
  family === 'IPv4' ? value >> 24n === 127n : value === 1n

export const isMulticastIp = ({ family, value }: IpAddress): boolean =>
  family === 'IPv4' ? value >> 28n === 0xen : value >> 120n === 0xffn

export const isLinkLocalUnicastIp = ({ family, value }: IpAddress): boolean =>
  family === 'IPv4' ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan

export const isLinkLocalMulticastIp = ({ family, value }: IpAddress): boolean =>
  family === 'IPv4' ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n

export const isGlobalUnicastIp = (address: IpAddress): boolean =>
  !isUnspecifiedIp(address) &&
  !(address.family === 'IPv4' && address.value === 0xffffffffn) &&
  !isLoopbackIp(address) &&
  !isMulticastIp(address) &&
  !isLinkLocalUnicastIp(address)

function formatIpv4(value: bigint): string {
  const bits = Number(value)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}

function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(16 * (7 - i))) & 0xffffn))
  const [start, length] = longestZeros(groups)
  const hex = (part: number[]): string => part.map((group) => group.toString(16)).join(':')
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

/** Where the first of the longest runs of zeros begins, and how long it is. */
function longestZeros(groups: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0]
  let length = 0
  groups.forEach((group, i) => {
    length = group === 0 ? length + 1 : 0
    if (length > best[1]) best = [i - length + 1, length]
  })
  return best
}

const addressError = (input: string, what: string, at = ''): AddressError =>
  new AddressError(`ParseAddr(${quote(input)}): ${what}${at === '' ? '' : ` (at ${quote(at)})`}`)

function attempt<T>(read: () => T): T | AddressError {
  try {
    return read()
  } catch (error) {
    if (error instanceof AddressError) return error
    throw error
  }
}

/** `part` is the dotted text, `input` the whole that errors quote. */
function readIpv4(input: string, part: string, lenient: boolean): bigint {
  const octets: number[] = []
  let value = 0
  let digits = 0
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i)
    if (code >= 48 && code <= 57) {
      if (!lenient && digits === 1 && value === 0) throw addressError(input, 'IPv4 field has octet with leading zero')
      value = value * 10 + code - 48
      digits++
      if (value > 255) throw addressError(input, 'IPv4 field has value >255')
    } else if (code === 46) {
      if (digits === 0 || i === part.length - 1) {
        throw addressError(input, 'IPv4 field must have at least one digit', part.slice(i))
      }
      if (octets.length === 3) throw addressError(input, 'IPv4 address too long')
      octets.push(value)
      value = 0
      digits = 0
    } else {
      throw addressError(input, 'unexpected character', part.slice(i))
    }
  }
  if (octets.length < 3) throw addressError(input, 'IPv4 address too short')
  return octets.concat(value).reduce((all, octet) => (all << 8n) | BigInt(octet), 0n)
}

/** The fields before and after the `::`, read from left to right. */
class Ipv6Reader {
  readonly #input: string
  readonly #lenient: boolean
  #rest: string
  readonly #groups: number[] = []
  #ellipsis: number | undefined

  constructor(input: string, rest: string, lenient: boolean) {
    this.#input = input
    this.#rest = rest
    this.#lenient = lenient
  }

  read(): bigint {
    if (this.#rest.startsWith('::')) {
      this.#ellipsis = 0
      this.#rest = this.#rest.slice(2)
      if (this.#rest === '') return 0n
    }
    while (this.#groups.length < 8 && this.#field());
    if (this.#rest !== '') throw this.#error('trailing garbage after address', this.#rest)
    return this.#expand().reduce((all, group) => (all << 16n) | BigInt(group), 0n)
  }

  /** Reads one field and what separates it from the next; false at the end. */
  #field(): boolean {
    const digits = /^[0-9a-fA-F]*/.exec(this.#rest)?.[0] ?? ''
    const value = this.#hex(digits)
    if (this.#rest[digits.length] === '.') return this.#embeddedIpv4()
    this.#groups.push(value)
    this.#rest = this.#rest.slice(digits.length)
    if (this.#rest === '') return false
    if (this.#rest[0] !== ':') throw this.#error('unexpected character, want colon', this.#rest)
    if (this.#rest.length === 1) throw this.#error('colon must be followed by more characters', this.#rest)
    this.#rest = this.#rest.slice(1)
    if (this.#rest[0] !== ':') return true
    if (this.#ellipsis !== undefined) throw this.#error('multiple :: in address', this.#rest)
    this.#ellipsis = this.#groups.length
    this.#rest = this.#rest.slice(1)
    return this.#rest !== ''
  }

  #hex(digits: string): number {
    if (digits === '') throw this.#error('each colon-separated field must have at least one digit', this.#rest)
    if (!this.#lenient && digits.length > 4) {
      throw this.#error('each group must have 4 or less digits', this.#rest)
    }
    const value = Number.parseInt(digits, 16)
    if (value > 0xffff) throw this.#error('IPv6 field has value >=2^16', this.#rest)
    return value
  }

  #embeddedIpv4(): false {
    if (this.#ellipsis === undefined && this.#groups.length !== 6) {
      throw this.#error('embedded IPv4 address must replace the final 2 fields of the address', this.#rest)
    }
    if (this.#groups.length > 6) {
      throw this.#error('too many hex fields to fit an embedded IPv4 at the end of the address', this.#rest)
    }
    const value = Number(readIpv4(this.#input, this.#rest, this.#lenient))
    this.#groups.push(value >>> 16, value & 0xffff)
    this.#rest = ''
    return false
  }

  #expand(): number[] {
    const missing = 8 - this.#groups.length
    if (this.#ellipsis === undefined) {
      if (missing > 0) throw this.#error('address string too short')
      return this.#groups
    }
    if (missing === 0) throw this.#error('the :: must expand to at least one field of zeros')
    return this.#groups.toSpliced(this.#ellipsis, 0, ...Array<number>(missing).fill(0))
  }

  #error(what: string, at?: string): AddressError {
    return addressError(this.#input, what, at)
  }
}

function readIpv6(text: string, lenient: boolean): IpAddress {
  const percent = lenient ? -1 : text.indexOf('%')
  if (percent < 0) return { family: 'IPv6', value: new Ipv6Reader(text, text, lenient).read() }
  const zone = text.slice(percent + 1)
  if (zone === '') throw addressError(text, 'zone must be a non-empty string')
  return { family: 'IPv6', value: new Ipv6Reader(text, text.slice(0, percent), lenient).read(), zone }
}
