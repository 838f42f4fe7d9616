/** The addresses of pods: those of the node's own range first, then of one that all share. None is given twice at a time. */

/** Beyond the ranges of nodes: 10.128.0.0/9. */
const sharedBase = 0x0a80_0000
const sharedSize = 2 ** 23

interface Range {
  readonly base: number
  readonly size: number
  next: number
}

export class PodAddresses {
  readonly #used = new Map<string, string>()
  readonly #byPod = new Map<string, string>()
  readonly #ranges = new Map<string, Range>()
  readonly #shared: Range = { base: sharedBase, size: sharedSize, next: 1 }

  /** An address of the range, held by the pod with this uid until it lets go. */
  take(uid: string, cidr: string | undefined): string {
    const address = this.#free(this.#rangeOf(cidr)) ?? this.#free(this.#shared) ?? ''
    this.hold(uid, address)
    return address
  }

  /** The pod has this address already. */
  hold(uid: string, address: string): void {
    this.#used.set(address, uid)
    this.#byPod.set(uid, address)
  }

  /** That of a pod which has one. */
  of(uid: string): string | undefined {
    return this.#byPod.get(uid)
  }

  release(uid: string): void {
    const address = this.#byPod.get(uid)
    this.#byPod.delete(uid)
    if (address !== undefined && this.#used.get(address) === uid) this.#used.delete(address)
  }

  #rangeOf(cidr: string | undefined): Range {
    const known = this.#ranges.get(cidr ?? '')
    if (known !== undefined) return known
    const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr ?? '')
    if (match === null) return this.#shared
    const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(Number)
    const range = { base: ((a << 24) | (b << 16) | (c << 8) | d) >>> 0, size: 2 ** (32 - bits), next: 1 }
    this.#ranges.set(cidr ?? '', range)
    return range
  }

  /** The first and the last address of a range are not given. */
  #free(range: Range): string | undefined {
    const hosts = range.size - 2
    for (let tries = 0; tries < hosts; tries++) {
      const host = range.next
      range.next = host >= hosts ? 1 : host + 1
      const address = dotted(range.base + host)
      if (!this.#used.has(address)) return address
    }
    return undefined
  }
}

const dotted = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.')
