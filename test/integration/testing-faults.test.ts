/** What a test server lets go wrong, and what a test sees of it. */
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { startServer, type TestServer } from '../../src/testing/testing.ts'
import { openWatch, send } from './support/plain-watch.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ seed: 7 })
})
beforeEach(() => server.reset())
afterAll(() => server.close())

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const create = (name: string) => send(server, configMaps, { method: 'POST', body: configMap(name) })

describe('requests', () => {
  it('are reported as data', async () => {
    await create('one')
    await send(server, `${configMaps}/one`)
    await send(server, '/version')
    const [request] = server.requests.filter({ verb: 'create', resource: 'configmaps' })
    expect(request).toMatchObject({
      verb: 'create',
      resource: 'configmaps',
      namespace: 'default',
      user: 'admin',
      userAgent: 'under-test/1',
      status: 201,
      body: { kind: 'ConfigMap', metadata: { name: 'one' } },
    })
    expect(server.requests.filter({ userAgent: 'under-test/*' })).toHaveLength(3)
    expect(server.requests.filter(({ path }) => path === '/version')).toHaveLength(1)
    const later = server.requests.waitFor({ verb: 'delete', name: 'one' })
    await send(server, `${configMaps}/one`, { method: 'DELETE' })
    expect(await later).toMatchObject({ status: 200 })
  })

  it('are forgotten, the oldest first', async () => {
    await using small = await startServer({ maxRequests: 5 })
    for (let i = 0; i < 20; i++) await send(small, `/api?i=${i}`)
    expect(small.requests.all().map(({ query }) => query)).toEqual(['i=15', 'i=16', 'i=17', 'i=18', 'i=19'])
  })
})

