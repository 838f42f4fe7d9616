/**
 * Keeps the status of quotas true: fills in what a new or changed quota limits and how much of it is used, and counts
 * again when objects go. Admission charges before an object is there; so what was charged in the last moments is not
 * taken back although it cannot be seen yet, and is counted again later.
 */
import { equalJson } from '../../api/json.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'
import { Quantity } from '../../api/quantity.ts'
import type { Clock, Pausable } from '../../lib/clock.ts'
import { yieldToEventLoop } from '../../lib/in-turns.ts'
import { type Amounts, addQuantities, amountsOf } from '../pod-resources.ts'
import { type Evaluator, evaluatorOf, resourceCountedBy } from './evaluators.ts'
import { formatAmounts, type Quota, type QuotaStore, quotaKey, scopesOf } from './quota-object.ts'

export interface QuotaControllerOptions {
  readonly store: QuotaStore
  readonly clock: Clock
  readonly quotas: ObjectSource<Quota>
  /** Undefined when the resource is not served. */
  readonly objects: (group: string, resource: string) => Promise<ObjectSource | undefined>
  readonly onError: (error: unknown) => void
}

/** A changed quota is left alone for a moment: who writes the quota may write its status, too. */
const specDelayMs = 1000
/** Deletions that come together are counted together. */
const recountDelayMs = 100
/** How long a charge may be ahead of its object. */
const chargeWindowMs = 2000
const retryDelayMs = 1000
const maxAttempts = 20

interface Charge {
  readonly at: number
  readonly amounts: Amounts
}

interface SeenQuota {
  readonly version: string
  readonly used: StringMap | undefined
}

/** Work that waits for its moment. */
interface Waiting {
  readonly cancel: () => void
  /** False: it is about charges that are too young to be counted, and waits until they are not. */
  readonly mayHurry: boolean
}

export class QuotaController implements Pausable {
  readonly #options: QuotaControllerOptions
  readonly #charges = new Map<string, Charge[]>()
  /** The last state of each quota that was noted. */
  readonly #seen = new Map<string, SeenQuota>()
  readonly #timers = new Map<string, Waiting>()
  readonly #syncs = new Set<Promise<void>>()
  readonly #watched = new Map<string, () => void>()
  readonly #stop: () => void
  #isClosed = false
  #isPaused = false

  constructor(options: QuotaControllerOptions) {
    this.#options = options
    options.clock.queues?.add(this)
    this.#stop = options.quotas.subscribe((change) => this.#onQuota(change))
  }

