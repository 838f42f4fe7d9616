/** The address under which a server makes itself known to the cluster. */
import { networkInterfaces } from 'node:os'
import { isLoopbackIp, isUnspecifiedIp, parseIp } from '../api/ip.ts'
import type { ServerOptions } from './server-options.ts'

/** How pods reach this server: never by a loopback address. Undefined when the machine has no other. */
export function advertisedAddress({ serving }: ServerOptions): string | undefined {
  if (serving.advertiseAddress !== undefined) return serving.advertiseAddress
  const bound = parseIp(serving.bindAddress)
  if (bound !== undefined && !isLoopbackIp(bound) && !isUnspecifiedIp(bound)) return serving.bindAddress
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address
}
