/** Where a request came from: what proxies say, then the peer itself, which cannot be made up. */
import { formatIp, parseIp } from '../../api/ip.ts'

export function sourceIps(forwardedFor: string | undefined, realIp: string | undefined, peer: string): string[] {
  const ips = (forwardedFor ?? '').split(',').flatMap((part) => readIp(part.trim()))
  for (const ip of readIp(realIp ?? '')) if (!ips.includes(ip)) ips.push(ip)
  for (const ip of readIp(peer)) if (ips.at(-1) !== ip) ips.push(ip)
  return ips
}

function readIp(text: string): string[] {
  const ip = text === '' ? undefined : parseIp(text)
  return ip === undefined ? [] : [formatIp(ip)]
}
