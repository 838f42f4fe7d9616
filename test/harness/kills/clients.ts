/** Writers, readers and watchers that go on over restarts and record what they did and saw. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { KillsClient } from './client.ts'
import type { Attempt, History, Outcome, Read, WatchLog } from './history.ts'

export const collection = '/api/v1/namespaces/default/configmaps'
const prefix = 'kills-'
const retryMs = 20
/** How long to ask a server that is down before giving up: longer than any restart. */
const patienceMs = 300_000

export interface Scene {
  readonly client: KillsClient
  readonly history: History
  /** Aborted when clients are to end. */
  readonly signal: AbortSignal
  /** Whether a refusal means that nothing was written. An earlier build may refuse what it wrote, where that is mended since. */
  readonly believesRefusals: () => boolean
}

interface State {
  readonly value: string
  readonly revision: string
}

/** The only writer of its keys. */
export class Writer {
  readonly #scene: Scene
  readonly #random: Random
  readonly #states = new Map<string, State | undefined>()
  #count = 0

  constructor(scene: Scene, random: Random, keys: readonly string[]) {
    this.#scene = scene
    this.#random = random
    for (const key of keys) this.#addKey(key)
  }

  async run(): Promise<void> {
    while (!this.#scene.signal.aborted) {
      await this.write(this.#random.pick([...this.#states.keys()]))
      await delay(this.#random.below(8))
    }
  }

  /** Puts until that is acknowledged; returns the value, or undefined when it takes too long. */
  async putUntilAcknowledged(ms: number): Promise<string | undefined> {
    for (const end = Date.now() + ms; Date.now() < end; await delay(retryMs)) {
      const attempt = await this.#put(this.#random.pick([...this.#states.keys()]))
      if (attempt.outcome !== 'acknowledged') await this.#resolve(attempt)
      if (attempt.outcome === 'acknowledged') return attempt.value
    }
    return undefined
  }

  #addKey(key: string): void {
    this.#scene.history.addKey(key)
    this.#states.set(key, undefined)
  }

  /**
   * A create without an answer may still be carried out whenever its key is free (it lies in the socket of a stopped etcd
   * member, say). Updates and deletes name the revision that they change and cannot come late. So the key is left alone.
   */
  #retire(key: string): void {
    this.#states.delete(key)
    const [name = key, generation = '0'] = key.split('.')
    this.#addKey(`${name}.${Number(generation) + 1}`)
  }

  /** Returns whether it is acknowledged. */
  async write(key: string): Promise<boolean> {
    const state = this.#states.get(key)
    const attempt =
      state !== undefined && this.#random.chance(0.25) ? await this.#delete(key, state) : await this.#put(key)
    if (attempt.outcome !== 'acknowledged') await this.#resolve(attempt)
    return attempt.outcome === 'acknowledged'
  }

  async #put(key: string): Promise<Attempt> {
    const { client, history } = this.#scene
    const state = this.#states.get(key)
    const value = `${key}=${this.#count++}`
    const attempt = history.begin(key, 'put', value)
    const metadata = { name: key, ...(state && { resourceVersion: state.revision }) }
    const [method, path] = state ? ['PUT', `${collection}/${key}`] : ['POST', collection]
    const { status, body } = await client.call(method as string, path as string, { metadata, data: { value } })
    if (isSuccess(status)) {
      const revision = body.metadata.resourceVersion as string
      history.acknowledge(attempt, Number(revision))
      this.#states.set(key, { value, revision })
    } else attempt.outcome = this.#outcomeOf(status)
    return attempt
  }

  #outcomeOf(status: number): Outcome {
    return isRefusal(status) && this.#scene.believesRefusals() ? 'refused' : 'unknown'
  }

  async #delete(key: string, { value, revision }: State): Promise<Attempt> {
    const { client, history } = this.#scene
    const attempt = history.begin(key, 'delete', value)
    const options = { preconditions: { resourceVersion: revision } }
    const { status } = await client.call('DELETE', `${collection}/${key}`, options)
    if (isSuccess(status)) {
      history.acknowledge(attempt, 0)
      this.#states.set(key, undefined)
    } else attempt.outcome = this.#outcomeOf(status)
    return attempt
  }

  /** Reads until there is an answer. What a read has shown is as good as acknowledged: it must never be lost again. */
  async #resolve(attempt: Attempt): Promise<void> {
    const { client, history } = this.#scene
    const { key, operation, value } = attempt
    for (const end = Date.now() + patienceMs; Date.now() < end; await delay(retryMs)) {
      const record = history.beginRead(key, 'live')
      const { status, body } = await client.call('GET', `${collection}/${key}`)
      if (status === 200 || isNotFound(status, body)) {
        const state = stateOf(status, body)
        record(state?.value)
        this.#states.set(key, state)
        const isApplied = operation === 'put' ? state?.value === value : state === undefined
        if (attempt.outcome === 'unknown' && isApplied) history.acknowledge(attempt, Number(state?.revision ?? 0))
        else if (attempt.outcome === 'unknown' && state === undefined) this.#retire(key)
        return
      }
    }
    throw new Error(`no answer to a read of ${key} in ${patienceMs / 1000} s`)
  }
}

