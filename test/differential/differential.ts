/** Compares a server with the reference by random cases until the time is over, and sorts what differs by its cause. */
import { randomUUID } from 'node:crypto'
import { seededRandom } from '../harness/random.ts'
import { AuditSink } from './audit-sink.ts'
import type { Case } from './case.ts'
import { type Cluster, clusterKey } from './clusters.ts'
import { Endpoint } from './endpoint.ts'
import { type Difference, execute, type Pair } from './execute.ts'
import { type Family, families } from './families.ts'
import { createHookAuthority, HookServer } from './hook-server.ts'
import { explained } from './known-differences.ts'
import type { Observed } from './normalise.ts'
import { clusterText } from './report.ts'
import { type Resource, sharedResources } from './resources.ts'
import { shrink } from './shrink.ts'

export interface DifferentialOptions {
  readonly reference: { readonly url: string; readonly token: string }
  /** Several servers share a store, and get the requests in turns. */
  readonly server: { readonly urls: readonly string[]; readonly token: string }
  readonly seconds: number
  /** The run ends after this many cases, too. */
  readonly cases?: number | undefined
  readonly seed: number
  /** Only resources of these kinds; all unless given. */
  readonly kinds?: readonly string[] | undefined
  /** Only these families; all unless given. */
  readonly families?: readonly string[] | undefined
  /** How many cases run at a time. */
  readonly concurrency?: number
  /** The port at which both servers have their audit webhook. */
  readonly auditPort?: number | undefined
  readonly log: (line: string) => void
}

export interface DifferentialResult {
  readonly seed: number
  readonly cases: number
  /** How many cases of each family ran. */
  readonly families: ReadonlyMap<string, number>
  readonly clusters: readonly Cluster[]
  /** How often each known difference was met, by its name. */
  readonly known: ReadonlyMap<string, number>
  /** Differences that did not show again: races between the servers, by their key. */
  readonly unrepeated: ReadonlyMap<string, number>
  readonly unshared: readonly string[]
}

export async function runDifferential(options: DifferentialOptions): Promise<DifferentialResult> {
  const namespace = `differential-${options.seed}`
  const authority = createHookAuthority(namespace)
  const hooks = { reference: new HookServer(authority), server: new HookServer(authority) }
  const audit = options.auditPort === undefined ? undefined : new AuditSink()
  const reference = new Endpoint([options.reference.url], options.reference.token)
  const server = new Endpoint(options.server.urls, options.server.token)
  try {
    await Promise.all([hooks.reference.listen(), hooks.server.listen(), audit?.listen(options.auditPort as number)])
    return await compareAll(options, { reference, server, namespace, hooks, audit })
  } finally {
    for (const each of [reference, server, hooks.reference, hooks.server, audit]) each?.close()
  }
}

async function compareAll(options: DifferentialOptions, pair: Pair): Promise<DifferentialResult> {
  const { resources, unshared } = await sharedResources(pair.reference, pair.server)
  await makeNamespace(pair)
  await keepParameters(pair)
  if (pair.audit !== undefined) await waitForEvents(pair, pair.audit)
  const nextCase = caseStream(options, resources)
  const end = Date.now() + options.seconds * 1000
  const findings = new Findings(pair, { log: options.log, isLate: () => Date.now() > end + timeToShrink })
  const most = options.cases ?? Number.POSITIVE_INFINITY
  const worker = async (): Promise<void> => {
    while (Date.now() < end && findings.cases < most) await findings.take(nextCase())
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 16 }, worker))
  const { cases, known, unrepeated, families: ran, clusters } = findings
  return { seed: options.seed, cases, families: ran, clusters: [...clusters.values()], known, unrepeated, unshared }
}

/**
 * The reference follows the objects of a kind while a bound policy names it as that of its parameters, and finds none ever
 * again once it has stopped to. Policies that match nothing keep it at it.
 */
async function keepParameters({ reference, server }: Pair): Promise<void> {
  const name = 'differential-parameters'
  const rule = { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }
  const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, matchConstraints: { resourceRules: [rule] } }
  const bound = { policyName: name, paramRef: { name, namespace: 'default', parameterNotFoundAction: 'Allow' } }
  const mutation = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }
  const validating = { ...spec, validations: [{ expression: 'true' }] }
  const mutating = { ...spec, mutations: [mutation], reinvocationPolicy: 'Never' }
  const objects = [
    { kind: 'ValidatingAdmissionPolicy', version: 'v1', spec: validating },
    { kind: 'ValidatingAdmissionPolicyBinding', version: 'v1', spec: { ...bound, validationActions: ['Deny'] } },
    { kind: 'MutatingAdmissionPolicy', version: 'v1alpha1', spec: mutating },
    { kind: 'MutatingAdmissionPolicyBinding', version: 'v1alpha1', spec: bound },
  ]
  for (const { kind, version, spec: content } of objects) {
    const apiVersion = `admissionregistration.k8s.io/${version}`
    const request = {
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion, kind, metadata: { name }, spec: content }),
    }
    // One that is there already, or whose kind is not served, is as good.
    for (const endpoint of [reference, server]) await endpoint.send(request)
  }
}

