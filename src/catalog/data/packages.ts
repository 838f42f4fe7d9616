// Made by scripts/catalog.mjs. Do not edit.
import { admissionV1 } from './admission-v1.ts'
import { admissionregistrationV1 } from './admissionregistration-v1.ts'
import { admissionregistrationV1alpha1 } from './admissionregistration-v1alpha1.ts'
import { admissionregistrationV1beta1 } from './admissionregistration-v1beta1.ts'
import { apidiscoveryV2 } from './apidiscovery-v2.ts'
import { apiextensionsV1 } from './apiextensions-v1.ts'
import { apiregistrationV1 } from './apiregistration-v1.ts'
import { apiserverAuditV1 } from './apiserver-audit-v1.ts'
import { apiserverinternalV1alpha1 } from './apiserverinternal-v1alpha1.ts'
import { appsV1 } from './apps-v1.ts'
import { authenticationV1 } from './authentication-v1.ts'
import { authorizationV1 } from './authorization-v1.ts'
import { autoscalingV1 } from './autoscaling-v1.ts'
import { autoscalingV2 } from './autoscaling-v2.ts'
import { batchV1 } from './batch-v1.ts'
import { certificatesV1 } from './certificates-v1.ts'
import { certificatesV1alpha1 } from './certificates-v1alpha1.ts'
import { certificatesV1beta1 } from './certificates-v1beta1.ts'
import { coordinationV1 } from './coordination-v1.ts'
import { coordinationV1alpha2 } from './coordination-v1alpha2.ts'
import { coordinationV1beta1 } from './coordination-v1beta1.ts'
import { coreV1 } from './core-v1.ts'
import { discoveryV1 } from './discovery-v1.ts'
import { eventsV1 } from './events-v1.ts'
import { flowcontrolV1 } from './flowcontrol-v1.ts'
import { imagepolicyV1alpha1 } from './imagepolicy-v1alpha1.ts'
import { machineryRuntime } from './machinery-runtime.ts'
import { machineryVersion } from './machinery-version.ts'
import { metaV1 } from './meta-v1.ts'
import { networkingV1 } from './networking-v1.ts'
import { networkingV1beta1 } from './networking-v1beta1.ts'
import { nodeV1 } from './node-v1.ts'
import { policyV1 } from './policy-v1.ts'
import { rbacV1 } from './rbac-v1.ts'
import { resourceV1alpha3 } from './resource-v1alpha3.ts'
import { resourceV1beta1 } from './resource-v1beta1.ts'
import { resourceV1beta2 } from './resource-v1beta2.ts'
import { schedulingV1 } from './scheduling-v1.ts'
import { storageV1 } from './storage-v1.ts'
import { storageV1alpha1 } from './storage-v1alpha1.ts'
import { storageV1beta1 } from './storage-v1beta1.ts'
import { storagemigrationV1alpha1 } from './storagemigration-v1alpha1.ts'

export const packages: ReadonlyMap<string, string> = new Map([
  ['admission.v1', admissionV1],
  ['admissionregistration.v1', admissionregistrationV1],
  ['admissionregistration.v1alpha1', admissionregistrationV1alpha1],
  ['admissionregistration.v1beta1', admissionregistrationV1beta1],
  ['apidiscovery.v2', apidiscoveryV2],
  ['apiextensions.v1', apiextensionsV1],
  ['apiregistration.v1', apiregistrationV1],
  ['apiserver.audit.v1', apiserverAuditV1],
  ['apiserverinternal.v1alpha1', apiserverinternalV1alpha1],
  ['apps.v1', appsV1],
  ['authentication.v1', authenticationV1],
  ['authorization.v1', authorizationV1],
  ['autoscaling.v1', autoscalingV1],
  ['autoscaling.v2', autoscalingV2],
  ['batch.v1', batchV1],
  ['certificates.v1', certificatesV1],
  ['certificates.v1alpha1', certificatesV1alpha1],
  ['certificates.v1beta1', certificatesV1beta1],
  ['coordination.v1', coordinationV1],
  ['coordination.v1alpha2', coordinationV1alpha2],
  ['coordination.v1beta1', coordinationV1beta1],
  ['core.v1', coreV1],
  ['discovery.v1', discoveryV1],
  ['events.v1', eventsV1],
  ['flowcontrol.v1', flowcontrolV1],
  ['imagepolicy.v1alpha1', imagepolicyV1alpha1],
  ['machinery.runtime', machineryRuntime],
  ['machinery.version', machineryVersion],
  ['meta.v1', metaV1],
  ['networking.v1', networkingV1],
  ['networking.v1beta1', networkingV1beta1],
  ['node.v1', nodeV1],
  ['policy.v1', policyV1],
  ['rbac.v1', rbacV1],
  ['resource.v1alpha3', resourceV1alpha3],
  ['resource.v1beta1', resourceV1beta1],
  ['resource.v1beta2', resourceV1beta2],
  ['scheduling.v1', schedulingV1],
  ['storage.v1', storageV1],
  ['storage.v1alpha1', storageV1alpha1],
  ['storage.v1beta1', storageV1beta1],
  ['storagemigration.v1alpha1', storagemigrationV1alpha1],
])
