/** `pilothouse console`: links of a running server, and the console in front of another cluster. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openConsole } from '../../src/cli/console.ts'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { type ClusterProxy, openClusterProxy } from '../../src/console/cluster-proxy.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { readKubeconfig } from '../../src/outbound/kubeconfig.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import type { TestServer } from '../../src/testing/api/server.ts'
import { startServer } from '../../src/testing/testing.ts'
import { Browser } from './support/browser.ts'

let cluster: TestServer

beforeAll(async () => {
  cluster = await startServer()
})

afterAll(() => cluster.close())

const front = (isReadOnly = false): Promise<ClusterProxy> =>
  openClusterProxy({ connection: readKubeconfig(cluster.kubeconfig().file()), clock: systemClock, port: 0, isReadOnly })

async function signedIn(of: ClusterProxy): Promise<Browser> {
  const person = new Browser(of.url)
  expect((await person.signIn(of.link().url)).status).toBe(200)
  return person
}

describe('in front of another cluster', () => {
  let opened: ClusterProxy
  let person: Browser

  beforeAll(async () => {
    opened = await front()
    person = await signedIn(opened)
  })

  afterAll(() => opened.close())

  it('asks the cluster with the credentials of the kubeconfig, and tells it nothing else', async () => {
    const { items } = await person.get('/api/v1/namespaces?pretty=false')
    expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain('default')
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made' } }
    expect((await person.fetch('POST', '/api/v1/namespaces', body)).status).toBe(201)
    const [last] = cluster.requests.filter({ verb: 'create', resource: 'namespaces' })
    expect(last?.user).toBe('admin')
    for (const name of ['cookie', 'origin', 'x-pilothouse-console', 'sec-fetch-site']) {
      expect(last?.headers[name]).toBeUndefined()
    }
  })

  it('says what the cluster cannot tell', async () => {
    const { server, user, features } = await person.get('/console/v1/capabilities')
    expect(server).toBe('other')
    expect(user.name).toBe('admin')
    expect(features.requests).toMatchObject({ available: false, allowed: false })
    expect(features.expressions).toEqual({ available: true, allowed: true })
    expect((await person.fetch('GET', '/console/v1/requests')).status).toBe(404)
    const sum = await person.fetch('POST', '/console/v1/expressions', { for: 'policy', expression: '1 + 1' })
    expect(sum.json()).toMatchObject({ ok: true, value: 2 })
  })

  it.each<[string, Record<string, string>, number]>([
    ['/api/v1/namespaces', { host: 'evil.example' }, 403],
    ['/api/v1/namespaces', { 'sec-fetch-site': 'same-site' }, 403],
    ['/api/v1/namespaces', { origin: 'http://127.0.0.1:1' }, 403],
    ['/api/v1/namespaces', { authorization: 'Bearer x' }, 401],
    ['/api/v1/namespaces', { cookie: '' }, 401],
    ['/metrics', {}, 404],
    ['/debug/pprof/', {}, 404],
  ])('refuses %s with %j', async (path, headers, status) => {
    const answer = await person.fetch('GET', path, undefined, headers)
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({ kind: 'Status', code: status })
  })

  it('ends what runs when it is signed out', async () => {
    const other = await signedIn(opened)
    const watching = other.raw('GET', '/api/v1/namespaces?watch=true')
    const isOpen = cluster.watches.waitFor({ resource: 'namespaces' })
    await isOpen
    expect((await other.fetch('DELETE', '/console/v1/session')).status).toBe(204)
    await expect(watching).rejects.toThrow()
    expect((await other.fetch('GET', '/api/v1/namespaces')).status).toBe(401)
  })

  it('speaks HTTP/2 with a certificate', async () => {
    const { serving } = temporaryCredentials(parseServerOptions(['--bind-address=127.0.0.1']), systemClock)
    const tls = { key: serving.keyPem, cert: serving.certPem }
    const connection = readKubeconfig(cluster.kubeconfig().file())
    const secure = await openClusterProxy({ connection, clock: systemClock, port: 0, isReadOnly: false, tls })
    const other = await signedIn(secure)
    expect([...other.cookies.keys()]).toEqual([`__Host-pilothouse-console-${new URL(secure.url).port}`])
    const watch = await other.follow('/api/v1/namespaces?watch=true')
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'default'))
    await other.fetch('DELETE', '/console/v1/session')
    await watch.ended
    other.close()
    await secure.close()
  })

  it('lets nothing pass that changes something with --read-only', async () => {
    const reading = await front(true)
    const reader = await signedIn(reading)
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    }
    const status = async (method: string, path: string, body?: object): Promise<number> =>
      (await reader.fetch(method, path, body)).status
    expect(await status('GET', '/api/v1/namespaces')).toBe(200)
    expect(await status('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).toBe(201)
    expect(await status('POST', '/api/v1/namespaces', {})).toBe(403)
    expect(await status('DELETE', '/api/v1/namespaces/made')).toBe(403)
    expect(await status('PATCH', '/api/v1/namespaces/made', {})).toBe(403)
    expect(await status('GET', '/api/v1/namespaces/default/pods/a/exec?command=ls')).toBe(403)
    expect((await reader.get('/console/v1/capabilities')).features.writes.available).toBe(false)
    await reading.close()
  })
})

describe('the command', () => {
  it('prints a new link of a running server, and ends', async () => {
    await using server = await startServer()
    await server.console()
    const printed: string[] = []
    const output = { print: (text: string) => void printed.push(text), note: () => undefined, isTerminal: false }
    expect(await openConsole(['--kubeconfig', server.kubeconfig().file()], output)).toBe(0)
    const [link = ''] = printed
    expect(link).toMatch(new RegExp(`^${server.url}/console/#code=[\\w-]{43}\n$`))
    const person = new Browser(server.url, server.ca)
    expect((await person.signIn(link.trim())).json().user.name).toBe('admin')
    person.close()
  })

  it.each([
    [['--port', 'x'], '--port must be a port'],
    [['more'], 'does not take the argument'],
    [['--kubeconfig', '/nowhere'], 'kubeconfig /nowhere'],
  ])('refuses %j', async (args, message) => {
    const output = { print: () => undefined, note: () => undefined, isTerminal: false }
    await expect(openConsole(args, output)).rejects.toThrow(message)
  })
})
