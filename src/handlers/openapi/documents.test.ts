import protobuf from 'protobufjs/minimal.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { mediaTypes, mediaTypesWithCbor } from '../../codec/negotiation.ts'
import { unstructuredViews } from '../../registry/model/unstructured-views.ts'
import type { ResourceVersion } from '../../registry/resource-definition.ts'
import type { ResourceTable } from '../../registry/served-resource.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import { DiscoveryIndex } from '../discovery/discovery-index.ts'
import { type OpenApiDocument, OpenApiDocuments } from './documents.ts'

const custom = (openApi: JsonObject): ResourceVersion => ({
  group: 'stable.example.com',
  version: 'v1',
  kind: 'CronTab',
  apiVersion: 'stable.example.com/v1',
  schema: schemaFromOpenApi(openApi) as ObjectSchema,
  openApi,
  fieldLabels: new Map(),
  resetFields: [],
})

const openApi: JsonObject = {
  type: 'object',
  description: 'Runs on a schedule.',
  properties: {
    spec: {
      type: 'object',
      properties: { cron: { type: 'string', description: 'When.', default: '* * * * *', nullable: true } },
    },
  },
}

/** A table with one custom resource that may be replaced. */
class OneCustomTable {
  revision = 0
  version = custom(openApi)

  replace(next: JsonObject): void {
    this.version = custom(next)
    this.revision++
  }

  find(group: string, _: string, resource: string) {
    if (group !== 'stable.example.com' || resource !== 'crontabs') return undefined
    return {
      version: this.version,
      registry: { definition: { model: { views: unstructuredViews }, listKind: 'CronTabList' } },
    }
  }
}

function setUp({ enums = true } = {}) {
  const index = new DiscoveryIndex(({ served }) => served)
  const table = new OneCustomTable()
  index.setCustom([
    {
      name: 'stable.example.com',
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              name: 'crontabs',
              singularName: 'crontab',
              namespaced: true,
              kind: 'CronTab',
              verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
            },
            { name: 'crontabs/status', singularName: '', namespaced: true, kind: 'CronTab', verbs: ['get', 'patch'] },
          ],
        },
      ],
    },
  ])
  const documents = new OpenApiDocuments({
    index,
    table: table as unknown as ResourceTable,
    mediaTypes,
    release: '1.33',
    build: 'test',
    enums,
  })
  return { index, table, documents }
}

function* references(value: JsonValue | undefined): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* references(item)
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner
    else yield* references(inner)
  }
}

const at = (document: JsonValue | undefined, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), document)

const parse = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString()) as JsonObject

