import path from 'node:path'
import { startServer, type TestServer, type TestUser } from 'pilothouse-apiserver/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let server: TestServer
let dev: TestUser
let release: TestUser

beforeAll(async () => {
  server = await startServer()
  await server.apply(path.join(import.meta.dirname, 'replicas-policy.yaml'))
  await server.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'people' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: ['devs', 'release'].map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name })),
  })
  dev = server.user('dora', ['devs'])
  release = server.user('rita', ['release'])
  server.snapshot('with the policy')
})
beforeEach(() => server.reset('with the policy'))
afterAll(() => server.close())

const digest = `shop@sha256:${'0'.repeat(64)}`

function deploy(user: TestUser, image: string, replicas: number, namespace = 'shop') {
  const labels = { app: 'web' }
  return user.call('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
    },
  })
}

describe('careful deployments', () => {
  it('may have as many replicas as the namespace allows', async () => {
    await expect(deploy(dev, digest, 3)).resolves.toMatchObject({ spec: { replicas: 3 } })
  })

  it('may not have more', async () => {
    await expect(deploy(dev, digest, 4)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('at most 3 replicas here'),
    })
  })

  it('need a digest, unless the release team makes them', async () => {
    await expect(deploy(dev, 'shop:latest', 1)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('images need a digest'),
    })
    await expect(deploy(release, 'shop:latest', 1)).resolves.toBeDefined()
  })

  it('are asked for nowhere else', async () => {
    await expect(deploy(dev, 'shop:latest', 100, 'default')).resolves.toBeDefined()
  })

  it('cannot be made when nobody said how many', async () => {
    await server.call('DELETE', '/api/v1/namespaces/shop/configmaps/limits')
    // The server's admission is told of changes a moment later, here as everywhere.
    await server.settled()
    await expect(deploy(dev, digest, 1)).rejects.toMatchObject({ message: expect.stringContaining('no params found') })
  })
})
