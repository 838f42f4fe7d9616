/** One server's view of an execution: what its placeholders stand for, what it answered last, what it called. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { encode as encodeCbor } from 'cborg'
import { stringify as stringifyYaml } from 'yaml'
import { contentTypes, type Step } from './case.ts'
import type { Answer, Endpoint, OpenWatch, Request } from './endpoint.ts'
import { maskGenerated } from './generated-names.ts'
import type { Call, HookServer } from './hook-server.ts'
import { isMap, type Json, valueAt } from './json.ts'
import { decoded, type Mask } from './normalise.ts'

export interface SideOptions {
  readonly endpoint: Endpoint
  readonly hooks: HookServer
  readonly names: Readonly<Record<string, string>>
  readonly audited: boolean
}

/** The condition of a definition whose objects are being removed. */
const inProgress = 'InstanceDeletionInProgress'

const patience = 30_000

export class Side {
  readonly hooks: HookServer
  readonly #masked: Mask
  /** The id of the last request, by which the server's audit events are found. */
  auditId = ''
  readonly #endpoint: Endpoint
  readonly #names: Readonly<Record<string, string>>
  readonly #audited: boolean
  #last: Answer | undefined
  #object: Json = null
  #continue = ''
  #token = ''

  constructor({ endpoint, hooks, names, audited }: SideOptions) {
    this.#endpoint = endpoint
    this.#audited = audited
    this.hooks = hooks
    const id = names['plain'] ?? ''
    this.#masked = maskOf(names, hooks)
    this.#names = { ...names, hooks: `https://127.0.0.1:${hooks.port}/${id}`, ca: hooks.ca }
  }

  async take(step: Step): Promise<Answer> {
    if (step.pause !== undefined) await delay(step.pause)
    const answer = await this.#answer(step)
    this.#last = answer
    const object = decoded(answer.contentType, answer.body)
    if (isMap(valueAt(object, ['metadata']))) this.#object = object
    this.#continue = textAt(object, ['metadata', 'continue'])
    this.#token = textAt(object, ['status', 'token']) || this.#token
    return answer
  }

  /** Since this was asked last. */
  calls(): Call[] {
    return this.hooks.taken(this.#names['plain'] ?? '')
  }

  /** What an answer to the step shows of this execution alone. */
  maskFor(step: Step | undefined): Mask {
    const generateName = textAt(step?.body ?? null, ['metadata', 'generateName'])
    return generateName === '' ? this.#masked : maskGenerated(this.fill(generateName), this.#masked)
  }

  fill(text: string): string {
    return text
      .replace(/<(name|plain|octet|namespace|hooks|ca)>/g, (_, key: string) => this.#names[key] as string)
      .replaceAll('"<port>"', `${this.hooks.port}`)
      .replaceAll('<rv>', textAt(this.#object, ['metadata', 'resourceVersion']))
      .replaceAll('<uid>', textAt(this.#object, ['metadata', 'uid']))
      .replaceAll('<continue>', this.#continue)
      .replaceAll('<token>', this.#token)
  }

  #answer(step: Step): Promise<Answer> {
    if (step.during !== undefined) return this.#watch(step)
    return step.settle ? this.#settled(step) : this.#send(step)
  }

  async #settled(step: Step): Promise<Answer> {
    const end = performance.now() + patience
    for (let last = await this.#send(step), since = performance.now(); ; ) {
      await delay(60)
      const answer = await this.#send(step)
      const same =
        answer.status === last.status && versionOf(answer) === versionOf(last) && !answer.body.includes(inProgress)
      if (performance.now() > end || (same && performance.now() - since > 300)) return answer
      if (!same) since = performance.now()
      last = answer
    }
  }

  /** With `until`, every server of the side must have noticed. */
  async #send(step: Step): Promise<Answer> {
    const end = performance.now() + patience
    for (let noticed = 0; ; ) {
      const answer = await this.#endpoint.send(this.#request(step))
      noticed = answer.status === step.until ? noticed + 1 : 0
      if (step.until === undefined || noticed >= this.#endpoint.count || performance.now() > end) return answer
      if (noticed === 0) await delay(50)
    }
  }

  #request({ method, path, headers = {}, body, text, echo }: Step): Request {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.fill(value)]))
    const type = given['content-type'] ?? contentTypes.json
    const common = { method, path: this.fill(path) }
    const others = this.#audited ? { ...given, 'audit-id': this.#nextAuditId() } : given
    if (echo)
      return {
        ...common,
        headers: { ...others, 'content-type': this.#last?.contentType ?? type },
        body: this.#last?.body,
      }
    if (text !== undefined) return { ...common, headers: { 'content-type': type, ...others }, body: this.fill(text) }
    if (body === undefined) return { ...common, headers: others, body: undefined }
    const filled = JSON.parse(this.fill(JSON.stringify(body))) as Json
    return { ...common, headers: { 'content-type': type, ...others }, body: encoded(filled, type) }
  }

  #nextAuditId(): string {
    this.auditId = randomUUID()
    return this.auditId
  }

  /** Until nothing came for a while. A stream that ended at once is an answer like any other. */
  async #watch(step: Step): Promise<Answer> {
    const request = this.#request(step)
    const watch = await (step.webSocket ? this.#endpoint.watchByWebSocket(request) : this.#endpoint.watch(request))
    for (const each of step.during ?? []) await this.take(each)
    await quiet(watch)
    watch.close()
    const frames = watch.received()
    const accept = request.headers['accept'] ?? contentTypes.json
    return watch.status === 101
      ? { ...streamed(watch), contentType: `websocket ${accept}`, body: Buffer.from(JSON.stringify(frames.map(hex))) }
      : { ...streamed(watch), body: Buffer.concat(frames) }
  }
}

function maskOf(names: Readonly<Record<string, string>>, { port, ca }: HookServer): Mask {
  const mask = (text: string): string =>
    text
      .replaceAll(names['name'] ?? '', '<name>')
      .replaceAll(names['plain'] ?? '', '<plain>')
      .replaceAll(ca, '<ca>')
      .replaceAll(`127.0.0.1:${port}`, '<hooks>')
      .replaceAll(`localhost:${port}`, '<hooks>')
  return Object.assign(mask, { port })
}

const hex = (bytes: Buffer): string => bytes.toString('hex')

const streamed = ({ status, contentType }: OpenWatch): Omit<Answer, 'body'> => ({
  status,
  contentType,
  headers: {},
  warnings: [],
})

const textAt = (value: Json, path: readonly string[]): string => {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : ''
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