describe('OpenApiDocuments', () => {
  let two: JsonObject
  let three: Map<string, JsonObject>
  beforeAll(() => {
    const { documents } = setUp()
    two = parse(documents.versionTwo().json())
    three = new Map([...documents.versionThree()].map(([key, document]) => [key, parse(document.json())]))
  })

  it('defines whatever it refers to', () => {
    for (const [key, document] of [['v2', two] as const, ...three]) {
      const missing = [...references(document)].filter((reference) => {
        const path = reference.slice(2).split('/')
        return at(document, ...path) === undefined
      })
      expect([key, missing]).toEqual([key, []])
    }
  })

  it('lists the values that a field may have, unless that is switched off', () => {
    const path = ['components', 'schemas', 'io.k8s.api.core.v1.PodSpec', 'properties', 'restartPolicy', 'enum']
    expect(at(three.get('api/v1'), ...path)).toEqual(['Always', 'Never', 'OnFailure'])
    const without = parse(setUp({ enums: false }).documents.versionThree().get('api/v1')!.json())
    expect(at(without, ...path)).toBeUndefined()
  })

  it('has a document for every group version', () => {
    expect([...three.keys()]).toEqual(
      expect.arrayContaining([
        'api',
        'api/v1',
        'apis',
        'apis/apps',
        'apis/apps/v1',
        'apis/stable.example.com/v1',
        'version',
      ]),
    )
  })

  it('gives every operation an id of its own', () => {
    for (const document of [two, ...three.values()]) {
      const ids = Object.values(at(document, 'paths') as JsonObject)
        .flatMap((item) => Object.values(item as JsonObject))
        .flatMap((operation) => (isJsonObject(operation) ? [operation['operationId']] : []))
      expect(ids.length).toBeGreaterThan(0)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it('marks operations and kinds for clients', () => {
    const pods = three.get('api/v1')
    const patch = at(pods, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}', 'patch') as JsonObject
    expect(patch['operationId']).toBe('patchCoreV1NamespacedPod')
    expect(patch['x-kubernetes-action']).toBe('patch')
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Pod' })
    expect((patch['parameters'] as JsonObject[]).map(({ name }) => name)).toContain('fieldValidation')
    const spec = at(pods, 'components', 'schemas', 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers')
    expect(spec).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    })
    expect(at(pods, 'components', 'schemas', 'io.k8s.api.core.v1.Pod', 'x-kubernetes-group-version-kind')).toEqual([
      { group: '', version: 'v1', kind: 'Pod' },
    ])
  })

  it('shows custom types as written, and less of them in version 2', () => {
    const name = 'com.example.stable.v1.CronTab'
    const spec = ['properties', 'spec', 'properties', 'cron']
    const written = three.get('apis/stable.example.com/v1')
    expect(at(written, 'components', 'schemas', name, ...spec)).toEqual({
      type: 'string',
      description: 'When.',
      default: '* * * * *',
      nullable: true,
    })
    expect(at(written, 'components', 'schemas', name, 'description')).toBe('Runs on a schedule.')
    expect(at(two, 'definitions', name, ...spec)).toEqual({ description: 'When.' })
  })

  it.each([
    'APIVersion defines',
    'List of services',
    'list of returned',
    'Watch for changes to the described resources',
  ])('has the words that clients look for: %s', (words) => {
    expect(JSON.stringify(two)).toContain(words)
  })

  it('marks fields that declare a list or a map and are neither, and values of maps', () => {
    const marks = (document: string, ...path: string[]) =>
      at(three.get(document), 'components', 'schemas', path[0]!, 'properties', ...path.slice(1)) as JsonObject
    expect(
      marks('apis/certificates.k8s.io/v1', 'io.k8s.api.certificates.v1.CertificateSigningRequestSpec', 'request'),
    ).toMatchObject({ format: 'byte', 'x-kubernetes-list-type': 'atomic' })
    expect(marks('api/v1', 'io.k8s.api.core.v1.PersistentVolumeSpec', 'claimRef')['x-kubernetes-map-type']).toBe(
      'granular',
    )
    const statuses = marks('api/v1', 'io.k8s.api.core.v1.PersistentVolumeClaimStatus', 'allocatedResourceStatuses')
    expect((statuses['additionalProperties'] as JsonObject)['enum']).toContain('NodeResizePending')
    expect(marks('apis/networking.k8s.io/v1', 'io.k8s.api.networking.v1.IngressRule', 'http')).toEqual({
      $ref: '#/components/schemas/io.k8s.api.networking.v1.HTTPIngressRuleValue',
    })
    const claim = at(three.get('apis/apps/v1'), 'components', 'schemas', 'io.k8s.api.core.v1.PersistentVolumeClaim')
    expect((claim as JsonObject)['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
    ])
  })

  it.each([
    ['apis/apps/v1', 62],
    ['apis/stable.example.com/v1', 55],
  ])('names every group version that knows the options of deletes: %s', (document, count) => {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
    const kinds = at(three.get(document), 'components', 'schemas', name, 'x-kubernetes-group-version-kind')
    expect(kinds).toHaveLength(count)
  })

  describe('of a custom kind', () => {
    const name = 'com.example.stable.v1.CronTab'
    const shown = (schema: JsonObject): { v2: JsonObject; v3: JsonObject } => {
      const { documents, table } = setUp()
      table.replace(schema)
      return {
        v2: at(parse(documents.versionTwo().json()), 'definitions', name) as JsonObject,
        v3: at(
          parse(documents.versionThree().get('apis/stable.example.com/v1')!.json()),
          'components',
          'schemas',
          name,
        ) as JsonObject,
      }
    }
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

    it('invent no description, and name the fields of every object unless old clients would refuse the others', () => {
      const { v2, v3 } = shown(open)
      expect(Object.keys(v2).sort()).toEqual(['type', 'x-kubernetes-group-version-kind'])
      expect(v3).toMatchObject({ ...open, properties: { apiVersion: { type: 'string' }, kind: {}, metadata: {} } })
      expect(v3).not.toHaveProperty('description')
      expect(Object.keys(shown({ type: 'object' }).v2['properties'] as JsonObject)).toEqual([
        'apiVersion',
        'kind',
        'metadata',
      ])
    })

    it('name the fields that clients may select by, on the kind and on its list', () => {
      const { documents, table } = setUp()
      const byColor = new Map([['spec.color', 'spec.color']]) as unknown as ResourceVersion['fieldLabels']
      table.version = { ...custom(openApi), fieldLabels: byColor }
      table.revision++
      const document = parse(documents.versionThree().get('apis/stable.example.com/v1')!.json())
      for (const each of [name, `${name}List`]) {
        const schema = at(document, 'components', 'schemas', each) as JsonObject
        expect(schema['x-kubernetes-selectable-fields']).toEqual([{ fieldPath: 'spec.color' }])
      }
    })

    it('without a schema define the metadata of objects, though nothing refers to it', () => {
      const { documents, table } = setUp()
      table.version = { ...custom({ type: 'object' }), openApi: undefined }
      table.revision++
      const document = parse(documents.versionThree().get('apis/stable.example.com/v1')!.json())
      const schemas = at(document, 'components', 'schemas') as JsonObject
      expect(schemas[name]).not.toHaveProperty('properties')
      for (const type of ['ObjectMeta', 'ManagedFieldsEntry', 'OwnerReference', 'Time']) {
        expect(schemas).toHaveProperty([`io.k8s.apimachinery.pkg.apis.meta.v1.${type}`])
      }
    })

    it('show embedded objects with what every object has, and require only what cannot be null', () => {
      const inner = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } }
      const spec = {
        type: 'object',
        required: ['inner', 'maybe'],
        properties: { inner, maybe: { type: 'string', nullable: true, example: 'x' } },
      }
      const { v2, v3 } = shown({ type: 'object', properties: { spec } })
      for (const dialect of [v2, v3]) {
        const embedded = at(dialect, 'properties', 'spec', 'properties', 'inner') as JsonObject
        expect(Object.keys(embedded['properties'] as JsonObject).sort()).toEqual([
          'apiVersion',
          'kind',
          'metadata',
          'spec',
        ])
        expect(embedded['required']).toEqual(['kind', 'apiVersion'])
      }
      expect(at(v2, 'properties', 'spec', 'required')).toEqual(['inner'])
      expect(at(v3, 'properties', 'spec', 'required')).toEqual(['inner', 'maybe'])
      expect(at(v3, 'properties', 'spec', 'properties', 'maybe')).toEqual({ type: 'string', nullable: true })
    })
  })

  it('makes nothing anew but what changed', () => {
    const { documents, table } = setUp()
    const before = { two: documents.versionTwo(), three: documents.versionThree() }
    const key = 'apis/stable.example.com/v1'
    table.replace(openApi)
    expect(documents.versionTwo()).toBe(before.two)
    expect(documents.versionThree().get(key)).toBe(before.three.get(key))
    table.replace({ ...openApi, description: 'Changed.' })
    expect(documents.versionTwo().hash).not.toBe(before.two.hash)
    expect(documents.versionThree().get(key)?.hash).not.toBe(before.three.get(key)?.hash)
    expect(documents.versionThree().get('api/v1')).toBe(before.three.get('api/v1'))
  })

  it.each(['v2', 'v3'] as const)('writes Protobuf of %s that can be read', async (dialect) => {
    const { documents } = setUp()
    const document = dialect === 'v2' ? documents.versionTwo() : documents.versionThree().get('apis/batch/v1')
    const fields = topLevelFields((await document?.bytes('protobuf')) ?? Buffer.alloc(0))
    expect(fields).toEqual(dialect === 'v2' ? [1, 2, 8, 9, 10, 12, 13] : [1, 2, 4, 5])
  })
})

