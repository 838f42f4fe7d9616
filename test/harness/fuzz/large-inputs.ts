/** Bodies that are valid, or nearly, and as large or as deep as a request may be: what is more than linear in them shows. */
import type { Random } from '../random.ts'
import type { FuzzInput, InputSource } from './input.ts'
import type { Target } from './target.ts'
import { toldOf } from './verdict.ts'

const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
const object = (fields: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large' },
  ...fields,
})
const configMaps = '/api/v1/namespaces/default/configmaps'

interface Shape {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly type?: string
  readonly body?: (size: number) => string
}

const shapes: readonly Shape[] = [
  {
    name: 'labels',
    path: configMaps,
    body: (n) =>
      JSON.stringify(
        object({ metadata: { name: 'large', labels: Object.fromEntries(many(n, (i) => [`bad key ${i}`, '!'])) } }),
      ),
  },
  {
    name: 'annotations',
    path: configMaps,
    body: (n) =>
      JSON.stringify(
        object({ metadata: { name: 'large', annotations: Object.fromEntries(many(n, (i) => [`k${i}`, 'v'])) } }),
      ),
  },
  {
    name: 'owners',
    path: configMaps,
    body: (n) =>
      JSON.stringify(
        object({
          metadata: {
            name: 'large',
            ownerReferences: many(n, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `${i}` })),
          },
        }),
      ),
  },
  {
    name: 'finalizers',
    path: configMaps,
    body: (n) => JSON.stringify(object({ metadata: { name: 'large', finalizers: many(n, (i) => `bad ${i}`) } })),
  },
  {
    name: 'unknown fields',
    path: `${configMaps}?fieldValidation=Warn`,
    body: (n) => JSON.stringify(object(Object.fromEntries(many(n, (i) => [`u${i}`, i])))),
  },
  {
    name: 'duplicate fields',
    path: `${configMaps}?fieldValidation=Strict`,
    body: (n) => `{"data":{${many(n, () => '"a":"b"').join(',')}}}`,
  },
  { name: 'deep JSON', path: configMaps, body: (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}` },
  { name: 'deep lists', path: configMaps, body: (n) => `${'['.repeat(n)}${']'.repeat(n)}` },
  {
    name: 'YAML anchors',
    path: configMaps,
    type: 'application/yaml',
    body: (n) => many(n, (i) => `a${i}: &x${i} 1`).join('\n'),
  },
  {
    name: 'YAML aliases',
    path: configMaps,
    type: 'application/yaml',
    body: (n) => `a: &a [1]\n${many(n, (i) => `b${i}: *a`).join('\n')}`,
  },
  {
    name: 'YAML depth',
    path: configMaps,
    type: 'application/yaml',
    body: (n) => many(Math.min(n, 1500), (i) => `${' '.repeat(i)}a:`).join('\n'),
  },
  {
    name: 'pod env',
    path: '/api/v1/namespaces/default/pods',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: {
          containers: [{ name: 'a', image: 'a', env: many(n, (i) => ({ name: `bad name ${i}`, value: '$(A)' })) }],
        },
      }),
  },
  {
    name: 'pod containers',
    path: '/api/v1/namespaces/default/pods',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: {
          containers: many(n >> 2, (i) => ({ name: `c${i}`, image: 'a', ports: [{ containerPort: 1 + (i % 65000) }] })),
        },
      }),
  },
  {
    name: 'volumes',
    path: '/api/v1/namespaces/default/pods',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: { containers: [{ name: 'a', image: 'a' }], volumes: many(n, (i) => ({ name: `v${i}`, emptyDir: {} })) },
      }),
  },
  {
    name: 'roles',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        rules: many(n, (i) => ({ verbs: ['get'], apiGroups: [`g${i}`], resources: ['r'] })),
      }),
  },
  {
    name: 'subsets',
    path: '/api/v1/namespaces/default/endpoints',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        subsets: [
          {
            addresses: many(n, (i) => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` })),
            ports: [{ port: 1 }],
          },
        ],
      }),
  },
  {
    name: 'ingress rules',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: { rules: many(n, (i) => ({ host: `h${i}.example.com`, http: { paths: [] } })) },
      }),
  },
  {
    name: 'quantity digits',
    path: '/api/v1/namespaces/default/limitranges',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: { limits: [{ type: 'Pod', max: { cpu: '9'.repeat(n * 10) } }] },
      }),
  },
  {
    name: 'quota scopes',
    path: '/api/v1/namespaces/default/resourcequotas',
    body: (n) =>
      JSON.stringify({
        metadata: { name: 'large' },
        spec: { hard: Object.fromEntries(many(n, (i) => [`count/r${i}.example.com`, '1'])) },
      }),
  },
  { name: 'label selector', method: 'GET', path: `${configMaps}?labelSelector=${'a%2Cb%2C'.repeat(30_000)}a` },
  {
    name: 'field selector',
    method: 'GET',
    path: `${configMaps}?fieldSelector=${'metadata.name%3Da%2C'.repeat(15_000)}metadata.name%3Da`,
  },
  { name: 'path', method: 'GET', path: `/${'a/'.repeat(100_000)}` },
  { name: 'query', method: 'GET', path: `${configMaps}?${'a=b&'.repeat(100_000)}` },
  {
    name: 'JSON patch inserts',
    method: 'PATCH',
    path: `${configMaps}/kube-root-ca.crt`,
    type: 'application/json-patch+json',
    body: (n) =>
      JSON.stringify(many(Math.min(n, 10_000), () => ({ op: 'add', path: '/metadata/finalizers', value: ['a/b'] }))),
  },
  {
    name: 'merge patch',
    method: 'PATCH',
    path: `${configMaps}/kube-root-ca.crt`,
    type: 'application/merge-patch+json',
    body: (n) => JSON.stringify({ data: Object.fromEntries(many(n, (i) => [`k${i}`, null])) }),
  },
  {
    name: 'apply keys',
    method: 'PATCH',
    path: `${configMaps}/large?fieldManager=m`,
    type: 'application/apply-patch+yaml',
    body: (n) => JSON.stringify(object({ data: Object.fromEntries(many(n, (i) => [`k${i}`, 'v'])) })),
  },
  {
    name: 'managed fields',
    path: configMaps,
    body: (n) =>
      JSON.stringify(
        object({
          metadata: {
            name: 'large',
            managedFields: many(n, (i) => ({
              manager: `m${i}`,
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': {} },
            })),
          },
        }),
      ),
  },
  {
    name: 'schema properties',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: (n) =>
      JSON.stringify(
        definition({
          properties: Object.fromEntries(many(n >> 2, (i) => [`p${i}`, { type: 'string', pattern: `^a{${i % 50}}$` }])),
        }),
      ),
  },
  {
    name: 'schema depth',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: (n) => JSON.stringify(definition(nested(Math.min(n, 2000)))),
  },
  {
    name: 'schema enum',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: (n) => JSON.stringify(definition({ properties: { a: { type: 'string', enum: many(n, (i) => `e${i}`) } } })),
  },
]

