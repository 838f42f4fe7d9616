// Requests of real clients in the audit log and at a real webhook.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import { until } from '../../support/until.ts'
import { type Json, startTestServer, type TestServer } from '../support/test-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'audit-'))
const log = join(folder, 'logs/audit.log')

const policy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }], omitManagedFields: true },
    { level: 'Request', resources: [{ group: '', resources: ['pods'] }], omitStages: [] },
    { level: 'Metadata' },
  ],
})

const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const batches: Json[] = []
let shaky = 1
const webhook = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (shaky-- > 0) return response.writeHead(400).end()
  batches.push(JSON.parse(Buffer.concat(chunks).toString()))
  return response.end()
})

/** The way to a webhook that listens. */
const kubeconfigOf = (listening: Server): string =>
  kubeconfigFor({ server: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/audit` })

let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
  server = await startTestServer([
    '--store=memory',
    `--audit-policy-file=${file('policy.yaml', policy)}`,
    `--audit-log-path=${log}`,
    `--audit-webhook-config-file=${file('kubeconfig', kubeconfigOf(webhook))}`,
    '--audit-webhook-batch-max-wait=20ms',
    '--audit-webhook-initial-backoff=10ms',
    '--audit-webhook-truncate-enabled',
    '--audit-webhook-truncate-max-event-size=2000',
    '--anonymous-auth=false',
  ])
})
afterAll(async () => {
  await server.close()
  webhook.closeAllConnections()
  webhook.close()
  rmSync(folder, { recursive: true, force: true })
})

const logged = (): Json[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const of = (id: string): Json[] => logged().filter(({ auditID }) => auditID === id)
const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

describe('the audit log', () => {
  it('records bodies as they were, with who asked and why they might', async () => {
    const answer = await server.call('POST', configMaps, configMap('a', { k: 'v' }), {
      'audit-id': 'create-a',
      'user-agent': 'tester/1.0',
      'x-forwarded-for': '203.0.113.7, nonsense',
    })
    expect(answer.headers['audit-id']).toBe('create-a')
    const [event, ...more] = of('create-a')
    expect(more).toEqual([])
    expect(event).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      requestURI: configMaps,
      verb: 'create',
      user: { username: expect.any(String), groups: expect.arrayContaining(['system:masters']) },
      sourceIPs: ['203.0.113.7', '127.0.0.1'],
      userAgent: 'tester/1.0',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } },
      responseObject: { kind: 'ConfigMap', metadata: { name: 'a', uid: expect.any(String) }, data: { k: 'v' } },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
    expect(event.requestObject.metadata.uid).toBeUndefined()
    expect(event.responseObject.metadata.managedFields).toBeUndefined()
    expect(answer.json().metadata.managedFields).toHaveLength(1)
  })
  it('writes the path of a request as Go does', async () => {
    await server.call('GET', `${configMaps}/<a>?x=<b>`, undefined, { 'audit-id': 'odd-path' })
    expect(of('odd-path')[0]).toMatchObject({ requestURI: `${configMaps}/%3Ca%3E?x=<b>` })
  })
  it('gives requests a name', async () => {
    const answer = await server.call('GET', '/api/v1/namespaces/default')
    expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(of(String(answer.headers['audit-id']))).toHaveLength(1)
  })
  it.each<[string, string, string, unknown, Json]>([
    ['get', 'GET', `${configMaps}/a`, undefined, { responseObject: { kind: 'ConfigMap' } }],
    ['list', 'GET', configMaps, undefined, { responseObject: { kind: 'ConfigMapList', items: expect.any(Array) } }],
    [
      'delete',
      'DELETE',
      `${configMaps}/gone`,
      { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      {
        requestObject: {
          kind: 'DeleteOptions',
          apiVersion: 'meta.k8s.io/__internal',
          propagationPolicy: 'Background',
        },
        responseStatus: { metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 },
        responseObject: { kind: 'Status', code: 404 },
      },
    ],
    ['health', 'GET', '/healthz', undefined, undefined],
  ])('records a %s', async (verb, method, path, body, expected) => {
    await server.call(method, path, body, { 'audit-id': `a-${verb}` })
    if (expected === undefined) expect(of(`a-${verb}`)).toEqual([])
    else expect(of(`a-${verb}`)[0]).toMatchObject({ verb, ...expected })
  })
  it('records patches as they were sent, and lists as tables where those were asked for', async () => {
    const patch = { data: { k: 'w' } }
    const headers = { 'audit-id': 'patch-a', 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', `${configMaps}/a`, patch, headers)
    expect(of('patch-a')[0].requestObject).toEqual(patch)
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
    await server.call('GET', configMaps, undefined, { 'audit-id': 'table', accept })
    const [{ responseObject }] = of('table')
    expect(responseObject.kind).toBe('Table')
    expect(responseObject.rows[0].object.metadata.managedFields).toBeUndefined()
  })
  it('keeps the content of secrets to itself, if told to', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } }
    await server.call('POST', '/api/v1/namespaces/default/secrets', secret, { 'audit-id': 'secret' })
    const [event] = of('secret')
    expect(event.objectRef).toMatchObject({ resource: 'secrets', name: 's' })
    expect(readFileSync(log, 'utf8')).not.toContain('hunter2')
  })
  it('records the beginning and the end of a watch', async () => {
    const watch = await server.watch(`${configMaps}?watch=1&resourceVersion=0&timeoutSeconds=60`)
    const begun = await until('the beginning', () => logged().find(({ verb }) => verb === 'watch'))
    expect(begun).toMatchObject({ stage: 'ResponseStarted', responseStatus: { code: 200 } })
    watch.close()
    await until('the end', () => of(begun.auditID).find(({ stage }) => stage === 'ResponseComplete'))
  })
  it('tells on whose behalf a request was made, and why it was refused', async () => {
    const headers = { 'audit-id': 'as-ann', 'impersonate-user': 'ann' }
    const { status } = await server.call('GET', configMaps, undefined, headers)
    expect(status).toBe(403)
    expect(of('as-ann')[0]).toMatchObject({
      impersonatedUser: { username: 'ann', groups: ['system:authenticated'] },
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    })
  })
  it('records that nobody knows who asked', async () => {
    const headers = { 'audit-id': 'nobody', authorization: 'Bearer bad' }
    const answer = await fetchInsecurely(`${server.url}/api/v1/pods`, headers)
    expect(answer).toBe(401)
    expect(of('nobody')).toEqual([
      expect.objectContaining({
        stage: 'ResponseStarted',
        user: {},
        responseStatus: { metadata: {}, status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
      }),
    ])
  })
  it('says what is deprecated', async () => {
    await server.call('GET', '/api/v1/componentstatuses', undefined, { 'audit-id': 'old' })
    expect(of('old')[0].annotations).toMatchObject({ 'k8s.io/deprecated': 'true' })
  })
  it('counts', async () => {
    const page = (await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString()
    expect(page).toMatch(/^apiserver_audit_event_total [1-9]/m)
    expect(page).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} [1-9]/m)
    expect(page).toMatch(/^apiserver_audit_requests_rejected_total 0$/m)
  })
})

describe('the audit webhook', () => {
  const sent = (): Json[] => batches.flatMap(({ items }) => items)
  it('gets the same events in batches, also after a failure', async () => {
    const event = await until('the event', () => sent().find(({ auditID }) => auditID === 'create-a'))
    expect(event).toMatchObject({ level: 'RequestResponse', stage: 'ResponseComplete' })
    expect(event.kind).toBeUndefined()
    expect(batches[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' })
  })
  it('gets events without bodies where these are too large', async () => {
    await server.call('POST', configMaps, configMap('large', { k: 'x'.repeat(5000) }), { 'audit-id': 'large' })
    const event = await until('the event', () => sent().find(({ auditID }) => auditID === 'large'))
    expect(event.annotations['audit.k8s.io/truncated']).toBe('true')
    expect(event.requestObject).toBeUndefined()
    expect(of('large')[0].requestObject.data.k).toHaveLength(5000)
  })
})

describe('a strict audit log', () => {
  it.skipIf(process.platform !== 'linux')('lets no request pass that it cannot record', async () => {
    const rules = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] })
    const flags = ['--audit-log-path=/dev/full', `--audit-policy-file=${file('all.yaml', rules)}`]
    const strict = await startTestServer(['--store=memory', '--audit-log-mode=blocking-strict', ...flags])
    const { status, body } = await strict.call('GET', configMaps)
    expect([status, body.toString()]).toEqual([
      500,
      `Internal Server Error: "${configMaps}": failed to store audit event\n`,
    ])
    await strict.close()
    const lenient = await startTestServer(['--store=memory', ...flags])
    expect((await lenient.call('GET', configMaps)).status).toBe(200)
    await lenient.close()
  })
})

describe('a blocking audit webhook', () => {
  const waiting = new Map<string, ServerResponse>()
  let isBroken = false
  const slow = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [event] = (JSON.parse(Buffer.concat(chunks).toString()) as Json).items
    if (isBroken) response.writeHead(400).end()
    else waiting.set(`${event.auditID} ${event.stage}`, response)
  })
  let blocked: TestServer
  beforeAll(async () => {
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const rules = [{ level: 'None', nonResourceURLs: ['/version'] }, { level: 'Metadata' }]
    const all = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules })
    blocked = await startTestServer([
      '--store=memory',
      `--audit-policy-file=${file('blocking.yaml', all)}`,
      `--audit-webhook-config-file=${file('slow', kubeconfigOf(slow))}`,
      '--audit-webhook-mode=blocking-strict',
      '--audit-webhook-initial-backoff=1ms',
    ])
  })
  afterAll(async () => {
    await blocked.close()
    slow.closeAllConnections()
    slow.close()
  })

  /** Waits for an event, sees that nothing was answered by then, and lets it go. */
  const release = async (event: string, isAnswered: () => boolean): Promise<void> => {
    const response = await until(event, () => waiting.get(event))
    // On the same connection: what was answered before would have come before.
    expect((await blocked.call('GET', '/version')).status).toBe(200)
    expect(isAnswered(), event).toBe(false)
    response.end()
  }

  it.each([
    ['GET', `${configMaps}/none`, undefined, 404],
    ['GET', configMaps, undefined, 200],
    ['POST', configMaps, configMap('b', {}), 201],
  ])('holds the answer to %s %s until its events are there', async (method, path, body, expected) => {
    const id = `${method} ${path.length}`
    let isAnswered = false
    const answer = blocked.call(method, path, body, { 'audit-id': id }).finally(() => {
      isAnswered = true
    })
    await release(`${id} RequestReceived`, () => isAnswered)
    await release(`${id} ResponseComplete`, () => isAnswered)
    expect((await answer).status).toBe(expected)
  })

  it('holds the beginning of a watch', async () => {
    let isBegun = false
    const opening = blocked.watch(`${configMaps}?watch=1&resourceVersion=0`).finally(() => {
      isBegun = true
    })
    const event = (stage: string) => until(stage, () => [...waiting.keys()].find((key) => key.endsWith(` ${stage}`)))
    const received = await until('its beginning', () =>
      [...waiting].find(([key, { writableEnded }]) => key.endsWith('RequestReceived') && !writableEnded),
    )
    received[1].end()
    await release(await event('ResponseStarted'), () => isBegun)
    const watch = await opening
    await watch.until((events) => events.length > 0)
    watch.close()
  })

  it('refuses what it cannot record', async () => {
    isBroken = true
    const { status, body } = await blocked.call('GET', configMaps)
    expect([status, body.toString()]).toEqual([
      500,
      `Internal Server Error: "${configMaps}": failed to store audit event\n`,
    ])
  })
})

/** The status, without looking at the server's certificate. */
async function fetchInsecurely(url: string, headers: Record<string, string>): Promise<number> {
  const https = await import('node:https')
  return new Promise((resolve, reject) => {
    https
      .get(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .on('error', reject)
  })
}
