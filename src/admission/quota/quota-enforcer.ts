/**
 * Charges what a write uses to the quotas of its namespace, before the write. Requests of a namespace are decided
 * together, one batch after the other, and a batch is written to each quota with one compare-and-swap: a lost
 * race decides anew with the winner's state. So usage never passes the limit, however many write at once and on however many
 * servers.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/resourcequota: quotaEvaluator, CheckRequest.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import { conflict, unknownError } from '../../api/status-error.ts'
import type { ScopedResourceSelectorRequirement } from '../../catalog/types/core-v1.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import { denied } from '../denied.ts'
import { type Amounts, amountsOf } from '../pod-resources.ts'
import { type Evaluator, evaluatorOf } from './evaluators.ts'
import { formatAmounts, type Quota, type QuotaStore, quotaKey, scopesOf } from './quota-object.ts'

export interface QuotaEnforcerOptions {
  readonly store: QuotaStore
  readonly clock: Clock
  readonly configuration: JsonValue | undefined
  /** Charges may have been made for a write that was then refused: usage should be recounted. */
  readonly onOvercharge: (namespace: string) => void
  /** Other groups that serve the objects of a resource. */
  readonly otherGroups?: (group: string, resource: string) => readonly string[] | undefined
}

interface Pending {
  readonly request: AdmissionRequest
  readonly evaluator: Evaluator
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Quotas that hold this request's charge already. */
  readonly charged: Set<string>
}

/** Lost races in a row before giving up. */
const maxAttempts = 100

export class QuotaEnforcer {
  readonly #options: QuotaEnforcerOptions
  readonly #limited: readonly LimitedResource[]
  readonly #queues = new Map<string, Pending[]>()

  constructor(options: QuotaEnforcerOptions) {
    this.#options = options
    this.#limited = limitedResources(options.configuration)
  }

  /** Whether some resources need a quota that covers them, so that namespaces without quotas matter too. */
  get limitsByDefault(): boolean {
    return this.#limited.length > 0
  }

  check(request: AdmissionRequest): Awaitable<void> {
    const { resource, operation, subresource } = request
    const others = this.#options.otherGroups?.(resource.group, resource.resource)
    const evaluator = evaluatorOf(resource.group, resource.resource, others)
    if (evaluator === undefined || !evaluator.handles(operation, subresource)) return
    if (evaluator.concerns?.(request) === false) return
    return new Promise((resolve, reject) => {
      const pending = { request, evaluator, resolve, reject, charged: new Set<string>() }
      const queue = this.#queues.get(request.namespace)
      if (queue !== undefined) {
        queue.push(pending)
        return
      }
      this.#queues.set(request.namespace, [pending])
      void this.#work(request.namespace)
    })
  }

