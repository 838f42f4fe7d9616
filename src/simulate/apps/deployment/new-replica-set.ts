/** The ReplicaSet of a deployment's present template, named by the template's hash. */
import type { Deployment, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import { controllerReference } from '../../framework/owners.ts'
import { templateHash } from '../history/template-hash.ts'
import { hashLabel, newSetAnnotations, sizeAnnotations } from './revisions.ts'

export function newReplicaSet(owner: Deployment, revision: bigint, replicas: number): ReplicaSet {
  const { name = '', namespace = '' } = owner.metadata
  const hash = templateHash(owner.spec.template, owner.status.collisionCount)
  const labels = { ...owner.spec.template.metadata.labels, [hashLabel]: hash }
  const { template, selector, minReadySeconds } = owner.spec
  const annotations = { ...newSetAnnotations(owner, {}, revision), ...sizeAnnotations(owner) }
  const ownerReferences = [controllerReference(owner, 'apps/v1', 'Deployment')]
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `${name}-${hash}`, namespace, labels, annotations, ownerReferences, creationTimestamp: null },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
    status: { replicas: 0 },
  }
}
