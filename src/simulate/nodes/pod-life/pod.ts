/** Pods as a kubelet sees them: the parts of their containers, and how messages name them. */
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'

/** Which part a container has in its pod: how it is started, and what its end means, follow from it. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

export const initRole = (container: Container): ContainerRole =>
  container.restartPolicy === 'Always' ? 'sidecar' : 'init'

/** `name_namespace(uid)`, as kubelets write pods in messages. */
export const podText = ({ metadata }: Pod): string =>
  `${metadata.name ?? ''}_${metadata.namespace ?? ''}(${metadata.uid ?? ''})`
