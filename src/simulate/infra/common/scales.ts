/**
 * The sizes of workloads by the owner references of their pods: those that the server has, from their objects, and custom
 * ones by what their definition says of its scale.
 */
import { formatGroupResource } from '../../../api/group-version.ts'
import type { KubeObject, OwnerReference } from '../../../api/object.ts'
import type { ObjectName } from '../../../registry/own-writes.ts'
import type { ResourceDefinition } from '../../../registry/resource-definition.ts'
import type { ScaleSubresource } from '../../../registry/subresource.ts'
import type { SimulationContext } from '../../framework/context.ts'

export interface WorkloadScale {
  readonly uid: string
  readonly replicas: number
  /** What the workload itself belongs to. */
  readonly owner: OwnerReference | undefined
}

export interface ScaleTarget {
  readonly group: string
  readonly resource: string
  /** The object, and how it is shown as a Scale. */
  readonly object: KubeObject
  readonly scale: ScaleSubresource
}

const watched = [
  ['', 'replicationcontrollers'],
  ['apps', 'replicasets'],
  ['apps', 'deployments'],
  ['apps', 'statefulsets'],
] as const

/** The kind is known, and cannot be scaled. */
export class NoScaleError extends Error {}

export class Scales {
  readonly #context: SimulationContext
  /** The resources that kinds were found under; bounded by the kinds that are served. */
  readonly #resources = new Map<string, string>()

  constructor(context: SimulationContext) {
    this.#context = context
  }

  /** Resolves when the objects of these kinds can be read: those of custom ones are watched from the first use on. */
  async prepare(kinds: Iterable<{ readonly apiVersion?: string; readonly kind: string }>): Promise<void> {
    for (const { apiVersion = '', kind } of kinds) {
      const definition = this.#definition(servedGroup(groupOf(apiVersion)), kind)
      if (definition?.subresources.get('scale')?.type !== 'scale') continue
      await this.#context.informer<KubeObject>(definition.group, definition.resource).synced
    }
  }

  /** Undefined when it is not there. Throws where the kind is unknown, or has no scale. */
  find({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): WorkloadScale | undefined {
    const target = this.target(groupOf(apiVersion), kind, { namespace, name })
    if (target === undefined || target.object.metadata.uid !== uid) return undefined
    const { object, scale } = target
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
    const replicas = (scale.toScale(object)['spec'] as { replicas?: number } | undefined)?.replicas ?? 0
    return { uid, replicas, owner }
  }

  /** The object behind a Scale; undefined when there is none of that name. Throws where the kind has none. */
  target(group: string, kind: string, { namespace, name }: ObjectName): ScaleTarget | undefined {
    const definition = this.#definition(servedGroup(group), kind)
    if (definition === undefined)
      throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`)
    const { resource } = definition
    const scale = definition.subresources.get('scale')
    if (scale?.type !== 'scale')
      throw new NoScaleError(`${formatGroupResource(definition)} does not implement the scale subresource`)
    const object = this.#context.informer<KubeObject>(definition.group, resource).get(namespace, name)
    return object === undefined ? undefined : { group: definition.group, resource, object, scale }
  }

  /** `deployments.apps`, as errors name it. */
  resourceName(group: string, kind: string): string {
    const definition = this.#definition(group, kind)
    return definition === undefined ? kind : formatGroupResource(definition)
  }

  /** Calls back with the namespace in which the size of a built-in workload changed. */
  subscribe(changed: (namespace: string) => void): () => void {
    const endings = watched.map(([group, resource]) =>
      this.#context
        .informer<KubeObject & { spec?: { replicas?: number } }>(group, resource)
        .subscribe(({ namespace, object, old }) => {
          if (old !== undefined && old.spec?.replicas !== object.spec?.replicas) changed(namespace)
        }),
    )
    return () => {
      for (const end of endings) end()
    }
  }

  #definition(group: string, kind: string): ResourceDefinition | undefined {
    const known = this.#resources.get(`${group}/${kind}`)
    const served = known === undefined ? undefined : this.#context.resources.get(group, known)
    if (served?.definition.kind === kind) return served.definition
    for (const { definition } of this.#context.resources.all()) {
      if (definition.group !== group || definition.kind !== kind) continue
      this.#resources.set(`${group}/${kind}`, definition.resource)
      return definition
    }
    return undefined
  }
}

/** Workloads moved from `extensions` to `apps`. */
const servedGroup = (group: string): string => (group === 'extensions' ? 'apps' : group)

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
