/** Custom resources: definitions with random schemas in one to three versions, and what is done to their objects. */
import type { Random } from '../harness/random.ts'
import { type CaseGenerator, type CaseSource, collectionOf, objectPath } from './building.ts'
import { type Case, contentTypes, converter, type Hook, type Step } from './case.ts'
import { apply, create, patch, read, remove, removeCollection, roundTrip, subresource, update } from './cases.ts'
import { isMap, type Json, type JsonMap, valueAt } from './json.ts'
import { mutated } from './mutate.ts'
import { malformed } from './request-cases.ts'
import type { Resource } from './resources.ts'
import { exampleOf, randomDefinitionSchema } from './schemas.ts'
import { applySequence, paging } from './sequence-cases.ts'
import { watch } from './watch-cases.ts'

const group = '<plain>.example.com'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const definitionPath = `${definitions}/things.${group}`

interface Definition {
  readonly body: JsonMap
  readonly resources: readonly Resource[]
  readonly hooks: Readonly<Record<string, Hook>>
}

function randomDefinition(random: Random): Definition {
  const namespaced = random.chance(0.7)
  const names = random.pick([['v1'], ['v1'], ['v1', 'v2'], ['v1beta1', 'v1', 'v2'], ['v1', 'v1alpha1']])
  const stored = random.below(names.length)
  const shared = randomDefinitionSchema(random)
  const versions = names.map((name, i) => versionOf(random, { name, storage: i === stored, shared }))
  const webhook = names.length > 1 && random.chance(0.5)
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        plural: 'things',
        kind: 'Thing',
        ...(random.chance(0.3)
          ? { singular: 'thing', shortNames: ['th'], categories: ['all'], listKind: 'Things' }
          : {}),
      },
      versions,
      ...(webhook ? { conversion: conversion(random) } : {}),
      ...(random.chance(0.05) ? { preserveUnknownFields: random.chance(0.5) } : {}),
    },
  }
  return {
    body,
    resources: versions.flatMap((version) => resourcesOf(random, version, namespaced)),
    hooks: webhook ? { [converter]: converterAnswer(random) } : {},
  }
}

interface VersionChoice {
  readonly name: string
  readonly storage: boolean
  readonly shared: JsonMap
}

function versionOf(random: Random, { name, storage, shared }: VersionChoice): JsonMap {
  const status = random.chance(0.6)
  const scale = random.chance(0.4)
  return {
    name,
    served: storage || random.chance(0.95),
    storage,
    schema: { openAPIV3Schema: random.chance(0.8) ? shared : randomDefinitionSchema(random) },
    ...(status || scale
      ? {
          subresources: {
            ...(status ? { status: {} } : {}),
            ...(scale
              ? {
                  scale: {
                    specReplicasPath: '.spec.size',
                    statusReplicasPath: random.pick(['.status.size', '.status.replicas']),
                    ...(random.chance(0.5) ? { labelSelectorPath: '.status.selector' } : {}),
                  },
                }
              : {}),
          },
        }
      : {}),
    ...(random.chance(0.3) ? { additionalPrinterColumns: columns(random) } : {}),
    ...(random.chance(0.3)
      ? { selectableFields: [{ jsonPath: random.pick(['.spec.size', '.spec.name', '.spec.a', '.status.phase', 'x']) }] }
      : {}),
    ...(random.chance(0.1) ? { deprecated: true, ...(random.chance(0.5) ? { deprecationWarning: 'old' } : {}) } : {}),
  }
}

const columns = (random: Random): Json =>
  Array.from({ length: random.pick([1, 2]) }, () => ({
    name: random.pick(['Size', 'A', 'Age']),
    type: random.pick(['string', 'integer', 'number', 'boolean', 'date', 'x']),
    jsonPath: random.pick([
      '.spec.size',
      '.spec.a',
      '.metadata.creationTimestamp',
      '.spec.items[*].key',
      '.spec',
      '.none',
      'x[',
    ]),
    ...(random.chance(0.3) ? { format: random.pick(['int32', 'byte', 'date']), priority: 1, description: 'd' } : {}),
  }))

const conversion = (random: Random): Json => ({
  strategy: 'Webhook',
  webhook: {
    clientConfig: { url: `<hooks>/${converter}`, caBundle: '<ca>' },
    conversionReviewVersions: random.pick([['v1'], ['v1', 'v1beta1'], ['v1beta1'], ['v2', 'v1']]),
  },
})

/** Most of the time it converts; every fault of its answer is a case of its own. */
const converterAnswer = (random: Random): Hook =>
  random.chance(0.8)
    ? { converts: true }
    : random.pick<Hook>([
        { converts: true, body: { response: { uid: 'x' } } },
        { converts: true, body: { response: { result: { status: 'Failure', message: 'cannot' } } } },
        { converts: true, body: { response: { result: {} } } },
        { converts: true, body: { response: { convertedObjects: [] } } },
        { converts: true, body: { response: { convertedObjects: [{ apiVersion: 'v1', kind: 'ConfigMap' }] } } },
        { converts: true, body: { response: { convertedObjects: null } } },
        { converts: true, body: { apiVersion: 'x/v1' } },
        { converts: true, body: { kind: 'Review' } },
        { converts: true, body: { response: null } },
        { status: 500, text: 'broken' },
        { status: 404 },
        { text: 'no JSON' },
        { text: '' },
        { cut: true },
      ])

