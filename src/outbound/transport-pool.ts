/** Transports by what makes them: at most so many, the one that was used longest ago is closed first. */
import { Transport, type TransportOptions } from './transport.ts'

export class TransportPool {
  readonly #capacity: number
  readonly #transports = new Map<string, Transport>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: string, options: () => TransportOptions): Transport {
    const known = this.#transports.get(key)
    const transport = known ?? new Transport(options())
    this.#transports.delete(key)
    if (known === undefined) this.#makeRoom()
    this.#transports.set(key, transport)
    return transport
  }

  #makeRoom(): void {
    if (this.#transports.size < this.#capacity) return
    const oldest = this.#transports.entries().next()
    if (oldest.done) return
    const [key, transport] = oldest.value
    transport.close()
    this.#transports.delete(key)
  }

  close(): void {
    for (const transport of this.#transports.values()) transport.close()
    this.#transports.clear()
  }
}