  close(): void {
    this.#isClosed = true
    this.#stop()
    for (const { cancel } of this.#timers.values()) cancel()
    for (const end of this.#watched.values()) end()
    this.#timers.clear()
    this.#watched.clear()
    this.#options.clock.queues?.delete(this)
  }

  /** What waits for its moment is no work yet. */
  get isIdle(): boolean {
    return this.#syncs.size === 0
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await Promise.all(this.#syncs)
  }

  resume(): void {
    this.#isPaused = false
  }

  hurry(): void {
    if (this.#isPaused) return
    for (const [key, { cancel, mayHurry }] of [...this.#timers]) {
      if (!mayHurry) continue
      cancel()
      this.#begin(key)
    }
  }

  /** Counts again what the quotas of a namespace use, in a moment. */
  recount(namespace: string): void {
    for (const quota of this.#options.quotas.list(namespace)) this.#schedule(quotaKey(quota), recountDelayMs)
  }

  #onQuota(change: ObjectChange<Quota>): void {
    const { object } = change
    const key = quotaKey(object)
    if (change.type === 'DELETED') {
      this.#charges.delete(key)
      this.#seen.delete(key)
      return
    }
    const { used } = object.status ?? {}
    const before = this.#seen.get(key)
    this.#seen.set(key, { version: object.metadata.resourceVersion ?? '', used })
    if (before !== undefined) this.#noteCharge(key, before.used, used)
    if (!isFilledIn(object)) this.#schedule(key, specDelayMs)
    void this.#watchCounted(object)
  }

  #noteCharge(key: string, before: StringMap | undefined, used: StringMap | undefined): void {
    const amounts: Amounts = new Map()
    for (const [name, text] of entriesOf(used ?? {})) {
      const old = before?.[name]
      // Of very many, a charge changes few.
      if (text === old) continue
      const more = Quantity.parse(String(text)).sub(old === undefined ? Quantity.zero : Quantity.parse(String(old)))
      if (more.sign() > 0) amounts.set(name, more)
    }
    if (amounts.size === 0) return
    const at = this.#options.clock.now()
    const recent = (this.#charges.get(key) ?? []).filter((charge) => charge.at > at - chargeWindowMs)
    this.#charges.set(key, [...recent, { at, amounts }])
  }

  /** Listens to the resources that the quota counts: what goes gives back. */
  async #watchCounted({ spec }: Quota): Promise<void> {
    for (const name of keysOf(spec?.hard ?? {})) {
      const way = yieldToEventLoop()
      if (way !== undefined) await way
      const counted = resourceCountedBy(name)
      if (counted === undefined) continue
      const key = `${counted.group}/${counted.resource}`
      const evaluator = evaluatorOf(counted.group, counted.resource)
      if (evaluator === undefined || this.#watched.has(key)) continue
      this.#watched.set(key, () => {})
      try {
        const source = await this.#options.objects(counted.group, counted.resource)
        if (source === undefined || this.#isClosed) this.#watched.delete(key)
        else
          this.#watched.set(
            key,
            source.subscribe((change) => this.#onObject(change, evaluator)),
          )
      } catch (error) {
        this.#watched.delete(key)
        this.#options.onError(error)
      }
    }
  }

  #onObject(change: ObjectChange, evaluator: Evaluator): void {
    const { namespace = '' } = change.object.metadata
    const [quota] = this.#options.quotas.list(namespace)
    if (change.type === 'ADDED' || quota === undefined) return
    if (change.type === 'MODIFIED' && !usesOtherwise(evaluator, change, this.#options.clock.now())) return
    this.recount(namespace)
  }

  #schedule(key: string, ms: number, mayHurry = true): void {
    if (this.#isClosed) return
    const known = this.#timers.get(key)
    if (known !== undefined && (known.mayHurry || !mayHurry)) return
    known?.cancel()
    const due = (): void => {
      this.#timers.delete(key)
      // Its moment begins again where nothing may be begun.
      if (this.#isPaused) this.#schedule(key, ms, mayHurry)
      else this.#begin(key)
    }
    this.#timers.set(key, { cancel: this.#options.clock.setTimeout(due, ms), mayHurry })
  }

  #begin(key: string): void {
    this.#timers.delete(key)
    const sync = this.#sync(key).catch((error: unknown) => {
      this.#options.onError(error)
      this.#schedule(key, retryDelayMs, false)
    })
    this.#syncs.add(sync)
    void sync.then(() => this.#syncs.delete(sync))
  }

  async #sync(key: string): Promise<void> {
    const { quotas, store } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const quota = quotas.get(namespace, name)
      if (quota === undefined || this.#isClosed) return
      if (this.#seen.get(key)?.version !== quota.metadata.resourceVersion) {
        // Its last change is not noted yet.
        await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, 1))
        continue
      }
      const counted = await this.#count(quota)
      const { used, isCertain } = this.#withRecentCharges(key, quota, counted)
      const status = { ...quota.status, hard: { ...quota.spec?.hard }, used: formatAmounts(used) }
      if (equalJson(status, quota.status ?? {})) {
        if (!isCertain) this.#schedule(key, chargeWindowMs, false)
        return
      }
      const result = await store.write(quota, status)
      if ('written' in result) {
        if (!isCertain) this.#schedule(key, chargeWindowMs, false)
        return
      }
    }
    this.#schedule(key, retryDelayMs, false)
  }

  /** What is counted, and on top what was charged just now, but never more than what is recorded. */
  #withRecentCharges(key: string, quota: Quota, counted: Amounts): { used: Amounts; isCertain: boolean } {
    const since = this.#options.clock.now() - chargeWindowMs
    const recent = (this.#charges.get(key) ?? []).filter(({ at }) => at > since)
    const recorded = amountsOf(quota.status?.used)
    const used: Amounts = new Map(counted)
    let isCertain = true
    for (const { amounts } of recent) {
      for (const [name, amount] of amounts) {
        const [now, before] = [used.get(name), recorded.get(name)]
        if (now === undefined || before === undefined || before.compare(now) <= 0) continue
        const more = now.add(amount)
        used.set(name, more.compare(before) > 0 ? before : more)
        isCertain = false
      }
    }
    return { used, isCertain }
  }

  async #count(quota: Quota): Promise<Amounts> {
    const names = keysOf(quota.spec?.hard ?? {})
    const resources = new Map<string, { group: string; resource: string }>()
    for (const name of names) {
      const way = yieldToEventLoop()
      if (way !== undefined) await way
      const counted = resourceCountedBy(name)
      if (counted !== undefined) resources.set(`${counted.group}/${counted.resource}`, counted)
    }
    const total: Amounts = new Map()
    for (const { group, resource } of resources.values()) {
      const way = yieldToEventLoop()
      if (way !== undefined) await way
      const evaluator = evaluatorOf(group, resource)
      const source = evaluator && (await this.#options.objects(group, resource))
      if (evaluator === undefined || source === undefined) continue
      for (const name of names) if (evaluator.counts(name)) total.set(name, Quantity.zero)
      const now = this.#options.clock.now()
      for (const object of source.list(quota.metadata.namespace ?? '')) {
        const turn = yieldToEventLoop()
        if (turn !== undefined) await turn
        if (!scopesOf(quota).every((scope) => evaluator.inScope(scope, object))) continue
        const usage = evaluator.usage(object, now)
        addQuantities(total, new Map([...usage].filter(([name]) => total.has(name))))
      }
    }
    return total
  }
}

function isFilledIn({ spec, status }: Quota): boolean {
  if (!equalJson(spec?.hard ?? {}, status?.hard ?? {})) return false
  return keysOf(spec?.hard ?? {}).every(
    (name) => resourceCountedBy(name) === undefined || status?.used?.[name] !== undefined,
  )
}

/** Whether another amount counts, or counts elsewhere: admission charges what is asked for, not what a status reports. */
function usesOtherwise(
  evaluator: Evaluator,
  { previous, object }: { readonly previous: KubeObject; readonly object: KubeObject },
  now: number,
): boolean {
  const [before, after] = [evaluator.usage(previous, now), evaluator.usage(object, now)]
  if (before !== after && !equalJson(formatAmounts(before), formatAmounts(after))) return true
  return evaluator.changesScope?.(previous, object) === true
}
