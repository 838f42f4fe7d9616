import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { type Fetch, fetchOpenApi } from './remote-openapi.ts'

const reference = (name: string) => ({ $ref: `#/definitions/${name}` })
const versionTwo: JsonObject = {
  swagger: '2.0',
  paths: {
    '/apis/far.io/v1/things': {
      parameters: [{ $ref: '#/parameters/pretty' }],
      post: {
        consumes: ['application/json'],
        produces: ['application/json', 'application/yaml'],
        parameters: [
          { name: 'body', in: 'body', required: true, schema: reference('Thing') },
          { name: 'limit', in: 'query', type: 'integer' },
        ],
        responses: { 200: { description: 'OK', schema: reference('Thing') }, 401: { description: 'Unauthorized' } },
      },
    },
    '/apis/far.io/v1beta1/things': { get: { responses: { 200: { schema: reference('Old') } } } },
  },
  definitions: {
    Thing: { properties: { part: reference('Part') } },
    Part: { properties: { whole: reference('Thing') } },
    Old: {},
  },
  parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
}
const version = { group: 'far.io', version: 'v1' }

describe('a server with version 2 only', () => {
  const asked: string[] = []
  const fetch: Fetch = (path, etag) => {
    asked.push(`${path} ${etag ?? ''}`)
    if (path !== '/openapi/v2') return Promise.resolve(undefined)
    return Promise.resolve(etag === '"1"' ? 'unchanged' : { document: versionTwo, etag: '"1"' })
  }

  it('is taken over as far as the version goes, and made into version 3', async () => {
    const made = await fetchOpenApi(version, fetch, undefined)
    expect(Object.keys(made?.versionTwo?.paths ?? {})).toEqual(['/apis/far.io/v1/things'])
    expect(Object.keys(made?.versionTwo?.definitions ?? {}).sort()).toEqual(['Part', 'Thing'])
    const three = JSON.parse(made?.versionThree.toString() ?? '') as JsonObject
    const thing = { schema: { $ref: '#/components/schemas/Thing' } }
    expect(three['paths']).toEqual({
      '/apis/far.io/v1/things': {
        parameters: [{ name: 'pretty', in: 'query', schema: { type: 'string' } }],
        post: {
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          requestBody: { required: true, content: { 'application/json': thing } },
          responses: {
            200: { description: 'OK', content: { 'application/json': thing, 'application/yaml': thing } },
            401: { description: 'Unauthorized' },
          },
        },
      },
    })
  })

  it('is not read again while it has not changed', async () => {
    const first = await fetchOpenApi(version, fetch, undefined)
    asked.length = 0
    const second = await fetchOpenApi(version, fetch, first)
    expect(asked).toEqual(['/openapi/v3 ', '/openapi/v2 "1"'])
    expect(second?.versionTwo).toBe(first?.versionTwo)
    expect(second?.hash).toBe(first?.hash)
  })
})

it('a server that says nothing is left out', async () => {
  expect(await fetchOpenApi(version, () => Promise.resolve(undefined), undefined)).toBeUndefined()
})

it('documents of version 3 are read again when their hash changes', async () => {
  let hash = 'A'
  const asked: string[] = []
  const fetch: Fetch = (path) => {
    asked.push(path)
    if (path === '/openapi/v2') return Promise.resolve(undefined)
    const url = { serverRelativeURL: `/openapi/v3/apis/far.io/v1?hash=${hash}` }
    return Promise.resolve({ document: path === '/openapi/v3' ? { paths: { 'apis/far.io/v1': url } } : {}, etag: '' })
  }
  const first = await fetchOpenApi(version, fetch, undefined)
  asked.length = 0
  await fetchOpenApi(version, fetch, first)
  expect(asked).toEqual(['/openapi/v3', '/openapi/v2'])
  hash = 'B'
  expect((await fetchOpenApi(version, fetch, first))?.hash).toBe('B')
})

it('the document of the group is taken over beside that of the version', async () => {
  const entry = (key: string) => ({ serverRelativeURL: `/openapi/v3/${key}?hash=${key.length}` })
  const paths = { 'apis/far.io': entry('apis/far.io'), 'apis/far.io/v1': entry('apis/far.io/v1') }
  const fetch: Fetch = (path) =>
    Promise.resolve(
      path === '/openapi/v2' ? undefined : { document: path === '/openapi/v3' ? { paths } : { of: path }, etag: '' },
    )
  const known = await fetchOpenApi(version, fetch, undefined)
  expect(known?.ofGroup?.versionThree.toString()).toContain('/openapi/v3/apis/far.io?')
  expect((await fetchOpenApi(version, fetch, known))?.ofGroup).toEqual(known?.ofGroup)
})
