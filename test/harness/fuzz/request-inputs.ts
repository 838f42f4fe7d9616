/**
 * Requests: the grammar of the differential (all kinds, verbs, patch types, representations, queries), encoded in four ways,
 * and then damaged now and then in its bytes, its path or its headers.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { encode as encodeCbor } from 'cborg'
import { stringify as stringifyYaml } from 'yaml'
import type { Case, Step } from '../../differential/case.ts'
import { families } from '../../differential/families.ts'
import { isMap, type Json, valueAt } from '../../differential/json.ts'
import { type Resource, sharedResources } from '../../differential/resources.ts'
import type { Random } from '../random.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { FuzzInput, InputSource } from './input.ts'
import type { Target, TargetAnswer, TargetRequest } from './target.ts'
import { toldOf } from './verdict.ts'

const mostCorpus = 400

export async function requestInputs(random: Random, target: Target): Promise<InputSource> {
  const discoverable = {
    url: new URL('http://target'),
    send: async (request: { method: string; path: string; headers: Readonly<Record<string, string>> }) => {
      const { status, body } = await target.send({ ...request, body: undefined })
      return { status, body, contentType: 'application/json', headers: {}, warnings: [] }
    },
  }
  const { resources } = await sharedResources(discoverable, discoverable)
  await target.send(
    asRequest({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'fuzz' } } }, (text) => text),
  )
  return new RequestSource(random, target, resources)
}

class RequestSource implements InputSource {
  readonly #random: Random
  readonly #target: Target
  readonly #resources: readonly Resource[]
  readonly #corpus: Buffer[] = []
  #made = 0

  constructor(random: Random, target: Target, resources: readonly Resource[]) {
    this.#random = random
    this.#target = target
    this.#resources = resources
  }

  next(): FuzzInput {
    const random = this.#random
    for (;;) {
      const source = { random: random.fork(), resource: random.pick(this.#resources), resources: this.#resources }
      const made = random.pick(families).generate(source)
      if (made !== undefined) return this.#input(made, random.chance(0.4) ? random.fork() : undefined)
    }
  }

  /** `damage` decides what is broken; the same fork breaks the same again. */
  #input(made: Case, damage: Random | undefined): FuzzInput {
    const sent: string[] = []
    const number = this.#made++
    const run = async (): Promise<string> => {
      sent.length = 0
      const told: string[] = []
      const names = {
        name: `f-${number.toString(36)}`,
        plain: `f${number.toString(36)}`,
        octet: `${(number >> 8) & 255}.${number & 255}`,
        namespace: 'fuzz',
      }
      let last: Json = null
      const fill = (text: string): string =>
        text
          .replace(/<(name|plain|octet|namespace)>/g, (_, key: keyof typeof names) => names[key])
          .replaceAll('<rv>', String(valueAt(last, ['metadata', 'resourceVersion']) ?? ''))
          .replaceAll('<uid>', String(valueAt(last, ['metadata', 'uid']) ?? ''))
      for (const step of flattened(made.steps)) {
        const request = this.#damaged(asRequest(step, fill), damage)
        sent.push(shown(request))
        const answer = await this.#send(request)
        told.push(toldOf(answer.status, answer.body))
        last = parsed(answer) ?? last
        if (answer.body.length > 0 && answer.body.length < 20_000) this.#keep(answer.body)
      }
      for (const path of made.cleanup) await this.#send(asRequest({ method: 'DELETE', path }, fill))
      return told.join('\n')
    }
    return { family: made.family, run, show: () => sent.join('\n') }
  }

  /** Each request has a turn of the loop of its own, as over a network: without, a hold would be that of a whole case. */
  async #send(request: TargetRequest): Promise<TargetAnswer> {
    await turn()
    return this.#target.send(request)
  }

  #keep(bytes: Buffer): void {
    if (this.#corpus.length < mostCorpus) this.#corpus.push(bytes)
    else this.#corpus[this.#random.below(mostCorpus)] = bytes
  }

  #damaged(request: TargetRequest, random: Random | undefined): TargetRequest {
    if (random === undefined) return request
    const body =
      request.body === undefined
        ? undefined
        : mutatedBytes(
            random,
            random.chance(0.2) ? random.pick([request.body, ...this.#corpus]) : request.body,
            this.#corpus,
          )
    const path = random.chance(0.3) ? damagedPath(random, request.path) : request.path
    const headers = random.chance(0.3) ? { ...request.headers, ...random.pick(oddHeaders) } : request.headers
    return { ...request, path, headers, body }
  }
}

const flattened = (steps: readonly Step[]): Step[] => steps.flatMap((step) => [step, ...(step.during ?? [])])

function asRequest(step: Step, fill: (text: string) => string): TargetRequest {
  const { method, path, headers = {}, body, text } = step
  const type = headers['content-type'] ?? 'application/json'
  const bytes =
    text !== undefined
      ? Buffer.from(text)
      : body === undefined
        ? undefined
        : encoded(JSON.parse(fill(JSON.stringify(body))) as Json, type)
  const sized = bytes === undefined ? {} : { 'content-type': type, 'content-length': `${bytes.length}` }
  return { method, path: fill(path), headers: { accept: 'application/json', ...headers, ...sized }, body: bytes }
}

function encoded(body: Json, type: string): Buffer {
  if (type.endsWith('cbor')) return Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), encodeCbor(body)])
  return Buffer.from(type.endsWith('yaml') ? stringifyYaml(body) : JSON.stringify(body))
}

function parsed({ body }: TargetAnswer): Json | undefined {
  if (body[0] !== 0x7b) return undefined
  try {
    const value = JSON.parse(body.toString()) as Json
    return isMap(valueAt(value, ['metadata'])) ? value : undefined
  } catch {
    return undefined
  }
}

/** A request target is printable ASCII; what else is in it a client sends as percent signs and hex digits. */
function damagedPath(random: Random, path: string): string {
  const mutatedPath = mutatedBytes(random, Buffer.from(path)).subarray(0, 4000).toString('latin1')
  const safe = mutatedPath.replace(/[^\x21-\x7e]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return safe.startsWith('/') ? safe : `/${safe}`
}

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'application/vnd.kubernetes.protobuf' },
  { 'content-type': 'application/cbor' },
  { 'content-type': 'application/yaml' },
  { 'content-type': 'application/apply-patch+yaml' },
  { 'content-type': 'application/json; charset="' },
  { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1;;;' },
  { accept: 'q=;*/*;q=2,application/vnd.kubernetes.protobuf;as=Table' },
  { accept: ','.repeat(2000) },
  { 'impersonate-user': 'a\u00e4', 'impersonate-extra-%zz': 'x' },
  { 'impersonate-user': 'system:serviceaccount:a:b', 'impersonate-uid': 'u' },
  { 'if-none-match': '"' },
  { 'accept-encoding': 'gzip;q=x, br' },
  { 'user-agent': '\u00ff'.repeat(300) },
  { 'x-remote-user': 'admin' },
  { traceparent: '00-zz-1-1' },
  { 'audit-id': 'x'.repeat(5000) },
  { range: 'bytes=0-1' },
  { upgrade: 'websocket', connection: 'Upgrade' },
]

const shown = ({ method, path, headers, body }: TargetRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)}${body === undefined ? '' : ` ${body.length < 3000 ? JSON.stringify(body.toString('latin1')) : `${body.length} bytes ${JSON.stringify(body.subarray(0, 500).toString('latin1'))}`}`}`
