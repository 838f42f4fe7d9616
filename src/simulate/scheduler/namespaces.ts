/** Namespaces as affinity between pods needs them. */
import type { LabelSelector } from '../../api/label-selector.ts'
import type { StringMap } from '../../api/object.ts'
import { nameOf } from './objects.ts'
import type { ClusterView } from './plugin.ts'

/** Names of the namespaces that a selector chooses. */
export const namespacesMatching =
  ({ listers }: ClusterView) =>
  (selector: LabelSelector): string[] =>
    listers.namespaces
      .list()
      .filter(({ metadata }) => selector.matches(metadata.labels))
      .map(nameOf)

export const namespaceLabels = ({ listers }: ClusterView, namespace: string): StringMap | undefined =>
  listers.namespaces.get('', namespace)?.metadata.labels
