/** The ranges that services get their addresses and ports from. */
import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'

export interface PortRange {
  readonly first: number
  readonly last: number
}

/** `30000-32767` or `30000+2767`, or one port. */
export function parsePortRange(text: string): PortRange {
  const [, from, sign, to] = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim()) ?? []
  if (from === undefined) throw new ConfigError(`unable to parse port range: ${text}`)
  const first = Number(from)
  const last = to === undefined ? first : sign === '+' ? first + Number(to) : Number(to)
  if (first > 65535 || last > 65535) throw new ConfigError(`the port range cannot be greater than 65535: ${text}`)
  if (last < first) throw new ConfigError(`end port cannot be less than start port: ${text}`)
  return { first, last }
}

/** One or two CIDRs, the second of the other family. */
export function parseServiceRanges(text: string): string[] {
  const ranges = text.split(',').map((item) => item.trim())
  const families = ranges.map((range) => addressFamily(range))
  if (ranges.length > 2) throw new ConfigError(`--service-cluster-ip-range must not contain more than two entries`)
  if (ranges.length === 2 && families[0] === families[1]) {
    throw new ConfigError(
      '--service-cluster-ip-range and --secondary-service-cluster-ip-range must be of different IP family',
    )
  }
  return ranges
}

function addressFamily(range: string): 4 | 6 {
  const [address = '', bits = '', ...more] = range.split('/')
  const family = isIP(address)
  const longest = family === 4 ? 32 : 128
  if (family === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > longest) {
    throw new ConfigError(`invalid CIDR address: ${range}`)
  }
  const least = family === 4 ? 12 : 64
  if (Number(bits) < least) {
    throw new ConfigError(
      `specified --service-cluster-ip-range is too large; for ${longest}-bit addresses, the mask must be >= ${least}`,
    )
  }
  return family === 4 ? 4 : 6
}