describe('faults', () => {
  it.each([
    [
      409,
      {
        code: 409,
        reason: 'Conflict',
        message: /^Operation cannot be fulfilled on configmaps "one": the object has been modified/,
      },
    ],
    [429, { code: 429, reason: 'TooManyRequests', message: /^Too many requests/ }],
    [500, { code: 500, reason: 'InternalError', message: /^Internal error occurred/ }],
    [503, { code: 503, reason: 'ServiceUnavailable', message: /^the server is currently unable/ }],
  ])('answer with %d as the server words it', async (code, { message, ...expected }) => {
    await create('one')
    const fault = server.faults.add({ verb: 'update', resource: 'configmaps', error: code, times: 1 })
    const update = () => send(server, `${configMaps}/one`, { method: 'PUT', body: configMap('one') })
    const refused = await update()
    expect(refused).toMatchObject({ status: code, body: { kind: 'Status', ...expected } })
    expect(refused.body.message).toMatch(message)
    expect((await update()).status).toBe(200)
    expect(fault.hits).toBe(1)
    expect(server.requests.filter({ verb: 'update' }).map(({ faults }) => faults)).toEqual(
      [['fault-1'], []].map((_, i) => (i === 0 ? [expect.any(String)] : [])),
    )
  })

  it('say when to come again', async () => {
    server.faults.add({ error: { code: 429, retryAfter: 7 }, path: '/api/*' })
    const { headers, body } = await send(server, configMaps)
    expect(headers['retry-after']).toBe('7')
    expect(body.details.retryAfterSeconds).toBe(7)
    expect((await send(server, '/version')).status).toBe(200)
  })

  it('hit the n-th request, or a share that the seed chooses', async () => {
    server.faults.add({ name: 'nth', skip: 2, times: 1, error: 500 })
    const codes: number[] = []
    for (let i = 0; i < 4; i++) codes.push((await send(server, `${configMaps}/nth`)).status)
    expect(codes).toEqual([404, 404, 500, 404])
    const share = async () => {
      const fault = server.faults.add({ name: 'shared', share: 0.5, error: 500 })
      for (let i = 0; i < 40; i++) await send(server, `${configMaps}/shared`)
      fault.remove()
      return fault.hits
    }
    const hits = await share()
    expect(hits).toBeGreaterThan(5)
    expect(hits).toBeLessThan(35)
  })

  it('cut the connection before a write takes effect, or after', async () => {
    server.faults.add({
      verb: 'create',
      resource: 'configmaps',
      where: ({ userAgent }) => userAgent === 'before',
      cut: 'before',
    })
    server.faults.add({ verb: 'create', resource: 'configmaps', userAgent: 'after', cut: 'after' })
    const post = (name: string) =>
      send(server, configMaps, { method: 'POST', body: configMap(name), headers: { 'user-agent': name } })
    await expect(post('before')).rejects.toThrow()
    await expect(post('after')).rejects.toThrow()
    expect(await server.get('configmaps', 'before')).toBeUndefined()
    expect(await server.get('configmaps', 'after')).toBeDefined()
    expect(server.requests.filter({ verb: 'create' }).map(({ status }) => status)).toEqual([0, 0])
  })

  it('take time, which the clock can shorten', async () => {
    server.faults.add({ resource: 'configmaps', latency: 30_000 })
    const slow = send(server, `${configMaps}/slow`)
    while (server.requests.filter({ name: 'slow' }).every(({ faults }) => faults.length === 0)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await server.clock.advance(30_000)
    expect((await slow).status).toBe(404)
    const given = send(server, `${configMaps}/given-up`).then(
      () => 'answered',
      () => 'cut',
    )
    await server.requests.waitFor({ name: 'slow' })
    while (server.requests.filter({ name: 'given-up' }).every(({ faults }) => faults.length === 0)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await server.reset()
    expect(await given).toBe('cut')
  })

  it.each([
    ['cut', 'cut', 0],
    ['expired', 'whole', 1],
  ] as const)('make a watch end: %s', async (kind, end, errors) => {
    await server.apply([configMap('a'), configMap('b'), configMap('c')])
    server.faults.add({ verb: 'watch', watch: { kind, afterEvents: 2 } })
    const watch = await openWatch(server, `${configMaps}?watch=1`)
    expect(await watch.ended).toBe(end)
    expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', ...(errors === 1 ? ['ERROR'] : [])])
    if (errors === 1) expect(watch.events.at(-1)?.object).toMatchObject({ code: 410, reason: 'Expired' })
  })

  it('make an open watch silent, or cut it', async () => {
    const silent = await openWatch(server, `${configMaps}?watch=1`)
    const other = await openWatch(server, '/api/v1/secrets?watch=1')
    expect(server.watches.break('silent', { resource: 'configmaps' })).toBe(1)
    await server.apply([configMap('unheard'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'heard' } }])
    await other.until(1)
    expect(silent.events).toEqual([])
    expect(server.watches.count).toBe(2)
    expect(server.watches.break('cut')).toBe(2)
    expect(await silent.ended).toBe('cut')
  })

  it('keep bookmarks from a watch', async () => {
    server.faults.add({ verb: 'watch', resource: 'secrets', watch: 'without bookmarks' })
    const secrets = await openWatch(server, '/api/v1/secrets?watch=1&allowWatchBookmarks=true')
    const others = await openWatch(server, `${configMaps}?watch=1&allowWatchBookmarks=true`)
    await server.namespace()
    await server.clock.advance(61_000)
    await others.until(1)
    expect(others.events[0]?.type).toBe('BOOKMARK')
    expect(secrets.events).toEqual([])
  })

  it('let continue tokens expire', async () => {
    await server.apply(['a', 'b', 'c'].map(configMap))
    server.faults.add({ verb: 'list', expiredContinue: true, times: 1 })
    const first = await send(server, `${configMaps}?limit=1`)
    const next = (token: string) => send(server, `${configMaps}?limit=1&continue=${token}`)
    const expired = await next(first.body.metadata.continue)
    expect(expired).toMatchObject({ status: 410, body: { reason: 'Expired' } })
    expect((await next(expired.body.metadata.continue)).body.items[0].metadata.name).toBe('b')
  })

  it('compact everything', async () => {
    await server.apply(['a', 'b', 'c'].map(configMap))
    const first = await send(server, `${configMaps}?limit=1`)
    await server.apply(configMap('d'))
    await server.compact()
    expect((await send(server, `${configMaps}?limit=1&continue=${first.body.metadata.continue}`)).status).toBe(410)
    const version = first.body.metadata.resourceVersion
    expect((await send(server, `${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`)).status).toBe(410)
  })

  it('answer from an older state where the request allows that', async () => {
    await server.apply(configMap('old'))
    const fault = server.faults.add({ resource: 'configmaps', stale: true })
    await server.apply(configMap('new'))
    const names = async (query: string) =>
      ((await send(server, `${configMaps}?${query}`)).body.items as { metadata: { name: string } }[]).map(
        ({ metadata }) => metadata.name,
      )
    const { metadata } = await server.call('GET', configMaps)
    expect(await names('resourceVersion=0')).toEqual(['old'])
    expect((await send(server, `${configMaps}/new?resourceVersion=0`)).status).toBe(404)
    expect(await names('')).toEqual(['new', 'old'])
    expect(await names(`resourceVersion=${metadata?.resourceVersion}`)).toEqual(['new', 'old'])
    expect((await send(server, `${configMaps}/new`)).status).toBe(200)
    fault.remove()
    expect(await names('resourceVersion=0')).toEqual(['new', 'old'])
  })

  it('let a watch begin with an older state where it may begin with any', async () => {
    await server.apply([configMap('old'), configMap('gone')])
    const fault = server.faults.add({ verb: 'watch', resource: 'configmaps', stale: true })
    await server.call('DELETE', `${configMaps}/gone`)
    await server.apply(configMap('new'))
    const seen = async (query: string, count: number) => {
      const watch = await openWatch(server, `${configMaps}?watch=1&${query}`)
      await watch.until(count)
      watch.close()
      return watch.events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim())
    }
    expect(await seen('resourceVersion=0', 4)).toEqual(['ADDED gone', 'ADDED old', 'DELETED gone', 'ADDED new'])
    expect(await seen('', 2)).toEqual(['ADDED new', 'ADDED old'])
    expect(fault.hits).toBe(1)
  })

  it('tell the test what its own functions throw, and the client nothing', async () => {
    const fault = server.faults.add({ verb: 'create', where: ({ body }) => body.spec.replicas > 1, error: 500 })
    expect((await create('unharmed')).status).toBe(201)
    expect(() => fault.hits).toThrow(/^where of fault-\d+, asked about POST .*configmaps, threw TypeError: Cannot read/)
    expect(fault.hits).toBe(0)
    await create('once-more')
    await expect(server.settled()).rejects.toThrow('where of fault')
    await create('and-again')
    await expect(server.reset()).rejects.toThrow('where of fault')
    await server.reset()
  })

  it.each([
    [{ verb: 'lst' }, 'there is no verb "lst": did you mean list'],
    [{ verb: ['get', 'GET'] }, 'there is no verb "GET"'],
    [{ resource: 'deployments' }, 'there is no resource "deployments": did you mean deployments.apps'],
    [{ resource: 'pods/statsu' }, 'there is no resource "pods/statsu": did you mean pods/status?'],
    [{ resource: 'pod*.apps' }, 'there is no resource "pod*.apps"'],
    [{ resource: 'gadgets.apps' }, 'there is no resource "gadgets.apps"'],
    [{ resurce: 'pods' }, 'did you mean resource?'],
    [{ where: 'x' }, 'where is a function'],
  ])('refuse what matches nothing: %j', async (match, message) => {
    const given = match as never
    expect(() => server.faults.add({ ...match, error: 500 } as never)).toThrow(message)
    expect(() => server.requests.filter(given)).toThrow(message)
    expect(() => server.watches.end(given)).toThrow(message)
    await expect(server.requests.waitFor(given)).rejects.toThrow(message)
    await expect(server.watches.waitFor(given)).rejects.toThrow(message)
  })

  it.each(['pods', 'pods/*', '*.apps', 'gadgets.example.com', 'subjectaccessreviews.authorization.k8s.io', '*'])(
    'take %s',
    (resource) => expect(server.requests.filter({ resource })).toEqual([]),
  )

  it('refuse a fault that would do nothing', () => {
    expect(() => server.faults.add({ verb: 'get' })).toThrow('a fault says what goes wrong')
    expect(() => server.faults.add({ eror: 500 } as never)).toThrow(
      'there is no field of a fault "eror": did you mean error?',
    )
  })
})

