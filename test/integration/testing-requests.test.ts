/** What a test sees of requests, answers and watches, and what its own mistakes are reported by. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { schemaForKind } from '../../src/catalog/catalog.ts'
import { encodeCbor } from '../../src/codec/cbor.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import { startServer, type TestServer, tidy } from '../../src/testing/testing.ts'
import { openWatch, send } from './support/plain-watch.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ tls: false, flags: ['--feature-gates=CBORServingAndStorage=true'] })
})
beforeEach(() => server.reset())
afterAll(() => server.close())

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

/** Creates a config map in some encoding; resolves to the code. */
async function post(name: string, type: string): Promise<number> {
  const schema = schemaForKind({ group: '', version: 'v1', kind: 'ConfigMap' })
  if (schema === undefined) throw new Error('no config maps')
  const bodies: Record<string, Buffer> = {
    'application/vnd.kubernetes.protobuf': encodeProtobuf(configMap(name), schema),
    'application/cbor': encodeCbor(configMap(name), schema),
  }
  const answer = await fetch(`${server.url}${configMaps}`, {
    method: 'POST',
    body: new Uint8Array(bodies[type] ?? Buffer.from(JSON.stringify(configMap(name)))),
    headers: { 'content-type': type, accept: type, authorization: `Bearer ${server.token}` },
  })
  await answer.arrayBuffer()
  return answer.status
}

const encodings = ['application/vnd.kubernetes.protobuf', 'application/cbor', 'application/yaml', 'application/json']

describe('faults', () => {
  it.each(encodings)('see a body of %s', async (type) => {
    const fault = server.faults.add({ verb: 'create', where: ({ body }) => body.metadata.name === 'hit', error: 418 })
    expect(await post('hit', type)).toBe(418)
    expect(await post('missed', type)).toBe(201)
    expect(fault.hits).toBe(1)
  })
})

