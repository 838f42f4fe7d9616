/**
 * Tries to get in: a table of attacks by credential, certificate, header, path, impersonation, proxy and privilege, each
 * with the answers that refuse it, run again and again with mutations of what is good. Then what must not be seen: secrets
 * in the log, the audit log, errors, metrics and the bytes of an encrypted store, and files that others can read.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlainly } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { type Credentials, loadCredentials, writeAdminKubeconfig } from '../../src/pki/data-folder.ts'
import { startServer } from '../../src/server/server.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'
import { type Random, seededRandom } from './random.ts'

const secretText = 'the-secret-that-nobody-may-see'
const userToken = 'token-of-a-plain-user'
const adminToken = 'token-of-the-administrator'
/** Only ever sent where it does not belong. */
const queryToken = 'key-in-an-address'

interface Attempt {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly certificate?: { readonly certPem: string; readonly keyPem: string }
}

interface Attack extends Attempt {
  readonly name: string
  /** The statuses that refuse it; a connection that breaks always does. */
  readonly refusals: readonly number[]
}

interface Seen {
  readonly status: number
  readonly text: string
}

export const run: HarnessRun = async ({ seconds, seed, log }) => {
  const world = await World.open()
  const random = seededRandom(seed)
  const failed = new Map<string, HarnessFailure>()
  const note = (failures: readonly HarnessFailure[]): void => {
    for (const failure of failures) failed.set(failure.what, failure)
  }
  let passed = 0
  try {
    const end = Date.now() + seconds * 1000
    do {
      for (const attack of await world.attacks(random)) {
        const seen = await world.attempt(attack)
        if (seen.status === 0 || attack.refusals.includes(seen.status)) passed++
        else note([{ what: `${attack.name} is answered ${seen.status}`, detail: JSON.stringify(attack).slice(0, 500) }])
        if (seen.text.includes(secretText)) note([{ what: `${attack.name} shows the secret` }])
      }
    } while (Date.now() < end)
    log(`${passed} attempts refused`)
    note(await world.leaks())
  } finally {
    await world.close()
  }
  note(world.leftOnDisk())
  world.remove()
  return { passed, failed: [...failed.values()], figures: { 'attempts refused': passed } }
}

const secretPath = '/api/v1/namespaces/default/secrets/s'
const unauthorized = [401]
const forbidden = [401, 403]

class World {
  readonly #folder: string
  readonly #server: Awaited<ReturnType<typeof startServer>>
  readonly #credentials: Credentials
  readonly #port: number
  #accountToken = ''

  private constructor(folder: string, server: World['server'], credentials: Credentials) {
    this.#folder = folder
    this.#server = server
    this.#credentials = credentials
    this.#port = Number(new URL(server.addresses[0] ?? '').port)
  }

