/** Large objects, which are parsed, shown and encoded in steps, read as small ones do: alone, in lists and in watches, in every view. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typeSchema } from '../../src/catalog/catalog.ts'
import { decodeCbor } from '../../src/codec/cbor.ts'
import { decodeEnvelope, decodeMessage } from '../../src/codec/protobuf.ts'
import { decodeYaml } from '../../src/codec/yaml.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const group = 'views.example.com'
const things = `/apis/${group}/v1/namespaces/default/things`
const configMaps = '/api/v1/namespaces/default/configmaps'
const meta = 'g=meta.k8s.io;v=v1'
/** Large ones between small ones, and enough of these for several batches. */
const sizes = [2, 12_000, ...Array.from({ length: 20 }, () => 3), 9000, 1]

const itemsOf = (size: number): Json[] => Array.from({ length: size }, (_, i) => ({ name: `n${i}`, size: i }))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--store=memory', '--feature-gates=CBORServingAndStorage=true'])
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const column = (name: string, jsonPath: string, type = 'string') => ({ name, type, jsonPath })
  const additionalPrinterColumns = [
    column('Items', '.spec.items'),
    column('First', '.spec.items[*].name'),
    column('Last', '.spec.items[-1].size', 'integer'),
    column('Found', '.spec.items[?(@.size==1)].name'),
    column('Below', '..size', 'integer'),
  ]
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema,
        additionalPrinterColumns,
      })),
    },
  })
  await until('the definition', async () => (await server.call('GET', things)).status === 200)
  for (const [i, size] of sizes.entries()) {
    const metadata = { name: `o${100 + i}` }
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata, spec: { items: itemsOf(size) } }
    expect((await server.call('POST', things, thing)).status).toBe(201)
    const data = Object.fromEntries(itemsOf(size).map(({ name }) => [name, `value of ${name}`]))
    expect((await server.call('POST', configMaps, { metadata, data })).status).toBe(201)
  }
}, 60_000)
afterAll(() => server.close())

const json = (body: Buffer): Json => JSON.parse(body.toString())
const yaml = (body: Buffer): Json => decodeYaml(body).value
const cbor = (body: Buffer): Json => decodeCbor(body)
const protobuf =
  (type: string) =>
  (body: Buffer): Json => {
    const { raw, apiVersion, kind } = decodeEnvelope(body)
    return decodeMessage(raw, typeSchema(type), { apiVersion, kind })
  }

const kinds = {
  things: { path: things, type: undefined },
  'things in another version': { path: things.replace('/v1/', '/v2/'), type: undefined },
  'config maps': { path: configMaps, type: 'core.v1.ConfigMap' },
}

describe.each(Object.entries(kinds))('%s', (_, { path, type }) => {
  const read = async (query: string, accept: string): Promise<Buffer> => {
    const { status, body } = await server.call('GET', `${path}${query}`, undefined, { accept })
    expect([status, status === 200 ? '' : body.toString()]).toEqual([200, ''])
    return body
  }
  const names = sizes.map((__, i) => `o${100 + i}`)
  const whole = async (): Promise<Json[]> =>
    Promise.all(names.map(async (name) => json(await read(`/${name}`, 'application/json'))))

  const encodings: [string, string, (body: Buffer) => Json, (body: Buffer) => Json][] = [
    ['indented JSON', 'application/json', json, json],
    ['YAML', 'application/yaml', yaml, yaml],
    ['CBOR', 'application/cbor', cbor, cbor],
    ...(type === undefined
      ? []
      : ([['Protobuf', 'application/vnd.kubernetes.protobuf', protobuf(type), protobuf(`${type}List`)]] as const).map(
          (each) => [...each] as [string, string, (body: Buffer) => Json, (body: Buffer) => Json],
        )),
  ]

  test.each(encodings)('%s', async (__, accept, one, many) => {
    const expected = await whole()
    const got = await Promise.all(names.map(async (name) => one(await read(`/${name}?pretty=true`, accept))))
    expect(got).toEqual(expected)
    const { items } = many(await read('?pretty=true', accept))
    const isTyped = type !== undefined
    const bare = ({ kind, apiVersion, ...rest }: Json): Json => (isTyped ? rest : { kind, apiVersion, ...rest })
    const shown = items.filter(({ metadata }: Json) => names.includes(metadata.name))
    expect(shown.map(bare)).toEqual(expected.map(bare))
  })

  test.each(['None', 'Metadata', 'Object'])('tables with %s', async (include) => {
    const accept = `application/json;as=Table;${meta}`
    const rowsOf = ({ rows }: Json): Json[] => rows.filter(({ cells }: Json) => names.includes(cells[0]))
    const [list, ...tables] = await Promise.all(
      ['', ...names.map((name) => `/${name}`)].map(async (query) =>
        json(await read(`${query}?includeObject=${include}`, accept)),
      ),
    )
    const withoutAge = ({ cells, ...row }: Json): Json => ({
      ...row,
      cells: type === undefined ? cells : cells.slice(0, 2),
    })
    expect(rowsOf(list).map(withoutAge)).toEqual(tables.flatMap(rowsOf).map(withoutAge))
    const cells = (size: number): Json[] =>
      type === undefined ? [JSON.stringify(itemsOf(size)), 'n0', size - 1, size > 1 ? 'n1' : null, 0] : [size]
    const expected = sizes.map((size, i) => [names[i], ...cells(size)])
    expect(rowsOf(list).map((row) => withoutAge(row).cells)).toEqual(expected)
    if (include === 'Object') expect(rowsOf(list).map(({ object }) => object)).toEqual(await whole())
  })

  test.each([
    [
      'JSON',
      'application/json',
      (body: Buffer) =>
        body
          .toString()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    [
      'a table',
      `application/json;as=Table;${meta}`,
      (body: Buffer) =>
        body
          .toString()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    ...(type === undefined
      ? []
      : [['Protobuf', 'application/vnd.kubernetes.protobuf;stream=watch', frames(type)] as const]),
  ] as const)('a watch in %s', async (__, accept, decode) => {
    const events: Json[] = decode(await read('?watch=true&resourceVersion=0&timeoutSeconds=1', accept))
    const objects = events.map(({ object }) => (object.kind === 'Table' ? object.rows[0].object : object))
    const shown = objects.filter(({ metadata }) => names.includes(metadata.name)).sort(byName)
    const expected = await whole()
    if (accept.includes('Table')) {
      expect(shown.map(({ metadata }) => metadata)).toEqual(expected.map(({ metadata }) => metadata))
    } else expect(shown).toEqual(expected)
  })
})

const byName = (a: Json, b: Json): number => (a.metadata.name < b.metadata.name ? -1 : 1)

/** The events of a watch in Protobuf, each after its length. */
function frames(type: string): (body: Buffer) => Json[] {
  return (body) => {
    const events: Json[] = []
    for (let at = 0; at < body.length; ) {
      const length = body.readUInt32BE(at)
      const frame = body.subarray(at + 4, at + 4 + length)
      const envelope = frame.indexOf(Buffer.from('k8s\0'))
      events.push({ object: protobuf(type)(Buffer.from(frame.subarray(envelope))) })
      at += 4 + length
    }
    return events
  }
}
