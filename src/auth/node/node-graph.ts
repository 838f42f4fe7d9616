/**
 * What each node has to do with: pods that run on it, and through them the secrets, config maps, claims, volumes, service
 * accounts and resource claims that those pods use. An edge leads from a thing to what uses it; a node may read a thing
 * when a path leads from the thing to the node.
 * Mirrors plugin/pkg/auth/authorizer/node: Graph, graphPopulator.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'

export type VertexType =
  | 'node'
  | 'pod'
  | 'secret'
  | 'configmap'
  | 'pvc'
  | 'pv'
  | 'volumeattachment'
  | 'serviceaccount'
  | 'resourceclaim'
  | 'resourceslice'
  | 'podcertificaterequest'

export interface NodeGraphSources {
  readonly pods: ObjectSource
  readonly persistentVolumes: ObjectSource
  readonly volumeAttachments: ObjectSource
  /** Absent when the group resource.k8s.io is not served. */
  readonly resourceSlices?: ObjectSource
  /** Absent when nodes do not ask for certificates of pods. */
  readonly podCertificateRequests?: ObjectSource
}

const vertex = (type: VertexType, namespace: string, name: string): string => `${type}:${namespace}:${name}`

/** The most steps that a path can have: secret, volume, claim, pod, node. */
const maxDepth = 6

export class NodeGraph {
  /** For each thing what uses it, counted: several owners may draw the same edge. */
  readonly #usedBy = new Map<string, Map<string, number>>()
  /** The edges that each owner drew, so that they can be taken away with it. */
  readonly #edgesOf = new Map<string, readonly (readonly [string, string])[]>()
  readonly #unsubscribe: readonly (() => void)[]

  constructor(sources: NodeGraphSources) {
    const { resourceSlices, podCertificateRequests } = sources
    this.#unsubscribe = [
      this.#follow(sources.pods, 'pod', podEdges),
      this.#follow(sources.persistentVolumes, 'pv', volumeEdges),
      this.#follow(sources.volumeAttachments, 'volumeattachment', ofNode('volumeattachment')),
      ...(resourceSlices ? [this.#follow(resourceSlices, 'resourceslice', ofNode('resourceslice'))] : []),
      ...(podCertificateRequests
        ? [this.#follow(podCertificateRequests, 'podcertificaterequest', ofNode('podcertificaterequest'))]
        : []),
    ]
  }

  close(): void {
    for (const end of this.#unsubscribe) end()
  }

  /** Whether the thing is there for a pod, volume or the like of that node. */
  reaches(type: VertexType, namespace: string, name: string, node: string): boolean {
    return this.#leadsTo(vertex(type, namespace, name), vertex('node', '', node), maxDepth)
  }

  #leadsTo(from: string, target: string, depth: number): boolean {
    const users = this.#usedBy.get(from)
    if (users === undefined || depth === 0) return false
    if (users.has(target)) return true
    for (const user of users.keys()) if (this.#leadsTo(user, target, depth - 1)) return true
    return false
  }

  #follow(source: ObjectSource, type: VertexType, edges: (object: KubeObject) => Edges): () => void {
    return source.subscribe((change: ObjectChange) => {
      const { namespace = '', name = '' } = change.object.metadata
      this.#replace(vertex(type, namespace, name), change.type === 'DELETED' ? [] : edges(change.object))
    })
  }

  #replace(owner: string, edges: Edges): void {
    for (const [from, to] of this.#edgesOf.get(owner) ?? []) this.#remove(from, to)
    for (const [from, to] of edges) this.#add(from, to)
    if (edges.length > 0) this.#edgesOf.set(owner, edges)
    else this.#edgesOf.delete(owner)
  }

  #add(from: string, to: string): void {
    const users = this.#usedBy.get(from) ?? new Map<string, number>()
    users.set(to, (users.get(to) ?? 0) + 1)
    this.#usedBy.set(from, users)
  }

  #remove(from: string, to: string): void {
    const users = this.#usedBy.get(from)
    const count = users?.get(to) ?? 0
    if (count > 1) users?.set(to, count - 1)
    else users?.delete(to)
    if (users?.size === 0) this.#usedBy.delete(from)
  }
}

