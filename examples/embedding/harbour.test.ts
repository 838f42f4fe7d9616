import type { EmbeddedServer } from 'pilothouse-apiserver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openHarbour } from './harbour.ts'

let server: EmbeddedServer
beforeAll(async () => {
  server = await openHarbour()
})
afterAll(() => server.close())

const path = '/apis/harbour.example/v1/namespaces/default/boats'
const boat = (name: string, length: number) => ({
  apiVersion: 'harbour.example/v1',
  kind: 'Boat',
  metadata: { name },
  spec: { length },
})
const ada = { user: { name: 'ada', groups: ['masters'] } }
const ben = { user: { name: 'ben', groups: ['visitors'] } }

it('lets masters in, and notes who they are', async () => {
  const { status, body } = await server.call('POST', path, boat('dinghy', 12), ada)
  expect(status).toBe(201)
  expect(body['spec']).toEqual({ length: 12, master: 'ada' })
})

it('has a limit', async () => {
  const { status, body } = await server.call('POST', path, boat('liner', 900), ada)
  expect(status).toBe(403)
  expect(body['message']).toContain('the harbour is for boats of up to 30 feet')
})

it('lets visitors look, and no more', async () => {
  expect((await server.call('GET', path, undefined, ben)).status).toBe(200)
  const { status, body } = await server.call('POST', path, boat('raft', 3), ben)
  expect(status).toBe(403)
  expect(body['message']).toContain('visitors only look')
})

it('has nothing else', async () => {
  const { body } = await server.call('GET', '/apis')
  expect(body['groups'].map(({ name }: { name: string }) => name).sort()).toEqual([
    'apiextensions.k8s.io',
    'harbour.example',
  ])
  expect((await server.call('GET', '/api/v1/pods')).status).toBe(404)
})
