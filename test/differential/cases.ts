/** The generators of cases on resources, by family. Each begins with an object that both servers take and leads away from it. */
import type { Random } from '../harness/random.ts'
import {
  accept,
  bodyType,
  type CaseGenerator,
  type CaseSource,
  can,
  collectionOf,
  isParent,
  objectPath,
  post,
  representations,
  seedOf,
  toCase,
  writeQuery,
} from './building.ts'
import { contentTypes, type Step } from './case.ts'
import { isMap, type Json, type JsonMap, merged, pathsOf, valueAt } from './json.ts'
import { mutated } from './mutate.ts'
import type { Resource } from './resources.ts'
import { randomValue } from './schema-values.ts'

export const create: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create')) return undefined
  const body = mutated(random, seedOf(source), resource)
  const step = {
    ...post(resource, body, writeQuery(random)),
    headers: { 'content-type': bodyType(random), ...accept(random) },
  }
  return toCase('create', source, [step])
}

/** A body of another version than its path, or of another kind. */
export const mistyped: CaseGenerator = (source) => {
  const { random, resource, resources } = source
  if (!isParent(resource) || !can(resource, 'create')) return undefined
  const { kind, groupVersion } = resource
  const parents = resources.filter(isParent)
  const versions = parents.filter((each) => each.kind === kind && each.groupVersion !== groupVersion)
  const other = random.pick(versions.length > 0 && random.chance(0.9) ? versions : parents)
  const body = mutated(random, seedOf({ ...source, resource: other }), other)
  const headers = { 'content-type': bodyType(random), ...accept(random) }
  return toCase('mistyped', source, [{ ...post(resource, body, writeQuery(random)), headers }])
}

export const update: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'update')) return undefined
  const seed = seedOf(source)
  const version = random.chance(0.8)
    ? { metadata: { resourceVersion: random.chance(0.95) ? '<rv>' : random.pick(['1', '0', 'x']) } }
    : {}
  const first = random.chance(0.7) ? seed : mutated(random, seed, resource)
  const put = {
    method: 'PUT',
    path: `${objectPath(resource, seed)}${writeQuery(random)}`,
    body: mutated(random, merged(first, version), resource),
    headers: { 'content-type': bodyType(random), ...accept(random) },
  }
  return toCase('update', source, [post(resource, first), put])
}

/** The parent of a subresource whose body has the parent's own kind, or another. */
export const subresource: CaseGenerator = (source) => {
  const { random, resource, resources } = source
  const [parentName, sub] = resource.name.split('/')
  const parent = resources.find((each) => each.name === parentName && each.groupVersion === resource.groupVersion)
  if (sub === undefined || parent === undefined || ['proxy', 'exec', 'attach', 'portforward', 'log'].includes(sub))
    return undefined
  const seed = seedOf({ ...source, resource: parent })
  const own = resource.kind === parent.kind ? seed : seedOf(source)
  const path = `${objectPath(parent, seed)}/${sub}`
  const base = merged(own, {
    metadata: resource.verbs.includes('update') && random.chance(0.7) ? { resourceVersion: '<rv>' } : {},
  })
  const step = subresourceStep(source, path, base)
  return toCase('subresource', { ...source, resource: parent }, [
    post(parent, seed),
    step,
    { method: 'GET', path: objectPath(parent, seed) },
  ])
}

function subresourceStep({ random, resource }: CaseSource, path: string, base: Json): Step {
  const status =
    isMap(valueAt(resource.schema, ['properties', 'status'])) && !resource.name.endsWith('/scale')
      ? { status: randomValue(random, resource.schemas, valueAt(resource.schema, ['properties', 'status'])) }
      : {}
  const body = mutated(random, merged(base, status), resource)
  if (can(resource, 'patch') && random.chance(0.4)) {
    const type = random.pick([contentTypes.mergePatch, contentTypes.strategicPatch, contentTypes.applyPatch])
    const query = type === contentTypes.applyPatch ? '?fieldManager=m&force=true' : ''
    return {
      method: 'PATCH',
      path: `${path}${query}`,
      headers: { 'content-type': type },
      body:
        random.chance(0.5) && isMap(body)
          ? {
              ...(type === contentTypes.applyPatch
                ? { apiVersion: body['apiVersion'] ?? '', kind: body['kind'] ?? '' }
                : {}),
              ...status,
              spec: body['spec'] ?? {},
            }
          : body,
    }
  }
  if (can(resource, 'create')) return { method: 'POST', path: `${path}${writeQuery(random)}`, body }
  return { method: 'PUT', path: `${path}${writeQuery(random)}`, body }
}

