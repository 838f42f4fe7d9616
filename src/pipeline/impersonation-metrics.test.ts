import { expect, it } from 'vitest'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError } from '../api/status-error.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { FakeClock } from '../auth/testing/fake-clock.ts'
import { type ImpersonationObserver, impersonation } from './impersonation.ts'
import { impersonationObserver } from './impersonation-metrics.ts'

const robot = { name: 'robot', groups: [], extra: new Map() }

async function counted(allowed: readonly string[], headers: Record<string, string>, times = 1): Promise<string[]> {
  const told: string[] = []
  const note =
    (what: string): ImpersonationObserver['asked'] =>
    (mode, decision, seconds) =>
      void told.push(`${what} ${mode || '-'} ${decision} ${seconds >= 0}`)
  const authorizer: Authorizer = {
    authorize: ({ verb }) => ({ verdict: allowed.includes(verb) ? 'allow' : 'no opinion', reason: '' }),
  }
  const rules = {
    constrained: true,
    refusesMalformed: true,
    observer: { attempted: note('attempt'), asked: note('asked') },
  }
  const filter = impersonation(authorizer, rules, new FakeClock())
  const context = {
    user: robot,
    exchange: { headers },
    info: { isResourceRequest: false, verb: 'get', path: '/x', query: { isEmpty: true } },
  } as unknown as RequestContext
  for (let i = 0; i < times; i++) {
    context.user = robot
    await (async () => filter(context, () => undefined))().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
    })
  }
  return told
}

it.each<[string, readonly string[], Record<string, string>, readonly string[]]>([
  ['is not asked for', [], {}, []],
  ['is malformed', [], { 'impersonate-uid': 'x' }, []],
  [
    'is allowed by the oldest way',
    ['impersonate'],
    { 'impersonate-user': 'ann' },
    ['asked user-info denied true', 'asked legacy allowed true', 'attempt legacy allowed true'],
  ],
  [
    'is constrained',
    ['impersonate-on:user-info:get', 'impersonate:user-info'],
    { 'impersonate-user': 'ann' },
    ['asked user-info allowed true', 'asked user-info allowed true', 'attempt user-info allowed true'],
  ],
  [
    'is denied',
    [],
    { 'impersonate-user': 'system:node:a' },
    ['asked arbitrary-node denied true', 'asked legacy denied true', 'attempt - denied true'],
  ],
])('impersonation that %s is counted', async (_, allowed, headers, told) => {
  expect(await counted(allowed, headers)).toEqual(told)
})

it('impersonation that was allowed a moment ago is counted, and nothing is asked', async () => {
  const allowed = ['impersonate-on:user-info:get', 'impersonate:user-info']
  const once = await counted(allowed, { 'impersonate-user': 'ann' })
  expect(await counted(allowed, { 'impersonate-user': 'ann' }, 2)).toEqual([...once, 'attempt user-info allowed true'])
})

it('is counted since 1.36', () => {
  expect(impersonationObserver({} as never, 35)).toBeUndefined()
})
