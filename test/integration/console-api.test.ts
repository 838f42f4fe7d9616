/** The console's API over real HTTP, as docs/console-api.md has it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import type { TestServer } from '../../src/testing/api/server.ts'
import { startServer } from '../../src/testing/testing.ts'
import { Browser } from './support/browser.ts'
import { type TestServer as PlainServer, startTestServer } from './support/test-server.ts'

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

describe('as time passes', () => {
  const minutes = 60_000
  let passed = 0
  const clock: Clock = { ...systemClock, now: () => Date.now() + passed }
  let timed: PlainServer

  beforeAll(async () => {
    timed = await startTestServer(['--store', 'memory', '--console'], clock)
  })

  afterAll(() => timed.close())

  const link = async (): Promise<string> => (await timed.call('POST', '/console/v1/links')).json().url
  const come = (): Browser => {
    const made = new Browser(timed.url)
    browsers.push(made)
    return made
  }

  it('has the role and the page from the start', async () => {
    const role = await timed.call('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/pilothouse:console')
    expect(role.json().rules).toEqual([
      { nonResourceURLs: ['/console/v1', '/console/v1/*'], verbs: ['get', 'post', 'delete'] },
    ])
    expect((await come().fetch('GET', '/console')).headers['location']).toBe('/console/')
  })

  it('refuses an expired link and a wrong code alike', async () => {
    const old = await link()
    passed += 2 * minutes
    const expired = await come().signIn(old)
    const wrong = await come().signIn(`${timed.url}/console/#code=wrong`)
    expect(expired.status).toBe(401)
    expect(wrong.json()).toEqual(expired.json())
  })

  it('ends a session that was idle, and one that lasted its longest time', async () => {
    const status = async (person: Browser): Promise<number> => (await person.fetch('GET', '/console/v1/session')).status
    const idle = come()
    await idle.signIn(await link())
    passed += 29 * minutes
    expect(await status(idle)).toBe(200)
    passed += 31 * minutes
    expect(await status(idle)).toBe(401)
    const busy = come()
    await busy.signIn(await link())
    for (let i = 0; i < 29; i++) {
      passed += 25 * minutes
      await status(busy)
    }
    expect(await status(busy)).toBe(401)
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

describe('requests', () => {
  it('records from the first look on', async () => {
    const person = await signedIn()
    const first = await person.get('/console/v1/requests')
    expect(first.recording).toMatchObject({ max: 2000 })
    const stream = await person.follow('/console/v1/requests?follow=true&resource=configmaps')
    const alice = server.user('alice')
    await server.apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'writer' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'alice', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
        subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ])
    const wire = new Browser(server.url, server.ca)
    browsers.push(wire)
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen' }, data: { colour: 'blue' } }
    const headers = { authorization: `Bearer ${alice.token}`, 'user-agent': 'kubectl/v1.33.0' }
    const created = await wire.raw('POST', '/api/v1/namespaces/default/configmaps', body, headers)
    expect(created.status).toBe(201)
    const lines = await stream.until((all) => all.some((line) => line.request?.state === 'done'))
    const ofStream = lines.filter(({ type }) => type === 'REQUEST').map(({ request }) => request)
    expect(ofStream.map(({ state }) => state)).toEqual(['running', 'done'])
    const { id } = ofStream[0]
    expect(ofStream[1]).toMatchObject({
      id,
      verb: 'create',
      method: 'POST',
      resource: 'configmaps',
      namespace: 'default',
      user: 'alice',
      agent: 'kubectl/v1.33.0',
      source: '127.0.0.1',
      code: 201,
    })
    const detail = await person.get(`/console/v1/requests/${id}`)
    expect(detail).toMatchObject({
      id,
      identity: { name: 'alice', groups: ['system:authenticated'] },
      authorization: {
        decision: 'allow',
        reason: 'RBAC: allowed by RoleBinding "alice/default" of ClusterRole "writer" to User "alice"',
        grant: {
          subject: { kind: 'User', name: 'alice' },
          binding: { kind: 'RoleBinding', namespace: 'default', name: 'alice' },
          role: { kind: 'ClusterRole', name: 'writer' },
          rule: { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] },
        },
      },
      flow: { priorityLevel: 'global-default', flowSchema: 'global-default', queuedMs: 0 },
      requestHeaders: { authorization: '(withheld)' },
      request: { contentType: 'application/json', value: body },
      response: { value: { kind: 'ConfigMap', data: { colour: 'blue' } } },
    })
    expect(detail.admission.map(({ plugin }: { plugin: string }) => plugin)).toContain('NamespaceLifecycle')
    const sum = detail.timing.reduce((total: number, { ms }: { ms: number }) => total + ms, 0)
    expect(Math.abs(sum - detail.durationMs)).toBeLessThan(Math.max(1, detail.durationMs / 10))
    stream.close()
  })

  it('shows what admission changed and who refused', async () => {
    const person = await signedIn()
    await person.get('/console/v1/requests')
    const wire = new Browser(server.url, server.ca)
    browsers.push(wire)
    const headers = { authorization: `Bearer ${server.token}` }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    }
    await wire.raw('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod, headers)
    await wire.raw('POST', '/api/v1/namespaces/nowhere/pods', pod, headers)
    await wire.raw('POST', '/api/v1/namespaces/default/pods', { ...pod, spec: {} }, headers)
    await wire.raw('GET', '/api/v1/namespaces/default/pods', undefined, { authorization: 'Bearer wrong' })
    await wire.raw('GET', '/api/v1/pods', undefined, { authorization: `Bearer ${server.user('bob').token}` })
    const { items } = await person.get('/console/v1/requests?resource=pods')
    expect(items.map(({ code, refusedBy }: never) => [code, refusedBy])).toEqual([
      [403, 'authorization'],
      [401, 'authentication'],
      [422, 'validation'],
      [404, 'admission'],
      [201, undefined],
    ])
    const made = await person.get(`/console/v1/requests/${items[4].id}`)
    const patches = made.admission.flatMap(({ patch = [] }: { patch?: object[] }) => patch)
    expect(patches).toContainEqual(expect.objectContaining({ op: 'add', path: '/spec/tolerations' }))
    expect(items[3].message).toContain('namespaces "nowhere" not found')
    const filtered = await person.get('/console/v1/requests?resource=pods&code=4xx&verb=create&limit=1')
    expect(filtered.items.map(({ id }: never) => id)).toEqual([items[2].id])
    const older = await person.get(`/console/v1/requests?resource=pods&before=${items[3].id}`)
    expect(older.items).toHaveLength(1)
  })

  it('shows what was in a request to those alone who may read it', async () => {
    await server.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'carol-console' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pilothouse:console' },
      subjects: [{ kind: 'User', name: 'carol', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    const [admin, carol] = [await signedIn(), await signedIn({ user: 'carol' })]
    await admin.get('/console/v1/requests')
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hidden' },
      stringData: { key: 'very-secret' },
    }
    const wire = new Browser(server.url, server.ca)
    browsers.push(wire)
    const headers = { authorization: `Bearer ${server.token}` }
    await wire.raw('POST', '/api/v1/namespaces/default/secrets', secret, headers)
    await wire.raw('POST', '/api/v1/namespaces/default/secrets', { ...secret, type: 7 }, headers)
    await wire.raw(
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'very-secret' } },
      headers,
    )
    const { items } = await carol.get('/console/v1/requests?limit=3')
    expect(items.map(({ resource }: never) => resource)).toEqual(['tokenreviews', 'secrets', 'secrets'])
    for (const { id } of items) {
      const text = JSON.stringify(await carol.get(`/console/v1/requests/${id}`))
      expect(text).not.toContain('very-secret')
      expect(text).not.toContain(Buffer.from('very-secret').toString('base64'))
      expect(JSON.parse(text).request.withheld).toMatch(/^(you may not get secrets|it has credentials)$/)
    }
    expect(JSON.stringify(items)).not.toContain('very-secret')
    expect((await admin.get(`/console/v1/requests/${items[2].id}`)).request.value).toMatchObject(secret)
    expect((await admin.get(`/console/v1/requests/${items[0].id}`)).request).toMatchObject({
      withheld: 'it has credentials',
    })
  })

  it('stops when nobody looks, and forgets when told', async () => {
    const person = await signedIn()
    await person.get('/console/v1/requests')
    await server.clock.advance(61_000)
    const wire = new Browser(server.url, server.ca)
    browsers.push(wire)
    await wire.raw('GET', '/version')
    const { items } = await person.get('/console/v1/requests?path=/version')
    expect(items).toEqual([])
    expect((await person.fetch('DELETE', '/console/v1/requests')).status).toBe(204)
    expect((await person.get('/console/v1/requests')).items).toEqual([])
  })

  it.each([
    ['/console/v1/requests?limit=x', 400],
    ['/console/v1/requests?limit=0', 400],
    ['/console/v1/requests?colour=blue', 400],
    ['/console/v1/requests?code=abc', 400],
    ['/console/v1/requests?follow=maybe', 400],
    ['/console/v1/requests?a=%zz', 400],
    ['/console/v1/requests/x', 404],
    ['/console/v1/requests/99999999', 404],
    ['/console/v1/nothing', 404],
    ['/console/v1', 404],
  ])('refuses %s', async (path, status) => {
    const person = await signedIn()
    const answer = await person.fetch('GET', path)
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: status })
  })

  it('ends its streams with the session, and says so', async () => {
    const person = await signedIn()
    const stream = await person.follow('/console/v1/requests?follow=true')
    await person.fetch('DELETE', '/console/v1/session')
    const lines = await stream.until((all) => all.at(-1)?.type === 'END')
    expect(lines.at(-1)).toEqual({ type: 'END', reason: 'signed-out' })
    await stream.ended
  })

  it('ends a stream whose user may no longer see it', async () => {
    await server.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'dave-console' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pilothouse:console' },
      subjects: [{ kind: 'User', name: 'dave', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    const dave = await signedIn({ user: 'dave' })
    const stream = await dave.follow('/console/v1/requests?follow=true')
    await server.call('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/dave-console')
    await server.clock.advance(10_000)
    const lines = await stream.until((all) => all.at(-1)?.type === 'END')
    expect(lines.at(-1)).toEqual({ type: 'END', reason: 'forbidden' })
  })
})

describe('access', () => {
  it('says who can, what a user may, and why not', async () => {
    const person = await signedIn()
    const { items, complete } = await person.get(
      '/console/v1/access/who-can?verb=create&resource=configmaps&namespace=default',
    )
    expect(complete).toBe(true)
    expect(items).toContainEqual({
      subject: { kind: 'User', name: 'alice' },
      binding: { kind: 'RoleBinding', namespace: 'default', name: 'alice' },
      role: { kind: 'ClusterRole', name: 'writer' },
      rule: { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] },
    })
    const explained = await person.get(
      '/console/v1/access/explain?user=alice&verb=delete&resource=configmaps&namespace=default&name=a',
    )
    expect(explained).toMatchObject({
      user: { name: 'alice', groups: ['system:authenticated'] },
      allowed: false,
      decision: 'no opinion',
      grants: [],
    })
    expect(explained.closest[0]).toMatchObject({ missing: ['verb'], grant: { binding: { name: 'alice' } } })
    const elsewhere = await person.get(
      '/console/v1/access/explain?user=alice&verb=create&resource=configmaps&namespace=kube-system',
    )
    expect(elsewhere.closest[0].missing).toEqual(['namespace'])
    const allowed = await person.get(
      '/console/v1/access/explain?user=alice&verb=create&resource=configmaps&namespace=default',
    )
    expect(allowed).toMatchObject({
      allowed: true,
      decision: 'allow',
      closest: [],
      grants: [{ role: { name: 'writer' } }],
    })
    const paths = await person.get('/console/v1/access/explain?user=system:anonymous&verb=get&path=/version')
    expect(paths).toMatchObject({ allowed: true, grants: [{ role: { name: 'system:public-info-viewer' } }] })
    const rules = await person.get('/console/v1/access/rules?user=alice&namespace=default')
    expect(rules.items.map(({ binding }: never) => (binding as { name: string }).name)).toContain('alice')
  })

  it('is for those who may review access, but for questions about oneself', async () => {
    const carol = await signedIn({ user: 'carol' })
    for (const path of [
      '/console/v1/access/who-can?verb=get&resource=pods',
      '/console/v1/access/rules?user=alice',
      '/console/v1/access/explain?user=alice&verb=get&resource=pods',
    ]) {
      const answer = await carol.fetch('GET', path)
      expect(answer.status).toBe(403)
      expect(answer.json().message).toContain('cannot create resource "subjectaccessreviews"')
    }
    const own = await carol.get('/console/v1/access/explain?verb=get&resource=pods&namespace=default')
    expect(own).toMatchObject({ user: { name: 'carol' }, allowed: false })
    expect((await carol.fetch('GET', '/console/v1/access/explain?resource=pods')).status).toBe(400)
    expect((await carol.fetch('GET', '/console/v1/access/explain?verb=get&resource=pods&path=/x')).status).toBe(400)
  })
})
