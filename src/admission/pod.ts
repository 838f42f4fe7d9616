/** Pods as admission sees them: the fields that plugins read and write, and walks over containers. */
import { copyObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject, StringMap } from '../api/object.ts'

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: JsonObject
}

export interface PodSpec extends JsonObject {
  containers: Container[]
  initContainers?: Container[]
  ephemeralContainers?: Container[]
  volumes?: Volume[]
  tolerations?: Toleration[]
  nodeSelector?: StringMap
  nodeName?: string
  serviceAccountName?: string
  serviceAccount?: string
  automountServiceAccountToken?: boolean
  imagePullSecrets?: LocalReference[]
  priorityClassName?: string
  priority?: number
  preemptionPolicy?: string
  runtimeClassName?: string
  overhead?: StringMap
  activeDeadlineSeconds?: number
  affinity?: JsonObject
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  hostUsers?: boolean
  os?: { name: string }
  securityContext?: JsonObject
  resources?: ResourceRequirements
}

export interface LocalReference extends JsonObject {
  name?: string
}

export interface ResourceRequirements extends JsonObject {
  limits?: StringMap
  requests?: StringMap
}

export interface Container extends JsonObject {
  name: string
  image?: string
  imagePullPolicy?: string
  restartPolicy?: string
  resources?: ResourceRequirements
  volumeMounts?: VolumeMount[]
  env?: JsonObject[]
  envFrom?: JsonObject[]
  ports?: JsonObject[]
  securityContext?: JsonObject
}

export interface VolumeMount extends JsonObject {
  name: string
  mountPath: string
  readOnly?: boolean
}

export interface Volume extends JsonObject {
  name: string
  secret?: JsonObject
  configMap?: JsonObject
  projected?: { sources?: JsonObject[]; [key: string]: JsonValue | undefined }
  persistentVolumeClaim?: JsonObject
}

export interface Toleration extends JsonObject {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export const mirrorAnnotation = 'kubernetes.io/config.mirror'
export const isMirrorPod = (pod: Pod): boolean => pod.metadata.annotations?.[mirrorAnnotation] !== undefined

export interface PlacedContainer {
  readonly container: Container
  readonly list: 'initContainers' | 'containers' | 'ephemeralContainers'
  readonly index: number
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** Init containers first, then containers, then ephemeral ones. */
export function* containersOf(spec: PodSpec): Iterable<PlacedContainer> {
  for (const list of containerLists) {
    for (const [index, container] of (spec[list] ?? []).entries()) yield { container, list, index }
  }
}

/** The pod with every container of the lists replaced; lists that are absent or null stay so. */
export function mapContainers(
  spec: PodSpec,
  lists: readonly PlacedContainer['list'][],
  change: (container: Container) => Container,
): PodSpec {
  const changed: PodSpec = copyObject(spec)
  for (const list of lists) {
    const containers = spec[list]
    if (containers != null) changed[list] = containers.map(change)
  }
  return changed
}

export const withSpec = (pod: Pod, spec: Partial<PodSpec>): Pod => ({
  ...pod,
  spec: Object.assign(copyObject(pod.spec), spec),
})

/** Where a pod refers to objects of the kind by name: volumes, environment, pull secrets. */
export function* referencedNames(spec: PodSpec, kind: 'secret' | 'configMap'): Iterable<string> {
  if (kind === 'secret') for (const { name } of spec.imagePullSecrets ?? []) yield name ?? ''
  for (const { container } of containersOf(spec)) {
    for (const source of container.envFrom ?? []) yield* nameIn(source[`${kind}Ref`])
    for (const { valueFrom } of container.env ?? []) yield* nameIn((valueFrom as JsonObject)?.[`${kind}KeyRef`])
  }
  for (const volume of spec.volumes ?? []) {
    for (const source of volume.projected?.sources ?? []) yield* nameIn(source[kind])
    if (kind === 'configMap') yield* nameIn(volume.configMap)
    else if (volume.secret !== undefined) yield String(volume.secret['secretName'] ?? '')
    if (kind === 'secret') for (const field of secretFields) yield* secretOf(volume, field)
  }
}

const secretFields = [
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
] as const

function* secretOf(volume: Volume, [source, field]: readonly [string, string]): Iterable<string> {
  const reference = (volume[source] as JsonObject | undefined)?.[field]
  if (typeof reference === 'string') yield reference
  else yield* nameIn(reference)
}

function* nameIn(reference: JsonValue | undefined): Iterable<string> {
  if (typeof reference === 'object' && reference !== null) yield String((reference as JsonObject)['name'] ?? '')
}
