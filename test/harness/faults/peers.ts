/**
 * Other servers that this one depends on, each failing in every way: conversion, image and audit webhooks, OIDC issuers,
 * aggregated servers, kubelets, KMS plugins. What they guard is refused, what does not need them goes on, every request is
 * answered in time, and all is well once they behave.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { signToken } from '../../../src/auth/jwt/jws.ts'
import { type Answer, call, startTestServer, type TestServer } from '../../integration/support/test-server.ts'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import type { Random } from '../random.ts'
import { type Checks, within } from './checks.ts'
import { type FaultyPeer, type PeerFault, peerFaults, startFaultyPeer } from './faulty-peer.ts'

const memory = ['--store=memory', '--disable-admission-plugins=ServiceAccount', '--request-timeout=4s']
const patienceMs = 30_000
const healMs = 60_000
/** What is passed on as it comes may come without end. */
const streamMs = 2000
const pods = '/api/v1/namespaces/default/pods'

/** Over a connection of its own: faults may end connections. */
async function request(server: TestServer, ...given: Parameters<TestServer['call']>): Promise<Answer> {
  const [method, to, body, headers] = given
  const session = server.connect()
  try {
    return await call(session, { method, path: to, body, headers })
  } finally {
    session.destroy()
  }
}

/** Without the certificate that the administrator of the tests has. */
async function asBearer(server: TestServer, token: string): Promise<Answer> {
  const session = http2.connect(server.url, { rejectUnauthorized: false })
  session.on('error', () => undefined)
  try {
    const headers = { authorization: `Bearer ${token}` }
    return await call(session, { method: 'GET', path: '/api/v1/namespaces', body: undefined, headers })
  } finally {
    session.destroy()
  }
}

type Attack = (checks: Checks, random: Random) => Promise<void>

interface Setup {
  readonly checks: Checks
  readonly peer: FaultyPeer
  readonly server: TestServer
  readonly folder: string
}

/** A server with flags that name the peer, and both gone afterwards. */
async function withPeer(
  checks: Checks,
  parts: {
    readonly answer: (body: unknown, path: string) => unknown
    readonly flags: (peer: FaultyPeer, folder: string) => readonly string[]
    readonly attack: (setup: Setup) => Promise<void>
  },
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-faults-'))
  const peer = await startFaultyPeer(parts.answer)
  let server: TestServer | undefined
  try {
    server = await startTestServer([...memory, ...parts.flags(peer, folder)])
    await request(server, 'POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    await parts.attack({ checks, peer, server, folder })
  } finally {
    peer.fault = undefined
    await server?.close()
    await peer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Sweep {
  /** Who fails. */
  readonly who: string
  readonly ask: (server: TestServer) => Promise<Answer>
  /** Whether the answer is right while the peer has this fault. */
  readonly isRight: (answer: Answer, fault: PeerFault | undefined) => boolean
}

/** Every fault, between two times at which the peer behaves. */
async function sweep({ checks, peer, server }: Setup, { who, ask, isRight }: Sweep): Promise<void> {
  for (const fault of [undefined, ...peerFaults]) {
    peer.fault = fault
    const what = `${who} that ${fault ?? 'behaves'}`
    const answer = await within(patienceMs, ask(server))
    checks.check(answer !== undefined, `${what}: no answer in ${patienceMs / 1000} s`)
    if (answer === undefined) continue
    checks.check(isRight(answer, fault), `${what}: ${answer.status}`, answer.body.toString())
    if (answer.status >= 400) checks.told(answer.body.toString(), what)
  }
  peer.fault = undefined
  await healed(checks, `${who} after all faults`, async () => isRight(await ask(server), undefined))
}

async function healed(checks: Checks, what: string, isWell: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + healMs; Date.now() < end; await delay(100)) {
    if (await isWell().catch(() => false)) {
      checks.check(true, '')
      return
    }
  }
  checks.check(false, `${what}: not well again in ${healMs / 1000} s`)
}

/** Reviews are refused unless the peer behaves. */
const refusedUnlessWell =
  (success: number): Sweep['isRight'] =>
  ({ status }, fault) =>
    fault === undefined ? status === success : status >= 400

function kubeconfig({ url, caPem }: FaultyPeer, folder: string): string {
  const file = path.join(folder, 'peer.kubeconfig')
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') }
  writeFileSync(file, kubeconfigFor(cluster, { token: 't' }))
  return file
}

interface ConversionReview {
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly { readonly metadata: { readonly name: string } }[]
  }
}

const conversions: Attack = (checks) =>
  withPeer(checks, {
    answer: (body) => {
      const { uid, desiredAPIVersion, objects } = (body as ConversionReview).request
      const convertedObjects = objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion }))
      const response = { uid, convertedObjects, result: { status: 'Success' } }
      return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response }
    },
    flags: () => [],
    attack: async (setup) => {
      const { peer, server } = setup
      const clientConfig = { url: `${peer.url}/convert`, caBundle: Buffer.from(peer.caPem).toString('base64') }
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }))
      const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
      const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
      await request(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'things.faults.example.com' },
        spec: { group: 'faults.example.com', scope: 'Namespaced', names, versions, conversion },
      })
      const place = (version: string): string => `/apis/faults.example.com/${version}/namespaces/default/things`
      await healed(setup.checks, 'a definition', async () => (await request(server, 'GET', place('v1'))).status === 200)
      let made = 0
      await sweep(setup, {
        who: 'a conversion webhook',
        // Another object each time: what was converted once is remembered.
        ask: async () => {
          const name = `t${made++}`
          await request(server, 'POST', place('v1'), {
            apiVersion: 'faults.example.com/v1',
            kind: 'Thing',
            metadata: { name },
          })
          return request(server, 'GET', `${place('v2')}/${name}`)
        },
        isRight: refusedUnlessWell(200),
      })
      const kept = await request(server, 'GET', place('v1'))
      setup.checks.check(kept.status === 200, `the stored version cannot be read: ${kept.status}`)
    },
  })

