/**
 * Tries to get in: a table of attacks by credential, certificate, header, path, impersonation, proxy and privilege, each
 * with the answers that refuse it, run again and again with mutations of what is good. Then what must not be seen: secrets
 * in the log, the audit log, errors, metrics and the bytes of an encrypted store, and files that others can read.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect as connectPlainly } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { loadCredentials, type ServerCredentials, writeAdminKubeconfig } from '../../src/pki/data-folder.ts'
import { startServer } from '../../src/server/server.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'
import { type Random, seededRandom } from './random.ts'
import { aggregationAttacks, aggregationObjects, FarServer, farThing } from './ways-in/aggregation-attacks.ts'
import { ask, type Seen } from './ways-in/ask.ts'
import {
  type Attack,
  type Attempt,
  adminToken,
  bearer,
  secretPath,
  secretText,
  type Trial,
  unauthorized,
  userToken,
} from './ways-in/attack.ts'
import { certificateAttacks, certificateObjects } from './ways-in/certificate-requests.ts'
import { ClientAuthorities, chainAttacks, goodChains } from './ways-in/chain-attacks.ts'
import { consoleAttacks } from './ways-in/console-attacks.ts'
import { dumpAttacks } from './ways-in/dump-attacks.ts'
import { fileTrials } from './ways-in/file-trials.ts'
import { http2Floods } from './ways-in/http2-floods.ts'
import { http2Attacks } from './ways-in/http2-requests.ts'
import {
  authenticationConfiguration,
  flagIssuerAttacks,
  goodTokens,
  issuerAttacks,
  oidcFlags,
} from './ways-in/issuer-attacks.ts'
import { Issuers } from './ways-in/issuers.ts'
import { limitedAttacks, limitedObjects, limitedUsers, tokenOf } from './ways-in/limited-users.ts'
import { nodeAttacks, nodeObjects } from './ways-in/node-attacks.ts'
import { hookHost, hookObjects, outgoingAttacks, outgoingObjects, Stage } from './ways-in/outgoing.ts'
import { formAttacks, headerAttacks, pathAttacks, privilegeAttacks, upgradeAttacks } from './ways-in/plain-user.ts'
import { goodProxy, ProxyAuthority, proxyAttacks, proxyFlags } from './ways-in/proxy-attacks.ts'
import { rawRequests } from './ways-in/raw-requests.ts'
import { RebindingResolver, rebindingAttacks, rebindingObjects } from './ways-in/rebinding.ts'
import { SecondServer } from './ways-in/second-server.ts'
import { type KnownTokens, tokenAttacks } from './ways-in/token-attacks.ts'

/** Only ever sent where it does not belong. */
const queryToken = 'key-in-an-address'

const tokenLines = [
  `${adminToken},admin,1,system:masters`,
  `${queryToken},admin,1,system:masters`,
  `${userToken},user,2,people`,
  ...Object.keys(limitedUsers).map((user) => `${tokenOf(user)},${user},${user}`),
]

export const run: HarnessRun = async ({ seconds, seed, log }) => {
  const world = await World.open()
  const trials = [
    ...http2Floods(world.port),
    ...(seconds < shortSeconds ? fileTrials.slice(0, shortTrials) : fileTrials),
  ]
  const random = seededRandom(seed)
  const failed = new Map<string, HarnessFailure>()
  const note = (failures: readonly HarnessFailure[]): void => {
    for (const failure of failures) failed.set(failure.what, failure)
  }
  let passed = 0
  let inRound = 0
  try {
    const end = Date.now() + seconds * 1000
    do {
      const attacks = await world.attacks(random)
      inRound = attacks.length + trials.length
      const tried = tryAll(trials)
      for (const attack of attacks) {
        const seen = await world.attempt(attack)
        if (seen.status === 0 || attack.refusals.includes(seen.status)) passed++
        else note([{ what: `${attack.name} is answered ${seen.status}`, detail: JSON.stringify(attack).slice(0, 500) }])
        if (seen.text.includes(secretText)) note([{ what: `${attack.name} shows the secret` }])
        if (await world.isLeftBy(attack)) note([{ what: `${attack.name} has left its mark`, detail: attack.path }])
      }
      const wrong = await tried
      passed += trials.length - wrong.length
      note(wrong)
    } while (Date.now() < end)
    log(`${passed} attempts refused`)
    note(await world.leaks())
    if (world.unaskedNames.length > 0) note([{ what: `nobody asked for ${world.unaskedNames.join(', ')}` }])
    if (world.caught > 0) note([{ what: `the server was led to its own machine ${world.caught} times` }])
  } finally {
    await world.close()
  }
  note(world.leftOnDisk())
  world.remove()
  return {
    passed,
    failed: [...failed.values()],
    figures: { 'attempts refused': passed, 'attempts in a round': inRound },
  }
}

