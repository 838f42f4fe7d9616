/** The server in another program's process: every store, its own plugins, authenticators and authorizers, the smallest profile. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { afterAll, describe, expect, it } from 'vitest'
import { openHarbour } from '../../examples/embedding/harbour.ts'
import { type CreateServerOptions, createServer, type EmbeddedServer } from '../../src/embedding/embedding.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-embedding-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data })

/** Over the network. */
function status(server: EmbeddedServer, at: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    https
      .get(`${server.url}${at}`, { ca: server.ca, headers, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .on('error', reject)
  })
}

describe('an embedded server', () => {
  it('serves clients by its kubeconfig', async () => {
    await using server = await createServer({ background: true })
    const config = new KubeConfig()
    config.loadFromString(server.kubeconfig())
    const core = config.makeApiClient(CoreV1Api)
    expect((await core.listNamespace()).items.length).toBeGreaterThan(3)
    expect(await status(server, '/version')).toBe(200)
  })

  it('keeps its objects and its certificates in a folder', async () => {
    const store = { kind: 'lmdb', folder: path.join(folder, 'data') } as const
    const first = await createServer({ store, background: true })
    expect((await first.call('POST', configMaps, configMap('kept'))).status).toBe(201)
    const { ca } = first
    await first.close()
    await using second = await createServer({ store, background: true })
    expect((await second.call('GET', `${configMaps}/kept`)).status).toBe(200)
    expect(second.ca).toBe(ca)
  })

  it.each<[string, CreateServerOptions, string]>([
    ['gates', { featureGates: { Nonsense: true } }, 'Nonsense'],
    ['stores', { store: { kind: 'etcd', servers: [] } }, 'etcd'],
    ['plugins', { admission: { enable: ['Nonsense'] } }, 'Nonsense'],
    ['modes', { authorizationModes: ['Nonsense' as 'RBAC'] }, 'Nonsense'],
  ])('refuses wrong %s', async (_, options, message) => {
    await expect(createServer(options)).rejects.toThrow(message)
  })
})

describe('plugins of the program', () => {
  it('see requests in their version, change copies, warn, and refuse', async () => {
    const seen: string[] = []
    await using server = await createServer({
      background: true,
      admission: {
        plugins: [
          {
            name: 'Colours',
            match: { groups: [''], resources: ['configmaps'] },
            mutate(request) {
              const { object, operation, kind } = request
              seen.push(`${operation} ${kind.version} ${object?.apiVersion}`)
              if (object === undefined) return undefined
              request.warn('painted')
              object['data'] = { ...object['data'], colour: 'blue' }
              return object
            },
            async validate({ object, oldObject, user }) {
              if (object?.metadata.name === 'teapot') return { code: 418, message: 'I am a teapot' }
              if (object?.metadata.name === 'broken') throw new Error('out of paint')
              if (oldObject !== undefined && user.name !== 'admin') return false
              return object?.['data']?.shape === 'round' ? 'no round ones' : true
            },
          },
        ],
      },
    })
    const { body, warnings } = await server.call('POST', configMaps, configMap('a'))
    expect(body['data']).toEqual({ colour: 'blue' })
    expect(warnings).toEqual(['painted'])
    const refusals: [string, Record<string, string>, number, RegExp][] = [
      ['round', { shape: 'round' }, 403, /^configmaps "round" is forbidden: no round ones$/],
      ['teapot', {}, 418, /^I am a teapot$/],
      ['broken', {}, 403, /out of paint/],
    ]
    for (const [name, data, code, message] of refusals) {
      const answer = await server.call('POST', configMaps, configMap(name, data))
      expect(answer.status).toBe(code)
      expect(answer.body['message']).toMatch(message)
    }
    await server.call('DELETE', `${configMaps}/a`)
    expect(seen).toContain('DELETE v1 undefined')
    expect(seen).toContain('CREATE v1 v1')
  })

  it('decide who asks and who may', async () => {
    await using server = await createServer({
      background: true,
      anonymous: false,
      authorizationModes: ['RBAC'],
      authenticators: [
        ({ token, path: at }) => {
          if (token === 'bad') throw new Error('stolen')
          return token === 'ada' ? { name: `ada at ${at}`, groups: ['crew'], extra: { Rank: ['mate'] } } : undefined
        },
      ],
      authorizers: [
        ({ user, resource, namespace }) => {
          if (user.name === 'mallory') throw new Error('who is that?')
          if (!user.groups.includes('crew')) return undefined
          return namespace === 'default' && resource === 'configmaps' && user.extra['rank']?.[0] === 'mate'
            ? 'allow'
            : 'deny'
        },
      ],
    })
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    expect(await status(server, configMaps, as('ada'))).toBe(200)
    expect(await status(server, '/api/v1/namespaces/default/secrets', as('ada'))).toBe(403)
    expect(await status(server, configMaps, as('bad'))).toBe(401)
    expect(await status(server, configMaps, as('eve'))).toBe(401)
    expect(await status(server, configMaps)).toBe(401)
    const asked = await server.call('GET', configMaps, undefined, { user: { name: 'mallory' } })
    expect(asked.status).toBe(500)
    expect(JSON.stringify(asked.body)).toContain('who is that?')
  })
})