const images: Attack = (checks) =>
  withPeer(checks, {
    answer: (body) => ({ ...(body as object), status: { allowed: true } }),
    flags: (peer, folder) => {
      const imagePolicy = {
        kubeConfigFile: kubeconfig(peer, folder),
        allowTTL: 1,
        denyTTL: 1,
        retryBackoff: 1,
        defaultAllow: false,
      }
      const file = path.join(folder, 'admission.json')
      const plugins = [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy } }]
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }),
      )
      return ['--enable-admission-plugins=ImagePolicyWebhook', `--admission-control-config-file=${file}`]
    },
    attack: (setup) => {
      let made = 0
      return sweep(setup, {
        who: 'an image webhook',
        ask: (server) => {
          const spec = { containers: [{ name: 'c', image: `example.com/${made++}` }] }
          return request(server, 'POST', pods, { metadata: { generateName: 'p' }, spec })
        },
        isRight: refusedUnlessWell(201),
      })
    },
  })

/** An answer that waits for its last event is broken off when the request's time is up. */
const brokenOff: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), json: () => undefined as never }

/** Audit guards nothing: whatever becomes of its events, requests go on. */
const audit =
  (mode: 'batch' | 'blocking'): Attack =>
  (checks) =>
    withPeer(checks, {
      answer: () => ({}),
      flags: (peer, folder) => {
        const file = path.join(folder, 'policy.json')
        writeFileSync(
          file,
          JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Request' }] }),
        )
        const webhook = [`--audit-webhook-config-file=${kubeconfig(peer, folder)}`, `--audit-webhook-mode=${mode}`]
        return [`--audit-policy-file=${file}`, ...webhook, '--audit-webhook-initial-backoff=100ms']
      },
      attack: (setup) =>
        sweep(setup, {
          who: `an audit webhook (${mode})`,
          ask: (server) =>
            request(server, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'c' } }).catch(
              () => brokenOff,
            ),
          isRight: (answer, fault) =>
            answer.status === 201 ||
            (fault !== undefined && mode === 'blocking' && (answer.status >= 500 || answer === brokenOff)),
        }),
    })