function definition(schema: object): object {
  return {
    metadata: { name: 'larges.fuzz.example.com' },
    spec: {
      group: 'fuzz.example.com',
      scope: 'Namespaced',
      names: { plural: 'larges', kind: 'Large' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } },
      ],
    },
  }
}

const nested = (depth: number): object =>
  depth === 0 ? {} : { properties: { a: { type: 'object', ...nested(depth - 1) } } }

export function largeInputs(random: Random, target: Target): InputSource {
  return {
    next(): FuzzInput {
      const { name, method = 'POST', path, type = 'application/json', body } = random.pick(shapes)
      const size = random.pick([1000, 10_000, 30_000, 100_000])
      const bytes = body === undefined ? undefined : Buffer.from(body(size))
      const headers = {
        accept: 'application/json',
        ...(bytes === undefined ? {} : { 'content-type': type, 'content-length': `${bytes.length}` }),
      }
      return {
        family: 'large',
        show: () => `${name}, ${size}: ${method} ${path.slice(0, 100)}`,
        run: async () => {
          const answer = await target.send({ method, path, headers, body: bytes })
          const [collection] = path.split('?')
          if (method === 'POST')
            await target.send({
              method: 'DELETE',
              path: `${collection}/${path.includes('customresource') ? 'larges.fuzz.example.com' : 'large'}`,
              headers: {},
              body: undefined,
            })
          return toldOf(answer.status, answer.body)
        },
      }
    },
  }
}
