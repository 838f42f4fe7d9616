/** Get, list and watch over real HTTP/2, with what a list-then-watch client relies on. */
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typeSchema } from '../../src/catalog/catalog.ts'
import { decodeEnvelope, decodeMessage } from '../../src/codec/protobuf.ts'
import { decodeYaml } from '../../src/codec/yaml.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
const configMaps = '/api/v1/namespaces/default/configmaps'

beforeAll(async () => {
  server = await startTestServer()
  await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
})
afterAll(() => server.close())

const create = async (name: string, labels: Record<string, string> = {}): Promise<Json> => {
  const answer = await server.call('POST', configMaps, { metadata: { name, labels }, data: { name } })
  expect(answer.status).toBe(201)
  return answer.json()
}

describe('get', () => {
  test('shows what was written, in the order of the wire', async () => {
    const created = await create('get-a')
    const got = await server.call('GET', `${configMaps}/get-a`)
    expect(got.json()).toEqual(created)
    expect(got.body.toString().startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"get-a"')).toBe(
      true,
    )
  })

  test.each([
    ['0', 200],
    ['abc', 500],
  ])('with version %s answers %i', async (version, status) => {
    await server.call('POST', configMaps, { metadata: { name: 'get-b' } })
    expect((await server.call('GET', `${configMaps}/get-b?resourceVersion=${version}`)).status).toBe(status)
  })

  test('of what is not there is a 404 with the name in its details', async () => {
    const answer = await server.call('GET', `${configMaps}/missing`)
    expect(answer.json()).toMatchObject({
      code: 404,
      reason: 'NotFound',
      details: { name: 'missing', kind: 'configmaps' },
    })
  })
})

