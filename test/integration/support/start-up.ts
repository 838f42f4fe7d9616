/**
 * Starts of the real command with configuration files, live issuers and a live authorization webhook: whether it gives up
 * and in which words, and what it does once it is ready. Cases are data; `run` returns what is not as expected.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openEtcdStore } from '../../../src/store/etcd/etcd-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { EtcdCluster } from '../../contract/store/etcd-process.ts'
import { freePort } from '../../support/free-port.ts'
import { CertificateFolder } from '../auth/certificates.ts'
import { OidcIssuer } from '../auth/oidc-issuer.ts'
import type { Json } from './test-server.ts'

export interface StartUpStart {
  readonly flags?: readonly string[]
  readonly files?: Readonly<Record<string, unknown>>
  readonly steps?: readonly Step[]
}

export interface StartUpCase extends StartUpStart {
  readonly id: string
  readonly outcome: 'accepted' | 'rejected'
  /** `<…>` stands for any text. */
  readonly error?: string
  /** Flags of the base that stay although the case would replace them. */
  readonly keeps?: readonly string[]
  /** Several starts on one store. */
  readonly starts?: readonly StartUpStart[]
}

/** Only what is listed in `expect` counts. */
export type Step = Readonly<Record<string, Json>>

const tokens = [
  'admintoken,admin,admin,system:masters',
  ...['user', 'allowed', 'denied', 'unknown'].map((name) => `${name}token,${name},${name},people`),
].join('\n')

/** What is alive beside the servers. */
export class StartUpWorld {
  readonly #cli: string
  readonly #certificates = new CertificateFolder()
  readonly #ca = this.#certificates.authority('issuers')
  readonly #issuers = new Map<string, OidcIssuer>()
  readonly #webhook: Server
  readonly reviews: Json[] = []

