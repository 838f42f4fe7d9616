/** The generators of cases, by family. Each begins with an object that both servers take and leads away from it. */
import type { Random } from '../harness/random.ts'
import { type Case, contentTypes, type Step } from './case.ts'
import { isMap, type Json, type JsonMap, merged, pathsOf, valueAt } from './json.ts'
import { mutated } from './mutate.ts'
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

const can = (resource: Resource, ...verbs: string[]): boolean => verbs.every((verb) => resource.verbs.includes(verb))
const isParent = (resource: Resource): boolean => !resource.name.includes('/')

/** The seed with a name and a label of its own. */
function seedOf({ random, resource }: CaseSource): JsonMap {
  const { kind, groupVersion, schemas, schema } = resource
  const seeds = seedObjects[`${kind} ${groupVersion}`] ?? seedObjects[kind]
  const seed = seeds === undefined ? randomValue(random, schemas, schema) : random.pick(seeds)
  const metadata = {
    name: '<name>',
    ...(resource.namespaced ? { namespace: '<namespace>' } : {}),
    labels: { differential: '<name>' },
  }
  return merged({ apiVersion: groupVersion, kind, metadata }, isMap(seed) ? seed : {}) as JsonMap
}

function collectionOf(resource: Resource): string {
  const [name] = resource.name.split('/')
  return `${pathOf(resource.groupVersion)}${resource.namespaced ? '/namespaces/<namespace>' : ''}/${name}`
}

const nameOf = (object: Json): string => String(valueAt(object, ['metadata', 'name']) ?? '<name>')
const objectPath = (resource: Resource, object: Json): string =>
  `${collectionOf(resource)}/${encodeURIComponent(nameOf(object)).replaceAll('%3C', '<').replaceAll('%3E', '>')}`

function writeQuery(random: Random): string {
  const options: string[] = []
  if (random.chance(0.1)) options.push(`dryRun=${random.pick(['All', 'all', 'All&dryRun=All', 'None'])}`)
  if (random.chance(0.3)) options.push(`fieldValidation=${random.pick(['Strict', 'Warn', 'Ignore', 'strict', ''])}`)
  if (random.chance(0.15))
    options.push(`fieldManager=${random.pick(['m', 'x'.repeat(129), 'a b'.replace(' ', '%20'), '%01'])}`)
  if (random.chance(0.05)) options.push(`pretty=${random.pick(['true', '0', 'x'])}`)
  return options.length === 0 ? '' : `?${options.join('&')}`
}

const representations = [
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

const accept = (random: Random): Readonly<Record<string, string>> => {
  const chosen = random.chance(0.8) ? 'application/json' : random.pick(representations)
  return { accept: chosen }
}

const bodyType = (random: Random): string =>
  random.chance(0.85) ? contentTypes.json : random.pick([contentTypes.yaml, contentTypes.cbor])

function toCase(family: string, { resource }: CaseSource, steps: readonly Step[]): Case {
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

const post = (resource: Resource, body: Json, query = ''): Step => ({
  method: 'POST',
  path: `${collectionOf(resource)}${query}`,
  body,
})

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
function fragment(random: Random, seed: Json, resource: Resource): Json {
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

export const watch: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'watch', 'patch', 'delete')) return undefined
  const seed = seedOf(source)
  const path = objectPath(resource, seed)
  const headers = { 'content-type': contentTypes.mergePatch }
  const during: Step[] = [
    { method: 'PATCH', path, headers, body: { metadata: { labels: { app: random.pick(['a', 'b']) } } } },
    { method: 'PATCH', path, headers, body: fragment(random, seed, resource) },
    { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } },
  ]
  const start = random.pick([
    'resourceVersion=<rv>',
    'resourceVersion=0',
    '',
    'resourceVersion=x',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    'sendInitialEvents=false',
    'sendInitialEvents=true',
  ])
  const selector = random.pick([
    'fieldSelector=metadata.name%3D<name>',
    'labelSelector=differential%3D<name>',
    'labelSelector=differential%3D<name>,app%3Da',
  ])
  const accepted = random.pick([
    'application/json',
    'application/json',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  ])
  const step = {
    method: 'GET',
    path: `${collectionOf(resource)}?watch=1&${selector}&${start}`,
    headers: { accept: accepted },
    during,
    webSocket: random.chance(0.4),
  }
  return toCase('watch', source, [post(resource, seed), step])
}