describe('the smallest profile', () => {
  it('has custom resources and namespaces, which go with what is in them', async () => {
    await using server = await openHarbour()
    const namespaces = await server.call('GET', '/api/v1/namespaces')
    expect(namespaces.body['items'].map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'default',
    ])
    const resources = await server.call('GET', '/api/v1')
    expect(resources.body['resources'].map(({ name }: { name: string }) => name)).toEqual([
      'namespaces',
      'namespaces/finalize',
      'namespaces/status',
    ])
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'north' } })
    const boat = { apiVersion: 'harbour.example/v1', kind: 'Boat', metadata: { name: 'a' }, spec: { length: 1 } }
    expect((await server.call('POST', '/apis/harbour.example/v1/namespaces/north/boats', boat)).status).toBe(201)
    await server.call('DELETE', '/api/v1/namespaces/north')
    await expect.poll(async () => (await server.call('GET', '/api/v1/namespaces/north')).status).toBe(404)
    expect(await status(server, '/openapi/v2')).toBe(200)
    expect(await status(server, '/readyz')).toBe(200)
    expect(await status(server, '/apis', { authorization: 'Bearer not.a.token' })).toBe(401)
  })

  it('takes roles, other APIs and webhooks when asked', async () => {
    await using server = await createServer({
      profile: 'crds',
      background: true,
      authorizationModes: ['RBAC'],
      apis: { '/v1/configmaps': true },
      admission: { enable: ['ValidatingAdmissionWebhook', 'ValidatingAdmissionPolicy'] },
    })
    const { body } = await server.call('GET', '/apis')
    expect(body['groups'].map(({ name }: { name: string }) => name).sort()).toEqual([
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'rbac.authorization.k8s.io',
    ])
    expect((await server.call('POST', configMaps, configMap('a'))).status).toBe(201)
    expect((await server.call('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin')).status).toBe(200)
  })
})

describe('the package', () => {
  it('embeds from the packed tarball, by import, by require and by its types', () => {
    const project = path.join(folder, 'project')
    const installed = path.join(project, 'node_modules/pilothouse-apiserver')
    execFileSync('mkdir', ['-p', installed])
    const tarball = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
    })
    execFileSync('tar', [
      'xzf',
      path.join(folder, tarball.trim().split('\n').at(-1) ?? ''),
      '-C',
      installed,
      '--strip-components=1',
    ])
    const program = (take: string) => `${take}
;(async () => {
  const server = await createServer({ profile: 'crds' })
  const { body } = await server.call('GET', '/apis')
  console.log(body.groups.map(({ name }) => name).join())
  await server.close()
})()
`
    const files: Record<string, string> = {
      'a.mjs': program("import { createServer } from 'pilothouse-apiserver'"),
      'b.cjs': program("const { createServer } = require('pilothouse-apiserver')"),
    }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(project, name), text)
      // The tarball's own dependencies are those of this repository.
      const env = { ...process.env, NODE_PATH: path.resolve('node_modules') }
      const { stdout, stderr } = spawnSync(process.execPath, [name], { cwd: project, env, encoding: 'utf8' })
      expect([stdout, stderr]).toEqual(['apiextensions.k8s.io\n', ''])
    }
  })
})
