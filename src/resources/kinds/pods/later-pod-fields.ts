/**
 * Fields of a pod that releases after the default one have, and that no other field depends on.
 */
import { forbidden, tooLong } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { checkDns1123Label, checkDns1123Subdomain, isLongerThan, type Messages } from '../../../api/names.ts'
import { goNull, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type { PodSpec } from '../../../catalog/types/core-v1.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'

interface LaterFields {
  readonly hostnameOverride?: string
  readonly workloadRef?: { readonly name?: string; readonly podGroup?: string; readonly podGroupReplicaKey?: string }
  readonly schedulingGroup?: { readonly podGroupName?: string }
}

const maxHostname = 64

/** A name that the pod sees instead of its own. Mirrors pkg/apis/core/validation: validatePodHostName. */
export function validateHostnameOverride(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const { hostnameOverride: name } = spec as PodSpec & LaterFields
  if (name === undefined) return
  const where = at.child('hostnameOverride')
  if (spec.setHostnameAsFQDN === true)
    errors.push(forbidden(where, 'may not be specified when setHostnameAsFQDN is true'))
  if (spec.hostNetwork === true) errors.push(forbidden(where, 'may not be specified when hostNetwork is true'))
  if (isLongerThan(name, maxHostname)) errors.push(tooLong(where, maxHostname))
  addMessages(errors, where, name, checkDns1123Subdomain(name))
}

/**
 * The pods that one is scheduled together with: a part of a workload in one release, a group since the next.
 * Mirrors pkg/apis/core/validation: validateWorkloadReference, validateSchedulingGroup.
 */
export function validateGroupOfPods(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const { workloadRef, schedulingGroup } = spec as PodSpec & LaterFields
  if (workloadRef !== undefined) {
    const { name = '', podGroup = '', podGroupReplicaKey: key = '' } = workloadRef
    const check = (field: string, value: string, messages: Messages): void =>
      addMessages(errors, at.child('workloadRef', field), value, messages)
    check('name', name, checkDns1123Subdomain(name))
    check('podGroup', podGroup, checkDns1123Label(podGroup))
    if (key !== '') check('podGroupReplicaKey', key, checkDns1123Label(key))
  }
  if (schedulingGroup !== undefined) {
    const { podGroupName: name } = schedulingGroup
    const where = at.child('schedulingGroup', 'podGroupName')
    if (name === undefined) errors.push(invalidAs(where, () => goNull, 'must specify one of: `podGroupName`'))
    else addMessages(errors, where, name, checkDns1123Subdomain(name))
  }
}
