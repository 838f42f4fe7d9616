import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditPolicy, AuditRule } from '../../api/audit-policy.ts'
import type { JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { pathRequest, resourceRequest, user } from '../../auth/testing/attributes.ts'
import { FakeClock } from '../../auth/testing/fake-clock.ts'
import { type AuditBackend, truncating } from './backend.ts'
import { LogBackend } from './log-backend.ts'
import { auditDecision } from './policy.ts'
import { AuditRecorder, auditIdOf, sourceIps } from './recorder.ts'
import { WebhookBackend } from './webhook-backend.ts'

const rule = (more: Partial<AuditRule>): AuditRule => ({
  level: 'Metadata',
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: undefined,
  ...more,
})
const policy = (...rules: AuditRule[]): AuditPolicy => ({ rules, omitStages: [], omitManagedFields: false })
const ann = user('ann', 'devs')
const pods = resourceRequest(ann, { resource: 'pods', namespace: 'ns', name: 'p' })
const log = resourceRequest(ann, { resource: 'pods', subresource: 'log', namespace: 'ns', name: 'p' })

describe('auditDecision', () => {
  it.each<[Partial<AuditRule>, RequestAttributes, boolean]>([
    [{}, pods, true],
    [{ users: ['bob'] }, pods, false],
    [{ userGroups: ['devs', 'x'] }, pods, true],
    [{ verbs: ['list'] }, pods, false],
    [{ namespaces: ['ns'] }, pods, true],
    [{ namespaces: ['ns'] }, pathRequest(ann, '/x'), false],
    [{ resources: [{ group: '', resources: [], resourceNames: [] }] }, pods, true],
    [{ resources: [{ group: 'apps', resources: [], resourceNames: [] }] }, pods, false],
    [{ resources: [{ group: '', resources: ['pods'], resourceNames: [] }] }, log, false],
    [{ resources: [{ group: '', resources: ['pods/*'], resourceNames: [] }] }, log, true],
    [{ resources: [{ group: '', resources: ['*/log'], resourceNames: ['p'] }] }, log, true],
    [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }, pods, false],
    [{ nonResourceURLs: ['/health*'] }, pathRequest(ann, '/healthz'), true],
    [{ nonResourceURLs: ['/health*'] }, pathRequest(ann, '/x'), false],
    [{ nonResourceURLs: ['*'] }, pods, false],
  ])('%j', (more, attributes, matches) => {
    expect(auditDecision(policy(rule(more)), attributes).level).toBe(matches ? 'Metadata' : 'None')
  })
  it('takes the first rule and all omitted stages', () => {
    const two = {
      ...policy(
        rule({ level: 'None', users: ['bob'] }),
        rule({ level: 'Request', omitStages: ['Panic'], omitManagedFields: true }),
      ),
      omitStages: ['RequestReceived' as const],
    }
    expect(auditDecision(two, pods)).toEqual({
      level: 'Request',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: true,
    })
  })
})

const memory = () => {
  const events: JsonObject[] = []
  const backend: AuditBackend = { write: (event) => events.push(event), close: () => Promise.resolve() }
  return { events, backend }
}

describe('AuditRecorder', () => {
  const request = {
    auditId: 'id',
    uri: '/api/v1/namespaces/ns/pods/p?x=1',
    attributes: pods,
    userAgent: 'kubectl',
    sourceIps: ['10.0.0.1'],
  }
  it('records each stage with what the level allows', () => {
    const { events, backend } = memory()
    const annotations = new Map<string, string>()
    const options = {
      policy: { ...policy(rule({ level: 'Request' })), omitManagedFields: true },
      backends: [backend],
      clock: new FakeClock(),
    }
    const recorder = AuditRecorder.begin(options, request, annotations)
    annotations.set('authorization.k8s.io/decision', 'allow')
    recorder?.impersonatedAs(user('bob'))
    recorder?.requestObject({ metadata: { name: 'p', uid: 'u', managedFields: [] }, spec: {} })
    recorder?.complete({ code: 200, object: { kind: 'Pod' } })
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete'])
    expect(events[0]).not.toHaveProperty('annotations')
    expect(events[1]).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Request',
      auditID: 'id',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces/ns/pods/p?x=1',
      verb: 'get',
      user: { username: 'ann', groups: ['devs'] },
      impersonatedUser: { username: 'bob' },
      sourceIPs: ['10.0.0.1'],
      userAgent: 'kubectl',
      objectRef: { resource: 'pods', namespace: 'ns', name: 'p', uid: 'u', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestObject: { metadata: { name: 'p', uid: 'u' }, spec: {} },
      requestReceivedTimestamp: '2025-01-01T00:00:00.000000Z',
      stageTimestamp: '2025-01-01T00:00:00.000000Z',
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    })
  })
  it('is not there when nothing is recorded', () => {
    const { backend } = memory()
    expect(
      AuditRecorder.begin(
        { policy: policy(rule({ level: 'None' })), backends: [backend], clock: new FakeClock() },
        request,
        new Map(),
      ),
    ).toBeUndefined()
  })
  it('names requests and where they came from', () => {
    const clock = new FakeClock()
    expect(auditIdOf('given', clock)).toBe('given')
    expect(auditIdOf('x'.repeat(65), clock)).toMatch(/^0000/)
    expect(sourceIps('1.2.3.4, evil, ::1', '5.6.7.8', '10.0.0.1')).toEqual(['1.2.3.4', '::1', '5.6.7.8', '10.0.0.1'])
    expect(sourceIps(undefined, undefined, '10.0.0.1')).toEqual(['10.0.0.1'])
  })
  it('leaves out bodies that are too large', () => {
    const { events, backend } = memory()
    const small = truncating(backend, { maxEventSize: 120 })
    small.write({ a: 1 })
    small.write({ a: 1, requestObject: 'x'.repeat(200) })
    small.write({ a: 'x'.repeat(200) })
    expect(events).toEqual([{ a: 1 }, { a: 1, annotations: { 'audit.k8s.io/truncated': 'true' } }])
  })
})