const issuers: Attack = async (checks) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' }
  let url = ''
  for (const fault of peerFaults) {
    await withPeer(checks, {
      answer: (_, asked) =>
        asked === '/keys'
          ? { keys: [jwk] }
          : { issuer: url, jwks_uri: `${url}/keys`, id_token_signing_alg_values_supported: ['ES256'] },
      flags: (peer, folder) => {
        url = peer.url
        peer.fault = fault
        const ca = path.join(folder, 'issuer.crt')
        writeFileSync(ca, peer.caPem)
        return [`--oidc-issuer-url=${url}`, '--oidc-client-id=a', `--oidc-ca-file=${ca}`, '--oidc-signing-algs=ES256']
      },
      attack: async ({ peer, server }) => {
        const now = Math.floor(Date.now() / 1000)
        const token = signToken({ iss: url, aud: 'a', sub: 'ann', iat: now, exp: now + 600 }, privateKey, 'k')
        const ask = (): Promise<Answer> => asBearer(server, token)
        const answer = await within(patienceMs, ask())
        const what = `an OIDC issuer that ${fault}`
        checks.check(answer?.status === 401, `${what}: ${answer?.status}`, answer?.body.toString() ?? '')
        checks.told(answer?.body.toString() ?? '', what)
        const admin = await within(patienceMs, request(server, 'GET', '/api/v1/namespaces'))
        checks.check(admin?.status === 200, `${what}: others are answered ${admin?.status}`)
        peer.fault = undefined
        await healed(checks, what, async () => (await ask()).status === 403)
      },
    })
  }
}

const aggregated: Attack = (checks) =>
  withPeer(checks, {
    answer: (_, asked) =>
      asked.startsWith('/apis/far.example.com/v1/things')
        ? { kind: 'ThingList', apiVersion: 'far.example.com/v1', metadata: {}, items: [] }
        : { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'far.example.com/v1', resources: [] },
    flags: () => [],
    attack: async (setup) => {
      const { server, peer } = setup
      const port = Number(new URL(peer.url).port)
      await request(server, 'POST', '/api/v1/namespaces/default/services', {
        metadata: { name: 'far' },
        spec: { type: 'ExternalName', externalName: '127.0.0.1' },
      })
      const spec = { group: 'far.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 }
      const service = { name: 'far', namespace: 'default', port }
      await request(server, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: 'v1.far.example.com' },
        spec: { ...spec, insecureSkipTLSVerify: true, service },
      })
      const things = '/apis/far.example.com/v1/things'
      await healed(
        setup.checks,
        'an aggregated server',
        async () => (await request(server, 'GET', things)).status === 200,
      )
      for (const fault of [undefined, ...peerFaults]) {
        peer.fault = fault
        const what = `an aggregated server that ${fault ?? 'behaves'}`
        // Its answer is passed on as it is, broken or not; what it never ends is its client's to leave.
        const answer = await within(
          streamMs,
          request(server, 'GET', things).catch(() => undefined),
        )
        if (answer !== undefined && answer.status >= 500) setup.checks.told(answer.body.toString(), what)
        const own = await within(patienceMs, request(server, 'GET', '/api/v1/namespaces'))
        setup.checks.check(own?.status === 200, `${what}: own resources are answered ${own?.status}`)
        const groups = await within(patienceMs, request(server, 'GET', '/apis'))
        setup.checks.check(groups?.status === 200, `${what}: discovery is answered ${groups?.status}`)
      }
      peer.fault = undefined
      await healed(
        setup.checks,
        'an aggregated server',
        async () => (await request(server, 'GET', things)).status === 200,
      )
    },
  })

