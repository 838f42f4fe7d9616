/** Which kind has which rules. Kinds that are not here have the plain ones. */
import type { MakeKindRules } from './kind-rules.ts'
import { certificateSigningRequestRules } from './kinds/access/certificate-signing-request.ts'
import { clusterTrustBundleRules } from './kinds/access/cluster-trust-bundle.ts'
import { clusterRoleRules, roleRules } from './kinds/access/role.ts'
import { clusterRoleBindingRules, roleBindingRules } from './kinds/access/role-binding.ts'
import { componentStatusRules } from './kinds/cluster/component-status.ts'
import { leaseRules } from './kinds/cluster/lease.ts'
import { leaseCandidateRules } from './kinds/cluster/lease-candidate.ts'
import { namespaceRules } from './kinds/cluster/namespace.ts'
import { nodeRules } from './kinds/cluster/node.ts'
import { priorityClassRules } from './kinds/cluster/priority-class.ts'
import { runtimeClassRules } from './kinds/cluster/runtime-class.ts'
import { serviceAccountRules } from './kinds/cluster/service-account.ts'
import { configMapRules } from './kinds/config/config-map.ts'
import { coreEventRules, eventRules } from './kinds/config/event.ts'
import { limitRangeRules } from './kinds/config/limit-range.ts'
import { resourceQuotaRules } from './kinds/config/resource-quota.ts'
import { secretRules } from './kinds/config/secret.ts'
import { apiServiceRules } from './kinds/control/api-service.ts'
import { flowSchemaRules } from './kinds/control/flow-schema.ts'
import { horizontalPodAutoscalerRules } from './kinds/control/horizontal-pod-autoscaler.ts'
import { mutatingAdmissionPolicyRules } from './kinds/control/mutating-admission-policy.ts'
import { mutatingPolicyBindingRules, validatingPolicyBindingRules } from './kinds/control/policy-binding.ts'
import { priorityLevelConfigurationRules } from './kinds/control/priority-level-configuration.ts'
import { storageVersionRules } from './kinds/control/storage-version.ts'
import { storageVersionMigrationRules } from './kinds/control/storage-version-migration.ts'
import { validatingAdmissionPolicyRules } from './kinds/control/validating-admission-policy.ts'
import { webhookConfigurationRules } from './kinds/control/webhook-configuration.ts'
import {
  claimRules,
  claimTemplateRules,
  deviceClassRules,
  sliceRules,
  taintRuleRules,
} from './kinds/devices/device-kinds.ts'
import { endpointSliceRules } from './kinds/network/endpoint-slice.ts'
import { endpointsRules } from './kinds/network/endpoints.ts'
import { ingressRules } from './kinds/network/ingress.ts'
import { ingressClassRules } from './kinds/network/ingress-class.ts'
import { ipAddressRules } from './kinds/network/ip-address.ts'
import { networkPolicyRules } from './kinds/network/network-policy.ts'
import { serviceRules } from './kinds/network/service.ts'
import { serviceCidrRules } from './kinds/network/service-cidr.ts'
import { podRules } from './kinds/pods/pod-rules.ts'
import { csiDriverRules } from './kinds/storage/csi-driver.ts'
import { csiNodeRules } from './kinds/storage/csi-node.ts'
import { csiStorageCapacityRules } from './kinds/storage/csi-storage-capacity.ts'
import { persistentVolumeRules } from './kinds/storage/persistent-volume.ts'
import { persistentVolumeClaimRules } from './kinds/storage/persistent-volume-claim.ts'
import { storageClassRules } from './kinds/storage/storage-class.ts'
import { volumeAttachmentRules } from './kinds/storage/volume-attachment.ts'
import { volumeAttributesClassRules } from './kinds/storage/volume-attributes-class.ts'
import { controllerRevisionRules } from './kinds/workloads/controller-revision.ts'
import { cronJobRules } from './kinds/workloads/cron-job.ts'
import { daemonSetRules } from './kinds/workloads/daemon-set.ts'
import { deploymentRules } from './kinds/workloads/deployment.ts'
import { disruptionBudgetRules } from './kinds/workloads/disruption-budget.ts'
import { jobRules } from './kinds/workloads/job.ts'
import { replicaSetRules } from './kinds/workloads/replica-set.ts'
import { replicationControllerRules } from './kinds/workloads/replication-controller.ts'
import { statefulSetRules } from './kinds/workloads/stateful-set.ts'
import { storedTemplateRules } from './kinds/workloads/stored-template.ts'