describe('requests', () => {
  it.each(encodings)('show bodies and answers of %s as data', async (type) => {
    expect(await post('one', type)).toBe(201)
    const [request] = server.requests.filter({ verb: 'create', resource: 'configmaps' })
    expect(request?.body).toMatchObject(configMap('one'))
    expect(request?.response).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'one', uid: expect.any(String) } })
    expect(request?.responseHeaders['content-type']).toBe(type)
  })

  it('show warnings and audit annotations, as answers of calls do', async () => {
    const warn = { 'pod-security.kubernetes.io/warn': 'restricted', 'pod-security.kubernetes.io/audit': 'restricted' }
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'strict', labels: warn } })
    const pods = '/api/v1/namespaces/strict/pods'
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
    await send(server, `${pods}?dryRun=All`, { method: 'POST', body: pod })
    const [request] = server.requests.filter({ resource: 'pods' })
    const answer = await server.send('POST', pods, pod)
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name: 'web' } } })
    for (const seen of [request, answer]) {
      expect(seen?.warnings).toEqual([expect.stringContaining('would violate PodSecurity "restricted:latest"')])
      expect(seen?.auditAnnotations).toMatchObject({
        'authorization.k8s.io/decision': 'allow',
        'pod-security.kubernetes.io/audit-violations': expect.stringContaining('restricted:latest'),
      })
    }
    expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    const refused = server.user('mallory').call('GET', pods)
    await expect(refused).rejects.toMatchObject({
      status: 403,
      auditAnnotations: { 'authorization.k8s.io/decision': 'forbid' },
    })
  })

  it('show annotations where requests are audited, too', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-audit-'))
    const policy = path.join(folder, 'policy.yaml')
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n')
    const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${folder}/log`, '--audit-log-mode=blocking']
    await using audited = await startServer({ flags })
    audited.faults.add({
      resource: 'configmaps',
      verb: 'create',
      where: ({ body }) => body.metadata.name === 'cut',
      cut: 'after',
    })
    await send(audited, configMaps, { method: 'POST', body: configMap('one') })
    expect(audited.requests.all()[0]?.auditAnnotations).toMatchObject({ 'authorization.k8s.io/decision': 'allow' })
    await expect(send(audited, configMaps, { method: 'POST', body: configMap('cut') })).rejects.toThrow()
    expect(await audited.get('configmaps', 'cut')).toBeDefined()
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('watches', () => {
  it('are shown while they are open, and waited for', async () => {
    const opened = server.watches.waitFor({ resource: 'configmaps', userAgent: 'under-test/*' })
    const watch = await openWatch(server, `${configMaps}?watch=1`)
    const seen = await opened
    expect(seen.request).toMatchObject({ verb: 'watch', resource: 'configmaps', namespace: 'default', user: 'admin' })
    await server.apply([configMap('a'), configMap('b')])
    await watch.until(2)
    expect(seen.events).toBe(2)
    expect([...server.watches].map(({ request }) => request.path)).toEqual([configMaps])
    expect(server.watches.filter({ resource: 'secrets' })).toEqual([])
    expect(await server.watches.waitFor({ resource: 'configmaps' })).toMatchObject({ events: 2 })
    seen.end()
    expect(await watch.ended).toBe('whole')
    expect(server.watches.count).toBe(0)
    const late = server.watches.waitFor({ resource: 'configmaps' }, { timeout: 20 })
    await expect(late).rejects.toThrow('no watch matched within 20 ms: {"resource":"configmaps"}; none was open')
  })
})

describe('replay', () => {
  it('sends what was saved again, as the same users', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'pilothouse-replay-')), 'requests.jsonl')
    for (const type of encodings) await post(`from-${type.length}`, type)
    const patch = {
      method: 'PATCH',
      body: { data: { a: '1' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    }
    await send(server, `${configMaps}/from-16`, patch)
    const { token } = server.user('mallory', ['crew'])
    await send(server, configMaps, { headers: { authorization: `Bearer ${token}` } })
    await send(server, `${configMaps}/from-15?dryRun=All`, { method: 'DELETE' })
    server.requests.save(file, { resource: 'configmaps' })
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    const before = await server.list('configmaps', 'default')
    await server.reset()
    const replayed = await server.replay(file, { timing: 'recorded' })
    expect(replayed.map(({ status }) => status)).toEqual(replayed.map(({ request }) => request.status))
    expect(replayed.find(({ request }) => request.user === 'mallory')).toMatchObject({ status: 403, isSame: true })
    expect(tidy(await server.list('configmaps', 'default'))).toEqual(tidy(before))
    const again = await server.replay(file)
    expect(again.some(({ isSame, status }) => !isSame && status === 409)).toBe(true)
    await expect(server.replay('./nope.jsonl')).rejects.toThrow('ENOENT')
  })
})

describe('chaos', () => {
  const codes = async (seed: number): Promise<string> => {
    await server.reset()
    const chaos = server.faults.chaos({ seed, share: 0.5, only: ['errors', 'throttling', 'conflicts'] })
    const found: number[] = []
    for (let i = 0; i < 40; i++) found.push((await send(server, `${configMaps}/c${i}`)).status)
    expect(chaos.hits).toBe(found.filter((code) => code !== 404).length)
    expect(chaos.hits).toBeGreaterThan(3)
    chaos.stop()
    expect((await send(server, `${configMaps}/c`)).status).toBe(404)
    return found.join()
  }

  it('is the same for the same seed, and another for another', async () => {
    const first = await codes(7)
    expect(await codes(7)).toBe(first)
    expect(await codes(8)).not.toBe(first)
  })

  it('of all kinds leaves a server that works', async () => {
    const chaos = server.faults.chaos({ seed: 3, share: 1 })
    for (let i = 0; i < 30; i++)
      await send(server, configMaps, { method: 'POST', body: configMap(`c${i}`) }).catch(() => undefined)
    expect(chaos.hits).toBeGreaterThan(5)
    await server.reset()
    expect((await send(server, configMaps)).status).toBe(200)
  })

  it.each([
    [{ seed: 0.5 }, 'whole number'],
    [{ seed: 1, share: 2 }, 'share is from 0 to 1'],
    [{ seed: 1, only: ['storms'] }, 'there is no chaos of storms'],
    [{ seed: 1, match: { verb: 'lst' } }, 'there is no verb "lst"'],
  ])('refuses %j', (options, message) => {
    expect(() => server.faults.chaos(options as never)).toThrow(message)
  })
})

describe('settled', () => {
  it('waits for policies to be checked', async () => {
    await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
      metadata: { name: 'replicas' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
          ],
        },
        validations: [{ expression: 'object.spec.replicsa < 5' }],
      },
    })
    await server.settled()
    const policy = await server.get('validatingadmissionpolicies', 'replicas')
    expect(policy?.status.observedGeneration).toBe(1)
    expect(policy?.status.typeChecking.expressionWarnings[0].warning).toContain("undefined field 'replicsa'")
  })
})

describe('mistakes of a test', () => {
  it.each<[string, (server: TestServer) => Promise<unknown>, string | RegExp]>([
    ['apply of a file that is missing', (s) => s.apply('./nope.yaml'), 'there is no file or folder ./nope.yaml'],
    ['apply of a folder that is missing', (s) => s.apply('manifests/'), 'there is no file or folder manifests/'],
    ['apply of words', (s) => s.apply('- a\n- b'), 'the manifest holds something that is no object'],
    ['apply of an object without a kind', (s) => s.apply({ metadata: { name: 'a' } }), 'without apiVersion and kind'],
    ['get of a resource that there is not', (s) => s.get('pdos', 'a'), 'did you mean pods'],
    ['waitFor of a resource that there is not', (s) => s.waitFor('pdos', () => true), 'did you mean pods'],
    ['waitForNone of it', (s) => s.waitForNone('pdos'), 'did you mean pods'],
    ['list of it', (s) => s.list('pdos'), 'did you mean pods'],
    ['restore of no snapshot', (s) => s.restore('then'), 'there is no snapshot "then"'],
    ['reset to no snapshot', (s) => s.reset('then'), 'there is no snapshot "then"'],
    ['a client that there is not', (s) => s.client('CorV1Api'), 'has no class "CorV1Api"'],
    ['get of no name of a resource', (s) => s.get(undefined as never, 'a'), "a resource is a name, such as 'pods'"],
    ['a call of nothing', (s) => s.call('GET', undefined as never), 'a request has a method and a path'],
    ['an option that there is not', () => startServer({ simulat: true } as never), 'did you mean simulate?'],
    ['a handler that there is not', (s) => s.webhooks.serve({ validat: () => true } as never), 'did you mean validate'],
    ['no handler', (s) => s.webhooks.serve({}), 'webhooks.serve needs mutate, validate or convert'],
    ['time that passes backwards', (s) => s.clock.advance(-1), 'time passes forwards'],
  ])('reject: %s', async (_, ask, message) => {
    const asked = ask(server)
    expect(asked).toBeInstanceOf(Promise)
    await expect(asked).rejects.toThrow(message)
  })

  it('of not closing a server is reported at the end of the process, which it does not keep alive', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-unclosed-'))
    const file = path.join(folder, 'unclosed.mjs')
    const testing = pathToFileURL(path.resolve('dist/testing.js')).href
    writeFileSync(
      file,
      `import { startServer } from '${testing}'
const [server] = await Promise.all([startServer({ tls: false })])
const answer = await fetch(server.url + '/version')
console.log(answer.status)
const watch = await fetch(server.url + '/api/v1/pods?watch=1', { headers: { authorization: 'Bearer ' + server.token } })
console.log(watch.status, server.watches.count)
await watch.body.cancel()
await (await startServer()).close()
`,
    )
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 })
    expect(stdout).toBe('200\n200 1\n')
    expect(stderr).toMatch(
      /^pilothouse: the test server http:\/\/127.0.0.1:\d+, started at .*unclosed.mjs:2:\d+, was not closed: call server.close\(\), or use `await using`\n$/,
    )
    expect(status).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  })
})
