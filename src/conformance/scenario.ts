/**
 * What a scenario works with: requests whose answers are recorded as steps, watches, and help with what must be there
 * before and gone after. conformance/README.md is its guide.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { ScenarioStep } from './answers.ts'
import type { Connection, Incoming } from './connection.ts'
import { Normaliser } from './normaliser.ts'
import { openWatch, type ScenarioWatch } from './scenario-watch.ts'

export interface ScenarioRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: JsonValue | Buffer
  readonly type?: string
  readonly accept?: string
  readonly agent?: string
  /** Another bearer token than the administrator's; `null` sends no credentials. */
  readonly token?: string | null
  /** Records nothing. */
  readonly quiet?: boolean
  /** Records what it makes of the answer's body. */
  readonly pick?: (body: JsonValue) => JsonValue
  readonly noHeaders?: boolean
  readonly noBody?: boolean
  readonly force?: boolean
}

export interface ScenarioAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** JSON is parsed, other text is text, and bytes only say that they are there. */
  readonly body: JsonValue
  readonly raw: Buffer
}

const userAgent = 'conformance/1.0'
const recordedHeaders = [
  'content-type',
  'warning',
  'retry-after',
  'location',
  'allow',
  'content-encoding',
  'www-authenticate',
]

export class Scenario {
  readonly ns: string
  readonly steps: ScenarioStep[] = []
  readonly normaliser: Normaliser = new Normaliser()
  readonly #connection: Connection
  readonly #leftovers = new Set<string>()
  readonly #closers = new Set<() => void>()

  constructor(name: string, connection: Connection) {
    this.ns = `o-${name.replace(/[^a-z0-9]+/g, '-')}`.slice(0, 60).replace(/-+$/, '')
    this.#connection = connection
  }

