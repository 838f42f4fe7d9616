/** The name by which this server is known to others: that of its lease, and a label of its metrics. */
import { createHash } from 'node:crypto'

/** The component whose lease it is. */
export const identity = 'kube-apiserver'

/**
 * `apiserver-` and the hash of the host name and the component, each behind its length, in small letters of base 32.
 * Mirrors k8s.io/apiserver/pkg/server: NewConfig.
 */
export function serverIdentity(hostname: string): string {
  const hash = createHash('sha256')
  for (const text of [hostname, identity]) {
    const bytes = Buffer.from(text)
    hash.update(Buffer.from([bytes.length >> 8, bytes.length & 255])).update(bytes)
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

function base32(bytes: Uint8Array): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    count += 8
    while (count >= 5) {
      count -= 5
      text += letters[(bits >> count) & 31]
    }
    bits &= (1 << count) - 1
  }
  return count === 0 ? text : text + letters[(bits << (5 - count)) & 31]
}