const kubelets: Attack = (checks) =>
  withPeer(checks, {
    answer: () => 'a line',
    flags: () => [],
    attack: async (setup) => {
      const { server, peer } = setup
      await request(server, 'POST', '/api/v1/nodes', { metadata: { name: 'near' } })
      const kubeletEndpoint = { Port: Number(new URL(peer.url).port) }
      const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint } }
      const merge = { 'content-type': 'application/merge-patch+json' }
      await request(server, 'PATCH', '/api/v1/nodes/near/status', { status }, merge)
      const spec = { nodeName: 'near', containers: [{ name: 'c', image: 'x' }] }
      await request(server, 'POST', pods, { metadata: { name: 'p' }, spec })
      for (const fault of [undefined, ...peerFaults]) {
        peer.fault = fault
        const what = `a kubelet that ${fault ?? 'behaves'}`
        const answer = await within(
          streamMs,
          request(server, 'GET', `${pods}/p/log`).catch(() => undefined),
        )
        if (answer !== undefined && answer.status >= 500) setup.checks.told(answer.body.toString(), what)
        const own = await within(patienceMs, request(server, 'GET', `${pods}/p`))
        setup.checks.check(own?.status === 200, `${what}: the pod is answered ${own?.status}`)
      }
    },
  })

/** The plugin of the tests as a process, or a socket that answers garbage or nothing. */
async function startPlugin(socket: string): Promise<ChildProcess> {
  rmSync(socket, { force: true })
  const script = path.resolve('test/integration/support/kms-plugin.mjs')
  const child = spawn(process.execPath, [script, socket], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

async function startMute(socket: string, garbage: Buffer | undefined): Promise<net.Server> {
  rmSync(socket, { force: true })
  const mute = net.createServer((connection) => {
    connection.on('error', () => undefined)
    if (garbage !== undefined) connection.write(garbage)
  })
  await new Promise<void>((done) => mute.listen(socket, done))
  return mute
}

const plugins: Attack = async (checks, random) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-faults-'))
  const socket = path.join(folder, 'kms.sock')
  const file = path.join(folder, 'encryption.json')
  const kms = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${socket}`, timeout: '1s' }
  const resources = [{ resources: ['secrets'], providers: [{ kms }] }]
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }),
  )
  let plugin = await startPlugin(socket)
  const server = await startTestServer([...memory, `--encryption-provider-config=${file}`])
  try {
    await request(server, 'POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    const create = (): Promise<Answer> =>
      request(server, 'POST', '/api/v1/namespaces/default/secrets', {
        metadata: { generateName: 's' },
        stringData: { a: 'b' },
      })
    await healed(checks, 'a KMS plugin', async () => (await create()).status === 201)
    const answersInTime = async (what: string): Promise<void> => {
      const answer = await within(patienceMs, create())
      checks.check(answer !== undefined, `${what}: no answer in ${patienceMs / 1000} s`)
      if (answer !== undefined && answer.status >= 400) checks.told(answer.body.toString(), what)
      const other = await within(
        patienceMs,
        request(server, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'c' } }),
      )
      checks.check(other?.status === 201, `${what}: others are answered ${other?.status}`)
    }
    plugin.kill('SIGSTOP')
    await answersInTime('a KMS plugin that is stopped')
    plugin.kill('SIGCONT')
    await healed(checks, 'a KMS plugin that goes on', async () => (await create()).status === 201)
    plugin.kill('SIGKILL')
    await once(plugin, 'exit')
    await answersInTime('a KMS plugin that is gone')
    const garbage = Buffer.from(Array.from({ length: 200 }, () => random.below(256)))
    for (const [what, bytes] of [
      ['is mute', undefined],
      ['answers garbage', garbage],
    ] as const) {
      const mute = await startMute(socket, bytes)
      await answersInTime(`a KMS plugin that ${what}`)
      mute.close()
    }
    plugin = await startPlugin(socket)
    await healed(checks, 'a KMS plugin that is back', async () => (await create()).status === 201)
  } finally {
    plugin.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const peerAttacks: Readonly<Record<string, Attack>> = {
  conversions,
  images,
  'batch-audit': audit('batch'),
  'blocking-audit': audit('blocking'),
  issuers,
  aggregated,
  kubelets,
  'kms-plugins': plugins,
}
