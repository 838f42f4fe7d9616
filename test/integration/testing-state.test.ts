/** The state of a test server: applied, put back, copied; and servers that share nothing. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CoreV1Api } from '@kubernetes/client-node'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer, tidy } from '../../src/testing/testing.ts'
import { openWatch } from './support/plain-watch.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => server.reset())
afterAll(() => server.close())

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

const definition = (plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
})

describe('the state', () => {
  it('is put back to the start, with what a server has of itself', async () => {
    await server.apply(configMap('one'))
    await server.call('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterroles/view')
    await server.reset()
    expect(await server.get('configmaps', 'one')).toBeUndefined()
    expect(await server.get('clusterroles', 'view')).toBeDefined()
  })

  it('goes to snapshots and back, whatever was changed, created and deleted', async () => {
    await server.apply([configMap('kept', { a: '1' }), configMap('changed', { a: '1' }), configMap('deleted')])
    server.snapshot('three')
    await server.apply([configMap('changed', { a: '2' }), configMap('new')])
    await server.call('DELETE', '/api/v1/namespaces/default/configmaps/deleted')
    await server.restore('three')
    const found = (await server.list('configmaps', 'default')).filter(
      ({ metadata }) => metadata?.name !== 'kube-root-ca.crt',
    )
    expect(found.map(({ metadata, data }) => [metadata?.name, data])).toEqual([
      ['changed', { a: '1' }],
      ['deleted', undefined],
      ['kept', { a: '1' }],
    ])
    await expect(server.restore('four')).rejects.toThrow('there is no snapshot "four"')
  })

  it('brings definitions and their objects back, and takes them away', async () => {
    await server.apply([
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 3 } },
      definition('widgets', 'Widget'),
    ])
    const withWidget = server.snapshot()
    await server.reset()
    await expect(server.call('GET', '/apis/example.com/v1/namespaces/default/widgets')).rejects.toMatchObject({
      status: 404,
    })
    await server.restore(withWidget)
    expect(await server.get('widgets.example.com', 'w')).toMatchObject({ spec: { size: 3 } })
    await server.call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com')
    await server.restore(withWidget)
    expect(await server.get('Widget', 'w')).toMatchObject({ spec: { size: 3 } })
  })

  it('leaves no allocation behind', async () => {
    const service = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: '10.0.0.77', type: 'NodePort', ports: [{ port: 80, nodePort: 31234 }] },
    })
    await server.apply(service('first'))
    await expect(server.apply(service('second'))).rejects.toThrow('already allocated')
    const start = server.snapshot()
    await server.reset()
    await server.apply(service('second'))
    await server.restore(start)
    await expect(server.apply(service('second'))).rejects.toThrow('already allocated')
  })

  it('ends watches as a restart does, and forgets older versions', async () => {
    await server.apply(configMap('one'))
    const { metadata } = await server.call('GET', '/api/v1/configmaps')
    const watch = await openWatch(server, `/api/v1/configmaps?watch=1&resourceVersion=${metadata?.resourceVersion}`)
    await server.reset()
    await watch.ended
    const again = await openWatch(server, `/api/v1/configmaps?watch=1&resourceVersion=${metadata?.resourceVersion}`)
    await again.ended
    expect(again.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
  })

  it('keeps watches when asked, and tells them what changes', async () => {
    await server.apply([configMap('one', { a: '1' }), configMap('two')])
    const start = server.snapshot()
    const watch = await openWatch(
      server,
      '/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt',
    )
    await watch.until(2)
    await server.apply([configMap('one', { a: '2' }), configMap('three')])
    await server.call('DELETE', '/api/v1/namespaces/default/configmaps/two')
    await watch.until(5)
    await server.restore(start, { watches: 'keep' })
    await watch.until(8)
    expect(watch.events.slice(5).map(({ type, object }) => [type, object.metadata.name, object.data])).toEqual([
      ['DELETED', 'three', undefined],
      ['MODIFIED', 'one', { a: '1' }],
      ['ADDED', 'two', undefined],
    ])
    watch.close()
  })

  it('holds what watches were told of, however often it is put back', async () => {
    await server.apply([configMap('one'), configMap('two')])
    const start = server.snapshot()
    const version = async (name: string) => (await server.get('configmaps', name))?.metadata?.resourceVersion
    for (const watches of ['end', 'keep', 'end'] as const) {
      await server.apply(configMap('one', { changed: watches }))
      await server.call('DELETE', '/api/v1/namespaces/default/configmaps/two')
      for (let i = 0; i < 2; i++) {
        await server.restore(start, { watches })
        // A write that names the version that was read is taken: cache and store agree.
        for (const name of ['one', 'two']) {
          const metadata = { name, resourceVersion: await version(name) }
          const path = `/api/v1/namespaces/default/configmaps/${name}`
          await server.call('PUT', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { i: String(i) } })
        }
      }
    }
    await server.restore(start)
    expect((await server.list('configmaps', 'default')).map(({ metadata, data }) => [metadata?.name, data])).toEqual([
      ['one', undefined],
      ['two', undefined],
    ])
  })

  it('waits for controllers before it is put back', async () => {
    await server.namespace('busy')
    for (let i = 0; i < 30; i++)
      await server.apply({ ...configMap(`c${i}`), metadata: { name: `c${i}`, namespace: 'busy' } })
    const full = server.snapshot()
    for (let i = 0; i < 5; i++) {
      await server.call('DELETE', '/api/v1/namespaces/busy')
      await server.restore(full)
      expect(await server.get('namespaces', 'busy')).toMatchObject({ status: { phase: 'Active' } })
      expect(await server.list('configmaps', 'busy')).toHaveLength(30)
    }
    await server.call('DELETE', '/api/v1/namespaces/busy')
    await server.waitForNone('namespaces', ({ metadata }) => metadata?.name === 'busy')
  })

  it('keeps who belongs to whom, however often it is put back', async () => {
    const [owner] = await server.apply(configMap('owner'))
    const { name = '', uid = '' } = owner?.metadata ?? {}
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }]
    const owned = Array.from({ length: 30 }, (_, i) => ({
      ...configMap(`c${i}`),
      metadata: { name: `c${i}`, ownerReferences },
    }))
    await server.apply(owned)
    const full = server.snapshot()
    const count = async (of: TestServer) => (await of.list('configmaps', 'default')).length
    const collected = async (of: TestServer) => {
      await of.call('DELETE', '/api/v1/namespaces/default/configmaps/owner')
      await of.waitForNone('configmaps', ({ metadata }) => metadata?.namespace === 'default')
    }
    for (const watches of ['end', 'keep', 'end'] as const) {
      await server.reset(undefined, { watches })
      expect(await count(server)).toBe(0)
      await server.restore(full, { watches })
      await server.settled()
      expect(await count(server)).toBe(31)
      await collected(server)
    }
    await server.restore(full)
    await using fork = await server.fork()
    await collected(fork)
    expect(await count(server)).toBe(31)
  })

  it('forks: two servers go their own ways from one state', async () => {
    await server.apply(configMap('shared'))
    const alice = server.user('alice', ['system:masters'])
    await using fork = await server.fork()
    await fork.apply(configMap('only-in-fork'))
    await server.apply(configMap('only-here'))
    const names = async (of: TestServer) =>
      (await of.list('configmaps', 'default')).map(({ metadata }) => metadata?.name)
    expect(await names(fork)).toEqual(['only-in-fork', 'shared'])
    expect(await names(server)).toEqual(['only-here', 'shared'])
    expect(
      await fork.call('GET', '/api/v1/namespaces/default/configmaps/shared', undefined, { user: alice }),
    ).toBeDefined()
    await fork.reset()
    expect(await names(fork)).toEqual(['shared'])
    expect(fork.url).not.toBe(server.url)
  })
})

describe('set-up', () => {
  it('applies YAML and folders, definitions first', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-manifests-'))
    writeFileSync(
      path.join(folder, 'a.yaml'),
      'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g, namespace: shop}\nspec: {size: 1}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
    )
    writeFileSync(
      path.join(folder, 'b.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [definition('gadgets', 'Gadget')] }),
    )
    const applied = await server.apply(folder)
    rmSync(folder, { recursive: true })
    expect(applied.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Namespace', 'Gadget'])
    await server.apply('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\n')
    expect(tidy(await server.get('cm', 'text'))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'text', namespace: 'default' },
    })
    await expect(server.apply({ apiVersion: 'v1', kind: 'Nothing' })).rejects.toThrow('no matches for kind "Nothing"')
    await expect(server.list('pod')).resolves.toEqual([])
    await expect(server.list('podz')).rejects.toThrow('did you mean pods?')
  })

  it('gives clients of the JavaScript library, and users whom RBAC holds', async () => {
    const admin = await server.client(CoreV1Api)
    await admin.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'mine' } } })
    const alice = server.user('alice', ['devs'])
    const hers = await alice.client(CoreV1Api)
    await expect(hers.readNamespacedConfigMap({ namespace: 'default', name: 'mine' })).rejects.toMatchObject({
      code: 403,
    })
    await server.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'devs', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
    })
    expect((await hers.readNamespacedConfigMap({ namespace: 'default', name: 'mine' })).metadata?.name).toBe('mine')
    const { cert, key } = alice.certificate()
    expect(await status(server, '/api/v1/namespaces/default/configmaps/mine', { cert, key })).toBe(200)
    const sent = server.requests.filter({ user: 'alice', verb: 'get' })
    expect(sent.map((request) => request.status)).toEqual([403, 200, 200])
  })

  it('serves plain HTTP', async () => {
    await using plain = await startServer({ tls: false })
    expect(plain.url).toMatch(/^http:/)
    const core = await plain.client(CoreV1Api)
    expect((await core.listNamespace()).items).not.toHaveLength(0)
    expect(await plain.user('bob').client(CoreV1Api)).toBeDefined()
  })
})

describe('a server that makes everything of itself', () => {
  it('is at rest when it has started: nothing is written any more', async () => {
    // Nobody has started with these flags before, so that nothing is there at the beginning.
    await using fresh = await startServer({ flags: ['--event-ttl=7h'] })
    // The Lease of the server is left out: it is renewed all the time.
    const kinds = ['clusterroles', 'flowschemas', 'apiservices', 'namespaces', 'services', 'ipaddresses', 'configmaps']
    const versions = async () => {
      const objects = (await Promise.all(kinds.map((kind) => fresh.list(kind)))).flat()
      return objects.map(({ kind, metadata }) => `${kind} ${metadata?.name} ${metadata?.resourceVersion}`)
    }
    const begin = await versions()
    for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve))
    await fresh.settled()
    expect(await versions()).toEqual(begin)
    const [lease] = await fresh.list('leases', 'kube-system')
    expect(lease?.metadata?.name).toMatch(/^apiserver-/)
    const names = async (of: TestServer) => (await of.list('clusterroles')).map(({ metadata }) => metadata?.name)
    await using next = await startServer({ flags: ['--event-ttl=7h'] })
    expect(await names(next)).toEqual(await names(fresh))
    const uids = async (of: TestServer) => (await of.list('namespaces')).map(({ metadata }) => metadata?.uid)
    expect(await uids(next)).not.toEqual(await uids(fresh))
    for (const each of [fresh, next]) {
      const port = Number(new URL(each.url).port)
      expect((await each.get('services', 'kubernetes'))?.['spec'].ports[0].targetPort).toBe(port)
      const [slice] = await each.list('endpointslices', 'default')
      if (slice !== undefined) expect(slice['ports'][0].port).toBe(port)
    }
  })
})

describe('ten servers in one process', () => {
  it('do not know of each other', async () => {
    const servers = await Promise.all(Array.from({ length: 10 }, () => startServer()))
    await Promise.all(servers.map((each, i) => each.apply([definition('widgets', 'Widget'), configMap(`of-${i}`)])))
    await servers[0]?.reset()
    for (const [i, each] of servers.entries()) {
      const names = (await each.list('configmaps', 'default')).map(({ metadata }) => metadata?.name)
      expect(names).toEqual(i === 0 ? [] : [`of-${i}`])
      const served = await each.call('GET', '/apis/example.com/v1/widgets').then(
        () => true,
        () => false,
      )
      expect(served).toBe(i !== 0)
      expect(each.requests.length).toBe(0)
    }
    await Promise.all(servers.map((each) => each.close()))
  })
})

function status({ url, ca }: TestServer, target: string, tls: { cert: string; key: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { ...(ca === undefined ? {} : { ca }), ...tls, agent: false as const }
    const request = (url.startsWith('https') ? https : http).get(`${url}${target}`, options, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
  })
}