export const patch: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'patch')) return undefined
  const seed = seedOf(source)
  const count = random.pick([1, 1, 2])
  const steps = Array.from({ length: count }, () => patchStep(source, seed))
  return toCase('patch', source, [post(resource, seed), ...steps])
}

function patchStep({ random, resource }: CaseSource, seed: Json): Step {
  const type = random.pick([contentTypes.jsonPatch, contentTypes.mergePatch, contentTypes.strategicPatch])
  return {
    method: 'PATCH',
    path: `${objectPath(resource, seed)}${writeQuery(random)}`,
    headers: { 'content-type': type, ...accept(random) },
    body: type === contentTypes.jsonPatch ? operations(random, seed, resource) : fragment(random, seed, resource),
  }
}

/** What a mutation changed, as a patch: changed members, and null for those that went. */
export function fragment(random: Random, seed: Json, resource: Resource): Json {
  let target = mutated(random, seed, resource)
  for (let tries = 0; tries < 3 && target === seed; tries++) target = mutated(random, seed, resource)
  const delta = deltaOf(seed, target)
  if (!random.chance(0.15) || !isMap(delta)) return delta
  const directive: JsonMap = random.pick<JsonMap>([
    { $patch: 'replace' },
    { $patch: 'delete' },
    { $retainKeys: ['containers'] },
    { '$setElementOrder/containers': [{ name: 'main' }] },
    { '$deleteFromPrimitiveList/finalizers': ['a'] },
  ])
  const [key] = Object.keys(delta)
  return key !== undefined && isMap(delta[key])
    ? { ...delta, [key]: { ...(delta[key] as JsonMap), ...directive } }
    : { ...delta, ...directive }
}

function deltaOf(from: Json, to: Json): Json {
  if (!isMap(from) || !isMap(to)) return to
  const changed = Object.entries(to)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(from[key]))
    .map(([key, value]) => [key, key in from ? deltaOf(from[key] as Json, value) : value] as const)
  const removed = Object.keys(from)
    .filter((key) => !(key in to))
    .map((key) => [key, null] as const)
  return Object.fromEntries([...changed, ...removed])
}

function operations(random: Random, seed: Json, resource: Resource): Json {
  const paths = [...pathsOf(seed)]
  const pointer = (): string => {
    const path = random.pick(paths).map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))
    const end = random.chance(0.2) ? [random.pick(['-', '0', '5', 'new', '-1'])] : []
    return `/${[...path, ...end].join('/')}`
  }
  const value = (): Json =>
    random.pick<Json>(['x', 1, null, {}, [], true, valueAt(mutated(random, seed, resource), ['spec']) ?? 'y'])
  return Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, () => {
    const op = random.pick(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move', 'Add'])
    return {
      op,
      path: pointer(),
      ...(op === 'copy' || op === 'move' ? { from: pointer() } : op === 'remove' ? {} : { value: value() }),
    }
  })
}

export const apply: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'patch', 'get')) return undefined
  const seed = seedOf(source)
  const managers = ['one', 'two']
  const steps = Array.from({ length: random.pick([1, 2, 2, 3]) }, (_, i) => ({
    method: 'PATCH',
    path: `${objectPath(resource, seed)}?fieldManager=${managers[i % 2]}${random.chance(0.5) ? '&force=true' : ''}${random.chance(0.2) ? `&fieldValidation=${random.pick(['Strict', 'Warn', 'Ignore'])}` : ''}`,
    headers: { 'content-type': random.chance(0.9) ? contentTypes.applyPatch : contentTypes.applyPatchCbor },
    body: i === 0 && random.chance(0.6) ? seed : mutated(random, seed, resource),
  }))
  return { ...toCase('apply', source, steps), cleanup: [objectPath(resource, seed)] }
}

export const remove: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'delete')) return undefined
  const seed = merged(seedOf(source), random.chance(0.3) ? { metadata: { finalizers: ['example.com/f'] } } : {})
  const options = randomValue(random, deleteSchemas, { $ref: '#/components/schemas/DeleteOptions' })
  const query = random.chance(0.3)
    ? `?${random.pick(['propagationPolicy=Orphan', 'propagationPolicy=Foreground', 'gracePeriodSeconds=5', 'gracePeriodSeconds=-1', 'orphanDependents=true', 'dryRun=All', 'propagationPolicy=x', 'gracePeriodSeconds=x'])}`
    : ''
  const del = {
    method: 'DELETE',
    path: `${objectPath(resource, seed)}${query}`,
    ...(random.chance(0.6) ? { body: options } : {}),
    headers: accept(random),
  }
  return toCase('delete', source, [post(resource, seed), del, { method: 'GET', path: objectPath(resource, seed) }])
}

