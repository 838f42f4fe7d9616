/** The console's API over real HTTP, as docs/console-api.md has it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../../src/testing/api.ts'
import { startServer } from '../../src/testing/testing.ts'
import { Browser } from './support/browser.ts'

let server: TestServer
const browsers: Browser[] = []

const browser = (): Browser => {
  const made = new Browser(server.url, server.ca)
  browsers.push(made)
  return made
}

/** Signed in as the administrator, or as somebody else. */
async function signedIn(user?: { user: string; groups?: readonly string[] }): Promise<Browser> {
  const made = browser()
  const { status } = await made.signIn(await server.console(user))
  expect(status).toBe(200)
  return made
}

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  for (const each of browsers) each.close()
  await server.close()
})

describe('signing in', () => {
  it('is not there before it is opened', async () => {
    await using other = await startServer()
    const stranger = new Browser(other.url, other.ca)
    expect((await stranger.fetch('GET', '/console/v1/capabilities')).status).toBe(403)
    expect((await other.send('GET', '/console/')).status).toBe(404)
    expect((await other.send('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/pilothouse:console')).status).toBe(
      404,
    )
    stranger.close()
  })

  it('makes a session of a link, once', async () => {
    const link = await server.console()
    expect(link).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]{43}$/)
    const person = browser()
    const answer = await person.signIn(link)
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({ user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } })
    const port = new URL(server.url).port
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-pilothouse-console-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Secure$`),
      ),
    ])
    expect((await person.get('/api/v1/namespaces')).kind).toBe('NamespaceList')
    const second = await browser().signIn(link)
    expect(second.status).toBe(401)
    expect(second.json()).toMatchObject({ kind: 'Status', reason: 'Unauthorized' })
    expect(second.headers['set-cookie']).toBeUndefined()
  })

  it('refuses an expired link and a wrong code alike', async () => {
    const link = await server.console()
    await server.clock.advance(2 * 60_000)
    const expired = await browser().signIn(link)
    const wrong = await browser().signIn(`${server.url}/console/#code=wrong`)
    expect(expired.status).toBe(401)
    expect(wrong.json()).toEqual(expired.json())
  })

  it('ends with the sign-out, and its streams do', async () => {
    const person = await signedIn()
    const watch = await person.follow('/api/v1/namespaces?watch=true')
    const before = new Map(person.cookies)
    expect((await person.fetch('DELETE', '/console/v1/session')).status).toBe(204)
    expect(person.cookies.size).toBe(0)
    await watch.ended
    for (const [name, value] of before) person.setCookie(name, value)
    expect((await person.fetch('GET', '/api/v1/namespaces')).status).toBe(401)
    expect((await person.fetch('GET', '/console/v1/session')).status).toBe(401)
  })

  it('ends when it was idle, and after its longest time', async () => {
    const person = await signedIn()
    await server.clock.advance(29 * 60_000)
    expect((await person.fetch('GET', '/console/v1/session')).status).toBe(200)
    await server.clock.advance(31 * 60_000)
    expect((await person.fetch('GET', '/console/v1/session')).status).toBe(401)
    const busy = await signedIn()
    for (let hour = 0; hour < 12; hour += 0.4) {
      await server.clock.advance(0.4 * 3600_000)
      await busy.fetch('GET', '/console/v1/session')
    }
    expect((await busy.fetch('GET', '/console/v1/session')).status).toBe(401)
  })

  it('is the user and no more', async () => {
    const alice = await signedIn({ user: 'alice', groups: ['devs'] })
    const whoami = await alice.fetch('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    })
    expect(whoami.json().status.userInfo).toMatchObject({ username: 'alice', groups: ['devs', 'system:authenticated'] })
    const refused = await alice.fetch('GET', '/api/v1/secrets')
    expect(refused.status).toBe(403)
    const { features } = await alice.get('/console/v1/capabilities')
    expect(features.links).toEqual({ available: true, allowed: false })
    const links = await alice.fetch('POST', '/console/v1/links')
    expect(links.status).toBe(403)
    expect(links.json()).toMatchObject({ kind: 'Status', reason: 'Forbidden' })
  })
})

describe('a request with the cookie', () => {
  const read = '/api/v1/namespaces'
  const own = (): string => server.url
  it.each<[string, string, Record<string, string>, number]>([
    ['of the page', 'GET', { 'sec-fetch-site': 'same-origin' }, 200],
    ['of the address bar', 'GET', { 'sec-fetch-site': 'none' }, 200],
    ['of a browser that does not say', 'GET', {}, 200],
    ['of another port of this host', 'GET', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another site', 'GET', { 'sec-fetch-site': 'cross-site' }, 403],
    ['with another origin', 'GET', { origin: 'https://evil.example' }, 403],
    ['of a sandbox', 'GET', { origin: 'null' }, 403],
    ['that changes without a mark', 'POST', { 'sec-fetch-site': 'same-origin' }, 403],
    ['that changes with another mark', 'POST', { 'sec-fetch-site': 'same-origin', 'x-pilothouse-console': 'yes' }, 403],
    ['that changes from elsewhere', 'POST', { 'sec-fetch-site': 'cross-site', 'x-pilothouse-console': '1' }, 403],
    ['that changes', 'POST', { 'sec-fetch-site': 'same-origin', 'x-pilothouse-console': '1' }, 201],
    ['to the plain port of a name', 'POST', { origin: 'http://127.0.0.1', 'x-pilothouse-console': '1' }, 403],
  ])('%s', async (_, method, headers, status) => {
    const person = await signedIn()
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'made-' } }
    const answer = await person.raw(method, read, method === 'POST' ? body : undefined, headers)
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json()).toMatchObject({ kind: 'Status', reason: 'Forbidden' })
    expect((await person.raw('GET', read, undefined, { origin: own() })).status).toBe(200)
  })

  it('counts only where there is no other credential', async () => {
    const person = await signedIn()
    const alice = server.user('alice')
    const headers = { authorization: `Bearer ${alice.token}`, 'sec-fetch-site': 'cross-site' }
    const answer = await person.raw('GET', '/api/v1/secrets', undefined, headers)
    expect(answer.status).toBe(403)
    expect(answer.json().message).toContain('User "alice" cannot list')
  })

  it('signs nobody in from elsewhere', async () => {
    const code = new URL(await server.console()).hash.slice('#code='.length)
    const headers = { 'sec-fetch-site': 'cross-site', 'x-pilothouse-console': '1' }
    expect((await browser().raw('POST', '/console/v1/session', { code }, headers)).status).toBe(403)
    const unmarked = await browser().raw('POST', '/console/v1/session', { code }, { 'sec-fetch-site': 'same-origin' })
    expect(unmarked.status).toBe(403)
  })
})

describe('links', () => {
  it('are made by who has another credential than a session', async () => {
    await signedIn()
    const made = await server.send<{ url: string }>('POST', '/console/v1/links')
    expect(made.status).toBe(201)
    expect((await browser().signIn(made.body.url)).json().user.name).toBe('admin')
    const person = await signedIn()
    expect((await person.fetch('POST', '/console/v1/links')).status).toBe(403)
    const other = await server.send<{ url: string }>('POST', '/console/v1/links', undefined, {
      headers: { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
    })
    expect((await browser().signIn(other.body.url)).json().user.name).toBe('bob')
  })
})
