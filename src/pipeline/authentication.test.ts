import { expect, it } from 'vitest'
import type { RequestContext } from '../api/request-context.ts'
import type { AuthenticationResult } from '../auth/authenticator.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { authentication } from './authentication.ts'

const ann = { name: 'ann', groups: [], extra: new Map<string, string[]>() }

/** The headers that are left when the request gets through, or why it does not. */
async function pass(result: Awaitable<AuthenticationResult>): Promise<unknown> {
  const headers = { 'x-remote-user': 'ann', 'x-remote-group': 'devs', accept: '*/*' }
  const peer = { remoteAddress: '127.0.0.1', certificates: () => [] }
  const context = { exchange: { headers, rawHeaders: [], peer }, info: { path: '/' } } as unknown as RequestContext
  const filter = authentication({ authenticate: () => result }, {})
  try {
    let user: unknown
    await filter(context, (passed) => {
      user = passed.user
    })
    return [user, Object.keys(headers)]
  } catch (error) {
    return (error as { code: number }).code
  }
}

it('hides what a proxy said of its client', async () => {
  const consumedHeaders = ['x-remote-user', 'x-remote-group']
  const result: AuthenticationResult = { outcome: 'authenticated', user: ann, consumedHeaders }
  expect(await pass(result)).toEqual([ann, ['accept']])
  expect(await pass(Promise.resolve(result))).toEqual([ann, ['accept']])
})

it('leaves the headers of others alone', async () => {
  const names = ['x-remote-user', 'x-remote-group', 'accept']
  expect(await pass({ outcome: 'authenticated', user: ann })).toEqual([ann, names])
})

it('refuses who is nobody', async () => {
  expect(await pass({ outcome: 'no opinion' })).toBe(401)
  expect(await pass({ outcome: 'failed', error: 'no' })).toBe(401)
})

it.each([
  ['Bearer  token', 1],
  ['bearer   token', 1],
  ['Bearer token', 0],
  ['Bearer  ', 0],
  ['Basic  x', 0],
])('warns who sends "%s" %i times', async (authorization, times) => {
  const warnings: string[] = []
  const peer = { remoteAddress: '127.0.0.1', certificates: () => [] }
  const context = {
    exchange: { headers: { authorization }, rawHeaders: [], peer },
    info: { path: '/' },
    warn: (text: string) => warnings.push(text),
  } as unknown as RequestContext
  await authentication({ authenticate: () => ({ outcome: 'authenticated', user: ann }) }, {})(context, () => {})
  expect(warnings).toHaveLength(times)
})