/** Bodies, headers and methods that are no proper request. */
export const malformed: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create')) return undefined
  const seed = seedOf(source)
  const text = JSON.stringify(seed)
  const cut = random.below(text.length)
  const body = random.pick([
    text.slice(0, cut),
    `${text.slice(0, cut)}${random.pick(['"', '{', ',', '\\', '\u0000', ']', '0', '\n'])}${text.slice(cut)}`,
    'null',
    '[]',
    '""',
    '0',
    '',
    '{}',
    '{"kind":null}',
    `[${text}]`,
    `${text}${text}`,
    `${text},`,
    '{"metadata":null}',
    '{"metadata":[]}',
    '{"apiVersion":1}',
    text.replace('"metadata":', '"metadata":{"name":"x"},"metadata":'),
    text.replace('"kind":', '"Kind":'),
    JSON.stringify({ ...seed, kind: 'Other' }),
    JSON.stringify({ ...seed, apiVersion: 'other/v1' }),
    JSON.stringify({ ...seed, apiVersion: '' }),
  ])
  const type = random.pick([
    contentTypes.json,
    contentTypes.json,
    contentTypes.yaml,
    contentTypes.protobuf,
    contentTypes.cbor,
    'text/plain',
    'application/x',
    '',
    'application/json; charset=utf-8',
    contentTypes.mergePatch,
  ])
  const method = random.pick(['POST', 'POST', 'PUT', 'PATCH', 'DELETE'])
  const path = method === 'POST' ? collectionOf(resource) : objectPath(resource, seed)
  return {
    ...toCase('malformed', source, []),
    steps: [{ method, path: `${path}${writeQuery(random)}`, text: body, headers: { 'content-type': type } }],
    cleanup: method === 'POST' ? [objectPath(resource, seed)] : [],
  }
}

const oddPaths = [
  '/',
  '/api',
  '/apis',
  '/api/',
  '/api/v2',
  '/apis/apps',
  '/apis/none',
  '/apis/apps/v9',
  '/version',
  '/version/',
  '/healthz/x',
  '/livez/ping',
  '/openapi',
  '/openapi/v2/x',
  '/metrics/x',
  '/debug',
  '/logs',
  '/swagger.json',
  '/.well-known/x',
  '/apis/apps/v1/',
  '/apis/apps//v1',
  '/api/v1/namespaces/none',
  '/api/v1/namespaces/none/',
  '/api/v1/namespaces//pods',
  '/api/v1/watch/pods',
  '/api/v1/watch/namespaces/<namespace>/pods/x?timeoutSeconds=1',
  '/api/v1/proxy/pods',
  '/api/v1/pods/x',
  '/api/v1/namespaces/<namespace>/pods/x/y/z',
  '/api/v1/namespaces/<namespace>/pods/%2e%2e',
  '/api/v1/namespaces/<namespace>/pods/a%2fb',
  '/api/v1/namespaces/<namespace>/pods/%00',
  '/api/v1/namespaces/a%20b/pods',
  '/api/v1/namespaces/<namespace>/pods?x=%zz',
  '/api/v1/namespaces/<namespace>/pods;a=b',
  '/API/v1',
  '/api/v1/namespaces/<namespace>/PODS',
  '/openid/v1/jwks',
  '/.well-known/openid-configuration',
]

export const paths: CaseGenerator = (source) => {
  const { random } = source
  const method = random.pick([
    'GET',
    'GET',
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  ])
  const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const step = { method, path: random.pick(oddPaths), headers: accept(random), ...(withBody ? { body: {} } : {}) }
  return { family: 'paths', resource: '', steps: [step], cleanup: [] }
}
