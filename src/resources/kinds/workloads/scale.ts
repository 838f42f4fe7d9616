/**
 * Workloads as a Scale: how many replicas they want, have and select.
 * Mirrors pkg/apis/autoscaling/validation: ValidateScale.
 * Mirrors pkg/registry/apps/deployment/storage: ScaleREST.
 * Mirrors pkg/registry/apps/replicaset/storage: ScaleREST.
 * Mirrors pkg/registry/apps/statefulset/storage: ScaleREST.
 * Mirrors pkg/registry/core/replicationcontroller/storage: ScaleREST.
 */
import { compareTexts, keysOf } from '../../../api/key-lists.ts'
import { type LabelSelectorObject, selectorTextInSteps } from '../../../api/label-selector.ts'
import { listInSteps, sortInSteps } from '../../../api/large-values.ts'
import type { KubeObject, StringMap } from '../../../api/object.ts'
import type { LabelSelector } from '../../../catalog/types/meta-v1.ts'
import { runToEnd, type Steps } from '../../../lib/in-turns.ts'
import { SideTable } from '../../../lib/memo.ts'
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
    *prepare(object) {
      const { spec } = object as Scalable
      const given = spec.selector ?? undefined
      if (given !== undefined) selectorTexts.set(given, yield* textInSteps(given, selector))
    },
    withReplicas: (object, replicas) => ({ ...object, spec: { ...(object as Scalable).spec, replicas } }) as KubeObject,
  }
}

/** Of selectors that were prepared. */
const selectorTexts = new SideTable<object, string>()

const textInSteps = (given: object, kind: 'object' | 'labels'): Steps<string> =>
  kind === 'labels' ? labelsText(given as StringMap) : selectorTextInSteps(given as LabelSelectorObject)

/** Of labels that are not looked at: stored ones may be invalid. */
function* labelsText(labels: StringMap): Steps<string> {
  const keys = yield* sortInSteps([...keysOf(labels)], compareTexts)
  return (yield* listInSteps(keys, (key) => `${key}=${labels[key] ?? ''}`)).join(',')
}

const selectorText = (given: Scalable['spec']['selector'], kind: 'object' | 'labels'): string =>
  given === null || given === undefined ? '' : (selectorTexts.get(given) ?? runToEnd(textInSteps(given, kind)))

function toScale({ metadata, spec, status }: Scalable, kind: 'object' | 'labels'): KubeObject {
  const text = selectorText(spec.selector, kind)
  const wanted = spec.replicas ?? 0
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(metadata),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: status?.replicas ?? 0, ...(text === '' ? {} : { selector: text }) },
  }
}