const deleteSchemas: JsonMap = {
  DeleteOptions: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['DeleteOptions', 'Pod'] },
      apiVersion: { type: 'string', enum: ['v1', 'meta.k8s.io/v1', 'apps/v1', 'x/v9'] },
      gracePeriodSeconds: { type: 'integer' },
      orphanDependents: { type: 'boolean' },
      propagationPolicy: { type: 'string', enum: ['Orphan', 'Background', 'Foreground', 'x'] },
      dryRun: { type: 'array', items: { type: 'string', enum: ['All', 'x'] } },
      preconditions: {
        type: 'object',
        properties: {
          uid: { type: 'string', enum: ['<uid>', 'x'] },
          resourceVersion: { type: 'string', enum: ['<rv>', '1', 'x'] },
        },
      },
    },
  },
}

export const removeCollection: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'deletecollection')) return undefined
  const seed = seedOf(source)
  const selector = 'labelSelector=differential%3D<name>'
  const options = random.chance(0.4)
    ? { body: randomValue(random, deleteSchemas, { $ref: '#/components/schemas/DeleteOptions' }) }
    : {}
  const query = random.pick([
    '',
    '',
    '&limit=1',
    '&resourceVersion=0',
    '&dryRun=All',
    '&fieldSelector=metadata.name%3D<name>',
    '&fieldSelector=x%3Dy',
    '&timeoutSeconds=5',
  ])
  const del = { method: 'DELETE', path: `${collectionOf(resource)}?${selector}${query}`, ...options }
  return toCase('deletecollection', source, [
    post(resource, seed),
    del,
    { method: 'GET', path: `${collectionOf(resource)}?${selector}` },
  ])
}

const listOptions = [
  'limit=1',
  'limit=0',
  'limit=-1',
  'limit=x',
  'resourceVersion=0',
  'resourceVersion=<rv>',
  'resourceVersion=x',
  'resourceVersion=<rv>&resourceVersionMatch=Exact',
  'resourceVersion=<rv>&resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=x&resourceVersion=1',
  'continue=x',
  'continue=',
  'pretty=true',
  'fieldSelector=metadata.name%3D<name>',
  'fieldSelector=metadata.name!%3D<name>',
  'fieldSelector=metadata.namespace%3Ddefault',
  'fieldSelector=spec.x%3Dy',
  'fieldSelector=status.phase%3DRunning',
  'fieldSelector=a',
  'fieldSelector=a%3D%3Db',
  'includeObject=Metadata',
  'includeObject=x',
  'includeObject=None',
  'sendInitialEvents=true',
  'allowWatchBookmarks=true',
  'timeoutSeconds=1',
  'watch=0',
]
const labelSelectors = [
  '',
  ',app',
  ',!app',
  ',app%20in%20(a,b)',
  ',app%20notin%20(a)',
  ',a%3D',
  ',a%3D%3Db',
  ',%3D',
  ',a%20in%20()',
  ',a>1',
  ',a<b',
  ',a/b/c',
  ',-a',
]

export const read: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'get', 'list')) return undefined
  const seed = mutated(random, seedOf(source), resource)
  const headers = { accept: random.pick(representations) }
  const selector = `labelSelector=differential%3D<name>${random.pick(labelSelectors)}`
  const option = random.chance(0.6) ? `&${random.pick(listOptions)}` : ''
  const query = random.chance(0.3) ? `?${random.pick(listOptions)}` : ''
  const steps: Step[] = [
    post(resource, seed),
    { method: 'GET', path: `${objectPath(resource, seed)}${query}`, headers },
    {
      method: 'GET',
      path: `${collectionOf(resource)}?${selector}${option}`,
      headers: { accept: random.pick(representations) },
    },
  ]
  return toCase('read', source, steps)
}

/** Reads an object in another encoding and writes the very bytes back. */
export const roundTrip: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'get', 'update')) return undefined
  const seed = mutated(random, seedOf(source), resource)
  const headers = { accept: random.pick([contentTypes.protobuf, contentTypes.cbor, contentTypes.yaml]) }
  const path = objectPath(resource, seed)
  return toCase('roundtrip', source, [
    post(resource, seed),
    { method: 'GET', path, headers },
    { method: 'PUT', path, echo: true },
    { method: 'GET', path },
  ])
}
