// Compacts etcd at regular times, once for all servers that share it, in the way that the reference does, so that both can share an etcd.
// The key `compact_rev_key` holds a revision; its version counts the rounds. In each round every server tries to be the one that raises the
// version it knows; the winner compacts to the revision of the round before, so that a state stays readable for one to two intervals.
import type { Clock } from '../../lib/clock.ts'
import { type EtcdEndpoints, etcdErrorKind } from './endpoints.ts'
import { compactMethod, type TxnRequest, txnMethod } from './messages.ts'

const roundKey = Buffer.from('compact_rev_key')

export class Compactor {
  readonly #endpoints: EtcdEndpoints
  readonly #clock: Clock
  readonly #intervalMs: number
  #round = 0
  #revision = 0
  #cancel: () => void = () => undefined
  #stopped = false

  constructor(endpoints: EtcdEndpoints, clock: Clock, intervalMs: number) {
    this.#endpoints = endpoints
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#schedule()
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#cancel = this.#clock.setTimeout(() => {
      // A round that fails is made up for by the next one.
      void this.#run()
        .catch(() => undefined)
        .then(() => this.#schedule())
    }, this.#intervalMs)
  }

  async #run(): Promise<void> {
    const target = this.#revision
    const request: TxnRequest = {
      compare: { key: roundKey, target: 'version', equals: this.#round },
      success: { type: 'put', key: roundKey, value: Buffer.from(String(target)), lease: 0 },
      failure: { type: 'range', key: roundKey },
    }
    const answer = await this.#endpoints.call(txnMethod, request, { repeatable: false })
    this.#revision = answer.revision
    if (!answer.succeeded) {
      this.#round = answer.kvs[0]?.version ?? 0
      return
    }
    this.#round++
    if (target === 0) return
    try {
      await this.#endpoints.call(compactMethod, { revision: target }, { repeatable: true })
    } catch (error) {
      if (etcdErrorKind(error) !== 'compacted') throw error
    }
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }
}