describe('a server that is closed', () => {
  it('waits for nobody', async () => {
    const short = await startServer()
    short.faults.add({ resource: 'configmaps', latency: 600_000 })
    const waiting = send(short, configMaps).then(
      () => 'answered',
      () => 'cut',
    )
    const silent = await openWatch(short, '/api/v1/secrets?watch=1')
    short.watches.break('silent')
    while (short.requests.filter({ verb: 'list' }).every(({ faults }) => faults.length === 0)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await short.close()
    expect(await waiting).toBe('cut')
    await silent.ended
  })
})

describe('webhooks', () => {
  it('time out, are refused, and answer errors', async () => {
    const ca = createCertificateAuthority('hooks', systemClock.now())
    const { certPem, keyPem } = issueCertificate(ca, {
      commonName: 'h',
      usage: 'server',
      names: ['127.0.0.1'],
      now: systemClock.now(),
    })
    let calls = 0
    const hook = https.createServer({ cert: certPem, key: keyPem }, (request, response) => {
      calls++
      let text = ''
      request.on('data', (chunk) => (text += chunk))
      request.on('end', () => {
        const { uid } = JSON.parse(text).request
        response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid, allowed: true },
          }),
        )
      })
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    const { port } = hook.address() as AddressInfo
    await server.apply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          clientConfig: {
            url: `https://127.0.0.1:${port}/check`,
            caBundle: Buffer.from(ca.certPem).toString('base64'),
          },
        },
      ],
    })
    expect((await create('fine')).status).toBe(201)
    const timeout = server.faults.add({ webhook: 'timeout', webhookUrl: `*:${port}/*`, verb: 'create', name: 'late' })
    expect((await create('late')).body.message).toContain('context deadline exceeded')
    expect((await create('other')).status).toBe(201)
    timeout.remove()
    server.faults.add({ webhook: 'refused', resource: 'configmaps' })
    expect((await create('refused')).body.message).toContain('connection refused')
    expect(timeout.hits).toBe(1)
    expect(calls).toBe(2)
    hook.closeAllConnections()
    await new Promise((resolve) => hook.close(resolve))
  })
})