describe('LogBackend', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('writes lines and rotates by size, age and number', async () => {
    const clock = new FakeClock()
    const path = join(folder, 'audit.log')
    const backend = new LogBackend({
      path,
      maxSizeMegabytes: 1,
      maxAgeDays: 1,
      maxBackups: 2,
      clock,
      onDropped: (error) => {
        throw error
      },
    })
    const half = { text: 'x'.repeat(600_000) }
    for (let i = 0; i < 5; i++) {
      clock.advance(1000)
      backend.write({ ...half, i })
    }
    expect(readdirSync(folder).sort()).toEqual([
      'audit-2025-01-01T00-00-04.000.log',
      'audit-2025-01-01T00-00-05.000.log',
      'audit.log',
    ])
    expect(JSON.parse(readFileSync(path, 'utf8'))['i']).toBe(4)
    clock.advance(3 * 86_400_000)
    backend.write(half)
    expect(readdirSync(folder)).toHaveLength(2)
    await backend.close()
  })
  it('refuses to start without its file', () => {
    expect(
      () =>
        new LogBackend({
          path: join(folder, 'none/audit.log'),
          maxSizeMegabytes: 0,
          maxAgeDays: 0,
          maxBackups: 0,
          clock: new FakeClock(),
          onDropped: () => {},
        }),
    ).toThrow()
  })
})

describe('WebhookBackend', () => {
  const setUp = (bufferSize = 10) => {
    const clock = new FakeClock()
    const batches: unknown[][] = []
    const dropped: [number, string][] = []
    let fail = false
    const release: (() => void)[] = []
    const client = {
      post: async (body: JsonObject) => {
        await new Promise<void>((resolve) => release.push(resolve))
        if (fail) throw new Error('down')
        batches.push(body['items'] as unknown[])
        return {}
      },
      close: () => {},
    }
    const backend = new WebhookBackend({
      client,
      bufferSize,
      maxBatchSize: 3,
      maxWaitMs: 100,
      clock,
      onDropped: (count, why) => dropped.push([count, why]),
    })
    const settle = async () => {
      for (let i = 0; i < 10; i++) {
        release.splice(0).forEach((go) => {
          go()
        })
        await Promise.resolve()
      }
    }
    return {
      clock,
      batches,
      dropped,
      backend,
      settle,
      breakIt: () => {
        fail = true
      },
    }
  }
  const events = (batches: unknown[][]) => batches.map((batch) => batch.map((event) => (event as { i: number }).i))

  it('sends full batches at once and the rest after a while', async () => {
    const { clock, batches, backend, settle } = setUp()
    for (let i = 0; i < 4; i++) backend.write({ i })
    await settle()
    expect(events(batches)).toEqual([[0, 1, 2]])
    clock.advance(100)
    await settle()
    expect(events(batches)).toEqual([[0, 1, 2], [3]])
  })
  it('drops when it is full or cannot send, and empties itself at the end', async () => {
    const { batches, dropped, backend, settle } = setUp(4)
    for (let i = 0; i < 9; i++) backend.write({ i })
    expect(dropped).toEqual([
      [1, 'audit buffer queue blocked'],
      [1, 'audit buffer queue blocked'],
    ])
    const closed = backend.close()
    await settle()
    await closed
    expect(events(batches)).toEqual([[0, 1, 2], [3, 4, 5], [6]])
    const other = setUp()
    other.breakIt()
    for (let i = 0; i < 3; i++) other.backend.write({ i })
    await other.settle()
    expect(other.dropped).toEqual([[3, 'down']])
  })
})