  get server() {
    return this.#server
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
    const options = parseServerOptions([
      `--data-dir=${join(folder, 'data')}`,
      '--bind-address=127.0.0.1',
      '--authorization-mode=Node,RBAC',
      `--token-auth-file=${file('tokens', `${adminToken},admin,1,system:masters\n${queryToken},admin,1,system:masters\n${userToken},user,2,people\n`)}`,
      `--encryption-provider-config=${file('encryption', JSON.stringify(encryption))}`,
      `--audit-policy-file=${file('policy', JSON.stringify(policy))}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
    ])
    const listening = { ...options, serving: { ...options.serving, securePort: 0 } }
    const credentials = loadCredentials(listening, systemClock)
    writeAdminKubeconfig(listening, credentials)
    const server = await startServer(listening, { logger: silentLogger(), credentials, clock: systemClock })
    await server.ready
    const world = new World(folder, server, credentials)
    await world.#prepare()
    return world
  }

  async #prepare(): Promise<void> {
    const make = async (path: string, body: object): Promise<Seen> => {
      const seen = await this.attempt({ method: 'POST', path, headers: bearer(adminToken), body })
      if (seen.status !== 201) throw new Error(`${path} is answered ${seen.status}: ${seen.text}`)
      return seen
    }
    const core = '/api/v1/namespaces/default'
    await make(`${core}/secrets`, { apiVersion: 'v1', metadata: { name: 's' }, stringData: { k: secretText } })
    await make(`${core}/serviceaccounts`, { apiVersion: 'v1', metadata: { name: 'robot' } })
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    this.#accountToken = JSON.parse((await make(`${core}/serviceaccounts/robot/token`, request)).text).status.token
  }

  /** The table: it only grows. */
  async attacks(random: Random): Promise<Attack[]> {
    return [
      ...this.#credentialAttacks(random),
      ...this.#certificateAttacks(),
      ...headerAttacks,
      ...pathAttacks,
      ...privilegeAttacks,
      ...(await this.#rawAttacks()),
    ]
  }

  #credentialAttacks(random: Random): Attack[] {
    const [head = '', claims = '', signature = ''] = this.#accountToken.split('.')
    const forge = (change: object, header: object = { alg: 'none' }): string => {
      const known = JSON.parse(Buffer.from(claims, 'base64url').toString())
      const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${encode(header)}.${encode({ ...known, ...change })}`
    }
    const sub = 'system:serviceaccount:kube-system:admin'
    const confused = forge({ sub }, { alg: 'HS256' })
    const hmac = createHmac('sha256', this.#credentials.ca.certPem).update(confused).digest('base64url')
    const flipped = Buffer.from(this.#accountToken)
    flipped[random.below(flipped.length)] = 65 + random.below(26)
    const tokens: Record<string, string> = {
      'no token at all': '',
      'an unknown token': randomBytes(16).toString('hex'),
      'half of a token': adminToken.slice(0, 5 + random.below(adminToken.length - 5)),
      'a token with a tail': `${adminToken}x`,
      'a token in other letters': adminToken.toUpperCase(),
      'a token without a signature': `${head}.${claims}.`,
      'a token of no algorithm': `${forge({ sub })}.`,
      'a token of no algorithm, signed': `${forge({ sub })}.${signature}`,
      'other claims under a good signature': `${head}.${forge({ sub }).split('.')[1]}.${signature}`,
      'a public key as a shared secret': `${confused}.${hmac}`,
      'a token of the legacy issuer, unsigned': `${forge({ iss: 'kubernetes/serviceaccount' })}.${signature}`,
      'a bootstrap token that there is not': 'abcdef.0123456789abcdef',
    }
    const isChanged = flipped.toString() !== this.#accountToken
    return [
      ...Object.entries(tokens).map(([name, token]) => ({
        name,
        path: secretPath,
        headers: bearer(token),
        refusals: token === '' ? forbidden : unauthorized,
      })),
      {
        name: 'a token with a letter changed',
        path: secretPath,
        headers: bearer(flipped.toString()),
        refusals: isChanged ? forbidden : [403],
      },
      {
        name: 'a token by basic authentication',
        path: secretPath,
        headers: { authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` },
        refusals: forbidden,
      },
      { name: 'a token in the query', path: `${secretPath}?access_token=${queryToken}`, refusals: forbidden },
    ]
  }

  #certificateAttacks(): Attack[] {
    const now = Date.now()
    const masters = { commonName: 'admin', organizations: ['system:masters'], usage: 'client' as const, now }
    const stranger = createCertificateAuthority('pilothouse', now)
    const { ca } = this.#credentials
    const pairs = {
      'a certificate of another authority of the same name': issueCertificate(stranger, masters),
      'a certificate that has ended': issueCertificate(ca, { ...masters, now: now - 400 * 86_400_000 }),
      'a serving certificate as a client': issueCertificate(ca, { ...masters, usage: 'server' }),
    }
    return Object.entries(pairs).map(([name, certificate]) => ({
      name,
      path: secretPath,
      certificate,
      refusals: unauthorized,
    }))
  }

  /** What no client library sends. */
  async #rawAttacks(): Promise<Attack[]> {
    const requests: Record<string, string> = {
      'two Host headers': 'GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'a Host with a space': 'GET /version HTTP/1.1\r\nHost: a b\r\n\r\n',
      'two lengths': 'POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n',
      'a length and chunks':
        'POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    }
    const attacks: Attack[] = []
    for (const [name, text] of Object.entries(requests)) {
      const status = await this.#raw(text)
      attacks.push({
        name: `${name} (status ${status})`,
        path: '/nothing',
        refusals: status === 400 || status === 0 ? [403] : [],
      })
    }
    return attacks
  }

  #raw(text: string): Promise<number> {
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
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0))
      }
      socket.on('data', (chunk) => {
        answer += String(chunk)
        if (answer.includes('\r\n')) finish()
      })
      socket.on('error', finish).on('close', finish)
      socket.write(text)
    })
  }

  /** Status 0 when the connection breaks. */
  attempt({ method = 'GET', path, headers = {}, body, certificate }: Attempt): Promise<Seen> {
    return new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const request = httpsRequest(
        {
          hostname: '127.0.0.1',
          port: this.#port,
          path,
          method,
          headers: {
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
          rejectUnauthorized: false,
          agent: false,
          ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
        },
        async (response) => {
          let seen = ''
          for await (const chunk of response) seen += String(chunk)
          resolve({ status: response.statusCode ?? 0, text: seen })
        },
      )
      request.on('error', () => resolve({ status: 0, text: '' }))
      request.end(text)
    })
  }

  /** Secrets where they do not belong, while the server runs. */
  async leaks(): Promise<HarnessFailure[]> {
    const failures: HarnessFailure[] = []
    for (const path of ['/metrics', '/flagz', '/statusz', '/debug/flags/v', '/configz', '/openapi/v2']) {
      const { text } = await this.attempt({ path, headers: bearer(adminToken) })
      for (const hidden of [secretText, adminToken, userToken, this.#accountToken]) {
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
  }

  /** What is in the files that the server leaves, and who may read them. */
  leftOnDisk(): HarnessFailure[] {
    const failures: HarnessFailure[] = []
    const audit = readFileSync(join(this.#folder, 'audit.log'), 'utf8')
    for (const hidden of [secretText, adminToken, userToken, this.#accountToken]) {
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

const bearer = (token: string): Record<string, string> => (token === '' ? {} : { authorization: `Bearer ${token}` })

const headerAttacks: readonly Attack[] = [
  {
    name: "a proxy's headers without a proxy",
    path: secretPath,
    headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
    refusals: forbidden,
  },
  ...[
    { 'impersonate-user': 'admin' },
    { 'impersonate-user': 'user', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'system:serviceaccount:kube-system:default' },
    { 'impersonate-user': 'user', 'impersonate-uid': '1' },
    { 'impersonate-user': 'user', 'impersonate-extra-scopes': 'all' },
  ].map((headers) => ({
    name: `impersonation by ${JSON.stringify(headers)}`,
    path: secretPath,
    headers: { ...bearer(userToken), ...headers },
    refusals: forbidden,
  })),
  {
    name: 'a group without a user',
    path: secretPath,
    headers: { ...bearer(userToken), 'impersonate-group': 'system:masters' },
    refusals: [500],
  },
]

const pathAttacks: readonly Attack[] = [
  '/api/v1/namespaces/default/%73ecrets/s',
  '/api/v1/namespaces/default/secrets/s/',
  '//api/v1/namespaces/default/secrets/s',
  '/healthz/../api/v1/namespaces/default/secrets/s',
  '/version/%2e%2e/api/v1/namespaces/default/secrets/s',
  '/api/v1/./namespaces/default/secrets/s',
  '/api/v1/watch/namespaces/default/secrets/s',
  '/api/v1/secrets?fieldSelector=metadata.name%3Ds',
  '/api/v1/namespaces/default/secrets?labelSelector=%ff',
  '/api/v1/namespaces/default/secrets/s?watch=1',
  '/api/v1/namespaces/default/secrets/s%00',
].map((path) => ({ name: `the path ${path}`, path, headers: bearer(userToken), refusals: [301, 307, 400, 403, 404] }))

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const privilegeAttacks: readonly Attack[] = [
  {
    name: 'a binding to cluster-admin',
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: {
      metadata: { name: 'x' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'user' }],
    },
  },
  {
    name: 'a role for everything',
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { metadata: { name: 'x' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
  },
  {
    name: "another account's token",
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token',
    body: { spec: {} },
  },
  { name: 'a pod proxy to loopback', path: '/api/v1/namespaces/default/pods/https:p:6443/proxy/' },
  { name: 'a node proxy', path: '/api/v1/nodes/n/proxy/secrets' },
  { name: 'a service proxy', path: '/api/v1/namespaces/default/services/https:kubernetes:443/proxy/' },
  { name: 'an exec', method: 'POST', path: '/api/v1/namespaces/default/pods/p/exec?command=sh' },
  { name: 'the metrics', path: '/metrics' },
  { name: 'a heap profile', path: '/debug/pprof/heap' },
  { name: 'the log level', method: 'PUT', path: '/debug/flags/v', body: 9 },
].map((attack) => ({ ...attack, headers: bearer(userToken), refusals: forbidden }))