/** As discovery would show them: the version itself, and its subresources. */
function resourcesOf(random: Random, version: JsonMap, namespaced: boolean): Resource[] {
  const schema = valueAt(version, ['schema', 'openAPIV3Schema'])
  const groupVersion = `${group}/${String(version['name'])}`
  const common = { groupVersion, namespaced, schemas: {}, kind: 'Thing' }
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
  const seeds = Array.from({ length: 3 }, () => {
    const example = exampleOf(random, schema)
    const { metadata: _, ...rest } = isMap(example) ? example : {}
    return rest as JsonMap
  })
  const rooted = withMetadata(schema)
  const parent = { ...common, name: 'things', verbs, schema: rooted, seeds }
  const subresources = isMap(version['subresources']) ? Object.keys(version['subresources']) : []
  return [
    parent,
    ...subresources.map((sub) => ({
      ...parent,
      name: `things/${sub}`,
      verbs: ['get', 'patch', 'update'],
      ...(sub === 'scale'
        ? { kind: 'Scale', schema: scaleSchema, seeds: [{ apiVersion: 'autoscaling/v1', spec: { replicas: 2 } }] }
        : {}),
    })),
  ]
}

const scaleSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas: { type: 'integer', format: 'int32' } } } },
}

/** What mutations may reach of the metadata. */
const withMetadata = (schema: Json | undefined): Json => {
  const properties = valueAt(schema, ['properties'])
  const metadata = {
    type: 'object',
    properties: {
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      annotations: { type: 'object', additionalProperties: { type: 'string' } },
      finalizers: { type: 'array', items: { type: 'string' } },
      generateName: { type: 'string' },
    },
  }
  return { ...(isMap(schema) ? schema : {}), properties: { ...(isMap(properties) ? properties : {}), metadata } }
}

const inner = [
  create,
  update,
  update,
  subresource,
  subresource,
  patch,
  patch,
  apply,
  apply,
  applySequence,
  remove,
  removeCollection,
  read,
  read,
  roundTrip,
  watch,
  malformed,
  paging,
]

function innerCase(source: CaseSource, resources: readonly Resource[]): Case {
  for (;;) {
    const made = source.random.pick(inner)({ ...source, resource: source.random.pick(resources), resources })
    if (made !== undefined) return made
  }
}

export const definition: CaseGenerator = (source) => {
  const { random } = source
  const { body, resources, hooks } = randomDefinition(random)
  const served = resources.filter(({ name }) => name === 'things')
  const first = random.pick(served)
  const cases = [innerCase(source, resources), ...(random.chance(0.5) ? [innerCase(source, resources)] : [])]
  const look: Step = { method: 'GET', path: objectPath(random.pick(served), { metadata: { name: '<name>' } }) }
  const steps: Step[] = [
    { method: 'POST', path: definitions, body, needed: true },
    { method: 'GET', path: definitionPath, settle: true },
    { method: 'GET', path: `${collectionOf(first)}?limit=1`, until: 200 },
    ...(random.chance(0.1) ? discovery(first) : []),
    ...(cases[0]?.steps ?? []),
    ...(random.chance(0.3) ? [look] : []),
    ...(random.chance(0.25) ? changed(random, body, first) : []),
    ...(cases[1]?.steps ?? []),
    ...(random.chance(0.3) ? [look] : []),
  ]
  const cleanup = [...cases.flatMap((each) => each.cleanup), definitionPath]
  return { family: 'definition', resource: `things ${first.groupVersion}`, steps, cleanup, hooks }
}

const discovery = ({ groupVersion }: Resource): Step[] => [
  { method: 'GET', path: `/apis/${group}`, until: 200 },
  { method: 'GET', path: `/apis/${group}` },
  { method: 'GET', path: `/apis/${groupVersion}` },
]

/** Another schema for what is stored already: rules are ratcheted, fields pruned. */
function changed(random: Random, body: JsonMap, first: Resource): Step[] {
  const versions = valueAt(body, ['spec', 'versions']) as readonly JsonMap[]
  const schema = { openAPIV3Schema: randomDefinitionSchema(random) }
  const next = versions.map((version) => (random.chance(0.7) ? { ...version, schema } : version))
  return [
    {
      method: 'PATCH',
      path: definitionPath,
      headers: { 'content-type': contentTypes.mergePatch },
      body: { spec: { versions: next } },
    },
    { method: 'GET', path: definitionPath, settle: true },
    { method: 'GET', path: `${collectionOf(first)}?limit=1`, pause: 300, until: 200 },
  ]
}

/** Definitions alone, without an effect: structural rules, defaults, the cost of rules. */
export const schema: CaseGenerator = ({ random, resources }) => {
  const { body } = randomDefinition(random)
  const known = resources.find(({ kind, name }) => kind === 'CustomResourceDefinition' && !name.includes('/'))
  const sent = known === undefined || random.chance(0.6) ? body : mutated(random, body, known)
  return {
    family: 'schema',
    resource: 'customresourcedefinitions apiextensions.k8s.io/v1',
    steps: [{ method: 'POST', path: `${definitions}?dryRun=All`, body: sent }],
    cleanup: [],
  }
}
