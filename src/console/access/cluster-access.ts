/** Questions about access, of another cluster: its roles and bindings are read by its API, its decisions by its reviews. */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { Decision } from '../../auth/authorizer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AccessEndpointServices } from './access-endpoints.ts'
import type { RoleSource, RoleSources } from './grants.ts'

export interface ClusterReader {
  /** Throws what the cluster refuses it with. */
  read(path: string): Promise<JsonObject>
  create(path: string, body: JsonObject): Promise<JsonObject>
}

/** Asked again after that long. */
const keptMs = 5000
const pageSize = 500
/** Of more pages nothing is said. */
const maxPages = 40

interface Kept {
  readonly until: number
  readonly source: Promise<RoleSource>
}

/** Lists that are kept for some seconds: one question asks for all four of them. */
export function clusterRoles(cluster: ClusterReader, clock: Clock): RoleSources {
  const kept = new Map<string, Kept>()
  return async (resource) => {
    const known = kept.get(resource)
    if (known !== undefined && known.until > clock.now()) return known.source
    const source = listed(cluster, resource)
    kept.set(resource, { until: clock.now() + keptMs, source })
    source.catch(() => kept.delete(resource))
    return source
  }
}

async function listed(cluster: ClusterReader, resource: string): Promise<RoleSource> {
  const byKey = new Map<string, JsonObject>()
  let token = ''
  for (let page = 0; page < maxPages; page++) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(token === '' ? {} : { continue: token }) })
    const list = await cluster.read(`/apis/rbac.authorization.k8s.io/v1/${resource}?${query}`)
    for (const item of Array.isArray(list['items']) ? list['items'].filter(isJsonObject) : [])
      byKey.set(keyOf(item), item)
    const metadata = isJsonObject(list['metadata']) ? list['metadata'] : {}
    token = typeof metadata['continue'] === 'string' ? metadata['continue'] : ''
    if (token === '') break
  }
  return {
    get: (namespace, name) => byKey.get(JSON.stringify([namespace, name])),
    list: (namespace) =>
      namespace === undefined ? byKey.values() : [...byKey.values()].filter((item) => namespaceOf(item) === namespace),
  }
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isJsonObject(metadata) ? metadata : {})
const namespaceOf = (item: JsonObject): string => String(metadataOf(item)['namespace'] ?? '')
const keyOf = (item: JsonObject): string => JSON.stringify([namespaceOf(item), String(metadataOf(item)['name'] ?? '')])

export const clusterAccess = (cluster: ClusterReader): AccessEndpointServices => ({
  authorizer: { authorize: (attributes) => review(cluster, attributes) },
  completeness: () => ({
    complete: false,
    notes: ['members of system:masters may do everything', 'what authorizers besides RBAC decide cannot be listed'],
  }),
})

async function review(cluster: ClusterReader, attributes: RequestAttributes): Promise<Decision> {
  const { user, verb, path, apiGroup: group, resource, subresource, namespace, name } = attributes
  const asked: JsonObject = attributes.isResourceRequest
    ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
    : { nonResourceAttributes: { verb, path } }
  const answer = await cluster.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: user.name, groups: [...user.groups], ...asked },
  })
  const status = isJsonObject(answer['status']) ? answer['status'] : {}
  const reason = typeof status['reason'] === 'string' ? status['reason'] : ''
  return { verdict: status['allowed'] === true ? 'allow' : status['denied'] === true ? 'deny' : 'no opinion', reason }
}