const rules: Readonly<Record<string, MakeKindRules>> = {
  configmaps: configMapRules as MakeKindRules,
  events: coreEventRules as MakeKindRules,
  limitranges: limitRangeRules as MakeKindRules,
  resourcequotas: resourceQuotaRules as MakeKindRules,
  secrets: secretRules as MakeKindRules,
  'apiservices.apiregistration.k8s.io': apiServiceRules as MakeKindRules,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequestRules as MakeKindRules,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingRules as MakeKindRules,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleRules as MakeKindRules,
  'clustertrustbundles.certificates.k8s.io': clusterTrustBundleRules as MakeKindRules,
  'deviceclasses.resource.k8s.io': deviceClassRules as MakeKindRules,
  'devicetaintrules.resource.k8s.io': taintRuleRules as MakeKindRules,
  'resourceclaims.resource.k8s.io': claimRules as MakeKindRules,
  'resourceclaimtemplates.resource.k8s.io': claimTemplateRules as MakeKindRules,
  'resourceslices.resource.k8s.io': sliceRules as MakeKindRules,
  'events.events.k8s.io': eventRules as MakeKindRules,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaRules as MakeKindRules,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerRules as MakeKindRules,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingAdmissionPolicyRules as MakeKindRules,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': mutatingPolicyBindingRules as MakeKindRules,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules as MakeKindRules,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelConfigurationRules as MakeKindRules,
  'rolebindings.rbac.authorization.k8s.io': roleBindingRules as MakeKindRules,
  'roles.rbac.authorization.k8s.io': roleRules as MakeKindRules,
  'storageversionmigrations.storagemigration.k8s.io': storageVersionMigrationRules as MakeKindRules,
  'storageversions.internal.apiserver.k8s.io': storageVersionRules as MakeKindRules,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingAdmissionPolicyRules as MakeKindRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingPolicyBindingRules as MakeKindRules,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules as MakeKindRules,
  componentstatuses: componentStatusRules,
  namespaces: namespaceRules as MakeKindRules,
  nodes: nodeRules as MakeKindRules,
  serviceaccounts: serviceAccountRules as MakeKindRules,
  'leasecandidates.coordination.k8s.io': leaseCandidateRules as MakeKindRules,
  'leases.coordination.k8s.io': leaseRules as MakeKindRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules as MakeKindRules,
  'runtimeclasses.node.k8s.io': runtimeClassRules as MakeKindRules,
  pods: podRules,
  podtemplates: storedTemplateRules as MakeKindRules,
  replicationcontrollers: replicationControllerRules as MakeKindRules,
  'controllerrevisions.apps': controllerRevisionRules as MakeKindRules,
  'daemonsets.apps': daemonSetRules as MakeKindRules,
  'deployments.apps': deploymentRules as MakeKindRules,
  'replicasets.apps': replicaSetRules as MakeKindRules,
  'statefulsets.apps': statefulSetRules as MakeKindRules,
  'cronjobs.batch': cronJobRules as MakeKindRules,
  'jobs.batch': jobRules as MakeKindRules,
  'poddisruptionbudgets.policy': disruptionBudgetRules as MakeKindRules,
  endpoints: endpointsRules as MakeKindRules,
  services: serviceRules as MakeKindRules,
  persistentvolumeclaims: persistentVolumeClaimRules as MakeKindRules,
  persistentvolumes: persistentVolumeRules as MakeKindRules,
  'endpointslices.discovery.k8s.io': endpointSliceRules as MakeKindRules,
  'ingressclasses.networking.k8s.io': ingressClassRules as MakeKindRules,
  'ingresses.networking.k8s.io': ingressRules as MakeKindRules,
  'ipaddresses.networking.k8s.io': ipAddressRules as MakeKindRules,
  'networkpolicies.networking.k8s.io': networkPolicyRules as MakeKindRules,
  'servicecidrs.networking.k8s.io': serviceCidrRules as MakeKindRules,
  'csidrivers.storage.k8s.io': csiDriverRules as MakeKindRules,
  'csinodes.storage.k8s.io': csiNodeRules as MakeKindRules,
  'csistoragecapacities.storage.k8s.io': csiStorageCapacityRules as MakeKindRules,
  'storageclasses.storage.k8s.io': storageClassRules as MakeKindRules,
  'volumeattachments.storage.k8s.io': volumeAttachmentRules as MakeKindRules,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClassRules as MakeKindRules,
}

/** `resource` is the plural name; the core group is the empty text. */
export function rulesFor(group: string, resource: string): MakeKindRules | undefined {
  return rules[group === '' ? resource : `${resource}.${group}`]
}