/** A shorter run has the first so many trials of files. */
const shortSeconds = 10
const shortTrials = 7
/** Each is mostly a process that starts: so many at a time. */
const trialsAtATime = 3

async function tryAll(trials: readonly Trial[]): Promise<HarnessFailure[]> {
  const failures: HarnessFailure[] = []
  const left = trials.values()
  const work = async (): Promise<void> => {
    for (const { name, attempt } of left) {
      const wrong = await attempt().catch((error: unknown) => String(error))
      if (wrong !== undefined) failures.push({ what: name, detail: wrong.slice(0, 1000) })
    }
  }
  await Promise.all(Array.from({ length: trialsAtATime }, work))
  return failures
}

interface WorldParts {
  readonly folder: string
  readonly server: Awaited<ReturnType<typeof startServer>>
  readonly credentials: ServerCredentials
  readonly stage: Stage
  readonly issuers: Issuers
  readonly second: SecondServer
  readonly clients: ClientAuthorities
  readonly proxies: ProxyAuthority
  readonly far: FarServer
}

class World {
  readonly #folder: string
  readonly #server: Awaited<ReturnType<typeof startServer>>
  readonly #credentials: ServerCredentials
  readonly #port: number
  readonly #stage: Stage
  readonly #resolver = new RebindingResolver()
  readonly #issuers: Issuers
  readonly #second: SecondServer
  readonly #clients: ClientAuthorities
  readonly #proxies: ProxyAuthority
  readonly #far: FarServer
  #tokens: KnownTokens | undefined
  /** A good one of the administrator's, as its cookie has it. */
  #session = ''

  private constructor({ folder, server, credentials, stage, issuers, second, clients, proxies, far }: WorldParts) {
    this.#folder = folder
    this.#server = server
    this.#credentials = credentials
    this.#stage = stage
    this.#issuers = issuers
    this.#second = second
    this.#clients = clients
    this.#proxies = proxies
    this.#far = far
    this.#port = Number(new URL(server.addresses[0] ?? '').port)
  }

  /** How often the server was led to where nobody may be. */
  get caught(): number {
    return this.#stage.caught + this.#issuers.caught
  }

  get unaskedNames(): string[] {
    return this.#resolver.unasked
  }

  get server() {
    return this.#server
  }

  get port(): number {
    return this.#port
  }