function topLevelFields(bytes: Buffer): number[] {
  const reader = protobuf.Reader.create(bytes)
  const fields: number[] = []
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    fields.push(tag >>> 3)
    reader.skipType(tag & 7)
  }
  return fields.sort((a, b) => a - b)
}

describe('documents of a release', () => {
  const schemas = ['components', 'schemas']
  const documentsAt = (minor: number): ReadonlyMap<string, OpenApiDocument> =>
    new OpenApiDocuments({
      index: new DiscoveryIndex(({ served }) => served, { release: minor }),
      table: new OneCustomTable() as unknown as ResourceTable,
      mediaTypes: mediaTypesWithCbor,
      release: `1.${minor}`,
      build: 'test',
      enums: true,
    }).versionThree()
  const documentAt = (minor: number, key: string): JsonObject => parse(documentsAt(minor).get(key)!.json())

  it.each([
    [33, undefined, ['IfNeeded', 'Never']],
    [34, undefined, undefined],
    [35, ['*', 'Cluster', 'Namespaced'], ['IfNeeded', 'Never']],
    [36, ['*', 'Cluster', 'Namespaced'], ['IfNeeded', 'Never']],
  ])('lists the enumerations of 1.%i', (minor, scope, reinvocation) => {
    const document = documentAt(minor, 'apis/admissionregistration.k8s.io/v1')
    const values = (type: string, field: string) =>
      at(document, ...schemas, `io.k8s.api.admissionregistration.v1.${type}`, 'properties', field, 'enum')
    expect(values('RuleWithOperations', 'scope')).toEqual(scope)
    expect(values('MutatingWebhook', 'reinvocationPolicy')).toEqual(reinvocation)
  })

  it.each([
    [33, 62, false],
    [35, 62, false],
    [36, 2, true],
  ])('has the shared kinds and the list parameters of 1.%i', (minor, shared, shards) => {
    const document = documentAt(minor, 'apis/apps/v1')
    const options = at(document, ...schemas, 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions')
    expect(at(options, 'x-kubernetes-group-version-kind')).toHaveLength(shared)
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments'
    const list = at(document, 'paths', path, 'get', 'parameters') as JsonObject[]
    expect(list.some(({ name }) => name === 'shardSelector')).toBe(shards)
  })

  it('has unions without a discriminator', () => {
    const group = at(documentAt(36, 'api/v1'), ...schemas, 'io.k8s.api.core.v1.PodSchedulingGroup')
    expect(at(group, 'x-kubernetes-unions')).toEqual([{ 'fields-to-discriminateBy': { podGroupName: 'PodGroupName' } }])
  })

  it('says where CBOR is served: not outside of group versions', () => {
    const types = (key: string, path: string) =>
      Object.keys(at(documentAt(36, key), 'paths', path, 'get', 'responses', '200', 'content') as JsonObject)
    expect(types('apis', '/apis/')).not.toContain('application/cbor')
    expect(types('api/v1', '/api/v1/namespaces/{namespace}/pods/{name}/log')).toContain('application/cbor')
  })
})