type Edges = readonly (readonly [string, string])[]

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
const object = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})
const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** A mirror pod is only a picture of something that the node runs on its own: it gives the node nothing. */
function podEdges(pod: KubeObject): Edges {
  const spec = object(pod['spec'])
  const node = text(spec['nodeName'])
  if (node === '') return []
  const { namespace = '', name = '', annotations } = pod.metadata
  const self = vertex('pod', namespace, name)
  const own = [self, vertex('node', '', node)] as const
  if (annotations && Object.hasOwn(annotations, 'kubernetes.io/config.mirror')) return [own]
  const used = new Set<string>()
  const use = (type: VertexType, target: string): void => {
    if (target !== '') used.add(vertex(type, namespace, target))
  }
  use('serviceaccount', text(spec['serviceAccountName']))
  for (const { name: secret } of objects(spec['imagePullSecrets'])) use('secret', text(secret))
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of objects(spec[list])) containerUses(container, use)
  }
  for (const volume of objects(spec['volumes'])) volumeUses(volume, name, use)
  for (const claim of claimNames(pod)) use('resourceclaim', claim)
  return [own, ...[...used].map((thing) => [thing, self] as const)]
}

type Use = (type: VertexType, name: string) => void

function containerUses(container: JsonObject, use: Use): void {
  for (const source of objects(container['envFrom'])) {
    use('secret', text(object(source['secretRef'])['name']))
    use('configmap', text(object(source['configMapRef'])['name']))
  }
  for (const { valueFrom } of objects(container['env'])) {
    use('secret', text(object(object(valueFrom)['secretKeyRef'])['name']))
    use('configmap', text(object(object(valueFrom)['configMapKeyRef'])['name']))
  }
}

/** Volume types that name a secret of the pod's namespace in `secretRef`. */
const secretRefVolumes = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos']

function volumeUses(volume: JsonObject, pod: string, use: Use): void {
  use('secret', text(object(volume['secret'])['secretName']))
  use('configmap', text(object(volume['configMap'])['name']))
  use('secret', text(object(volume['azureFile'])['secretName']))
  use('secret', text(object(object(volume['csi'])['nodePublishSecretRef'])['name']))
  for (const type of secretRefVolumes) use('secret', text(object(object(volume[type])['secretRef'])['name']))
  use('pvc', text(object(volume['persistentVolumeClaim'])['claimName']))
  if (isJsonObject(volume['ephemeral'])) use('pvc', `${pod}-${text(volume['name'])}`)
  for (const source of objects(object(volume['projected'])['sources'])) {
    use('secret', text(object(source['secret'])['name']))
    use('configmap', text(object(source['configMap'])['name']))
  }
}

/** Claims by name, those that were made from a template and are named in the status, and the one for extended resources. */
function claimNames(pod: KubeObject): string[] {
  const status = object(pod['status'])
  const statuses = objects(status['resourceClaimStatuses'])
  const named = objects(object(pod['spec'])['resourceClaims']).map((claim) => {
    const direct = text(claim['resourceClaimName'])
    const made = statuses.find(({ name }) => name === claim['name'])
    return direct || text(made?.['resourceClaimName'])
  })
  return [...named, text(object(status['extendedResourceClaimStatus'])['resourceClaimName'])]
}

const volumeSecretRefs: readonly (readonly [string, readonly string[]])[] = [
  ['cephfs', ['secretRef']],
  ['cinder', ['secretRef']],
  ['flexVolume', ['secretRef']],
  ['iscsi', ['secretRef']],
  ['rbd', ['secretRef']],
  ['scaleIO', ['secretRef']],
  ['storageos', ['secretRef']],
  [
    'csi',
    [
      'controllerPublishSecretRef',
      'nodePublishSecretRef',
      'nodeStageSecretRef',
      'controllerExpandSecretRef',
      'nodeExpandSecretRef',
    ],
  ],
]

function volumeEdges(volume: KubeObject): Edges {
  const spec = object(volume['spec'])
  const claim = object(spec['claimRef'])
  const claimName = text(claim['name'])
  if (claimName === '') return []
  const claimNamespace = text(claim['namespace'])
  const self = vertex('pv', '', volume.metadata.name ?? '')
  const edges: (readonly [string, string])[] = [[self, vertex('pvc', claimNamespace, claimName)]]
  const use = (ref: JsonObject, nameKey: string, namespaceKey: string): void => {
    const name = text(ref[nameKey])
    if (name !== '') edges.push([vertex('secret', text(ref[namespaceKey]) || claimNamespace, name), self])
  }
  for (const [type, keys] of volumeSecretRefs) {
    for (const key of keys) use(object(object(spec[type])[key]), 'name', 'namespace')
  }
  use(object(spec['azureFile']), 'secretName', 'secretNamespace')
  return edges
}

/** The one edge of what names its node in its spec. */
const ofNode =
  (type: VertexType) =>
  ({ metadata, spec }: KubeObject): Edges => {
    const node = text(object(spec as JsonValue | undefined)['nodeName'])
    const self = vertex(type, metadata.namespace ?? '', metadata.name ?? '')
    return node === '' ? [] : [[self, vertex('node', '', node)]]
  }
