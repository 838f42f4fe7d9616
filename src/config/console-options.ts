/** What `--console` and `--console-addresses` say. */
import { type Cidr, formatIp, parseCidr, parseIp, widthOf } from '../api/ip.ts'
import { ConfigError } from './config-error.ts'
import type { FlagValues } from './flags.ts'

export interface ConsoleOptions {
  readonly isOn: boolean
  /** Whether the flag decides; if not, a server on a terminal has a console. */
  readonly isGiven: boolean
  /** Where it may be used from besides the loopback addresses. */
  readonly addresses: readonly Cidr[]
}

export function consoleOptions(flags: FlagValues): ConsoleOptions {
  return {
    isOn: flags.bool('console'),
    isGiven: flags.isSet('console'),
    addresses: flags.list('console-addresses').map(addressRange),
  }
}

function addressRange(text: string): Cidr {
  const address = parseIp(text)
  const range = address === undefined ? parseCidr(text) : parseCidr(`${formatIp(address)}/${widthOf(address.family)}`)
  if (range === undefined) {
    throw new ConfigError(
      `--console-addresses must be addresses or ranges such as 10.0.0.0/8, not ${JSON.stringify(text)}`,
    )
  }
  return range
}
