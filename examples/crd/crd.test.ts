import path from 'node:path'
import { type ApiObject, startServer, type TestServer } from 'pilothouse-apiserver/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  await server.apply(path.join(import.meta.dirname, 'cache-crd.yaml'))
  server.snapshot('with the definition')
})
beforeEach(() => server.reset('with the definition'))
afterAll(() => server.close())

const caches = '/apis/example.com/v1/namespaces/default/caches'
const cache = (spec: object): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Cache',
  metadata: { name: 'one' },
  spec,
})
const create = (spec: object, query = '') => server.call('POST', `${caches}${query}`, cache(spec))

describe('a cache', () => {
  it('gets defaults, and loses what it does not have', async () => {
    const { spec } = await create({ memory: '64Mi', colour: 'red' })
    expect(spec).toEqual({ memory: '64Mi', replicas: 1, persistent: false, engine: 'small' })
  })

  it.each([
    [{}, 'spec.memory: Required value'],
    [{ memory: 'much' }, 'spec.memory in body should match'],
    [{ memory: '1Gi', replicas: 10 }, 'should be less than or equal to 9'],
    [{ memory: '1Gi', engine: 'huge' }, 'supported values: "small", "fast"'],
    [{ memory: '1Gi', persistent: true }, 'a persistent cache needs a storageClass'],
  ])('%j is refused: %s', async (spec, message) => {
    await expect(create(spec)).rejects.toMatchObject({ status: 422, message: expect.stringContaining(message) })
  })

  it('may be checked strictly', async () => {
    await expect(create({ memory: '64Mi', colour: 'red' }, '?fieldValidation=Strict')).rejects.toThrow(
      'unknown field "spec.colour"',
    )
  })

  it('keeps its engine', async () => {
    await create({ memory: '64Mi' })
    await expect(server.apply(cache({ memory: '64Mi', engine: 'fast' }))).rejects.toThrow(
      'the engine cannot be changed',
    )
  })

  it('is scaled as a Deployment is', async () => {
    await create({ memory: '64Mi' })
    const body = { spec: { replicas: 5 } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', `${caches}/one/scale`, body, { headers })
    expect(await server.get('caches', 'one')).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } })
  })

  it('has a status that only the status subresource changes', async () => {
    const created = await create({ memory: '64Mi' })
    await server.call('PUT', `${caches}/one`, { ...created, status: { replicas: 7 } })
    expect(await server.get('caches', 'one')).not.toHaveProperty('status')
    await server.call('PUT', `${caches}/one/status`, { ...created, status: { replicas: 7 } })
    expect(await server.get('caches', 'one')).toHaveProperty('status', { replicas: 7 })
  })

  it('shows its memory in tables', async () => {
    await create({ memory: '64Mi' })
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const { columnDefinitions, rows } = await server.call('GET', caches, undefined, { headers: { accept } })
    expect(columnDefinitions.map(({ name }: ApiObject) => name)).toEqual(['Name', 'Memory'])
    expect(rows[0].cells).toEqual(['one', '64Mi'])
  })
})
