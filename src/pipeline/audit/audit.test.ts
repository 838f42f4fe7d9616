import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditPolicy, AuditRule } from '../../api/audit-policy.ts'
import type { JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { pathRequest, resourceRequest, user } from '../../auth/testing/attributes.ts'
import { FakeClock } from '../../auth/testing/fake-clock.ts'
import { encodeJsonInSteps } from '../../codec/json-in-steps.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { BufferedSink } from './buffered-sink.ts'
import { AuditEvent } from './event.ts'
import { LogSink } from './log-sink.ts'
import { auditDecision } from './policy.ts'
import { AuditRecorder, type AuditRecorderOptions } from './recorder.ts'
import { type AuditSink, ignoringErrors, truncating, unionSink } from './sink.ts'
import { sourceIps } from './source-ips.ts'
import { webhookSink } from './webhook-sink.ts'

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
    [{ resources: [{ group: '*', resources: ['pods'], resourceNames: [] }] }, pods, true],
    [{ resources: [{ group: '*', resources: ['nodes'], resourceNames: [] }] }, pods, false],
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

const event = (fields: JsonObject, requestObject?: string): AuditEvent =>
  new AuditEvent({ head: fields, requestObject, responseObject: undefined, times: { at: 1 }, annotations: {} })
const parsed = (one: AuditEvent): JsonObject => JSON.parse(one.text) as JsonObject

const memory = (answer: Awaitable<boolean> = true) => {
  const events: JsonObject[] = []
  const sink: AuditSink = {
    process: (given) => {
      events.push(...given.map(parsed))
      return answer
    },
    close: () => Promise.resolve(),
  }
  return { events, sink }
}

const silent = { level: () => {}, event: () => {}, rejected: () => {} }

describe('AuditRecorder', () => {
  const request = {
    auditId: 'id',
    uri: '/api/v1/namespaces/ns/pods/p?x=1',
    attributes: pods,
    userAgent: 'kubectl',
    sourceIps: ['10.0.0.1'],
  }
  const options = (of: AuditPolicy, sink: AuditSink, clock = new FakeClock()): AuditRecorderOptions => ({
    policy: of,
    sink,
    clock,
    encode: (value) => JSON.stringify(value),
    encodeInSteps: encodeJsonInSteps,
    observer: silent,
  })

  it('records each stage with what the level allows', () => {
    const { events, sink } = memory()
    const recorder = AuditRecorder.of(
      options({ ...policy(rule({ level: 'Request' })), omitManagedFields: true }, sink),
      request,
    )
    void recorder?.received()
    recorder?.annotate('authorization.k8s.io/decision', 'allow')
    recorder?.annotate('authorization.k8s.io/decision', 'forbid')
    recorder?.impersonatedAs(user('bob'))
    const object = { metadata: { name: 'p', uid: 'u', managedFields: [] }, spec: {} }
    recorder?.requestObject(object)
    Object.assign(object.spec, { changed: 'later' })
    recorder?.responseObject({ kind: 'Pod' })
    void recorder?.complete(200)
    void recorder?.complete(500)
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete'])
    expect(events[0]).not.toHaveProperty('annotations')
    expect(Object.entries(events[1] ?? {})).toEqual(
      Object.entries({
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
      }),
    )
  })
  it.each(['None', 'Metadata', 'Request', 'RequestResponse'] as const)('records the same in steps: %s', (level) => {
    const { events, sink } = memory()
    const ways: ((recorder: AuditRecorder, object: JsonObject, answer: JsonObject) => void)[] = [
      (recorder, object, answer) => {
        recorder.requestObject(object)
        recorder.responseObject(answer)
      },
      (recorder, object, answer) => {
        runToEnd(recorder.requestObjectInSteps(object))
        runToEnd(recorder.responseObjectInSteps(answer))
      },
    ]
    for (const record of ways) {
      const recorder = AuditRecorder.of(options({ ...policy(rule({ level })), omitManagedFields: true }, sink), request)
      const object = { metadata: { name: 'p', uid: 'u', managedFields: [] }, spec: {} }
      if (recorder !== undefined) record(recorder, object, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
      void recorder?.complete(200)
    }
    expect(events.length).toBe(level === 'None' ? 0 : 2)
    expect(events[1]).toEqual(events[0])
  })

  it('tells how a request ended', () => {
    const ends: [(recorder: AuditRecorder) => void, JsonObject][] = [
      [(recorder) => recorder.complete(0), { status: 'Success', message: 'Connection closed early', code: 200 }],
      [
        (recorder) => recorder.panicked('boom'),
        { status: 'Failure', message: "APIServer panic'd: boom", reason: 'InternalError', code: 500 },
      ],
      [
        (recorder) => {
          recorder.responseObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', unbounded: 1 })
          void recorder.complete(200)
        },
        { status: 'Success', code: 200 },
      ],
    ]
    for (const [end, status] of ends) {
      const { events, sink } = memory()
      const recorder = AuditRecorder.of(options(policy(rule({})), sink), request)
      if (recorder === undefined) throw new Error('not recorded')
      end(recorder)
      expect(events[0]?.['responseStatus']).toEqual({ metadata: {}, ...status })
    }
  })
  it('leaves managed fields out of lists and tables, and says how slow a request was', () => {
    const { events, sink } = memory()
    const clock = new FakeClock()
    const all = { ...policy(rule({ level: 'RequestResponse', omitManagedFields: true })) }
    const recorder = AuditRecorder.of(options(all, sink, clock), request)
    const object = { metadata: { managedFields: [], name: 'a' } }
    recorder?.responseObject({ kind: 'Table', items: [object], rows: [{ cells: [1], object }] })
    clock.advance(1500)
    void recorder?.complete(200)
    expect(events[0]?.['responseObject']).toEqual({
      kind: 'Table',
      items: [{ metadata: { name: 'a' } }],
      rows: [{ cells: [1], object: { metadata: { name: 'a' } } }],
    })
    expect(events[0]?.['annotations']).toMatchObject({ 'apiserver.latency.k8s.io/total': '1.5s' })
  })
  it('is not there when nothing is recorded', () => {
    expect(AuditRecorder.of(options(policy(rule({ level: 'None' })), memory().sink), request)).toBeUndefined()
  })
})

describe('sourceIps', () => {
  it.each<[string | undefined, string | undefined, string, string[]]>([
    ['1.2.3.4, evil, ::1', '5.6.7.8', '10.0.0.1', ['1.2.3.4', '::1', '5.6.7.8', '10.0.0.1']],
    ['1.2.3.4', '1.2.3.4', '::ffff:1.2.3.4', ['1.2.3.4']],
    [undefined, undefined, '10.0.0.1', ['10.0.0.1']],
    [undefined, undefined, '', []],
  ])('%s %s %s', (forwarded, real, peer, expected) => {
    expect(sourceIps(forwarded, real, peer)).toEqual(expected)
  })
})

describe('sinks', () => {
  it('leave out bodies that are too large, and events that are too large without them', () => {
    const { events, sink } = memory()
    const lost: unknown[] = []
    const small = truncating(sink, 150, (...what) => lost.push(what))
    void small.process([event({ a: 1 })])
    void small.process([event({ a: 1 }, `"${'x'.repeat(200)}"`), event({ a: 'x'.repeat(200) })])
    expect(events.map(({ a, annotations }) => [a, annotations])).toEqual([
      [1, undefined],
      [1, { 'audit.k8s.io/truncated': 'true' }],
    ])
    expect(lost).toEqual([['truncate', 'event is too large even after truncating', 1]])
  })
  it('answer for each other', async () => {
    const [good, bad, late] = [memory().sink, memory(false).sink, memory(Promise.resolve(false)).sink]
    expect(unionSink([good, good]).process([])).toBe(true)
    expect(unionSink([good, bad]).process([])).toBe(false)
    expect(await unionSink([good, late]).process([])).toBe(false)
    expect(ignoringErrors(bad).process([])).toBe(true)
    expect(await ignoringErrors(late).process([])).toBe(true)
  })
  it('has an old form', () => {
    const head = {
      auditID: 'i',
      stage: 'S',
      verb: 'get',
      user: { username: 'ann', groups: ['a', 'b'] },
      requestURI: '/x',
    }
    const line = new AuditEvent({
      head,
      requestObject: undefined,
      responseObject: undefined,
      times: { requestReceivedTimestamp: 'T' },
      annotations: {},
    }).legacyLine
    expect(line).toBe(
      'T AUDIT: id="i" stage="S" ip="<unknown>" method="get" user="ann" groups="\\"a\\",\\"b\\"" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/x" response="<deferred>"',
    )
  })
})

describe('LogSink', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const options = {
    format: 'json' as const,
    maxSizeMegabytes: 1,
    maxAgeDays: 1,
    maxBackups: 2,
    compress: false,
    onLost: () => {
      throw new Error('lost')
    },
  }
  const half = (i: number) => event({ text: 'x'.repeat(600_000), i })

  it('writes lines and rotates by size, age and number', async () => {
    const clock = new FakeClock()
    const path = join(folder, 'new/audit.log')
    const sink = new LogSink({ ...options, path, clock })
    for (let i = 0; i < 5; i++) {
      clock.advance(1000)
      expect(sink.process([half(i)])).toBe(true)
    }
    expect(readdirSync(join(folder, 'new')).sort()).toEqual([
      'audit-2025-01-01T00-00-04.000.log',
      'audit-2025-01-01T00-00-05.000.log',
      'audit.log',
    ])
    expect(JSON.parse(readFileSync(path, 'utf8'))['i']).toBe(4)
    clock.advance(3 * 86_400_000)
    sink.process([half(5)])
    expect(readdirSync(join(folder, 'new'))).toHaveLength(2)
    await sink.close()
  })
  it('compresses what was rotated', async () => {
    const clock = new FakeClock()
    const sink = new LogSink({ ...options, path: join(folder, 'audit.log'), compress: true, clock })
    for (let i = 0; i < 4; i++) {
      clock.advance(1000)
      sink.process([half(i)])
    }
    await sink.close()
    const compressed = readdirSync(folder).filter((name) => name.endsWith('.gz'))
    expect(compressed).toEqual(['audit-2025-01-01T00-00-03.000.log.gz', 'audit-2025-01-01T00-00-04.000.log.gz'])
    expect(gunzipSync(readFileSync(join(folder, compressed[0] ?? ''))).toString()).toContain('"i":1')
  })
  it('refuses to start without its file, and says when it loses events', () => {
    const lost: string[] = []
    const given = { ...options, clock: new FakeClock(), onLost: (plugin: string) => lost.push(plugin) }
    expect(() => new LogSink({ ...given, path: folder })).toThrow()
    if (process.platform !== 'linux') return
    expect(new LogSink({ ...given, path: '/dev/full' }).process([event({})])).toBe(false)
    expect(lost).toEqual(['log'])
  })
})

describe('BufferedSink', () => {
  const setUp = (more: object = {}) => {
    const clock = new FakeClock()
    const batches: string[] = []
    const lost: [string, string, number][] = []
    let fail = false
    const client = {
      deliver: async (text: string) => {
        if (fail) throw new Error('down')
        batches.push(text)
      },
      close: () => {},
    }
    const onLost = (plugin: string, why: string, count: number) => lost.push([plugin, why, count])
    const batch = { bufferSize: 10, maxBatchSize: 3, maxWaitMs: 100, throttle: undefined, ...more }
    const sink = new BufferedSink(webhookSink(client, onLost), batch, { clock, onLost })
    const sent = () => batches.map((text) => JSON.parse(text).items.map((item: { i: number }) => item.i))
    return {
      clock,
      lost,
      sink,
      sent,
      breakIt: () => {
        fail = true
      },
    }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  it('sends full batches at once and the rest after a while', async () => {
    const { clock, sink, sent } = setUp()
    for (let i = 0; i < 4; i++) sink.process([event({ i })])
    expect(sent()).toEqual([[0, 1, 2]])
    clock.advance(100)
    expect(sent()).toEqual([[0, 1, 2], [3]])
    sink.process([event({ i: 4 })])
    await sink.close()
    expect(sent()).toEqual([[0, 1, 2], [3], [4]])
  })
  it('sends no more than the throttle allows, and loses what does not fit', () => {
    const { clock, sink, sent, lost } = setUp({ maxBatchSize: 1, bufferSize: 3, throttle: { qps: 10, burst: 2 } })
    for (let i = 0; i < 6; i++) sink.process([event({ i })])
    expect(sent()).toEqual([[0], [1]])
    expect(lost).toEqual([['buffered', 'audit buffer queue blocked', 1]])
    clock.advance(100)
    expect(sent()).toEqual([[0], [1], [2]])
    clock.advance(300)
    expect(sent()).toEqual([[0], [1], [2], [3], [4]])
  })
  it('says what could not be delivered', async () => {
    const { sink, lost, breakIt } = setUp()
    breakIt()
    for (let i = 0; i < 3; i++) sink.process([event({ i })])
    await settle()
    await sink.close()
    sink.process([event({})])
    expect(lost).toEqual([
      ['webhook', 'down', 3],
      ['buffered', 'audit backend shut down', 1],
    ])
  })
})
