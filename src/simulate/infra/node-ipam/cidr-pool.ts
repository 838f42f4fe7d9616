/**
 * Subnets of one size out of a range, each given to one node. Mirrors pkg/controller/nodeipam/ipam/cidrset: CidrSet.
 */
import { type Cidr, cidrContainsCidr, firstIp, formatCidr, offsetIp, parseCidr, widthOf } from '../../../api/ip.ts'

/** As many as a range of nodes can have: 2^16. */
const maxSubnetBits = 16

export class CidrPool {
  readonly #range: Cidr
  readonly #bits: number
  readonly #size: number
  readonly #taken = new Set<number>()
  #next = 0

  constructor(range: string, bits: number) {
    const parsed = parseCidr(range)
    if (parsed === undefined) throw new Error(`invalid CIDR address: ${range}`)
    if (bits < parsed.bits || bits - parsed.bits > maxSubnetBits) throw new Error(`no subnets of /${bits} in ${range}`)
    this.#range = parsed
    this.#bits = bits
    this.#size = 2 ** (bits - parsed.bits)
  }

  /** The next free one, in turn; undefined when all are taken. */
  allocate(): string | undefined {
    if (this.#taken.size >= this.#size) return undefined
    while (this.#taken.has(this.#next)) this.#next = (this.#next + 1) % this.#size
    const index = this.#next
    this.#taken.add(index)
    this.#next = (index + 1) % this.#size
    return this.#subnet(index)
  }

  /** False when it is none of these subnets. */
  occupy(text: string): boolean {
    const index = this.#indexOf(text)
    if (index === undefined) return false
    this.#taken.add(index)
    return true
  }

  release(text: string): void {
    const index = this.#indexOf(text)
    if (index !== undefined) this.#taken.delete(index)
  }

  #subnet(index: number): string {
    const { family } = this.#range.address
    const step = 1n << BigInt(widthOf(family) - this.#bits)
    const address = offsetIp(firstIp(this.#range), BigInt(index) * step)
    if (address === undefined) throw new Error('a subnet lies in its range')
    return formatCidr({ address, bits: this.#bits })
  }

  #indexOf(text: string): number | undefined {
    const cidr = parseCidr(text)
    if (cidr === undefined || cidr.address.family !== this.#range.address.family) return undefined
    if (!cidrContainsCidr(this.#range, cidr) || cidr.bits < this.#bits) return undefined
    const step = BigInt(widthOf(cidr.address.family) - this.#bits)
    return Number((cidr.address.value - firstIp(this.#range).value) >> step)
  }
}
