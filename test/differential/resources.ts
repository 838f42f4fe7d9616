/** What both servers serve, with the schemas of the server under test. */
import type { Answer, Request } from './endpoint.ts'
import { isList, isMap, type Json, type JsonMap, valueAt } from './json.ts'
import type { Schemas } from './schema-values.ts'

export interface Resource {
  /** `v1`, `apps/v1`. */
  readonly groupVersion: string
  /** `pods`, `pods/status`. */
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly schemas: Schemas
  readonly schema: Json | undefined
  /** In place of those that are known for the kind. */
  readonly seeds?: readonly Json[]
}

/** What can be asked for its resources. */
export interface Discoverable {
  readonly url: URL
  send(request: Request): Promise<Answer>
}

export interface SharedResources {
  readonly resources: readonly Resource[]
  /** Served by one of the two only: a difference of its own. */
  readonly unshared: readonly string[]
}

export async function sharedResources(reference: Discoverable, server: Discoverable): Promise<SharedResources> {
  const [theirs, ours] = await Promise.all([discovered(reference), discovered(server)])
  const documents = new Map<string, Schemas>()
  const resources: Resource[] = []
  for (const [id, resource] of theirs) {
    if (!ours.has(id)) continue
    const { groupVersion } = resource
    if (!documents.has(groupVersion)) documents.set(groupVersion, await schemasOf(server, groupVersion))
    const schemas = documents.get(groupVersion) as Schemas
    resources.push({ ...resource, schemas, schema: schemaOf(schemas, resource) })
  }
  const unshared = [
    ...[...theirs.keys()].filter((id) => !ours.has(id)).map((id) => `only the reference: ${id}`),
    ...[...ours.keys()].filter((id) => !theirs.has(id)).map((id) => `only the server: ${id}`),
  ]
  return { resources, unshared }
}

export const pathOf = (groupVersion: string): string =>
  groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`

type Discovered = Omit<Resource, 'schemas' | 'schema'>

async function discovered(endpoint: Discoverable): Promise<Map<string, Discovered>> {
  const found = new Map<string, Discovered>()
  const { groups } = (await get(endpoint, '/apis')) as { groups: { versions: { groupVersion: string }[] }[] }
  const versions = groups
    .flatMap((group) => group.versions.map((version) => version.groupVersion))
    // What an earlier run left behind is not part of either server.
    .filter((groupVersion) => !/\.example\.com\//.test(groupVersion))
  for (const groupVersion of ['v1', ...versions]) {
    const { resources } = (await get(endpoint, pathOf(groupVersion))) as { resources: JsonMap[] }
    for (const each of resources) {
      const resource = {
        groupVersion,
        name: each['name'],
        kind: each['kind'],
        namespaced: each['namespaced'],
        verbs: each['verbs'],
      } as Discovered
      found.set(
        `${groupVersion} ${resource.name} ${resource.kind} ${resource.namespaced} ${resource.verbs.join()}`,
        resource,
      )
    }
  }
  return found
}

async function schemasOf(endpoint: Discoverable, groupVersion: string): Promise<Schemas> {
  const document = await get(endpoint, `/openapi/v3${pathOf(groupVersion)}`)
  const schemas = valueAt(document, ['components', 'schemas'])
  return isMap(schemas) ? schemas : {}
}

/** Of the resource's own version; kinds of others (Scale of autoscaling/v1) are found by their kind alone. */
function schemaOf(schemas: Schemas, { groupVersion, kind }: Discovered): Json | undefined {
  const fits = Object.values(schemas).filter((schema) => kindsOf(schema).some((each) => each.kind === kind))
  return fits.find((schema) => kindsOf(schema).some((each) => each.groupVersion === groupVersion)) ?? fits[0]
}

function kindsOf(schema: Json): { kind: string; groupVersion: string }[] {
  const marks = valueAt(schema, ['x-kubernetes-group-version-kind'])
  if (!isList(marks)) return []
  return (marks as readonly Record<string, string>[]).map(({ group = '', version = '', kind = '' }) => ({
    kind,
    groupVersion: group === '' ? version : `${group}/${version}`,
  }))
}

async function get(endpoint: Discoverable, path: string): Promise<Json> {
  const answer = await endpoint.send({ method: 'GET', path, headers: { accept: 'application/json' }, body: undefined })
  if (answer.status !== 200)
    throw new Error(`GET ${endpoint.url.origin}${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
  return JSON.parse(answer.body.toString()) as Json
}