  static async open(): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'ways-in-'))
    // As an administrator may have left it.
    mkdirSync(join(folder, 'data'), { mode: 0o755 })
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const keys = [{ name: 'k', secret: randomBytes(32).toString('base64') }]
    const encryption = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers: [{ aescbc: { keys } }] }],
    }
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }
    const flags = [
      `--data-dir=${join(folder, 'data')}`,
      '--bind-address=127.0.0.1',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--console',
      `--token-auth-file=${file('tokens', tokenLines.join('\n'))}`,
      `--encryption-provider-config=${file('encryption', JSON.stringify(encryption))}`,
      `--audit-policy-file=${file('policy', JSON.stringify(policy))}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
    ]
    const credentials = loadCredentials(parseServerOptions(flags), systemClock)
    const { ca } = credentials
    const issuers = await Issuers.open(ca)
    const authentication = file('authentication', JSON.stringify(authenticationConfiguration(issuers, ca.certPem)))
    const options = parseServerOptions([...flags, `--authentication-config=${authentication}`])
    const listening = { ...options, serving: { ...options.serving, securePort: 0 } }
    writeAdminKubeconfig(listening, credentials)
    const server = await startServer(listening, { logger: silentLogger(), credentials, clock: systemClock })
    await server.ready
    const own = { commonName: 'stage', organizations: [], usage: 'server' as const, names: [hookHost] }
    const stage = await Stage.open(issueCertificate(ca, { ...own, now: Date.now() }))
    const clients = new ClientAuthorities()
    const proxies = new ProxyAuthority()
    const second = await SecondServer.open(folder, [
      ...oidcFlags(issuers, file('issuers.crt', ca.certPem)),
      ...proxyFlags(file('proxies.crt', proxies.authority.pem)),
      `--client-ca-file=${file('clients.crt', clients.pem)}`,
    ])
    const far = await FarServer.open(issueCertificate(ca, { ...own, now: Date.now() }), stage.trapPort)
    const world = new World({ folder, server, credentials, stage, issuers, second, clients, proxies, far })
    await world.#prepare()
    return world
  }

  async #prepare(): Promise<void> {
    const make = async (path: string, body: object): Promise<Seen> => {
      const seen = await this.attempt({ method: 'POST', path, headers: bearer(adminToken), body })
      if (seen.status !== 201) throw new Error(`${path} is answered ${seen.status}: ${seen.text}`)
      return seen
    }
    const remove = async (path: string): Promise<void> => {
      await this.attempt({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0`, headers: bearer(adminToken) })
    }
    const core = '/api/v1/namespaces/default'
    const token = async (account: string, spec: object = {}): Promise<string> => {
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
      return JSON.parse((await make(`${core}/serviceaccounts/${account}/token`, request)).text).status.token
    }
    await make(`${core}/secrets`, { apiVersion: 'v1', metadata: { name: 's' }, stringData: { k: secretText } })
    const accounts = ['robot', 'anew']
    for (const name of accounts) await make(`${core}/serviceaccounts`, { metadata: { name } })
    for (const { path, body } of [...limitedObjects, ...certificateObjects, ...nodeObjects]) await make(path, body)
    for (const { path, body } of hookObjects(this.#stage.hookPort, this.#credentials.ca.certPem)) await make(path, body)
    for (const { path, body, method = 'POST' } of [...outgoingObjects, ...rebindingObjects(this.#stage.trapPort)])
      await this.#tryToMake(method, path, body)
    for (const { path, body } of aggregationObjects(this.#far.port)) await make(path, body)
    await this.#untilFarAnswers()
    const { port } = this.#second
    for (const good of [
      goodProxy(this.#proxies),
      ...goodChains(this.#clients).map((certificate) => ({ certificate })),
    ]) {
      const seen = await this.attempt({ port, path: secretPath, ...good })
      if (seen.status !== 200) throw new Error(`a good certificate is answered ${seen.status}: ${seen.text}`)
    }
    for (const [good, status] of goodTokens(this.#issuers)) {
      const seen = await this.attempt({ path: secretPath, headers: bearer(good) })
      if (seen.status !== status) throw new Error(`a good token is answered ${seen.status}: ${good}`)
    }
    this.#session = await this.#signIn()
    const container = { name: 'c', image: 'i' }
    await make(`${core}/pods`, {
      metadata: { name: 'bound' },
      spec: { serviceAccountName: 'robot', containers: [container] },
    })
    const spent = {
      'a token for another audience': await token('robot', { audiences: ['vault'] }),
      'a token of a pod that is gone': await token('robot', {
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'bound' },
      }),
      'a token of an account that was made anew': await token('anew'),
    }
    await remove(`${core}/pods/bound`)
    await remove(`${core}/serviceaccounts/anew`)
    await make(`${core}/serviceaccounts`, { metadata: { name: 'anew' } })
    this.#tokens = {
      account: await token('robot'),
      spent,
      signingKey: await this.#credentials.serviceAccountKeys.signingKey(),
      caPem: this.#credentials.ca.certPem,
      inQuery: queryToken,
    }
  }

  /** An aggregated server is asked for as soon as it was found to be there. */
  async #untilFarAnswers(): Promise<void> {
    for (let left = 300; left > 0; left--) {
      if ((await this.attempt(farThing)).status === 403) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('the aggregated server cannot be reached')
  }

  /** Rules may refuse it: that is an answer, too. */
  async #tryToMake(method: string, path: string, body: object): Promise<void> {
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const { status, text } = await this.attempt({ method, path, headers: { ...bearer(adminToken), ...type }, body })
    if (![200, 201, 400, 404, 422].includes(status)) throw new Error(`${path} is answered ${status}: ${text}`)
  }

  /** By a link, as a browser does. */
  async #signIn(): Promise<string> {
    const mark = { 'x-pilothouse-console': '1' }
    const asked = { method: 'POST', path: '/console/v1/links', headers: { ...bearer(adminToken), ...mark }, body: {} }
    const { url } = JSON.parse((await this.attempt(asked)).text) as { url: string }
    const body = { code: new URL(url).hash.replace('#code=', '') }
    const { cookies = [] } = await this.attempt({ method: 'POST', path: '/console/v1/session', headers: mark, body })
    const session = /=([^;]+)/.exec(cookies[0] ?? '')?.[1]
    if (session === undefined) throw new Error('nobody can sign in to the console')
    return session
  }

  get #known(): KnownTokens {
    if (this.#tokens === undefined) throw new Error('the world is not prepared')
    return this.#tokens
  }

  /** The table: it only grows. */
  async attacks(random: Random): Promise<Attack[]> {
    const node = { commonName: 'system:node:own', organizations: ['system:nodes'], usage: 'client' as const }
    return [
      ...tokenAttacks(this.#known, random),
      ...issuerAttacks(this.#issuers),
      ...flagIssuerAttacks(this.#issuers, this.#second.port),
      ...this.#certificateAttacks(),
      ...chainAttacks(this.#clients, this.#second.port),
      ...proxyAttacks(this.#proxies, this.#clients, this.#second.port),
      ...aggregationAttacks(),
      ...headerAttacks,
      ...dumpAttacks,
      ...pathAttacks,
      ...formAttacks,
      ...upgradeAttacks,
      ...privilegeAttacks,
      ...limitedAttacks,
      ...certificateAttacks,
      ...nodeAttacks(issueCertificate(this.#credentials.ca, { ...node, now: Date.now() })),
      ...consoleAttacks(this.#port, this.#session),
      ...outgoingAttacks(this.#stage.trapPort),
      ...rebindingAttacks(this.#stage.trapPort),
      ...(await this.#rawAttacks()),
    ]
  }

  #certificateAttacks(): Attack[] {
    const now = Date.now()
    const masters = { commonName: 'admin', organizations: ['system:masters'], usage: 'client' as const, now }
    const stranger = createCertificateAuthority('pilothouse', now)
    const { ca } = this.#credentials
    const leaf = issueCertificate(ca, { ...masters, commonName: 'user', organizations: [] })
    const pairs = {
      'a certificate of another authority of the same name': issueCertificate(stranger, masters),
      'a certificate that has ended': issueCertificate(ca, { ...masters, now: now - 400 * 86_400_000 }),
      'a certificate that has not begun': issueCertificate(ca, { ...masters, now: now + 30 * 86_400_000 }),
      'a serving certificate as a client': issueCertificate(ca, { ...masters, usage: 'server' }),
      'a certificate that a client signed': issueCertificate(leaf, masters),
    }
    const attacks: Attack[] = Object.entries(pairs).map(([name, certificate]) => ({
      name,
      path: secretPath,
      certificate,
      refusals: unauthorized,
    }))
    const proxied = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    const asProxy = { path: secretPath, certificate: leaf, headers: proxied, refusals: [403] }
    return [...attacks, { ...asProxy, name: "a proxy's headers under a user's certificate" }]
  }

  /** Whether what must not be there is there. */
  async isLeftBy({ leaves }: Attack): Promise<boolean> {
    if (leaves === undefined) return false
    const { text } = await this.attempt({ path: leaves.path, headers: bearer(adminToken) })
    return text.includes(leaves.without)
  }

  /** Each counts by what it was answered: as an attack that is refused, or one that cannot be. */
  async #rawAttacks(): Promise<Attack[]> {
    const attacks: Attack[] = []
    for (const [name, text] of Object.entries(rawRequests)) {
      const statuses = await this.#raw(text)
      // A body that breaks off is found when its request is answered: a second refusal is none of the hidden request.
      const isRefused = statuses.every((status) => status >= 400)
      attacks.push({ name: `${name} (${statuses.join(', ')})`, path: '/nothing', refusals: isRefused ? [403] : [] })
    }
    return [...attacks, ...(await http2Attacks(this.#port))]
  }

  /** The statuses of all answers on a connection, until the server ends it or an answer to what follows has come. */
  #raw(text: string): Promise<number[]> {
    return new Promise((resolve) => {
      const socket = connectSecurely({
        host: '127.0.0.1',
        port: this.#port,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      })
      let answer = ''
      const finish = (): void => {
        socket.destroy()
        resolve([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)))
      }
      socket.on('data', (chunk) => {
        answer += String(chunk)
      })
      socket.on('error', finish).on('close', finish).on('end', finish)
      // The end of what is sent: a server that still answers does so and ends, too.
      socket.end(text)
    })
  }

  attempt(attempt: Attempt): Promise<Seen> {
    return ask(attempt.port ?? this.#port, attempt)
  }

  /** Secrets where they do not belong, while the server runs. */
  async leaks(): Promise<HarnessFailure[]> {
    const failures: HarnessFailure[] = []
    for (const path of ['/metrics', '/flagz', '/statusz', '/debug/flags/v', '/configz', '/openapi/v2']) {
      const { text } = await this.attempt({ path, headers: bearer(adminToken) })
      for (const hidden of [secretText, adminToken, userToken, this.#known.account]) {
        if (text.includes(hidden)) failures.push({ what: `${path} shows a secret` })
      }
    }
    const plain = await new Promise<boolean>((resolve) => {
      const socket = connectPlainly({ host: '127.0.0.1', port: this.#port })
      socket.on('data', (chunk) => resolve(/^HTTP\/1\.1 2/.test(String(chunk))))
      socket.on('error', () => resolve(false)).on('close', () => resolve(false))
      socket.write('GET /version HTTP/1.1\r\nHost: a\r\n\r\n')
    })
    if (plain) failures.push({ what: 'the secure port answers without TLS' })
    return failures
  }

  async close(): Promise<void> {
    await this.#server.close()
    await this.#second.close()
    await this.#stage.close()
    this.#resolver.close()
    await this.#far.close()
    await this.#issuers.close()
  }

  /** What is in the files that the server leaves, and who may read them. */
  leftOnDisk(): HarnessFailure[] {
    const failures: HarnessFailure[] = []
    const audit = readFileSync(join(this.#folder, 'audit.log'), 'utf8')
    for (const hidden of [secretText, adminToken, userToken, this.#known.account]) {
      if (audit.includes(hidden)) failures.push({ what: 'the audit log shows a secret' })
    }
    for (const name of readdirSync(join(this.#folder, 'data'), { recursive: true }).map(String)) {
      const file = join(this.#folder, 'data', name)
      const stats = statSync(file)
      if (!stats.isFile()) continue
      const isPublic = name.endsWith('.crt')
      if (!isPublic && (stats.mode & 0o077) !== 0) {
        failures.push({ what: `${name} can be read by others`, detail: (stats.mode & 0o777).toString(8) })
      }
      const bytes = readFileSync(file)
      const encoded = Buffer.from(secretText).toString('base64')
      if (bytes.includes(secretText) || bytes.includes(encoded))
        failures.push({ what: `${name} holds the secret in plain text` })
    }
    return failures
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
