/** The worst requests that are known, one for each way of being expensive: encodings, verbs, patches, errors, warnings. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { TargetRequest } from '../fuzz/target.ts'
import { many } from './scenario.ts'

export interface WorstRequest {
  readonly name: string
  request(count: number): TargetRequest | undefined
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
/** One that is there: patches, replacements and deletions need something to change. */
export const existing = `${configMaps}/existing`
const json = 'application/json'

const map = (count: number, key: (i: number) => string, value: JsonObject[string] = 'v'): JsonObject =>
  Object.fromEntries(many(count, (i) => [key(i), value]))
const configMap = (fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large', ...metadata },
  ...fields,
})

interface Sent {
  readonly method?: string
  readonly path: string
  readonly type?: string
  readonly accept?: string
  readonly body?: string | Buffer | JsonObject | JsonObject[]
}

export const worst = (name: string, of: (count: number) => Sent | undefined): WorstRequest => ({
  name,
  request(count) {
    const sent = of(count)
    if (sent === undefined) return undefined
    const { method = 'POST', path, type = json, accept = json, body } = sent
    return {
      method,
      path,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': type }) },
      body: body === undefined ? undefined : bytesOf(body),
    }
  },
})

function bytesOf(body: NonNullable<Sent['body']>): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

const dry = (path: string): string => `${path}?dryRun=All`
const yaml = 'application/yaml'
const yamlHead = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n'

/** So many terms fit into the mebibyte that headers may have. */
const maxTerms = 100_000

const longSelectors: Readonly<Record<string, (n: number) => string>> = {
  'label selector': (n) => `labelSelector=${many(n, (i) => `a${i}`).join('%2C')}`,
  'label selector that all satisfy': (n) => `labelSelector=${many(n, (i) => `!a${i}`).join(',')}`,
  'values of a label selector': (n) => `labelSelector=a+notin+(${many(n, (i) => `a${i}`).join(',')})`,
  'bad values of a label selector': (n) => `labelSelector=a+in+(${many(n, (i) => `-${i}`).join(',')})`,
  'field selector': (n) =>
    `fieldSelector=${many(n, (i) => `metadata.name!=${i}`)
      .slice(0, 40_000)
      .join(',')}`,
  'escapes of a field selector': (n) => `fieldSelector=metadata.name=${'%5C,'.repeat(n)}`,
  'bytes of a query that are no UTF-8': (n) => `labelSelector=${'%ff'.repeat(n)}`,
  'parameters of a query': (n) => many(n, (i) => `a${i}`).join('&'),
}

