/** Sends the steps of a case to both servers, and stops at the first step whose answers differ. */
import { setTimeout as delay } from 'node:timers/promises'
import { encode as encodeCbor } from 'cborg'
import { stringify as stringifyYaml } from 'yaml'
import type { Case, Step } from './case.ts'
import { contentTypes } from './case.ts'
import { compare, type Place } from './compare.ts'
import type { Answer, Endpoint, OpenWatch, Request } from './endpoint.ts'
import { isMap, type Json, valueAt } from './json.ts'
import { decoded, normalised, type Observed } from './normalise.ts'

export interface Difference {
  readonly case: Case
  /** The index of the step whose answers differ. */
  readonly step: number
  readonly reference: Observed
  readonly server: Observed
  readonly places: readonly Place[]
}

export interface Pair {
  readonly reference: Endpoint
  readonly server: Endpoint
  readonly namespace: string
}

/** Distinguishes the names of runs that share servers. */
const run = Date.now().toString(36).slice(-5)
let executions = 0

/** One server's view of a case: what its placeholders stand for. */
class Side {
  readonly endpoint: Endpoint
  readonly #names: Readonly<Record<string, string>>
  #last: Answer | undefined
  #object: Json = null

  constructor(endpoint: Endpoint, names: Readonly<Record<string, string>>) {
    this.endpoint = endpoint
    this.#names = names
  }

  async take(step: Step): Promise<Answer> {
    const answer = await this.#answer(step)
    this.#last = answer
    const object = decoded(answer.contentType, answer.body)
    if (isMap(valueAt(object, ['metadata']))) this.#object = object
    return answer
  }

  fill(text: string): string {
    const version = valueAt(this.#object, ['metadata', 'resourceVersion'])
    const uid = valueAt(this.#object, ['metadata', 'uid'])
    return text
      .replace(/<(name|plain|octet|namespace)>/g, (_, key: string) => this.#names[key] as string)
      .replaceAll('<rv>', typeof version === 'string' ? version : '')
      .replaceAll('<uid>', typeof uid === 'string' ? uid : '')
  }

  #answer(step: Step): Promise<Answer> {
    if (step.during !== undefined) return this.#watch(step)
    return step.settle ? this.#settled(step) : this.#send(step)
  }

  async #settled(step: Step): Promise<Answer> {
    const end = performance.now() + 10_000
    for (let last = await this.#send(step), since = performance.now(); ; ) {
      await delay(60)
      const answer = await this.#send(step)
      const same = answer.status === last.status && versionOf(answer) === versionOf(last)
      if (performance.now() > end || (same && performance.now() - since > 300)) return answer
      if (!same) since = performance.now()
      last = answer
    }
  }

  async #send(step: Step): Promise<Answer> {
    const end = performance.now() + 10_000
    for (;;) {
      const answer = await this.endpoint.send(this.#request(step))
      if (step.until === undefined || answer.status === step.until || performance.now() > end) return answer
      await delay(100)
    }
  }

  #request({ method, path, headers = {}, body, text, echo }: Step): Request {
    const type = headers['content-type'] ?? contentTypes.json
    const common = { method, path: this.fill(path) }
    if (echo)
      return {
        ...common,
        headers: { ...headers, 'content-type': this.#last?.contentType ?? type },
        body: this.#last?.body,
      }
    if (text !== undefined) return { ...common, headers: { 'content-type': type, ...headers }, body: text }
    if (body === undefined) return { ...common, headers, body: undefined }
    const filled = JSON.parse(this.fill(JSON.stringify(body))) as Json
    return { ...common, headers: { 'content-type': type, ...headers }, body: encoded(filled, type) }
  }

  /** Until nothing came for a while. A stream that ended at once is an answer like any other. */
  async #watch(step: Step): Promise<Answer> {
    const request = this.#request(step)
    const watch = await (step.webSocket ? this.endpoint.watchByWebSocket(request) : this.endpoint.watch(request))
    for (const each of step.during ?? []) await this.take(each)
    await quiet(watch)
    watch.close()
    return { status: watch.status, contentType: contentTypes.json, warnings: [], body: watch.received() }
  }
}

const versionOf = ({ contentType, body }: Answer): Json | undefined =>
  valueAt(decoded(contentType, body), ['metadata', 'resourceVersion'])

async function quiet(watch: OpenWatch): Promise<void> {
  const begun = performance.now()
  const settled = async (): Promise<void> => {
    while (performance.now() - Math.max(watch.lastAt(), begun) < 400) await delay(50)
  }
  await Promise.race([settled(), watch.closed])
}

function encoded(body: Json, type: string): string | Buffer {
  if (type.endsWith('cbor')) return Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), encodeCbor(body)])
  if (type.endsWith('yaml')) return stringifyYaml(body)
  return JSON.stringify(body)
}

/** Resolves to the first difference, or undefined. */
export async function execute(each: Case, pair: Pair): Promise<Difference | undefined> {
  const id = `${run}-${(executions++).toString(36)}`
  const number = executions
  const names = {
    name: `d-${id}`,
    plain: `d${id.replace('-', '')}`,
    octet: `${(number >> 8) & 255}.${number & 255}`,
    namespace: pair.namespace,
  }
  const masked = (text: string): string => text.replaceAll(names.name, '<name>').replaceAll(names.plain, '<plain>')
  const reference = new Side(pair.reference, names)
  const server = new Side(pair.server, names)
  try {
    for (const [i, step] of each.steps.entries()) {
      const answers = await Promise.all([observe(reference, step, masked), observe(server, step, masked)])
      const places = compare(...answers)
      if (places.length > 0) return { case: each, step: i, reference: answers[0], server: answers[1], places }
    }
    return undefined
  } finally {
    await Promise.all([cleanUp(reference, each), cleanUp(server, each)])
  }
}

/** A connection that breaks is an observation, too. */
async function observe(side: Side, step: Step, masked: (text: string) => string): Promise<Observed> {
  try {
    return normalised(await side.take(step), masked)
  } catch (error) {
    return { status: 0, contentType: '', warnings: [], body: `no answer: ${(error as Error).message}` }
  }
}

async function cleanUp(side: Side, { cleanup }: Case): Promise<void> {
  for (const path of cleanup) {
    const remove = { method: 'DELETE', path, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } }
    const answer = await side.take(remove).catch(() => undefined)
    const left =
      answer !== undefined &&
      answer.status < 300 &&
      valueAt(decoded(answer.contentType, answer.body), ['metadata', 'finalizers'])
    if (!left) continue
    const released = { 'content-type': contentTypes.mergePatch }
    await side
      .take({ method: 'PATCH', path, headers: released, body: { metadata: { finalizers: null } } })
      .catch(() => undefined)
  }
}
