/**
 * Lets what the server depends on fail: webhooks, issuers and authorizers that hang or answer nonsense, an etcd that goes
 * away, clocks that jump, configuration files that are replaced by garbage. Invariants: whatever guards a request refuses it
 * when it cannot be asked (unless told to let it pass), every request is answered in bounded time, nothing that was
 * acknowledged is lost, everything works again once the fault is gone, and no error of the engine is told.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { type Answer, call, startTestServer, type TestServer } from '../integration/support/test-server.ts'
import { kubeconfigFor } from '../support/kubeconfig.ts'
import { Checks, within } from './faults/checks.ts'
import { type LinkFault, startFaultyLink } from './faults/faulty-link.ts'
import { type FaultyPeer, peerFaults, startFaultyPeer } from './faults/faulty-peer.ts'
import { peerAttacks } from './faults/peers.ts'
import { mutatedBytes } from './fuzz/byte-mutations.ts'
import type { HarnessRun } from './harness.ts'
import { type Random, seededRandom } from './random.ts'

const memory = ['--store', 'memory', '--disable-admission-plugins=ServiceAccount']
const configMaps = '/api/v1/namespaces/default/configmaps'
/** A fault may keep a request for as long as its own limit, and a little. */
const patience = 20_000

export const run: HarnessRun = async ({ seconds, seed, part, log }) => {
  const checks = new Checks(log)
  const random = seededRandom(seed)
  const end = Date.now() + seconds * 1000
  const all: Readonly<Record<string, (checks: Checks, random: Random) => Promise<void>>> = {
    'admission-webhooks': admissionWebhooks,
    'access-webhooks': accessWebhooks,
    reloads,
    'clock-jumps': clockJumps,
    'store-links': storeLinks,
    ...peerAttacks,
  }
  const attacks = Object.entries(all).filter(([name]) => part === undefined || name === part)
  if (attacks.length === 0) throw new Error(`faults has no part ${part}; it has ${Object.keys(all).join(', ')}`)
  let rounds = 0
  do {
    for (const [name, attack] of attacks) {
      await attack(checks, random.fork()).catch((error: unknown) =>
        checks.check(false, `${name} threw`, error instanceof Error ? error.stack : String(error)),
      )
    }
    rounds++
  } while (Date.now() < end)
  return {
    passed: checks.passed,
    failed: checks.failed,
    figures: { rounds, checks: checks.passed + checks.failed.length, 'kinds of wrong answers': peerFaults.length },
  }
}

/** A webhook that must be asked refuses what it cannot judge; one that may be left out lets it pass. */
async function admissionWebhooks(checks: Checks): Promise<void> {
  const peer = await startFaultyPeer((review) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: (review as { request: { uid: string } }).request.uid, allowed: true },
  }))
  const server = await startTestServer(memory)
  try {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    for (const failurePolicy of ['Fail', 'Ignore']) {
      for (const kind of ['Validating', 'Mutating']) await webhookFaults(checks, { peer, server, failurePolicy, kind })
    }
  } finally {
    await server.close()
    await peer.close()
  }
}

interface WebhookSetup {
  readonly peer: FaultyPeer
  readonly server: TestServer
  readonly failurePolicy: string
  readonly kind: string
}

