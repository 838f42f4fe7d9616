import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { schemaForKind, typesAt, typesOf } from '../catalog/catalog.ts'
import { defaultRelease } from '../catalog/releases.ts'
import { encodeProtobuf } from '../codec/protobuf.ts'
import { objectCodec } from '../registry/object-codec.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { WriteContext } from '../registry/strategy.ts'
import { canonicalize } from '../schema/canonicalize.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { builtInDefinitions } from './definitions.ts'
import type { KindServices } from './kind-rules.ts'

const wanted = new Set(['ingresses', 'cronjobs', 'poddisruptionbudgets', 'ipaddresses'])

function definitions(release = defaultRelease): ResourceDefinition[] {
  return builtInDefinitions({
    services: { gate: () => false } as unknown as KindServices,
    isServed: ({ resource, served, lifecycle }) =>
      wanted.has(resource) && resource !== 'ipaddresses' && served && Number(lifecycle.introduced?.slice(2)) <= release,
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 3600,
    release,
  })
}

const find = (all: readonly ResourceDefinition[], group: string, resource: string) =>
  all.find((each) => each.group === group && each.resource === resource)

describe('the definitions of an emulated release', () => {
  it('have what it served, and the hub of today', () => {
    const all = definitions(20)
    const shapes = all.map(({ group, resource, versions, hub }) => [
      `${resource}.${group}`,
      versions.map(({ version }) => version),
      hub.apiVersion,
    ])
    expect(shapes).toEqual([
      ['cronjobs.batch', ['v1beta1'], 'batch/v1'],
      ['ingresses.networking.k8s.io', ['v1', 'v1beta1'], 'networking.k8s.io/v1'],
      ['ingresses.extensions', ['v1beta1'], 'networking.k8s.io/v1'],
      ['ipaddresses.networking.k8s.io', [], 'networking.k8s.io/v1'],
      ['servicecidrs.networking.k8s.io', [], 'networking.k8s.io/v1'],
      ['poddisruptionbudgets.policy', ['v1beta1'], 'policy/v1'],
    ])
  })

  it.each([
    [18, undefined],
    [
      19,
      'networking.k8s.io/v1beta1 Ingress is deprecated in v1.19+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress',
    ],
  ])('warn from the release on that deprecated them: 1.%i', (release, warning) => {
    const versions = find(definitions(release), 'networking.k8s.io', 'ingresses')?.versions ?? []
    expect(versions.find(({ version }) => version === 'v1beta1')?.deprecation?.warning).toBe(warning)
  })
})

describe('what an earlier release stored', () => {
  const older: KubeObject = {
    kind: 'Ingress',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'i', creationTimestamp: null },
    spec: { backend: { serviceName: 's', servicePort: 'web' } },
  }
  const codec = () => {
    const definition = find(definitions(), 'networking.k8s.io', 'ingresses') as ResourceDefinition
    return objectCodec(definition, { layout: 'reference' })
  }
  const schema = schemaForKind({ group: 'extensions', version: 'v1beta1', kind: 'Ingress' }) as ObjectSchema

  it.each([
    ['JSON', () => Buffer.from(JSON.stringify(older))],
    ['Protobuf', () => encodeProtobuf(older, schema)],
  ])('is read in the shape of today, from %s', (_, bytes) => {
    const read = codec().fromStored(bytes(), 'key')
    expect(read).toMatchObject({
      apiVersion: 'networking.k8s.io/v1',
      spec: { defaultBackend: { service: { name: 's', port: { name: 'web' } } } },
    })
  })
})

// Webhooks and policies see the draft before it is brought into the form that is stored.
it('leave a status that has all that JSON always shows of it', () => {
  const all = builtInDefinitions({
    services: { gate: () => false } as unknown as KindServices,
    isServed: ({ served }) => served,
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 3600,
  })
  const context = { gate: () => false, now: 0, warn: () => {} } as unknown as WriteContext
  const shown = (definition: ResourceDefinition): [string, unknown, unknown] => {
    const { hub, strategy, group, resource } = definition
    const bare = { apiVersion: hub.apiVersion, kind: hub.kind, metadata: { name: 'a', namespace: 'b' } }
    const decoded = canonicalize(bare, hub.schema)
    const draft = (hub.withDefaults?.(decoded) ?? decoded) as KubeObject
    strategy.prepareForCreate?.(draft, context)
    const stored = canonicalize(JSON.parse(JSON.stringify(draft)), hub.schema)
    return [`${resource}.${group}`, JSON.parse(JSON.stringify(draft))['status'], stored['status']]
  }
  // Definitions have their rules elsewhere (extensions/definitions).
  const known = all.filter(({ hub, group }) => hub.schema.fields.has('status') && group !== 'apiextensions.k8s.io')
  const withStatus = known.map(shown)
  expect(withStatus.length).toBeGreaterThan(20)
  const [drafts, stored] = [1, 2].map((i) => withStatus.map((each) => [each[0], each[i]]))
  expect(drafts).toEqual(stored)
})

it('store JSON without the empty lists and maps of a draft', () => {
  const [definition] = builtInDefinitions({
    services: { gate: () => false } as unknown as KindServices,
    isServed: ({ resource, version, served }) => resource === 'apiservices' && version === 'v1' && served,
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 3600,
  }).filter(({ resource }) => resource === 'apiservices')
  const codec = objectCodec(definition as ResourceDefinition, { layout: 'reference' })
  const object = {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: 'v1.a', labels: emptyMap, finalizers: emptyList },
    spec: { group: 'a', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    status: {},
  } as unknown as KubeObject
  const stored = codec.toStored(object, codec.encode(object), '/registry/apiregistration.k8s.io/apiservices/v1.a')
  expect(JSON.parse(Buffer.from(stored as Uint8Array).toString())['metadata']).toEqual({ name: 'v1.a' })
})

describe.each([33, 34, 35, 36])('the bodies of actions at 1.%d', (release) => {
  const all = builtInDefinitions({
    services: { gate: () => false, release } as unknown as KindServices,
    isServed: ({ served }) => served,
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 3600,
    release,
  })
  const actions = all.flatMap(({ resource, subresources }) =>
    [...subresources].flatMap(([name, subresource]) =>
      subresource.type === 'action' ? [[`${resource}/${name}`, subresource.schema] as const] : [],
    ),
  )

  it('are there', () => {
    expect(actions.map(([name]) => name).sort()).toEqual(['pods/binding', 'pods/eviction', 'serviceaccounts/token'])
  })

  it.each(actions)('are of the types of that release: %s', (_, schema) => {
    expect(typesOf(schema)).toBe(typesAt(release))
  })
})