test('tables and metadata are the same in every version of a kind', async () => {
  const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
  const rule = '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":60}]}}'
  const metadata = { name: 'scaler', annotations: { 'autoscaling.alpha.kubernetes.io/behavior': rule } }
  const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } }
  expect((await server.call('POST', autoscalers('v1'), { metadata, spec })).status).toBe(201)
  const shown = async (version: string, as: string): Promise<Json> => {
    const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`
    return (await server.call('GET', `${autoscalers(version)}/scaler`, undefined, { accept })).json()
  }
  const { metadata: partial } = await shown('v1', 'PartialObjectMetadata')
  expect(partial.annotations).toBeUndefined()
  expect((await shown('v2', 'PartialObjectMetadata')).metadata).toEqual(partial)
  const [row] = (await shown('v1', 'Table')).rows
  expect([row.cells[2], row.object.metadata]).toEqual(['cpu: <unknown>/80%', partial])
  // What the older version does not say gets the defaults of the version that is stored.
  const { behavior } = (await server.call('GET', `${autoscalers('v2')}/scaler`)).json().spec
  expect(behavior.scaleDown).toEqual({
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  })
})

describe('tables of subresources', () => {
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const controllers = '/api/v1/namespaces/default/replicationcontrollers'

  test('a scale has one of its own', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const made = await server.call('POST', controllers, {
      metadata: { name: 'scaled' },
      spec: { replicas: 3, template },
    })
    expect(made.status).toBe(201)
    const { columnDefinitions, rows } = (
      await server.call('GET', `${controllers}/scaled/scale`, undefined, table)
    ).json()
    expect(columnDefinitions.map(({ name }: Json) => name)).toEqual(['Name', 'Desired', 'Available', 'Age'])
    expect(rows[0].cells.slice(0, 3)).toEqual(['scaled', 3, 0])
  })

  test.each([
    ['replicationcontrollers/scaled/status', 200],
    ['pods/tabled/status', 200],
    ['pods/tabled/resize', 406],
    ['pods/tabled/ephemeralcontainers', 406],
  ])('%s answers %i', async (path, status) => {
    const spec = { containers: [{ name: 'c', image: 'i' }] }
    await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
    await server.call('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'tabled' }, spec })
    expect((await server.call('GET', `/api/v1/namespaces/default/${path}`, undefined, table)).status).toBe(status)
  })
})

describe('list', () => {
  test('pages show one state, whatever is written meanwhile', async () => {
    for (let i = 0; i < 7; i++) await create(`page-${i}`, { paged: 'yes' })
    const all = (await server.call('GET', `${configMaps}?labelSelector=paged%3Dyes`)).json()
    const names: string[] = []
    let token = ''
    let version = ''
    do {
      const query = `labelSelector=paged%3Dyes&limit=3${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`
      const page = (await server.call('GET', `${configMaps}?${query}`)).json()
      version ||= page.metadata.resourceVersion
      expect(page.metadata.resourceVersion).toBe(version)
      names.push(...page.items.map((item: Json) => item.metadata.name))
      token = page.metadata.continue ?? ''
      await server.call('DELETE', `${configMaps}/page-6`)
      await server.call('POST', configMaps, { metadata: { name: `late-${names.length}`, labels: { paged: 'yes' } } })
    } while (token !== '')
    expect(names).toEqual(all.items.map((item: Json) => item.metadata.name))
  })

  test('a page that goes on has no object from before it, though it is named', async () => {
    for (const name of ['named-a', 'named-b', 'named-c']) await create(name, { named: 'yes' })
    const first = (await server.call('GET', `${configMaps}?labelSelector=named%3Dyes&limit=2`)).json()
    const token = encodeURIComponent(first.metadata.continue)
    const named = async (name: string): Promise<string[]> => {
      const query = `continue=${token}&fieldSelector=metadata.name%3D${name}`
      const { items } = (await server.call('GET', `${configMaps}?${query}`)).json()
      return items.map((item: Json) => item.metadata.name)
    }
    expect([await named('named-a'), await named('named-c')]).toEqual([[], ['named-c']])
  })

  test('at an exact version shows that version', async () => {
    const first = await create('exact-a', { exact: 'yes' })
    await create('exact-b', { exact: 'yes' })
    const { resourceVersion } = first.metadata
    const list = await server.call(
      'GET',
      `${configMaps}?labelSelector=exact%3Dyes&resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`,
    )
    expect(list.json().items.map((item: Json) => item.metadata.name)).toEqual(['exact-a'])
    expect(list.json().metadata.resourceVersion).toBe(resourceVersion)
  })

  test('items are whole objects without kind and apiVersion', async () => {
    const created = await create('item-a', { item: 'yes' })
    const { kind: _, apiVersion: __, ...rest } = created
    const list = await server.call('GET', `${configMaps}?labelSelector=item%3Dyes`)
    expect(list.json().items).toEqual([rest])
  })

  test('a list larger than one chunk is whole', async () => {
    const data = { text: 'x'.repeat(40_000) }
    for (let i = 0; i < 20; i++) {
      await server.call('POST', configMaps, { metadata: { name: `large-${i}`, labels: { large: 'yes' } }, data })
    }
    const answer = await server.call('GET', `${configMaps}?labelSelector=large%3Dyes`)
    const list = answer.json()
    expect(list.items).toHaveLength(20)
    expect(list.items.every((item: Json) => item.data.text.length === 40_000)).toBe(true)
    const gzip = { 'accept-encoding': 'gzip' }
    const compressed = await server.call('GET', `${configMaps}?labelSelector=large%3Dyes`, undefined, gzip)
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(compressed.body).equals(answer.body)).toBe(true)
    const one = await server.call('GET', `${configMaps}/large-1`, undefined, gzip)
    expect(JSON.parse(gunzipSync(one.body).toString()).data).toEqual(data)
  })
})

describe('a long list', () => {
  const events = '/api/v1/namespaces/long/events'
  const count = 100
  const meta = 'v=v1;g=meta.k8s.io'

  beforeAll(async () => {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'long' } })
    for (let i = 0; i < count; i++) {
      const made = await server.call('POST', events, {
        metadata: { name: `event-${i}`, namespace: 'long', labels: { text: 'x'.repeat(i % 60) } },
        involvedObject: { namespace: 'long', name: 'n' },
        message: `line one\n"items": [] of ${i}`,
      })
      expect(made.status).toBe(201)
    }
  }, 60_000)

  const yaml = (body: Buffer): Json => decodeYaml(body).value
  const json = (body: Buffer): Json => JSON.parse(body.toString())
  const protobuf =
    (type: string) =>
    (body: Buffer): Json => {
      const { raw, apiVersion, kind } = decodeEnvelope(body)
      return decodeMessage(raw, typeSchema(type), { apiVersion, kind })
    }

  test.each<[string, Record<string, string>, (body: Buffer) => Json]>([
    ['', { accept: 'application/json' }, json],
    ['pretty=true&', { accept: 'application/json' }, json],
    ['', { accept: 'application/yaml' }, yaml],
    ['', { accept: 'application/vnd.kubernetes.protobuf' }, protobuf('core.v1.EventList')],
    ['', { accept: `application/json;as=PartialObjectMetadataList;${meta}` }, json],
    ['', { accept: `application/yaml;as=PartialObjectMetadataList;${meta}` }, yaml],
    [
      '',
      { accept: `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}` },
      protobuf('meta.v1.PartialObjectMetadataList'),
    ],
    ['', { accept: `application/json;as=Table;${meta}` }, json],
    ['includeObject=Object&', { accept: `application/json;as=Table;${meta}` }, json],
  ])('is its pages put together: %s %o', async (query, headers, decode) => {
    const path = `${events}?${query}`
    const answer = await server.call('GET', path, undefined, headers)
    const { metadata, items, rows, ...rest } = decode(answer.body)
    const pages: Json[] = []
    for (let token = ''; ; token = pages.at(-1).metadata.continue) {
      const page = await server.call('GET', `${path}limit=25&continue=${token}`, undefined, headers)
      pages.push(decode(page.body))
      if (!pages.at(-1).metadata.continue) break
    }
    const { metadata: _, items: __, rows: ___, ...first } = pages[0]
    expect(rest).toEqual(first)
    expect(metadata.continue).toBeUndefined()
    const shown = items ?? rows
    expect(shown.length).toBe(count)
    // What a table says of ages may have moved on.
    const objects = (all: Json[]): Json[] => all.map((each) => (each.cells === undefined ? each : each.object))
    expect(objects(shown)).toEqual(objects(pages.flatMap((page) => page.items ?? page.rows)))
  })

  test('of a kind whose tables have an order is in that order', async () => {
    const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
    const spec = { priorityLevelConfiguration: { name: 'catch-all' } }
    for (let i = 0; i < 40; i++) {
      const made = { metadata: { name: `schema-${i}` }, spec: { ...spec, matchingPrecedence: 5000 - i } }
      expect((await server.call('POST', schemas, made)).status).toBe(201)
    }
    const table = await server.call('GET', schemas, undefined, { accept: `application/json;as=Table;${meta}` })
    const precedences = table.json().rows.map(({ cells }: Json) => cells[2])
    expect(precedences.length).toBeGreaterThan(40)
    expect(precedences).toEqual([...precedences].sort((a, b) => a - b))
  })
})

describe('watch', () => {
  test('goes on exactly where a list ended', async () => {
    await create('watch-a', { watched: 'yes' })
    const list = (await server.call('GET', `${configMaps}?labelSelector=watched%3Dyes`)).json()
    await create('watch-b', { watched: 'yes' })
    const watch = await server.watch(
      `${configMaps}?watch=1&labelSelector=watched%3Dyes&resourceVersion=${list.metadata.resourceVersion}`,
    )
    await server.call('DELETE', `${configMaps}/watch-a`)
    const events = await watch.until((seen) => seen.length >= 2)
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED watch-b',
      'DELETED watch-a',
    ])
    watch.close()
  })

  test('an object that leaves the selection is deleted from it, one that enters is added', async () => {
    await create('move', { side: 'left' })
    const watch = await server.watch(`${configMaps}?watch=1&labelSelector=side%3Dleft`)
    await watch.until((seen) => seen.length === 1)
    const patch = (side: string) =>
      server.call(
        'PATCH',
        `${configMaps}/move`,
        { metadata: { labels: { side } } },
        { 'content-type': 'application/merge-patch+json' },
      )
    await patch('right')
    await patch('left')
    const events = await watch.until((seen) => seen.length >= 3)
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED'])
    expect(events[1]?.object.metadata.labels).toEqual({ side: 'left' })
    watch.close()
  })

  test('from a version that is no longer kept ends with an error event', async () => {
    const watch = await server.watch(`${configMaps}?watch=1&resourceVersion=1`)
    await watch.ended
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
  })

  test('many watchers each see every change once, in order', async () => {
    const watches = await Promise.all(
      Array.from({ length: 30 }, () => server.watch(`${configMaps}?watch=1&labelSelector=storm%3Dyes`)),
    )
    await Promise.all(Array.from({ length: 50 }, (_, i) => create(`storm-${i}`, { storm: 'yes' })))
    for (const watch of watches) {
      const events = await watch.until((seen) => seen.length >= 50)
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
      expect(new Set(events.map(({ object }) => object.metadata.name)).size).toBe(50)
      watch.close()
    }
  })
})
