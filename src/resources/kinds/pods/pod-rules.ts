/**
 * Pods: their strategies, what selectors see of them, how they are bound and evicted.
 * Mirrors pkg/registry/core/pod: GetAttrs, ToSelectableFields.
 */
import type { FieldGetter } from '../../../api/field-label.ts'
import type { PodObject } from '../../../catalog/pod-object.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { bindingAction } from './binding.ts'
import { evictionAction } from './eviction.ts'
import { podStrategies } from './pod-strategy.ts'

const field =
  (get: (pod: PodObject) => string | undefined): FieldGetter =>
  (object) =>
    get(object as PodObject) ?? ''

const fields: Readonly<Record<string, FieldGetter>> = {
  'spec.nodeName': field(({ spec }) => spec.nodeName),
  'spec.restartPolicy': field(({ spec }) => spec.restartPolicy),
  'spec.schedulerName': field(({ spec }) => spec.schedulerName),
  'spec.serviceAccountName': field(({ spec }) => spec.serviceAccountName),
  'spec.hostNetwork': field(({ spec }) => String(spec.hostNetwork ?? false)),
  'status.phase': field(({ status }) => status.phase),
  'status.podIP': field(({ status }) => status.podIPs?.[0]?.ip ?? status.podIP),
  'status.nominatedNodeName': field(({ status }) => status.nominatedNodeName),
}

export function podRules(services: KindServices): KindRules {
  const { main, parts } = podStrategies(services)
  const rules: KindRules<PodObject> = {
    strategy: main,
    parts,
    actions: { binding: bindingAction(services), eviction: evictionAction(services, parts.status) },
    fields,
    indexes: ['spec.nodeName'],
    returnsDeleted: true,
  }
  return rules as unknown as KindRules
}