describe('time', () => {
  it('passes when it is told to: events expire', async () => {
    await server.call('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'Tested',
      message: 'm',
      type: 'Normal',
    })
    expect(await server.events({ reason: 'Tested' })).toMatchObject([
      { about: 'Pod default/p', count: 1, type: 'Normal' },
    ])
    await server.clock.advance(3_600_000 + 5000)
    expect(await server.events()).toEqual([])
  })

  it('passes for tokens, too', async () => {
    await server.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } })
    const { status } = await server.call('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    })
    const use = () => send(server, '/api/v1/nodes', { headers: { authorization: `Bearer ${status.token}` } })
    expect((await use()).status).toBe(403)
    await server.clock.advance(11 * 60_000)
    expect((await use()).status).toBe(401)
    await server.reset()
    const before = Date.now()
    const now = server.clock.now()
    expect(now >= before && now <= Date.now()).toBe(true)
  })
})

describe('waiting', () => {
  const pod = (name: string, spec: object, annotations = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  })

  it('says what was there when something does not happen', async () => {
    await server.apply(pod('stuck', {}))
    const waiting = server.waitFor('pods', ({ status }) => status.phase === 'Running', { timeout: 50 })
    await expect(waiting).rejects.toThrow(/within 50 ms; there were 1: .*"stuck"/)
  })
})
