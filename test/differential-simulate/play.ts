/** Takes the steps of a scenario in one cluster, and says what it then has. */
import { setTimeout as delay } from 'node:timers/promises'
import { contentTypes } from '../differential/case.ts'
import { type Json, type JsonMap, mapStrings, valueAt } from '../differential/json.ts'
import type { Client, Reply } from './client.ts'
import { matches } from './matching.ts'
import { NamespaceWatch } from './namespace-watch.ts'
import { isWait, type Scenario, type Step, scenarioLabel, type Wait } from './scenario.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'

const patienceMs = 180_000

const patchTypes = {
  merge: contentTypes.mergePatch,
  json: contentTypes.jsonPatch,
  strategic: contentTypes.strategicPatch,
} as const

const namespaceOf = ({ name }: Scenario): string => `sim-${name}`

export async function play(cluster: Client, scenario: Scenario): Promise<Snapshot> {
  const client = cluster.another()
  const namespace = namespaceOf(scenario)
  await client.call('POST', '/api/v1/namespaces', {
    metadata: { name: namespace, labels: { [scenarioLabel]: namespace } },
  })
  const watch = await NamespaceWatch.open(client, namespace)
  try {
    const player = new Player(client, namespace, watch)
    // Pods need the account that a controller makes.
    await player.take({ until: 'v1/serviceaccounts/default', has: {} })
    for (const step of scenario.steps) await player.take(step)
    return await snapshotOf(client, namespace, player.answers)
  } finally {
    watch.close()
    await removeAll(client, namespace)
    client.close()
  }
}

class Player {
  /** What was refused, and what was waited for in vain. */
  readonly answers: Json[] = []
  readonly #client: Client
  readonly #namespace: string
  readonly #watch: NamespaceWatch

  constructor(client: Client, namespace: string, watch: NamespaceWatch) {
    this.#client = client
    this.#namespace = namespace
    this.#watch = watch
  }

  async take(step: Step): Promise<void> {
    if (isWait(step)) return this.#wait(step)
    if ('apply' in step) {
      for (const manifest of step.apply) await this.#apply(manifest)
    } else this.#keep(step, await this.#send(step))
  }

  async #apply(manifest: JsonMap): Promise<void> {
    const filled = mapStrings(manifest, (text) => text.replaceAll('<ns>', this.#namespace)) as JsonMap
    const labels = { ...(valueAt(filled, ['metadata', 'labels']) as JsonMap), [scenarioLabel]: this.#namespace }
    const path = this.#client.objectPath(filled, this.#namespace)
    const isWide = !path.includes(`/namespaces/${this.#namespace}/`)
    const labelled = { ...filled, metadata: { ...(filled['metadata'] as JsonMap), labels } }
    const query = '?fieldManager=differential&force=true'
    const body = isWide ? labelled : filled
    this.#keep({ apply: [manifest] }, await this.#client.call('PATCH', path + query, body, contentTypes.applyPatch))
  }

  async #send(step: Exclude<Step, Wait | { apply: unknown }>): Promise<Reply> {
    const at = (target: string): Promise<string> => this.#client.pathOf(target, this.#namespace)
    if ('patch' in step) {
      const path = `${await at(step.patch)}${step.sub === undefined ? '' : `/${step.sub}`}?fieldManager=differential`
      return this.#client.call('PATCH', path, step.with, patchTypes[step.as ?? 'merge'])
    }
    if ('remove' in step) return this.#client.call('DELETE', await at(step.remove), step.options)
    if ('scale' in step) {
      const path = `${await at(step.scale)}/scale?fieldManager=differential`
      return this.#client.call('PATCH', path, { spec: { replicas: step.to } }, contentTypes.mergePatch)
    }
    const path = await at(step.post)
    const name = path.slice(path.lastIndexOf('/') + 1)
    return this.#client.call('POST', `${path}/${step.sub}`, { metadata: { name }, ...step.body })
  }

  #keep(step: Step, { status, body }: Reply): void {
    if (status >= 300)
      this.answers.push({ step: step as unknown as Json, status, message: valueAt(body, ['message']) ?? '' })
  }

  async #wait(step: Wait): Promise<void> {
    const end = performance.now() + patienceMs
    while (!(await this.#holds(step))) {
      if (performance.now() > end) {
        this.answers.push({ step: step as unknown as Json, message: 'waited in vain' })
        return
      }
      await delay(250)
    }
    if (step.isMoving !== true && !(await this.#watch.rest())) this.answers.push({ message: 'never at rest' })
  }

  async #holds(step: Wait): Promise<boolean> {
    const path = this.#client.collectionOf(step.until, this.#namespace)
    if (!('count' in step) && !('atLeast' in step)) {
      const { status, body } = await this.#client.call('GET', await this.#client.pathOf(step.until, this.#namespace))
      if ('gone' in step) return status === 404
      if ('hasSome' in step) return valueAt(body, step.hasSome) !== undefined
      return status === 200 && matches(body, step.has)
    }
    const items = await this.#client.list(path)
    const fitting = items.filter((item) => matches(item, step.has ?? {}))
    if ('atLeast' in step) return fitting.length >= step.atLeast
    return items.length === step.count && fitting.length === step.count
  }
}

/** Also what is in the way of it. */
async function removeAll(client: Client, namespace: string): Promise<void> {
  const selector = `?labelSelector=${scenarioLabel}%3D${namespace}`
  const wide = client.kinds.filter(({ namespaced }) => !namespaced)
  await client.call('DELETE', `/api/v1/namespaces/${namespace}`)
  const held = `/api/v1/namespaces/${namespace}/configmaps`
  for (const item of await client.list(held)) {
    const path = `${held}/${valueAt(item, ['metadata', 'name'])}`
    await client.call('PATCH', path, { metadata: { finalizers: null } }, contentTypes.mergePatch)
  }
  for (const kind of wide) {
    const collection = client.collectionOf(`${kind.groupVersion}/${kind.name}`, namespace)
    for (const item of await client.list(`${collection}${selector}`)) {
      await client.call('DELETE', `${collection}/${valueAt(item, ['metadata', 'name'])}`)
    }
  }
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(250)) {
    if ((await client.call('GET', `/api/v1/namespaces/${namespace}`)).status === 404) return
  }
}
