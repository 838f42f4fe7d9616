/** What the scheduler asks of objects. */
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { Pod } from '../objects.ts'

export const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''
export const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
/** `namespace/name`. */
export const schedulingKey = (object: KubeObject): string => `${namespaceOf(object)}/${nameOf(object)}`

export const priorityOf = (pod: Pod): number => pod.spec.priority ?? 0
export const nominatedNodeOf = (pod: Pod): string => pod.status?.nominatedNodeName ?? ''
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** Whether the object's controller is the owner. Mirrors apimachinery/pkg/apis/meta/v1: IsControlledBy. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === uidOf(owner)) ?? false

/** The label's value. Only strings count: what an object inherits is none. */
export function labelValue(labels: StringMap | undefined, key: string): string | undefined {
  const value: unknown = labels?.[key]
  return typeof value === 'string' ? value : undefined
}