  async #work(namespace: string): Promise<void> {
    for (;;) {
      // Requests of one turn of the event loop are batched.
      await Promise.resolve()
      const queue = this.#queues.get(namespace) ?? []
      const batch = queue.splice(0)
      if (batch.length === 0) {
        this.#queues.delete(namespace)
        return
      }
      try {
        await this.#decide(namespace, batch)
      } catch (error) {
        for (const pending of batch) pending.reject(error)
      }
    }
  }

  async #decide(namespace: string, batch: readonly Pending[]): Promise<void> {
    const { store } = this.#options
    let quotas = await store.list(namespace)
    let undecided = batch
    for (let attempt = 0; attempt < maxAttempts && undecided.length > 0; attempt++) {
      const used = new Map(quotas.map((quota) => [quotaKey(quota), amountsOf(quota.status?.used)]))
      const accepted: { pending: Pending; charges: ReadonlySet<string> }[] = []
      for (const pending of undecided) {
        try {
          const charging = inTurns(this.#charge(pending, quotas, used))
          accepted.push({ pending, charges: charging instanceof Promise ? await charging : charging })
        } catch (error) {
          if (pending.charged.size > 0) this.#options.onOvercharge(namespace)
          pending.reject(error)
        }
      }
      const wanted = new Set(accepted.flatMap(({ pending, charges }) => (pending.request.dryRun ? [] : [...charges])))
      const { lost, next } = await this.#write(quotas, used, wanted)
      for (const { pending, charges } of accepted)
        for (const key of charges) if (!lost.has(key)) pending.charged.add(key)
      undecided = accepted
        .filter(({ pending, charges }) => !pending.request.dryRun && [...charges].some((key) => lost.has(key)))
        .map(({ pending }) => pending)
      for (const { pending } of accepted) if (!undecided.includes(pending)) pending.resolve()
      quotas = next
    }
    for (const { request, reject } of undecided) {
      reject(
        conflict(
          { group: '', resource: 'resourcequotas' },
          request.namespace,
          'the quota is written without pause; please try again',
        ),
      )
    }
  }

  async #write(
    quotas: readonly Quota[],
    used: ReadonlyMap<string, Amounts>,
    wanted: ReadonlySet<string>,
  ): Promise<{ lost: Set<string>; next: Quota[] }> {
    const lost = new Set<string>()
    const next: Quota[] = []
    for (const quota of quotas) {
      const key = quotaKey(quota)
      if (!wanted.has(key)) {
        next.push(quota)
        continue
      }
      const status = { ...quota.status, used: formatAmounts(used.get(key) ?? new Map()) }
      const result = await this.#options.store.write(quota, status)
      if ('written' in result) {
        next.push(result.written)
      } else {
        lost.add(key)
        if (result.current !== undefined) next.push(result.current)
      }
    }
    return { lost, next }
  }

  /** Adds what the request uses to `used`, or throws without adding anything. Returns the quotas that it touches. */
  *#charge(pending: Pending, quotas: readonly Quota[], used: ReadonlyMap<string, Amounts>): Steps<ReadonlySet<string>> {
    const { request, evaluator } = pending
    const matching = quotas.filter((quota) => matches(evaluator, quota, request.object!))
    for (const quota of matching) {
      checkComplete(pending, quota)
      yield
    }
    const usage = yield* this.#usage(pending)
    yield
    this.#checkCovered(pending, matching, usage.more)
    const sums = new Map<string, Amounts>()
    for (const quota of matching) {
      yield
      const key = quotaKey(quota)
      if (pending.charged.has(key)) continue
      const { oldObject } = request
      const isCounted = oldObject !== undefined && matches(evaluator, quota, oldObject)
      const delta = isCounted ? usage.more : usage.all
      if (delta.size === 0) continue
      const sum = added(used.get(key)!, delta, amountsOf(quota.status?.hard))
      checkWithin(pending, quota, { delta, sum, used: used.get(key)! })
      if (sum.size > 0) sums.set(key, sum)
    }
    if (!request.dryRun)
      for (const [key, sum] of sums) for (const [name, amount] of sum) used.get(key)!.set(name, amount)
    return new Set(sums.keys())
  }

  /** What the object uses, and what of it is more than before. Using less gives nothing back: that is counted later. */
  *#usage({ request, evaluator }: Pending): Steps<{ readonly all: Amounts; readonly more: Amounts }> {
    const now = this.#options.clock.now()
    const usageOf = function* (object: KubeObject): Steps<Amounts> {
      return evaluator.usageInSteps === undefined
        ? evaluator.usage(object, now)
        : yield* evaluator.usageInSteps(object, now)
    }
    const all = yield* usageOf(request.object!)
    yield
    const counted = yield* countedOf(all)
    if (counted.negative.length > 0) {
      throw denied(request, `quota usage is negative for resource(s): ${counted.negative.sort().join(',')}`)
    }
    if (request.oldObject === undefined) return { all: counted.positive, more: counted.positive }
    const { positive: more } = yield* countedOf(all, yield* usageOf(request.oldObject))
    return { all: counted.positive, more }
  }

  #checkCovered({ request, evaluator }: Pending, matching: readonly Quota[], delta: Amounts): void {
    const limited = this.#limited.filter(
      ({ group, resource }) => group === request.resource.group && resource === request.resource.resource,
    )
    if (limited.length === 0 || delta.size === 0) return
    const covered = new Set(matching.flatMap(({ status }) => Object.keys(status?.hard ?? {})))
    const needed = [...delta.keys()].filter((name) =>
      limited.some(({ contains }) => contains.some((part) => name.includes(part))),
    )
    const uncovered = needed.filter((name) => !covered.has(name)).sort()
    if (uncovered.length > 0) throw denied(request, `insufficient quota to consume: ${uncovered.join(',')}`)
    const scopes = limited
      .flatMap(({ matchScopes }) => matchScopes)
      .filter((scope) => evaluator.inScope(scope, request.object!))
    const open = scopes.filter(
      (scope) => !matching.some((quota) => scopesOf(quota).some(({ scopeName }) => scopeName === scope.scopeName)),
    )
    if (open.length === 0) return
    const text = open.map(
      ({ scopeName, operator, values }) => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`,
    )
    throw unknownError(`insufficient quota to match these scopes: [${text.join(' ')}]`)
  }
}

/** What is left of the amounts without those before, by its sign. */
function* countedOf(amounts: Amounts, before?: Amounts): Steps<{ positive: Amounts; negative: string[] }> {
  const positive: Amounts = new Map()
  const negative: string[] = []
  let count = 0
  for (const [name, amount] of amounts) {
    if (++count % amountsPerStep === 0) yield
    const known = before?.get(name)
    const left = known === undefined ? amount : amount.sub(known)
    if (left.sign() > 0) positive.set(name, left)
    else if (left.sign() < 0) negative.push(name)
  }
  return { positive, negative }
}

const amountsPerStep = 256

/** A quota counts an object when it knows a limit for something that such objects use, and all its scopes fit. */
function matches(evaluator: Evaluator, quota: Quota, object: KubeObject): boolean {
  const names = Object.keys(quota.status?.hard ?? {})
  if (!names.some((name) => evaluator.counts(name))) return false
  return scopesOf(quota).every((scope) => evaluator.inScope(scope, object))
}

function checkComplete({ request, evaluator }: Pending, quota: Quota): void {
  const names = Object.keys(quota.status?.hard ?? {}).filter((name) => evaluator.counts(name))
  const missing = evaluator.missing?.(names, request.object!)
  if (missing !== undefined) throw denied(request, `failed quota: ${quota.metadata.name}: ${missing}`)
  if (names.every((name) => quota.status?.used?.[name] !== undefined)) return
  throw denied(request, `status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`)
}

/** The new usage of what the request touches and the quota limits. */
function added(used: Amounts, delta: Amounts, hard: Amounts): Amounts {
  const sum: Amounts = new Map()
  for (const [name, amount] of delta) if (hard.has(name)) sum.set(name, (used.get(name) ?? Quantity.zero).add(amount))
  return sum
}

function checkWithin(
  { request }: Pending,
  quota: Quota,
  { delta, sum, used }: { readonly delta: Amounts; readonly sum: Amounts; readonly used: Amounts },
): void {
  // What a status reports has happened already: it is charged, and not refused.
  if (request.subresource === 'status') return
  const hard = amountsOf(quota.status?.hard)
  const exceeded = [...sum].filter(([name, amount]) => amount.compare(hard.get(name)!) > 0)
  if (exceeded.length === 0) return
  const names = exceeded.map(([name]) => name).sort()
  const list = (amounts: Amounts): string => names.map((name) => `${name}=${amounts.get(name) ?? '0'}`).join(',')
  throw denied(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${list(delta)}, used: ${list(used)}, limited: ${list(hard)}`,
  )
}

interface LimitedResource {
  readonly group: string
  readonly resource: string
  readonly contains: readonly string[]
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[]
}

function limitedResources(configuration: JsonValue | undefined): LimitedResource[] {
  const listed = isJsonObject(configuration) ? configuration['limitedResources'] : undefined
  return (Array.isArray(listed) ? listed : []).filter(isJsonObject).map((each: JsonObject) => ({
    group: String(each['apiGroup'] ?? ''),
    resource: String(each['resource'] ?? ''),
    contains: Array.isArray(each['matchContains']) ? each['matchContains'].map(String) : [],
    matchScopes: Array.isArray(each['matchScopes']) ? (each['matchScopes'] as ScopedResourceSelectorRequirement[]) : [],
  }))
}
