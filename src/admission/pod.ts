/** Pods as admission sees them: walks over containers, and copies with changes. */
import { copyObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { PodObject } from '../catalog/pod-object.ts'
import type { Container, PodSpec, Volume } from '../catalog/types/core-v1.ts'

export const mirrorAnnotation = 'kubernetes.io/config.mirror'
export const isMirrorPod = (pod: PodObject): boolean => pod.metadata.annotations?.[mirrorAnnotation] !== undefined

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

export const withSpec = (pod: PodObject, spec: Partial<PodSpec>): PodObject => ({
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
  const reference = ((volume as JsonObject)[source] as JsonObject | undefined)?.[field]
  if (typeof reference === 'string') yield reference
  else yield* nameIn(reference)
}

function* nameIn(reference: JsonValue | undefined): Iterable<string> {
  if (typeof reference === 'object' && reference !== null) yield String((reference as JsonObject)['name'] ?? '')
}
