/** Compares a server with the reference by random cases until the time is over, and sorts what differs by its cause. */
import { seededRandom } from '../harness/random.ts'
import type { Case } from './case.ts'
import { type Cluster, clusterKey } from './clusters.ts'
import { Endpoint } from './endpoint.ts'
import { type Difference, execute, type Pair } from './execute.ts'
import { families } from './families.ts'
import { explained } from './known-differences.ts'
import { type Resource, sharedResources } from './resources.ts'
import { shrink } from './shrink.ts'

export interface DifferentialOptions {
  readonly reference: { readonly url: string; readonly token: string }
  readonly server: { readonly url: string; readonly token: string }
  readonly seconds: number
  readonly seed: number
  /** Only resources of these kinds; all unless given. */
  readonly kinds?: readonly string[]
  /** Only these families; all unless given. */
  readonly families?: readonly string[]
  /** How many cases run at a time. */
  readonly concurrency?: number
  readonly log: (line: string) => void
}

export interface DifferentialResult {
  readonly cases: number
  readonly clusters: readonly Cluster[]
  /** How often each known difference was met, by its name. */
  readonly known: ReadonlyMap<string, number>
  readonly unshared: readonly string[]
}

export async function runDifferential(options: DifferentialOptions): Promise<DifferentialResult> {
  const reference = new Endpoint(options.reference.url, options.reference.token)
  const server = new Endpoint(options.server.url, options.server.token)
  try {
    return await compareAll(options, { reference, server, namespace: `differential-${options.seed}` })
  } finally {
    reference.close()
    server.close()
  }
}

async function compareAll(options: DifferentialOptions, pair: Pair): Promise<DifferentialResult> {
  const { resources, unshared } = await sharedResources(pair.reference, pair.server)
  await makeNamespace(pair)
  const findings = new Findings(pair, options.log)
  const nextCase = caseStream(options, resources)
  const end = Date.now() + options.seconds * 1000
  const worker = async (): Promise<void> => {
    while (Date.now() < end) await findings.take(nextCase())
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 4 }, worker))
  return { cases: findings.cases, clusters: [...findings.clusters.values()], known: findings.known, unshared }
}

async function makeNamespace({ reference, server, namespace }: Pair): Promise<void> {
  const request = {
    method: 'POST',
    path: '/api/v1/namespaces',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: namespace } }),
  }
  for (const endpoint of [reference, server]) {
    const { status, body } = await endpoint.send(request)
    if (status !== 201 && status !== 409) throw new Error(`no namespace at ${endpoint.url.origin}: ${status} ${body}`)
  }
}

/** An endless stream that depends on the seed and the resources alone. */
function caseStream({ seed, kinds, families: wanted }: DifferentialOptions, all: readonly Resource[]): () => Case {
  const random = seededRandom(seed)
  const resources = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind))
  const chosen = wanted === undefined ? families : families.filter(({ name }) => wanted.includes(name))
  const weighted = chosen.flatMap((family) => Array.from({ length: family.weight }, () => family))
  if (resources.length === 0 || weighted.length === 0) throw new Error('no such kind or family')
  return () => {
    for (;;) {
      const source = { random: random.fork(), resource: random.pick(resources), resources: all }
      const made = random.pick(weighted).generate(source)
      if (made !== undefined) return made
    }
  }
}

class Findings {
  readonly clusters = new Map<string, Cluster>()
  readonly known = new Map<string, number>()
  cases = 0
  readonly #pair: Pair
  readonly #log: (line: string) => void

  constructor(pair: Pair, log: (line: string) => void) {
    this.#pair = pair
    this.#log = log
  }

  async take(each: Case): Promise<void> {
    this.cases++
    const found = await execute(each, this.#pair)
    if (found === undefined) return
    const rule = explained(found)
    if (rule !== undefined) this.known.set(rule.name, (this.known.get(rule.name) ?? 0) + 1)
    else await this.#unexplained(found)
  }

  /** What does not show again was a race between the two servers, and is not kept. */
  async #unexplained(found: Difference): Promise<void> {
    const same = this.clusters.get(clusterKey(found))
    if (same !== undefined) {
      same.count++
      same.resources.add(found.case.resource)
      return
    }
    const again = await execute(found.case, this.#pair)
    if (again === undefined || clusterKey(again) !== clusterKey(found)) return
    const key = clusterKey(found)
    const cluster: Cluster = { key, count: 1, resources: new Set([found.case.resource]), example: found }
    this.clusters.set(key, cluster)
    const example = await shrink(found, (smaller) => execute(smaller, this.#pair))
    const rule = explained(example)
    this.clusters.set(key, { ...cluster, count: this.clusters.get(key)?.count ?? 1, example })
    if (rule === undefined) this.#log(`new: ${key}`)
    else this.#explain(key, rule.name)
  }

  /** The smallest form of a difference may show that it is a known one. */
  #explain(key: string, name: string): void {
    this.known.set(name, (this.known.get(name) ?? 0) + (this.clusters.get(key)?.count ?? 1))
    this.clusters.delete(key)
  }
}
