/** Admission policies and their bindings as objects; validating and mutating ones share most of their shape. */
import type { KubeObject } from '../../api/object.ts'
import type {
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../catalog/types/admissionregistration-v1.ts'
import type { MutatingAdmissionPolicySpec } from '../../catalog/types/admissionregistration-v1alpha1.ts'

export type PolicySpec = ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec

export type Policy = KubeObject & { spec: PolicySpec }

export type PolicyBinding = KubeObject & { spec: ValidatingAdmissionPolicyBindingSpec }