  async request(method: string, url: string, options: ScenarioRequest = {}): Promise<ScenarioAnswer> {
    const { headers, body } = outgoingOf(options)
    const isAdministrator = options.token === undefined && headers['authorization'] === undefined
    const answer = await this.#connection.send({
      method,
      path: url,
      headers,
      isAdministrator,
      ...(body === undefined ? {} : { body }),
    })
    const decoded = decode(answer)
    if (options.quiet !== true) this.#record(describe(method, url, options), { answer, decoded, url, options })
    return { status: answer.status, headers: answer.headers, body: decoded, raw: answer.body }
  }

  #record(
    request: string,
    given: { answer: Incoming; decoded: JsonValue; url: string; options: ScenarioRequest },
  ): void {
    const { answer, decoded, url, options } = given
    const isPicked = options.pick !== undefined && decoded !== null && typeof decoded === 'object'
    const shown = isPicked ? options.pick(structuredClone(decoded)) : decoded
    const body =
      typeof shown === 'string'
        ? this.normaliser.text(shown)
        : this.normaliser.value(shown ?? null, url.startsWith('/openapi'))
    this.steps.push({
      request: this.normaliser.text(request),
      status: answer.status,
      ...(options.noHeaders === true ? {} : { headers: this.#headersOf(answer.headers) }),
      ...(options.noBody === true || body === undefined ? {} : { body }),
    })
  }

  #headersOf(headers: IncomingHttpHeaders): Record<string, string> {
    const present = recordedHeaders.filter((name) => headers[name] !== undefined)
    return Object.fromEntries(present.map((name) => [name, this.normaliser.text([headers[name]].flat().join(', '))]))
  }

  get(url: string, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.request('GET', url, options)
  }

  post(url: string, body: JsonValue | Buffer, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.request('POST', url, { body, ...options })
  }

  put(url: string, body: JsonValue | Buffer, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.request('PUT', url, { body, ...options })
  }

  delete(url: string, body?: JsonValue | Buffer, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.request('DELETE', url, { ...(body === undefined ? {} : { body }), ...options })
  }

  patch(url: string, body: JsonValue | Buffer, type: string, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.request('PATCH', url, { body, type, ...options })
  }

  mergePatch(url: string, body: JsonValue | Buffer, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.patch(url, body, 'application/merge-patch+json', options)
  }

  jsonPatch(url: string, body: JsonValue, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.patch(url, JSON.stringify(body), 'application/json-patch+json', options)
  }

  strategicPatch(url: string, body: JsonValue | Buffer, options?: ScenarioRequest): Promise<ScenarioAnswer> {
    return this.patch(url, body, 'application/strategic-merge-patch+json', options)
  }

  apply(
    url: string,
    body: JsonValue | Buffer,
    manager: string,
    options: ScenarioRequest = {},
  ): Promise<ScenarioAnswer> {
    const target = new URL(url, 'http://server')
    if (manager) target.searchParams.set('fieldManager', manager)
    if (options.force === true) target.searchParams.set('force', 'true')
    return this.patch(target.pathname + target.search, body, 'application/apply-patch+yaml', options)
  }

  /** Makes the scenario's own namespace and returns its name. Nothing is recorded. */
  async namespace(name = this.ns): Promise<string> {
    await this.clear(`/api/v1/namespaces/${name}`)
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    await this.post('/api/v1/namespaces', body, { quiet: true })
    return name
  }

  /** Deletes what an earlier run left and waits until it is gone; it is deleted again at the end. Nothing is recorded. */
  async clear(url: string): Promise<void> {
    this.#leftovers.add(url)
    const { status } = await this.delete(url, undefined, { quiet: true })
    if (status === 404) return
    await this.until(async () => (await this.get(url, { quiet: true })).status === 404, 30_000)
  }

  /** Polls until `probe` gives a truthy value. Nothing is recorded. */
  async until<T>(probe: () => Promise<T>, timeoutMs = 15_000): Promise<T> {
    const end = Date.now() + timeoutMs
    for (;;) {
      const value = await probe()
      if (value) return value
      if (Date.now() > end) throw new Error(`nothing came of it within ${timeoutMs} ms`)
      await this.sleep(50)
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  /** Opens a watch; its `take(n)` waits for n more events and records them. */
  async watch(url: string, options: ScenarioRequest = {}): Promise<ScenarioWatch> {
    const controller = new AbortController()
    const { headers } = outgoingOf({ agent: '', ...options })
    const response = await this.#connection.open({
      method: 'GET',
      path: url,
      headers,
      isAdministrator: options.token === undefined,
      signal: controller.signal,
    })
    const close = (): void => controller.abort()
    this.onEnd(close)
    return openWatch(response, {
      close,
      record: (events) =>
        this.steps.push({
          request: this.normaliser.text(describe('WATCH', url, {})),
          status: response.statusCode ?? 0,
          headers: this.#headersOf(response.headers),
          body: this.normaliser.value(events) as JsonValue,
        }),
    })
  }

  /** Records a value that the scenario worked out by itself. */
  note(label: string, value: unknown): void {
    const body = this.normaliser.value(value)
    this.steps.push({ request: `NOTE ${label}`, ...(body === undefined ? {} : { body }) })
  }

  /** Runs when the scenario is over, however it ended. */
  onEnd(close: () => void): void {
    this.#closers.add(close)
  }

  async end(): Promise<void> {
    for (const close of this.#closers) close()
    for (const url of this.#leftovers) await this.delete(url, undefined, { quiet: true }).catch(() => {})
  }
}

interface OutgoingParts {
  readonly headers: Record<string, string | number>
  readonly body?: string | Buffer
}

function outgoingOf({
  headers: given = {},
  body,
  type,
  accept,
  agent = userAgent,
  token,
}: ScenarioRequest): OutgoingParts {
  const headers: Record<string, string | number> = {
    accept: accept ?? 'application/json',
    ...(agent === '' ? {} : { 'user-agent': agent }),
    ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
    ...given,
  }
  if (body === undefined) return { headers }
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const bytes = isRaw ? body : JSON.stringify(body)
  const contentType = { 'content-type': headers['content-type'] ?? type ?? 'application/json' }
  return { headers: { ...headers, ...contentType, 'content-length': Buffer.byteLength(bytes) }, body: bytes }
}

/** Versions, tokens and hashes in the query are those of this run. */
const comparableUrl = (url: string): string =>
  url
    .replaceAll(/([?&]resourceVersion=)\d{2,}/g, '$1<rv>')
    .replaceAll(/([?&](continue|hash)=)[^&]+/g, (_, start: string, name: string) => `${start}<${name}>`)

function describe(method: string, url: string, { type, accept }: ScenarioRequest): string {
  return [
    `${method} ${comparableUrl(url)}`,
    type === undefined ? '' : `as ${type}`,
    accept === undefined ? '' : `for ${accept}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function decode({ headers, body }: Incoming): JsonValue {
  const type = headers['content-type'] ?? ''
  const text = body.toString('utf8')
  if (type.includes('json') && text !== '') {
    try {
      return JSON.parse(text) as JsonObject
    } catch {
      return text
    }
  }
  const isBinary = /protobuf|cbor|octet/.test(type) || headers['content-encoding'] !== undefined
  if (isBinary) return body.length > 0 ? '<bytes>' : '<empty>'
  return text
}