async function webhookFaults(checks: Checks, { peer, server, failurePolicy, kind }: WebhookSetup): Promise<void> {
  const configurations = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`
  const webhook = {
    name: 'faulty.example.com',
    failurePolicy,
    timeoutSeconds: 1,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { url: `${peer.url}/hook`, caBundle: Buffer.from(peer.caPem).toString('base64') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
  }
  await server.call('POST', configurations, { metadata: { name: 'faulty' }, webhooks: [webhook] })
  const expected = failurePolicy === 'Fail' ? (status: number) => status >= 400 : (status: number) => status === 201
  for (const fault of [undefined, ...peerFaults]) {
    peer.fault = fault
    const what = `${kind} webhook (${failurePolicy}) that ${fault ?? 'behaves'}`
    const answer = await answered(checks, what, () =>
      server.call('POST', '/api/v1/namespaces/default/secrets', { metadata: { generateName: 'a' } }),
    )
    if (answer === undefined) continue
    checks.check(
      fault === undefined ? answer.status === 201 : expected(answer.status),
      `${what}: ${answer.status}`,
      answer.body.toString(),
    )
    checks.told(answer.body.toString(), what)
  }
  peer.fault = undefined
  await server.call('DELETE', `${configurations}/faulty`)
}

/** Authorizers and authenticators that fail let nobody in. */
async function accessWebhooks(checks: Checks): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-faults-'))
  const peer = await startFaultyPeer((review) => ({
    ...(review as object),
    status: { allowed: true, authenticated: true, user: { username: 'known', groups: [] } },
  }))
  const file = path.join(folder, 'peer.kubeconfig')
  writeFileSync(
    file,
    kubeconfigFor(
      { server: peer.url, 'certificate-authority-data': Buffer.from(peer.caPem).toString('base64') },
      { token: 't' },
    ),
  )
  const flags = [
    ...memory,
    `--authorization-mode=Webhook`,
    `--authorization-webhook-config-file=${file}`,
    `--authentication-token-webhook-config-file=${file}`,
    '--authorization-webhook-cache-authorized-ttl=0s',
    '--authorization-webhook-cache-unauthorized-ttl=0s',
    '--authentication-token-webhook-cache-ttl=0s',
    '--authorization-webhook-version=v1',
    '--authentication-token-webhook-version=v1',
    '--request-timeout=5s',
  ]
  const server = await startTestServer(flags)
  try {
    for (const fault of [undefined, ...peerFaults]) {
      peer.fault = fault
      await accessFault(checks, server, fault)
    }
  } finally {
    peer.fault = undefined
    await server.close()
    await peer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function accessFault(checks: Checks, server: TestServer, fault: string | undefined): Promise<void> {
  const what = `access webhook that ${fault ?? 'behaves'}`
  const asked = { 'impersonate-user': 'somebody' }
  const answer = await answered(checks, what, () =>
    send(server, { method: 'GET', path: '/api/v1/secrets', headers: asked }),
  )
  if (answer === undefined) return
  checks.check(
    fault === undefined ? answer.status === 200 : answer.status >= 400,
    `${what}: ${answer.status}`,
    answer.body.toString(),
  )
  checks.told(answer.body.toString(), what)
}

/** A file that cannot be read leaves what was read before in force. */
async function reloads(checks: Checks, random: Random): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-faults-'))
  const authentication = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  }
  const authorization = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [{ type: 'RBAC', name: 'rbac' }],
  }
  const encryption = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [
          { aescbc: { keys: [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }] } },
          { identity: {} },
        ],
      },
    ],
  }
  const files = { authentication, authorization, encryption }
  const place = (name: string): string => path.join(folder, `${name}.json`)
  for (const [name, value] of Object.entries(files)) writeFileSync(place(name), JSON.stringify(value))
  const server = await startTestServer([
    ...memory,
    `--authentication-config=${place('authentication')}`,
    `--authorization-config=${place('authorization')}`,
    `--encryption-provider-config=${place('encryption')}`,
    '--encryption-provider-config-automatic-reload',
  ])
  try {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    await server.call('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 'kept' },
      stringData: { a: 'b' },
    })
    for (let i = 0; i < 20; i++) {
      const [name, value] = random.pick(Object.entries(files))
      const text = Buffer.from(JSON.stringify(value))
      const broken = random.pick([
        Buffer.alloc(0),
        Buffer.from('null'),
        Buffer.from('{}'),
        text.subarray(0, random.below(text.length)),
        Buffer.concat([text.subarray(0, 5), mutatedBytes(random, Buffer.from('{{{'))]),
      ])
      replace(place(name), broken)
      await delay(50)
      await stillGuarded(
        checks,
        server,
        `${name} configuration replaced by ${JSON.stringify(broken.toString('latin1')).slice(0, 200)}`,
      )
      replace(place(name), text)
    }
    await stillGuarded(checks, server, 'configurations put back')
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As editors and volumes do: another file takes the name. */
function replace(file: string, content: Buffer): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

async function stillGuarded(checks: Checks, server: TestServer, what: string): Promise<void> {
  const kept = await answered(checks, what, () => server.call('GET', '/api/v1/namespaces/default/secrets/kept'))
  checks.check(kept?.status === 200, `${what}: a secret cannot be read: ${kept?.status}`, kept?.body.toString() ?? '')
  const stranger = await answered(checks, what, () =>
    server.call('GET', '/api/v1/secrets', undefined, { 'impersonate-user': 'stranger' }),
  )
  checks.check(stranger?.status === 403, `${what}: a stranger is answered ${stranger?.status}`)
}

/** Time may run backwards or leap: writes go on, versions grow, watches tell everything once. */
async function clockJumps(checks: Checks, random: Random): Promise<void> {
  let offset = 0
  const clock: Clock = {
    now: () => systemClock.now() + offset,
    setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms),
    random: () => systemClock.random(),
    uuid: () => systemClock.uuid(),
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-faults-'))
  // Certificates have a beginning and an end; a token of a file has none.
  const tokens = path.join(folder, 'tokens.csv')
  writeFileSync(tokens, 'timeless,admin,admin,"system:masters"\n')
  const headers = { authorization: 'Bearer timeless' }
  const server = await startTestServer([...memory, `--token-auth-file=${tokens}`], clock)
  try {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    const watch = await server.watch('/api/v1/namespaces/default/configmaps?watch=1')
    const versions: number[] = []
    for (let i = 0; i < 30; i++) {
      offset += random.pick([0, 3_600_000, -3_600_000, 86_400_000, -86_400_000, 1, -1])
      const answer = await answered(checks, 'a write after a jump of the clock', () =>
        server.call('POST', configMaps, { metadata: { name: `c${i}` } }, headers),
      )
      checks.check(
        answer?.status === 201,
        `a write after a jump of the clock: ${answer?.status}`,
        answer?.body.toString() ?? '',
      )
      if (answer?.status === 201) versions.push(Number(answer.json().metadata.resourceVersion))
    }
    checks.check(
      versions.every((version, i) => i === 0 || version > (versions[i - 1] as number)),
      'versions do not grow when the clock jumps',
      versions.join(),
    )
    const events = await watch.until((seen) => seen.length >= versions.length)
    const told = events.map(({ object }) => Number(object.metadata.resourceVersion))
    checks.check(
      told.join() === versions.join(),
      'a watch missed or repeated an event when the clock jumped',
      `${told.join()}\n${versions.join()}`,
    )
    watch.close()
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** etcd behind a link that fails: acknowledged writes stay, everything is answered in time, and all is well again afterwards. */
async function storeLinks(checks: Checks, random: Random): Promise<void> {
  const etcd = await EtcdCluster.start()
  const link = await startFaultyLink(etcd.members[0]?.ports.client ?? 0)
  const server = await startTestServer([
    '--store=etcd',
    `--etcd-servers=http://127.0.0.1:${link.port}`,
    '--disable-admission-plugins=ServiceAccount',
    '--request-timeout=5s',
  ])
  const acknowledged = new Map<string, string>()
  try {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
    for (const fault of [undefined, 'stalled', 'cut', 'refused', 'garbage'] satisfies (LinkFault | undefined)[]) {
      link.fault(fault)
      for (let i = 0; i < 3; i++)
        await writeOver(checks, server, { fault, acknowledged, name: `w${random.below(1e9)}` })
      link.fault(undefined)
      await healed(checks, server, fault)
    }
    for (const [name, value] of acknowledged) {
      const answer = await send(server, { method: 'GET', path: `${configMaps}/${name}` })
      checks.check(
        answer.status === 200 && answer.json().data.value === value,
        `the acknowledged write ${name} is lost: ${answer.status}`,
      )
    }
  } finally {
    await server.close()
    await link.close()
    await etcd.stop()
  }
}

