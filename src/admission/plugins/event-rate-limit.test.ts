/** How many events are let through: by what they are counted, what is left later, and for how many keys. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import { ManualClock } from '../../store/testing/manual-clock.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { eventRateLimit } from './event-rate-limit.ts'

interface Sent {
  readonly user?: string
  readonly namespace?: string
  readonly about?: JsonObject
  readonly source?: JsonObject
  readonly dryRun?: boolean
}

function limiter(...limits: JsonObject[]) {
  const clock = new ManualClock()
  const { validate } = eventRateLimit({ limits }, clock)
  /** Undefined, or the refusal. */
  const send = ({ user = 'u', namespace = 'ns', about = {}, source = {}, dryRun = false }: Sent = {}) => {
    const request: AdmissionRequest = testRequest({
      resource: { group: '', version: 'v1', resource: 'events' },
      namespace,
      dryRun,
      user: { name: user, groups: [], extra: new Map() },
      object: testObject('Event', 'e', { involvedObject: about, source }),
    })
    try {
      void validate?.(request)
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return `${error.code} ${error.status.reason} ${error.message}`
    }
  }
  return { clock, send }
}

const limit = (type: string, more: JsonObject = {}): JsonObject => ({ type, qps: 1, burst: 2, ...more })
const refused = (...reasons: string[]): string =>
  `429 TooManyRequests Too many requests: ${reasons.length === 1 ? reasons[0] : `[${reasons.join(', ')}]`}`
const reached = (type: string, key: string): string => `limit reached on type ${type} for key ${key}`

describe('a limit', () => {
  const object = { kind: 'Pod', namespace: 'ns', name: 'x', uid: 'id', apiVersion: 'v1' }
  const source = { component: 'kubelet', host: 'n1' }
  it.each<[string, Sent, string, readonly Sent[], readonly Sent[]]>([
    ['Server', {}, '', [{ user: 'v' }, { namespace: 'other' }], []],
    ['Namespace', {}, 'ns', [{ user: 'v' }], [{ namespace: 'other' }]],
    ['User', {}, 'u', [{ namespace: 'other' }], [{ user: 'v' }]],
    [
      'SourceAndObject',
      { about: object, source },
      'kubeletn1Podnsxidv1',
      [{ user: 'v', namespace: 'other', about: object, source }],
      [
        { about: { ...object, kind: 'Node' }, source },
        { about: { ...object, namespace: 'other' }, source },
        { about: { ...object, name: 'y' }, source },
        { about: { ...object, uid: 'other' }, source },
        { about: { ...object, apiVersion: 'v2' }, source },
        { about: object, source: { ...source, component: 'other' } },
        { about: object, source: { ...source, host: 'n2' } },
      ],
    ],
  ])('of %s counts together what is alike', (type, sent, key, alike, others) => {
    const { send } = limiter(limit(type))
    expect([send(sent), send(sent)]).toEqual([undefined, undefined])
    for (const each of [sent, ...alike]) expect(send(each)).toBe(refused(reached(type, key)))
    for (const each of others) expect(send(each)).toBeUndefined()
  })

  it('is charged though another says no, and all are told', () => {
    const { send } = limiter(
      limit('Server', { burst: 1 }),
      limit('User', { burst: 2 }),
      limit('Namespace', { burst: 1 }),
    )
    expect(send()).toBeUndefined()
    expect(send()).toBe(refused(reached('Server', ''), reached('Namespace', 'ns')))
    expect(send()).toBe(refused(reached('Server', ''), reached('User', 'u'), reached('Namespace', 'ns')))
  })

  it('lets through so many a second, and never more than its burst at once', async () => {
    const { clock, send } = limiter(limit('Server', { qps: 2 }))
    const count = (): number => [1, 2, 3, 4].filter(() => send() === undefined).length
    expect(count()).toBe(2)
    await clock.advance(499)
    expect(count()).toBe(0)
    await clock.advance(1)
    expect(count()).toBe(1)
    await clock.advance(60_000)
    expect(count()).toBe(2)
  })

  it('is not charged by what is tried only', () => {
    const { send } = limiter(limit('Server', { burst: 1 }))
    expect([send({ dryRun: true }), send({ dryRun: true }), send()]).toEqual([undefined, undefined, undefined])
    expect(send({ dryRun: true })).toBeUndefined()
    expect(send()).toBeDefined()
  })

  it('remembers as many keys as it is told, those that were used last', () => {
    const { send } = limiter(limit('User', { burst: 1, cacheSize: 2 }))
    const users = (...names: string[]) => names.map((user) => send({ user }) === undefined)
    expect(users('a', 'b', 'a', 'c')).toEqual([true, true, false, true])
    expect(users('a', 'b')).toEqual([false, true])
  })

  it('remembers thousands where it is told nothing', () => {
    const { send } = limiter(limit('User', { burst: 1 }))
    for (let i = 0; i < 4096; i++) send({ user: `u${i}` })
    expect(send({ user: 'u0' })).toBeDefined()
    expect([send({ user: 'more' }), send({ user: 'u1' })]).toEqual([undefined, undefined])
  })
})

it.each<[unknown, string]>([
  [undefined, 'limits: Invalid value: must not be empty'],
  [{ limits: [] }, 'limits: Invalid value: must not be empty'],
  [{ limits: 1 }, 'limits: Invalid value: must not be empty'],
  [{ limits: [limit('Other')] }, 'limits[0].type: Unsupported value: "Other"'],
  [{ limits: [limit('Server'), {}] }, 'limits[1].type: Unsupported value: ""'],
  [{ limits: [limit('Server', { qps: 0 })] }, 'limits[0].qps: Invalid value: 0: must be positive'],
  [{ limits: [{ type: 'Server', qps: 1 }] }, 'limits[0].burst: Invalid value: 0: must be positive'],
])('a configuration of %j is refused', (configuration, message) => {
  expect(() => eventRateLimit(configuration as never, new ManualClock())).toThrow(message)
})

it.each<[string, object, boolean]>([
  ['creates', {}, true],
  ['updates', { operation: 'UPDATE' }, true],
  ['no deletions', { operation: 'DELETE' }, false],
  ['no other resources', { resource: 'pods' }, false],
  ['no other groups', { group: 'events.k8s.io' }, false],
  ['no parts', { subresource: 'status' }, false],
])('it is about %s of events', (_, more, expected) => {
  const { handles } = eventRateLimit({ limits: [limit('Server')] }, new ManualClock())
  const shape = { operation: 'CREATE', group: '', resource: 'events', subresource: '', ...more }
  expect(handles(shape as never)).toBe(expected)
})