/** A server that could not reach the sink before now tries again after a while. */
async function waitForEvents(pair: Pair, audit: AuditSink): Promise<void> {
  for (const side of ['reference', 'server'] as const) {
    let events: unknown[] = []
    for (let tries = 0; tries < 12 && events.length === 0; tries++) {
      const id = randomUUID()
      await pair[side].send({ method: 'GET', path: '/version', headers: { 'audit-id': id }, body: undefined })
      events = await audit.events(side, id)
    }
    if (events.length === 0) throw new Error(`no audit events come from the ${side}`)
  }
}

/** What is found last is still made smaller for so long. */
const timeToShrink = 30_000

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

/** Families that no kind selects run when none is asked for, or when they are named. */
function chosenFamilies({ kinds, families: wanted, auditPort }: DifferentialOptions): Family[] {
  const unknown = (wanted ?? []).filter((name) => !families.some((family) => family.name === name))
  if (unknown.length > 0)
    throw new Error(`no family ${unknown.join(', ')}; there are ${families.map(({ name }) => name).join(', ')}`)
  return families
    .filter(({ name, needs }) => wanted?.includes(name) ?? (kinds === undefined || needs === 'resource'))
    .filter(({ needs }) => needs !== 'audit' || auditPort !== undefined)
}

/** An endless stream that depends on the seed and the resources alone. */
function caseStream(options: DifferentialOptions, all: readonly Resource[]): () => Case {
  const { seed, kinds } = options
  const random = seededRandom(seed)
  const resources = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind))
  const weighted = chosenFamilies(options).flatMap((family) => Array.from({ length: family.weight }, () => family))
  if (resources.length === 0) throw new Error(`no kind ${kinds?.join(', ')}`)
  if (weighted.length === 0) throw new Error('no family is left to run')
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
  readonly unrepeated = new Map<string, number>()
  readonly families = new Map<string, number>()
  cases = 0
  readonly #pair: Pair
  readonly #run: { readonly log: (line: string) => void; readonly isLate: () => boolean }

  constructor(pair: Pair, run: { readonly log: (line: string) => void; readonly isLate: () => boolean }) {
    this.#pair = pair
    this.#run = run
  }

  async take(each: Case): Promise<void> {
    this.cases++
    // A run that is ended early has told how far it came.
    if (this.cases % 1000 === 0) this.#run.log(`${this.cases} cases, ${this.clusters.size} unexplained`)
    count(this.families, each.family)
    const found = await execute(each, this.#pair)
    if (found === undefined) return
    const rule = explained(found)
    if (rule !== undefined) count(this.known, rule.name)
    else await this.#unexplained(found)
  }

  /** What does not show again was a race between the two servers, and is only counted. */
  async #unexplained(found: Difference): Promise<void> {
    const same = this.clusters.get(clusterKey(found))
    if (same !== undefined) {
      same.count++
      same.resources.add(found.case.resource)
      return
    }
    const key = clusterKey(found)
    if (!(await this.#showsAgain(found, key))) return count(this.unrepeated, key)
    const cluster: Cluster = { key, count: 1, resources: new Set([found.case.resource]), example: found }
    this.clusters.set(key, cluster)
    const example = await shrink(found, (smaller) => execute(smaller, this.#pair), this.#run.isLate)
    const rule = explained(example)
    this.clusters.set(key, { ...cluster, count: this.clusters.get(key)?.count ?? 1, example })
    if (rule === undefined) this.#run.log(`new after ${this.cases} cases: ${clusterText({ ...cluster, example })}`)
    else this.#explain(key, rule.name)
  }

  /** A busy machine may let a request time out twice; one that always does is a finding. */
  async #showsAgain(found: Difference, key: string): Promise<boolean> {
    const repeats = isTimeout(found.reference) || isTimeout(found.server) ? timeoutRepeats : 1
    for (let i = 0; i < repeats; i++) {
      const again = await execute(found.case, this.#pair)
      if (again === undefined || clusterKey(again) !== key) return false
    }
    return true
  }

  /** The smallest form of a difference may show that it is a known one. */
  #explain(key: string, name: string): void {
    count(this.known, name, this.clusters.get(key)?.count)
    this.clusters.delete(key)
  }
}

const timeoutRepeats = 4

const isTimeout = ({ status, body }: Observed): boolean => status === 0 && body === 'no answer: no answer in time'

const count = (counts: Map<string, number>, name: string, more = 1): void =>
  void counts.set(name, (counts.get(name) ?? 0) + more)