interface LinkWrite {
  readonly fault: LinkFault | undefined
  readonly acknowledged: Map<string, string>
  readonly name: string
}

async function writeOver(checks: Checks, server: TestServer, { fault, acknowledged, name }: LinkWrite): Promise<void> {
  const what = `a write while the link to etcd is ${fault ?? 'up'}`
  const answer = await answered(checks, what, () =>
    send(server, { method: 'POST', path: configMaps, body: { metadata: { name }, data: { value: name } } }),
  )
  if (answer?.status === 201) acknowledged.set(name, name)
  if (answer !== undefined) checks.told(answer.body.toString(), what)
}

async function healed(checks: Checks, server: TestServer, fault: LinkFault | undefined): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await delay(200)) {
    const probe = { method: 'POST', path: `${configMaps}?dryRun=All`, body: { metadata: { name: 'probe' } } }
    const { status } = await send(server, probe)
    const read = await send(server, { method: 'GET', path: configMaps })
    if (status === 201 && read.status === 200) {
      checks.check(true, '')
      return
    }
  }
  checks.check(false, `writes do not work a minute after the link to etcd was ${fault ?? 'up'}`)
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Over a connection of its own: faults may end connections. */
async function send(server: TestServer, { method, path: to, body, headers }: Asked): Promise<Answer> {
  const session = server.connect()
  try {
    return await call(session, { method, path: to, body, headers })
  } finally {
    session.destroy()
  }
}

/** The answer, if it comes in bounded time. */
async function answered(checks: Checks, what: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  const answer = await within(patience, ask())
  checks.check(answer !== undefined, `${what}: no answer in ${patience / 1000} s`)
  return answer
}
