import { describe, expect, it } from 'vitest'
import type { Exchange } from '../api/exchange.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import type { Clock } from '../lib/clock.ts'
import { systemClock } from '../lib/clock.ts'
import { HealthChecks } from './health.ts'

const checks = (more: { clock?: Clock; livezGracePeriod?: number; timeout?: number } = {}): HealthChecks =>
  new HealthChecks({ clock: systemClock, livezGracePeriod: 0, timeout: 2000, ...more })

async function ask(health: HealthChecks, path: string, query = ''): Promise<{ status: number; body: string } | false> {
  const answer = { status: 0, body: '' }
  const exchange = {
    method: 'GET',
    path,
    query,
    respond(status: number, _: object, body: string) {
      answer.status = status
      answer.body = body
    },
  } as unknown as Exchange
  const user = { name: 'a', groups: [], extra: new Map() }
  return (await health.handle(new RequestContext(exchange, requestInfo(exchange), user))) && answer
}

const broken = { name: 'broken', check: () => Promise.reject(new Error('no disk')) }

describe('HealthChecks', () => {
  it.each<[string, string, number, string]>([
    ['/livez', '', 200, 'ok'],
    ['/livez', 'verbose', 200, '[+]ping ok\n[+]log ok\nhealthz check passed\n'],
    ['/livez/ping', 'verbose', 200, 'ok'],
    ['/readyz', '', 500, '[+]ping ok\n[+]log ok\n[-]broken failed: reason withheld\nreadyz check failed\n'],
    ['/readyz', 'exclude=broken', 200, 'ok'],
    [
      '/readyz',
      'verbose&exclude=broken&exclude=z&exclude=y',
      200,
      '[+]ping ok\n[+]log ok\n[+]broken excluded: ok\nwarn: some health checks cannot be excluded: no matches for "y","z"\nhealthz check passed\n',
    ],
    ['/readyz/broken', '', 500, 'internal server error: no disk\n'],
  ])('%s?%s answers %i', async (path, query, status, body) => {
    const health = checks()
    health.add(broken, ['readyz'])
    expect(await ask(health, path, query)).toEqual({ status, body })
  })

  it.each<[string, string]>([
    ['exclude=a', '[+]a excluded: ok\n[+]a-1 excluded with a: ok\n[+]b ok\n'],
    ['exclude=a-1&exclude=a', '[+]a excluded: ok\n[+]a-1 excluded: ok\n[+]b ok\n'],
    [
      'exclude=a-1&exclude=g',
      '[+]a ok\n[+]a-1 excluded: ok\n[+]b ok\nwarn: some health checks cannot be excluded: no matches for "g"\n',
    ],
  ])('excludes checks by their group: %s', async (query, lines) => {
    const health = checks()
    for (const name of ['a', 'a-1']) health.add({ name, group: 'a', check: () => undefined })
    health.add({ name: 'b', check: () => undefined })
    const body = `[+]ping ok\n[+]log ok\n${lines}healthz check passed\n`
    expect(await ask(health, '/healthz', `verbose&${query}`)).toEqual({ status: 200, body })
  })

  it.each(['/livez/', '/livez/none', '/livez/broken', '/livezz', '/other'])('does not know %s', async (path) => {
    const health = checks()
    health.add(broken, ['readyz'])
    expect(await ask(health, path)).toBe(false)
  })

  it('forgives hooks that are not done while the server is young, on livez alone', async () => {
    let now = 0
    const clock: Clock = { ...systemClock, now: () => now }
    const health = checks({ clock, livezGracePeriod: 1000 })
    let finish = (): void => undefined
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    health.addHook('poststarthook/a', done)
    const statuses = async () =>
      Promise.all(
        ['/livez', '/readyz', '/healthz'].map(async (path) => ((await ask(health, path)) || { status: 0 }).status),
      )
    expect(await statuses()).toEqual([200, 500, 500])
    now = 1000
    expect(await statuses()).toEqual([500, 500, 500])
    finish()
    await done
    expect(await statuses()).toEqual([200, 200, 200])
  })

  it('does not wait for a check that hangs', async () => {
    const clock: Clock = {
      ...systemClock,
      setTimeout: (fn) => {
        queueMicrotask(fn)
        return () => undefined
      },
    }
    const health = checks({ clock })
    health.add({ name: 'slow', check: () => new Promise(() => undefined) })
    expect(await ask(health, '/livez/slow')).toEqual({
      status: 500,
      body: 'internal server error: no answer in 2 seconds\n',
    })
  })

  it('takes checks away again', async () => {
    const health = checks()
    const remove = health.add(broken)
    expect([...health.paths()]).toContain('/healthz/broken')
    remove()
    expect([...health.paths()]).not.toContain('/healthz/broken')
    expect(await ask(health, '/healthz')).toEqual({ status: 200, body: 'ok' })
  })
})