  constructor(cli: string) {
    this.#cli = cli
    const serving = this.#certificates.issue(this.#ca, '/CN=issuer', { extensions: ['subjectAltName=IP:127.0.0.1'] })
    for (const name of ['one', 'two', 'moved', 'elsewhere', 'liar']) this.#issuers.set(name, new OidcIssuer(serving))
    this.#webhook = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const review = JSON.parse(text)
      this.reviews.push(review)
      if (request.url?.startsWith('/broken'))
        return response.writeHead(500, { 'content-type': 'application/json' }).end()
      if (request.url?.startsWith('/malformed')) return response.end('{"apiVersion":')
      if (request.url?.startsWith('/slow')) await delay(2500)
      return response.end(JSON.stringify({ ...review, status: verdict(review.spec.user) }))
    })
  }

  async open(): Promise<void> {
    for (const issuer of this.#issuers.values()) await issuer.start()
    await new Promise<void>((resolve) => this.#webhook.listen(0, '127.0.0.1', resolve))
    const [moved, elsewhere, liar] = ['moved', 'elsewhere', 'liar'].map((name) => this.issuer(name))
    if (moved !== undefined) moved.hidden = true
    if (elsewhere !== undefined && moved !== undefined) {
      elsewhere.claimsToBe = moved.url
      elsewhere.keysOf = moved
    }
    if (liar !== undefined) liar.claimsToBe = 'https://somebody.else'
  }

  close(): void {
    for (const issuer of this.#issuers.values()) issuer.close()
    this.#webhook.close()
    this.#webhook.closeAllConnections()
    this.#certificates.close()
  }

  issuer(name: string): OidcIssuer | undefined {
    return this.#issuers.get(name)
  }

  /** The text with everything filled in that a case leaves open. */
  fill(text: string, folder: string): string {
    const { port } = this.#webhook.address() as AddressInfo
    return text
      .replaceAll('<dir>', folder)
      .replaceAll('<webhook>', `http://127.0.0.1:${port}`)
      .replaceAll('<issuer-ca>', JSON.stringify(this.#ca.certificate).slice(1, -1))
      .replace(/<issuer:(\w+)>/g, (_, name: string) => this.issuer(name)?.url ?? '')
  }

  /** What is not as the case says; empty when all is. */
  async run(given: StartUpCase): Promise<string[]> {
    const folder = mkdtempSync(join(tmpdir(), 'start-up-'))
    const starts = given.starts ?? [given]
    const etcd = JSON.stringify(starts).match(/"stored(Under|Raw)"|"storeRaw"/) ? await EtcdCluster.start() : undefined
    const store = etcd && openEtcdStore({ servers: etcd.urls, compactionIntervalMs: 0 })
    try {
      const problems: string[] = []
      for (const [i, start] of starts.entries()) {
        const where = { folder, etcd, store, data: join(folder, 'data') }
        const found = await this.#start(given, start, where)
        problems.push(...found.map((text) => (starts.length > 1 ? `start ${i}: ${text}` : text)))
      }
      return problems
    } finally {
      await store?.close()
      await etcd?.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  async #start(given: StartUpCase, start: StartUpStart, { folder, etcd, store, data }: Where): Promise<string[]> {
    mkdirSync(folder, { recursive: true })
    for (const [name, content] of Object.entries(start.files ?? {})) {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(join(folder, name), this.fill(text, folder))
    }
    writeFileSync(join(folder, 'tokens.csv'), tokens)
    const flags = (start.flags ?? []).map((flag) => this.fill(flag, folder))
    const port = await freePort()
    const base = [
      ...(flags.some((flag) => flag.startsWith('--authorization-config='))
        ? (given.keeps ?? [])
        : ['--authorization-mode=RBAC']),
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--allow-privileged=true',
      '--disable-admission-plugins=ServiceAccount',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--data-dir=${data}`,
      ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.urls.join(',')}`]),
    ]
    const server = new ServerProcess(this.#cli, [...base, ...flags], port)
    try {
      const state = await server.started()
      if (given.outcome === 'rejected') {
        if (state !== 'ended') return ['it starts']
        return matches(this.fill(given.error ?? '', folder), server.output)
          ? []
          : [`it says: ${server.output.slice(-1500)}`]
      }
      if (state === 'ended') return [`it gives up: ${server.output.slice(-1500)}`]
      const steps = new Steps(this, { server, folder, store, fill: (text) => this.fill(text, folder) })
      return await steps.all(start.steps ?? [])
    } finally {
      await server.stop()
    }
  }
}

interface Where {
  readonly folder: string
  readonly data: string
  readonly etcd: EtcdCluster | undefined
  readonly store: Store | undefined
}

function verdict(user: string): object {
  if (user === 'denied') return { allowed: false, denied: true, reason: 'not you' }
  return user === 'unknown' ? { allowed: false, reason: 'no idea' } : { allowed: true }
}

/** Whether the pattern, in which `<…>` is any text, occurs in the text. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('<…>')
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}

interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

class ServerProcess {
  readonly #child: ChildProcess
  readonly #port: number
  #output = ''

  constructor(cli: string, flags: readonly string[], port: number) {
    this.#port = port
    this.#child = spawn(process.execPath, [cli, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString()
      })
    }
  }

  get output(): string {
    return this.#output
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  get #isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Ready by its own word, or over. */
  async started(): Promise<'ready' | 'ended'> {
    const deadline = Date.now() + 120_000
    while (!this.#isOver) {
      if (this.#output.includes('is ready')) return 'ready'
      if (Date.now() > deadline) throw new Error(`neither ready nor over: ${this.#output}`)
      await delay(25)
    }
    // What it said last may come after it is over.
    await delay(50)
    return 'ended'
  }

  async stop(): Promise<void> {
    if (this.#isOver) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  send(method: string, path: string, headers: Record<string, string>, body: Buffer | undefined): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const options = {
        hostname: '127.0.0.1',
        port: this.#port,
        path,
        method,
        headers,
        rejectUnauthorized: false,
        agent: false as const,
      }
      const request = httpsRequest(options, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk as Buffer)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

interface Stage {
  readonly server: ServerProcess
  readonly folder: string
  readonly store: Store | undefined
  readonly fill: (text: string) => string
}

/** What is done once a server is ready. */
class Steps {
  readonly #world: StartUpWorld
  readonly #stage: Stage

  constructor(world: StartUpWorld, stage: Stage) {
    this.#world = world
    this.#stage = stage
  }

  async all(steps: readonly Step[]): Promise<string[]> {
    const problems: string[] = []
    for (const [i, step] of steps.entries()) {
      if (typeof step['afterMs'] === 'number') await delay(step['afterMs'])
      const found = await this.#one(step)
      problems.push(...found.map((text) => `step ${i} (${step['request'] ?? Object.keys(step)[0]}): ${text}`))
    }
    return problems
  }

  async #one(step: Step): Promise<string[]> {
    const { server, folder, store } = this.#stage
    const { reviews } = this.#world
    const expect: Json = step['expect'] ?? {}
    if ('signal' in step) server.signal(step['signal'])
    if ('webhookForget' in step) reviews.length = 0
    if ('storeRaw' in step) {
      await store?.write({ type: 'create', key: `/registry${step['storeRaw']}`, value: Buffer.from(step['text']) })
    }
    if ('webhookCalls' in step) {
      const calls = Object.fromEntries(
        step['webhookCalls'].map((user: string) => [user, reviews.filter(({ spec }) => spec.user === user).length]),
      )
      return compare('calls', expect.calls, calls)
    }
    if ('webhookLastReview' in step) {
      const { user, resource } = step['webhookLastReview']
      const last = reviews.findLast(({ spec }) => spec.user === user && spec.resourceAttributes?.resource === resource)
      return compare('lastReview', expect.lastReview, { ...last, metadata: undefined, status: undefined })
    }
    if ('logContaining' in step) return this.#logged(step['logContaining'], expect.lines)
    if ('auditLog' in step) return audited(readFileSync(join(folder, step['auditLog']), 'utf8'), expect.annotations)
    if ('storedUnder' in step) return this.#stored(step['storedUnder'], expect)
    return 'request' in step ? this.#request(step, expect) : []
  }

  #logged(part: string, lines: readonly string[]): string[] {
    const { output } = this.#stage.server
    return lines
      .filter((line) => !output.includes(line.slice(2)) || !output.includes(part))
      .map((line) => `no line ${line}`)
  }

  async #stored(key: string, { startsWith, plainTextInside }: Json): Promise<string[]> {
    const found = await this.#stage.store?.get(`/registry${key}`)
    if (found?.status !== 'ok' || found.entry === undefined) return [`nothing is stored under ${key}`]
    const text = Buffer.from(found.entry.value).toString('latin1')
    const prefix = String(startsWith).replaceAll('\\0', '\0')
    return [
      ...(text.startsWith(prefix) ? [] : [`it begins with ${JSON.stringify(text.slice(0, 60))}`]),
      ...(text.includes('hello world') === plainTextInside ? [] : ['the plain text is not as expected']),
    ]
  }

  async #request(step: Step, expect: Json): Promise<string[]> {
    const deadline = Date.now() + (step['retryUntilOk'] === true ? 60_000 : 0)
    for (;;) {
      const problems = judged(await this.#sent(step), step, expect)
      if (problems.length === 0 || Date.now() > deadline) return problems
      await delay(100)
    }
  }

  #sent(step: Step): Promise<Sent> {
    const [method = '', path = ''] = String(step['request']).split(' ')
    const body = bodyOf(step, this.#stage.fill)
    const token = this.#tokenOf(step)
    const headers = {
      'user-agent': 'cases',
      ...(body === undefined
        ? {}
        : { 'content-type': step['type'] ?? 'application/json', 'content-length': String(body.length) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...step['headers'],
    }
    return this.#stage.server.send(method, path, headers, body)
  }

  #tokenOf(step: Step): string | undefined {
    const as: Json = 'as' in step ? step['as'] : 'admintoken'
    if (as === null) return undefined
    if (typeof as === 'string') return as
    const issuer = this.#world.issuer(as.issuer)
    const now = Math.floor(Date.now() / 1000)
    const claims = JSON.parse(this.#stage.fill(JSON.stringify({ exp: now + 3600, iat: now, ...as.claims })))
    for (const [key, value] of Object.entries(claims)) {
      if (value === '<absent>') claims[key] = undefined
      if (value === '<past>') claims[key] = now - 3600
    }
    return as.wrongKey === true ? issuer?.forged(claims) : issuer?.token(claims)
  }
}

function bodyOf(step: Step, fill: (text: string) => string): Buffer | undefined {
  if ('hex' in step) return Buffer.from(step['hex'], 'hex')
  return 'body' in step ? Buffer.from(fill(JSON.stringify(step['body']))) : undefined
}

function audited(log: string, wanted: readonly Json[]): string[] {
  const events = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return wanted.flatMap(({ verb, resource, annotations }) => {
    const event = events.find((each) => each.verb === verb && each.objectRef?.resource === resource)
    return compare(`annotations of ${verb} ${resource}`, annotations, event?.annotations)
  })
}

function compare(what: string, wanted: unknown, got: unknown): string[] {
  if (wanted === undefined) return []
  const [a, b] = [sorted(wanted), sorted(got)]
  if (a.includes('<…>') && matches(a, b ?? '')) return []
  return typeof wanted === 'string'
    ? isLike(wanted, String(got))
      ? []
      : [`${what} is ${b}, not ${a}`]
    : a === b
      ? []
      : [`${what} is ${b}, not ${a}`]
}

const isLike = (pattern: string, text: string): boolean =>
  pattern.includes('<…>') ? matches(pattern, text) : pattern === text

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function judged({ status, headers, body }: Sent, step: Step, expect: Json): string[] {
  const text = body.toString()
  const parsed: Json =
    text.startsWith('{') && (status >= 400 || !String(step['request']).includes('watch='))
      ? JSON.parse(text)
      : undefined
  const { extra: _, ...user } = parsed?.status?.userInfo ?? {}
  const { extra: wantedExtra, ...wantedUser } = expect.user ?? {}
  const lines = lookedAt(text, step['look'])
  const events = expect.events !== undefined && String(headers['content-type']).includes('json') ? eventsOf(text) : []
  const parts: [string, unknown, unknown][] = [
    ['status', expect.status, status],
    ['message', expect.message, parsed?.message],
    ['reason', expect.reason, parsed?.reason],
    ['causes', expect.causes, parsed?.details?.causes],
    ['user', expect.user && wantedUser, user],
    ['extra', wantedExtra, withoutCredential(parsed?.status?.userInfo?.extra)],
    ['data', expect.data, parsed?.data],
    ['body', expect.body, typeof expect.body === 'string' ? text : parsed],
    ['type', expect.type, String(headers['content-type']).split(';')[0]],
    [
      'firstBytes',
      expect.firstBytes,
      `0x${body.subarray(0, ((expect.firstBytes?.length ?? 2) - 2) / 2).toString('hex')}`,
    ],
    ['encoding', expect.encoding, headers['content-encoding'] ?? null],
    ['warning', expect.warning, headers['warning']],
    ['lines', expect.lines, lines],
    ['events', expect.events, expect.events && events],
    [
      'managers',
      expect.managers,
      parsed?.metadata?.managedFields?.map((each: Json) => `${each.manager} ${each.operation}`),
    ],
    ['failed', expect.failed, text.split('\n').filter((line) => line.startsWith('[-]'))],
    ...['major', 'minor', 'emulationMajor', 'emulationMinor', 'minCompatibilityMinor'].map(
      (key): [string, unknown, unknown] => [key, expect[key], parsed?.[key]],
    ),
  ]
  return [
    ...parts.flatMap((part) => compare(...part)),
    ...(expect.someLine === undefined || lines.some((line) => matches(expect.someLine, line)) ? [] : ['no such line']),
    ...(expect.noLine === undefined || !lines.some((line) => matches(expect.noLine, line)) ? [] : ['such a line']),
  ]
}

function withoutCredential(extra: Json): Json {
  const { 'authentication.kubernetes.io/credential-id': _, ...rest } = extra ?? {}
  return rest
}

function lookedAt(text: string, look: Json): string[] {
  if (look === undefined) return []
  const { series, matching = '', helpContaining } = look
  const lines = text.split('\n')
  if (helpContaining !== undefined)
    return lines.filter((line) => line.startsWith('# HELP') && line.includes(helpContaining))
  return lines.filter((line) => line.startsWith(`${series}{`) && new RegExp(matching).test(line))
}

function eventsOf(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ type, object }) =>
      type === 'BOOKMARK'
        ? { type, annotations: object?.metadata?.annotations }
        : { type, name: object?.metadata?.name },
    )
}