export const worstRequests: readonly WorstRequest[] = [
  worst('YAML anchors', (n) => ({
    path: dry(configMaps),
    type: yaml,
    body: yamlHead + many(n, (i) => `  k${i}: &a${i} v\n`).join(''),
  })),
  worst('YAML keys', (n) => ({
    path: dry(configMaps),
    type: yaml,
    body: yamlHead + many(n, (i) => `  k${i}: v\n`).join(''),
  })),
  worst('YAML depth', (n) =>
    n > 2000
      ? undefined
      : { path: dry(configMaps), type: yaml, body: `${yamlHead}x: ${'['.repeat(990)}${']'.repeat(990)}` },
  ),
  worst('answer in YAML', (n) => ({
    path: dry(configMaps),
    accept: yaml,
    body: configMap({ data: map(n, (i) => `k${i}`) }),
  })),
  worst('answer in CBOR', (n) => ({
    path: dry(configMaps),
    accept: 'application/cbor',
    body: configMap({ data: map(n, (i) => `k${i}`) }),
  })),
  worst('answer in Protobuf', (n) => ({
    path: dry(configMaps),
    accept: 'application/vnd.kubernetes.protobuf',
    body: configMap({ data: map(n, (i) => `k${i}`) }),
  })),
  worst('answer with indentation', (n) => ({
    path: `${dry(configMaps)}&pretty=true`,
    body: configMap({ data: map(n, (i) => `k${i}`) }),
  })),
  worst('keys of data', (n) => ({ path: dry(configMaps), body: configMap({ data: map(n, (i) => `k${i}`) }) })),
  worst('bad labels', (n) => ({
    path: dry(configMaps),
    body: configMap({}, { labels: map(n, (i) => `bad ${i}`, '!') }),
  })),
  worst('unknown fields, Warn', (n) => ({
    path: `${dry(configMaps)}&fieldValidation=Warn`,
    body: configMap(map(n, (i) => `u${i}`, 1)),
  })),
  worst('unknown fields, Strict', (n) => ({
    path: `${dry(configMaps)}&fieldValidation=Strict`,
    body: configMap(map(n, (i) => `u${i}`, 1)),
  })),
  worst('duplicate fields', (n) => ({
    path: `${dry(configMaps)}&fieldValidation=Strict`,
    body: `{"data":{${many(n, () => '"a":"b"').join(',')}}}`,
  })),
  worst('owner references', (n) => ({
    path: dry(configMaps),
    body: configMap(
      {},
      { ownerReferences: many(n, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `${i}` })) },
    ),
  })),
  worst('owner references that repeat', (n) => ({
    path: dry(configMaps),
    body: configMap({}, { ownerReferences: many(n, () => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' })) }),
  })),
  worst('finalizers', (n) => ({
    path: dry(configMaps),
    body: configMap({}, { finalizers: many(n, (i) => `a.b/c${i}`) }),
  })),
  worst('managed fields', (n) => ({
    path: dry(configMaps),
    body: configMap(
      {},
      {
        managedFields: many(n, (i) => ({
          manager: `m${i}`,
          operation: 'Update',
          apiVersion: 'v1',
          time: '2024-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
        })),
      },
    ),
  })),
  worst('apply', (n) => ({
    method: 'PATCH',
    path: `${dry(`${configMaps}/large`)}&fieldManager=m`,
    type: 'application/apply-patch+yaml',
    body: configMap({ data: map(n, (i) => `k${i}`) }),
  })),
  worst('merge patch', (n) => ({
    method: 'PATCH',
    path: dry(existing),
    type: 'application/merge-patch+json',
    body: { data: map(n, (i) => `k${i}`) },
  })),
  worst('strategic merge patch', (n) => ({
    method: 'PATCH',
    path: dry(existing),
    type: 'application/strategic-merge-patch+json',
    body: { data: map(n, (i) => `k${i}`) },
  })),
  worst('JSON patch', (n) => ({
    method: 'PATCH',
    path: dry(existing),
    type: 'application/json-patch+json',
    body: many(Math.min(n, 10_000), (i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
  })),
  worst('containers', (n) => ({
    path: dry(pods),
    body: { metadata: { name: 'large' }, spec: { containers: many(n, (i) => ({ name: `c${i}`, image: 'i' })) } },
  })),
  worst('variables', (n) => ({
    path: dry(pods),
    body: {
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'c', image: 'i', env: many(n, (i) => ({ name: `E${i}`, value: 'v' })) }] },
    },
  })),
  worst('ports of one number', (n) => ({
    path: dry(pods),
    body: {
      metadata: { name: 'large' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: many(Math.min(n, 60_000), (i) => ({ containerPort: 80, hostPort: i + 1 })),
          },
        ],
      },
    },
  })),
  worst('ports that collide', (n) => ({
    path: dry(pods),
    body: {
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'c', image: 'i', ports: many(n, () => ({ containerPort: 80 })) }] },
    },
  })),
  ...Object.entries(longSelectors).map(([name, selector]) =>
    worst(name, (n) => ({ method: 'GET', path: `${configMaps}?${selector(Math.min(n, maxTerms))}` })),
  ),
  worst('raw label selector of an access review', (n) => ({
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'list',
          resource: 'pods',
          labelSelector: { rawSelector: many(n, (i) => `a${i}`).join(',') },
        },
      },
    },
  })),
  worst('groups of an access review', (n) => ({
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'x', groups: many(n, (i) => `g${i}`), resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  })),
  worst('fields of a definition', (n) => ({
    path: dry('/apis/apiextensions.k8s.io/v1/customresourcedefinitions'),
    body: {
      metadata: { name: 'larges.holds.example.com' },
      spec: {
        group: 'holds.example.com',
        scope: 'Namespaced',
        names: { plural: 'larges', kind: 'Large' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: map(n, (i) => `f${i}`, { type: 'string' }) } },
          },
        ],
      },
    },
  })),
]
