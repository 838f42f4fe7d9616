/**
 * Workloads as a Scale: how many replicas they want, have and select.
 * Mirrors pkg/apis/autoscaling/validation: ValidateScale.
 * Mirrors pkg/registry/apps/deployment/storage: ScaleREST.
 * Mirrors pkg/registry/apps/replicaset/storage: ScaleREST.
 * Mirrors pkg/registry/apps/statefulset/storage: ScaleREST.
 * Mirrors pkg/registry/core/replicationcontroller/storage: ScaleREST.
 */
import { type LabelSelectorObject, selectorOfLabels, selectorOfObject } from '../../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../../api/object.ts'
import type { LabelSelector } from '../../../catalog/types/meta-v1.ts'
import { scaleMetadata } from '../../../registry/scale-metadata.ts'
import type { ScaleSubresource } from '../../../registry/subresource.ts'
import { scaleTable } from './scale-columns.ts'

type Scalable = KubeObject & {
  spec: { replicas?: number; selector?: LabelSelector | Record<string, string> | null }
  status?: { replicas?: number }
}

const writable: ScaleSubresource['verbs'] = new Set(['get', 'update', 'patch'])

/** `selector`: a selector object as newer kinds have it, or the plain labels of replication controllers. */
export function scaleOf(selector: 'object' | 'labels'): ScaleSubresource {
  return {
    type: 'scale',
    verbs: writable,
    replicasPath: 'spec.replicas',
    minReplicas: 0,
    goType: 'autoscaling.Scale',
    table: scaleTable,
    toScale: (object) => toScale(object as Scalable, selector),
    withReplicas: (object, replicas) => ({ ...object, spec: { ...(object as Scalable).spec, replicas } }) as KubeObject,
  }
}

function toScale({ metadata, spec, status }: Scalable, kind: 'object' | 'labels'): KubeObject {
  const selector =
    kind === 'labels'
      ? selectorOfLabels((spec.selector ?? undefined) as StringMap | undefined)
      : selectorOfObject(spec.selector as LabelSelectorObject | null | undefined)
  const text = selector.toString()
  const wanted = spec.replicas ?? 0
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(metadata),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: status?.replicas ?? 0, ...(text === '' ? {} : { selector: text }) },
  }
}
