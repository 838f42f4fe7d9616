/** What generators of cases share: seeds, paths, queries, representations, clean-up. */
import type { Random } from '../harness/random.ts'
import { type Case, contentTypes, type Step } from './case.ts'
import { isMap, type Json, type JsonMap, merged, valueAt } from './json.ts'
import { pathOf, type Resource } from './resources.ts'
import { randomValue } from './schema-values.ts'
import { seedObjects } from './seed-objects.ts'

export interface CaseSource {
  readonly random: Random
  readonly resource: Resource
  /** All of them, to find a resource's subresources and parents. */
  readonly resources: readonly Resource[]
}

export type CaseGenerator = (source: CaseSource) => Case | undefined

export const can = (resource: Resource, ...verbs: string[]): boolean =>
  verbs.every((verb) => resource.verbs.includes(verb))
export const isParent = (resource: Resource): boolean => !resource.name.includes('/')

/** The seed with a name and a label of its own. */
export function seedOf({ random, resource }: CaseSource): JsonMap {
  const { kind, groupVersion, schemas, schema } = resource
  const seeds = resource.seeds ?? seedObjects[`${kind} ${groupVersion}`] ?? seedObjects[kind]
  const seed = seeds === undefined ? randomValue(random, schemas, schema) : random.pick(seeds)
  const metadata = {
    name: '<name>',
    ...(resource.namespaced ? { namespace: '<namespace>' } : {}),
    labels: { differential: '<name>' },
  }
  return merged({ apiVersion: groupVersion, kind, metadata }, isMap(seed) ? seed : {}) as JsonMap
}

export function collectionOf(resource: Resource): string {
  const [name] = resource.name.split('/')
  return `${pathOf(resource.groupVersion)}${resource.namespaced ? '/namespaces/<namespace>' : ''}/${name}`
}

const nameOf = (object: Json): string => String(valueAt(object, ['metadata', 'name']) ?? '<name>')
export const objectPath = (resource: Resource, object: Json): string =>
  `${collectionOf(resource)}/${encodeURIComponent(nameOf(object)).replaceAll('%3C', '<').replaceAll('%3E', '>')}`

export function writeQuery(random: Random): string {
  const options: string[] = []
  if (random.chance(0.1)) options.push(`dryRun=${random.pick(['All', 'all', 'All&dryRun=All', 'None'])}`)
  if (random.chance(0.3)) options.push(`fieldValidation=${random.pick(['Strict', 'Warn', 'Ignore', 'strict', ''])}`)
  if (random.chance(0.15))
    options.push(`fieldManager=${random.pick(['m', 'x'.repeat(129), 'a b'.replace(' ', '%20'), '%01'])}`)
  if (random.chance(0.05)) options.push(`pretty=${random.pick(['true', '0', 'x'])}`)
  return options.length === 0 ? '' : `?${options.join('&')}`
}

export const representations = [
  'application/json',
  'application/yaml',
  contentTypes.protobuf,
  contentTypes.cbor,
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
  `${contentTypes.protobuf};as=Table;g=meta.k8s.io;v=v1`,
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  `${contentTypes.protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  `${contentTypes.cbor};as=Table;g=meta.k8s.io;v=v1`,
  'application/json;as=Table;g=meta.k8s.io;v=v2',
  'text/html',
  '*/*',
  `${contentTypes.protobuf},application/json;q=0.5`,
]

export const accept = (random: Random): Readonly<Record<string, string>> => {
  const chosen = random.chance(0.8) ? 'application/json' : random.pick(representations)
  return { accept: chosen }
}

export const bodyType = (random: Random): string =>
  random.chance(0.85) ? contentTypes.json : random.pick([contentTypes.yaml, contentTypes.cbor])

export function toCase(family: string, { resource }: CaseSource, steps: readonly Step[]): Case {
  const [first] = steps
  const created = first?.method === 'POST' && isMap(first.body ?? null) && isParent(resource) && can(resource, 'delete')
  return {
    family,
    resource: `${resource.name} ${resource.groupVersion}`,
    steps: created ? settled(resource, steps, objectPath(resource, first.body as Json)) : steps,
    cleanup: created ? [objectPath(resource, first.body as Json)] : cleanupOf(steps),
  }
}

const cleanupOf = (steps: readonly Step[]): string[] => {
  const [first] = steps
  return first?.method === 'POST' && isMap(first.body ?? null)
    ? [`${first.path.split('?')[0]}/${nameOf(first.body as Json)}`]
    : []
}

/** Kinds that the server itself writes to after a while; what it wrote is waited for, so that it is compared, too. */
const followedKinds = new Set([
  'CustomResourceDefinition',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'APIService',
  'ServiceCIDR',
])

/** The steps, with a look at the object between any two of them once nobody writes to it any more. */
function settled({ kind }: Resource, steps: readonly Step[], path: string): Step[] {
  if (!followedKinds.has(kind)) return [...steps]
  return steps.flatMap((step) => (step.method === 'GET' ? [step] : [step, { method: 'GET', path, settle: true }]))
}

export const post = (resource: Resource, body: Json, query = ''): Step => ({
  method: 'POST',
  path: `${collectionOf(resource)}${query}`,
  body,
})
