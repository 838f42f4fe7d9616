/** Large objects as they are read: one, few and many of them, in every encoding and view, alone, in lists and in watches. */
import type { JsonObject } from '../../../src/api/json.ts'
import { type Caller, many, mapOf, type Scenario } from './scenario.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const shown = '/apis/views.example.com/v1/namespaces/views/larges'
const configMaps = '/api/v1/namespaces/views/configmaps'
const count = 12

const paths = [
  '.spec.items',
  '.spec.items[*].name',
  '.spec.items[?(@.name=="n39999")].size',
  '.spec.items[?(@.size)].name',
  '..name',
  '.spec.items[?(@..name)].size',
]

async function fill(server: Caller): Promise<void> {
  if ((await server.call({ path: `${configMaps}/large${count - 1}`, mayFail: true })).status === 200) return
  await server.call({ path: '/api/v1/namespaces', body: { metadata: { name: 'views' } } })
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await server.call({
    path: definitions,
    body: {
      metadata: { name: 'larges.views.example.com' },
      spec: {
        group: 'views.example.com',
        scope: 'Namespaced',
        names: { plural: 'larges', kind: 'Large' },
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: free },
          additionalPrinterColumns: many(12, (i) => ({
            name: `c${i}`,
            type: 'string',
            jsonPath: paths[i % paths.length] as string,
          })),
        })),
      },
    },
  })
  await server.until(
    'the definition is served',
    async () => (await server.call({ path: shown, mayFail: true })).status === 200,
  )
  const items = many(40_000, (i) => ({ name: `n${i}`, size: i }))
  await server.fill(count, (i) => ({ path: shown, body: custom(i, { items }) }))
  const data = mapOf(50_000, (i) => `k${i}`, 'v')
  await server.fill(count, (i) => ({ path: configMaps, body: { metadata: { name: `large${i}` }, data } }))
}

const custom = (i: number, spec: JsonObject): JsonObject => ({
  apiVersion: 'views.example.com/v1',
  kind: 'Large',
  metadata: { name: `large${i}` },
  spec,
})

const accepts: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  YAML: 'application/yaml',
  CBOR: 'application/cbor',
  Protobuf: 'application/vnd.kubernetes.protobuf',
  'a table': 'application/json;as=Table;v=v1;g=meta.k8s.io',
  'a table in YAML': 'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
}

const ways: Readonly<Record<string, string>> = {
  get: '/large0',
  'list of one': '?fieldSelector=metadata.name%3Dlarge0',
  'list of twelve': '',
  'list of twelve, indented': '?pretty=true',
  'table with objects': '?includeObject=Object',
  watch: '?watch=true&resourceVersion=0',
}

const isWanted = (way: string, accept: string): boolean => {
  if (way === 'table with objects') return accept.includes('as=Table')
  if (accept.includes('Partial')) return way === 'get' || way === 'watch'
  if (way === 'watch') return !accept.includes('yaml')
  return way !== 'list of twelve, indented' || accept === 'application/json'
}

const kinds: Readonly<Record<string, string>> = {
  'custom objects': shown,
  'custom objects, in another version': shown.replace('/v1/', '/v2/'),
  'config maps': configMaps,
}

export const viewScenarios: readonly Scenario[] = Object.entries(kinds).flatMap(([kind, path]) =>
  Object.entries(ways).flatMap(([way, rest]) =>
    Object.entries(accepts)
      .filter(([, accept]) => isWanted(way, accept) && !(kind !== 'config maps' && accept.includes('protobuf')))
      .map(([encoding, accept]): Scenario => {
        const type = way === 'watch' && accept.includes('protobuf') ? `${accept};stream=watch` : accept
        return {
          name: `large ${kind}, ${way}, ${encoding}`,
          prepare: fill,
          act: (server) => server.call({ path: `${path}${rest}`, accept: type }),
        }
      }),
  ),
)