/** Reads keys and whole lists: none may be older than what was acknowledged before. */
export async function runReader(scene: Scene, random: Random): Promise<void> {
  while (!scene.signal.aborted) {
    if (random.chance(0.1)) await listAll(scene, 'live')
    else await readOne(scene, random.pick([...scene.history.attempts.keys()]))
    await delay(random.below(20))
  }
}

async function readOne({ client, history }: Scene, key: string): Promise<void> {
  const record = history.beginRead(key, 'live')
  const { status, body } = await client.call('GET', `${collection}/${key}`)
  if (status === 200 || isNotFound(status, body)) record(stateOf(status, body)?.value)
}

/** Records the state of every key. Returns the revision of the list, undefined when there was no answer. */
async function listAll({ client, history }: Scene, when: Read['when']): Promise<number | undefined> {
  const floor = history.highest
  const records = [...history.attempts.keys()].map((key) => ({ key, record: history.beginRead(key, when) }))
  const { status, body } = await client.call('GET', collection)
  if (status !== 200) return undefined
  const values = new Map<string, string>()
  for (const { metadata, data } of body.items) values.set(metadata.name, data?.value)
  for (const { key, record } of records) record(values.get(key))
  const revision = Number(body.metadata.resourceVersion)
  history.lists.push({ floor, revision })
  history.saw(revision)
  return revision
}

/** Lists until there is an answer. */
export async function listAnswered(scene: Scene, when: Read['when']): Promise<number> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(retryMs)) {
    const revision = await listAll(scene, when)
    if (revision !== undefined) return revision
  }
  throw new Error(`no answer to a list (${when})`)
}

export class Watcher {
  readonly log: WatchLog = { events: [], gaps: [] }
  resumed = 0
  readonly #scene: Scene
  #last: number
  #isExpired = false

  constructor(scene: Scene, from: number) {
    this.#scene = scene
    this.#last = from
    scene.history.watches.push(this.log)
  }

  async run(): Promise<void> {
    const { client, signal } = this.#scene
    for (; !signal.aborted; await delay(retryMs)) {
      if (this.#isExpired) await this.#listAgain()
      const path = `${collection}?watch=1&allowWatchBookmarks=true&resourceVersion=${this.#last}`
      const status = await client.watch(path, signal, (line) => this.#onLine(line))
      if (status === 410) this.#isExpired = true
      if (status === 200) this.resumed++
    }
  }

  /** Or something later: a list in place of an expired watch skips events. */
  hasSeen(revision: number): boolean {
    return this.#last >= revision
  }

  #onLine(line: string): void {
    const { type, object } = JSON.parse(line)
    if (type === 'ERROR') {
      this.#isExpired ||= object.code === 410
      return
    }
    const { name, resourceVersion } = object.metadata
    const revision = Number(resourceVersion)
    this.#last = revision
    this.#scene.history.saw(revision)
    if (type !== 'BOOKMARK' && String(name).startsWith(prefix))
      this.log.events.push({ type, key: name, value: object.data?.value, revision })
  }

  async #listAgain(): Promise<void> {
    const to = await listAll(this.#scene, 'live')
    if (to === undefined) return
    this.log.gaps.push({ from: this.#last, to })
    this.#last = to
    this.#isExpired = false
  }
}

export function keyName(writer: number, index: number): string {
  return `${prefix}${writer}-${index}`
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any kind.
function stateOf(status: number, body: any): State | undefined {
  return status === 200 ? { value: body.data.value, revision: body.metadata.resourceVersion } : undefined
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any kind.
function isNotFound(status: number, body: any): boolean {
  return status === 404 && body?.details?.kind === 'configmaps'
}
