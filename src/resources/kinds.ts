/** Which kind has which rules. Kinds that are not here have the plain ones. */
import type { MakeKindRules } from './kind-rules.ts'
import { certificateSigningRequestRules } from './kinds/access/certificate-signing-request/certificate-signing-request.ts'
import { clusterTrustBundleRules } from './kinds/access/cluster-trust-bundle/cluster-trust-bundle.ts'
import { podCertificateRequestRules } from './kinds/access/pod-certificate-request/pod-certificate-request.ts'
import { clusterRoleRules, roleRules } from './kinds/access/role/role.ts'
import { clusterRoleBindingRules, roleBindingRules } from './kinds/access/role-binding/role-binding.ts'
import { componentStatusRules } from './kinds/cluster/component-status/component-status.ts'
import { leaseRules } from './kinds/cluster/lease/lease.ts'
import { leaseCandidateRules } from './kinds/cluster/lease-candidate/lease-candidate.ts'
import { namespaceRules } from './kinds/cluster/namespace/namespace.ts'
import { nodeRules } from './kinds/cluster/node/node.ts'
import { priorityClassRules } from './kinds/cluster/priority-class/priority-class.ts'
import { runtimeClassRules } from './kinds/cluster/runtime-class/runtime-class.ts'
import { serviceAccountRules } from './kinds/cluster/service-account/service-account.ts'
import { configMapRules } from './kinds/config/config-map/config-map.ts'
import { coreEventRules, eventRules } from './kinds/config/event/event.ts'
import { limitRangeRules } from './kinds/config/limit-range/limit-range.ts'
import { resourceQuotaRules } from './kinds/config/resource-quota/resource-quota.ts'
import { secretRules } from './kinds/config/secret/secret.ts'
import { apiServiceRules } from './kinds/control/api-service/api-service.ts'
import { flowSchemaRules } from './kinds/control/flow-schema/flow-schema.ts'
import { horizontalPodAutoscalerRules } from './kinds/control/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { mutatingAdmissionPolicyRules } from './kinds/control/mutating-admission-policy/mutating-admission-policy.ts'
import {
  mutatingPolicyBindingRules,
  validatingPolicyBindingRules,
} from './kinds/control/policy-binding/policy-binding.ts'
import { priorityLevelConfigurationRules } from './kinds/control/priority-level-configuration/priority-level-configuration.ts'
import { storageVersionRules } from './kinds/control/storage-version/storage-version.ts'
import { storageVersionMigrationRules } from './kinds/control/storage-version-migration/storage-version-migration.ts'
import { validatingAdmissionPolicyRules } from './kinds/control/validating-admission-policy/validating-admission-policy.ts'
import { webhookConfigurationRules } from './kinds/control/webhook-configuration/webhook-configuration.ts'
import { claimRules, claimTemplateRules, deviceClassRules, sliceRules } from './kinds/devices/device-kinds.ts'
import { poolStatusRequestRules } from './kinds/devices/pool-status-request.ts'
import { taintRuleRules } from './kinds/devices/taint-rule.ts'
import { endpointSliceRules } from './kinds/network/endpoint-slice/endpoint-slice.ts'
import { endpointsRules } from './kinds/network/endpoints/endpoints.ts'
import { ingressRules } from './kinds/network/ingress/ingress.ts'
import { ingressClassRules } from './kinds/network/ingress-class/ingress-class.ts'
import { ipAddressRules } from './kinds/network/ip-address/ip-address.ts'
import { networkPolicyRules } from './kinds/network/network-policy/network-policy.ts'
import { serviceRules } from './kinds/network/service/service.ts'
import { serviceCidrRules } from './kinds/network/service-cidr/service-cidr.ts'
import { podRules } from './kinds/pods/pod-rules.ts'
import { csiDriverRules } from './kinds/storage/csi-driver/csi-driver.ts'
import { csiNodeRules } from './kinds/storage/csi-node/csi-node.ts'
import { csiStorageCapacityRules } from './kinds/storage/csi-storage-capacity/csi-storage-capacity.ts'
import { persistentVolumeRules } from './kinds/storage/persistent-volume/persistent-volume.ts'
import { persistentVolumeClaimRules } from './kinds/storage/persistent-volume-claim/persistent-volume-claim.ts'
import { storageClassRules } from './kinds/storage/storage-class/storage-class.ts'
import { volumeAttachmentRules } from './kinds/storage/volume-attachment/volume-attachment.ts'
import { volumeAttributesClassRules } from './kinds/storage/volume-attributes-class/volume-attributes-class.ts'
import { controllerRevisionRules } from './kinds/workloads/controller-revision/controller-revision.ts'
import { cronJobRules } from './kinds/workloads/cron-job/cron-job.ts'
import { daemonSetRules } from './kinds/workloads/daemon-set/daemon-set.ts'
import { deploymentRules } from './kinds/workloads/deployment/deployment.ts'
import { disruptionBudgetRules } from './kinds/workloads/disruption-budget/disruption-budget.ts'
import { jobRules } from './kinds/workloads/job/job.ts'
import { podGroupRules } from './kinds/workloads/pod-group/pod-group.ts'
import { storedTemplateRules } from './kinds/workloads/pod-template/stored-template.ts'
import { replicaSetRules } from './kinds/workloads/replica-set/replica-set.ts'
import { replicationControllerRules } from './kinds/workloads/replication-controller/replication-controller.ts'
import { statefulSetRules } from './kinds/workloads/stateful-set/stateful-set.ts'
import { workloadRules } from './kinds/workloads/workload/workload.ts'

const rules: Readonly<Record<string, MakeKindRules>> = {
  configmaps: configMapRules,
  events: coreEventRules,
  limitranges: limitRangeRules,
  resourcequotas: resourceQuotaRules,
  secrets: secretRules,
  'apiservices.apiregistration.k8s.io': apiServiceRules,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequestRules,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingRules,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleRules,
  'clustertrustbundles.certificates.k8s.io': clusterTrustBundleRules,
  'deviceclasses.resource.k8s.io': deviceClassRules,
  'devicetaintrules.resource.k8s.io': taintRuleRules,
  'resourceclaims.resource.k8s.io': claimRules,
  'resourceclaimtemplates.resource.k8s.io': claimTemplateRules,
  'resourceslices.resource.k8s.io': sliceRules,
  'resourcepoolstatusrequests.resource.k8s.io': poolStatusRequestRules,
  'events.events.k8s.io': eventRules,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaRules,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerRules,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingAdmissionPolicyRules,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': mutatingPolicyBindingRules,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules,
  'podcertificaterequests.certificates.k8s.io': podCertificateRequestRules,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelConfigurationRules,
  'rolebindings.rbac.authorization.k8s.io': roleBindingRules,
  'roles.rbac.authorization.k8s.io': roleRules,
  'storageversionmigrations.storagemigration.k8s.io': storageVersionMigrationRules,
  'storageversions.internal.apiserver.k8s.io': storageVersionRules,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingAdmissionPolicyRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingPolicyBindingRules,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationRules,
  componentstatuses: componentStatusRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  serviceaccounts: serviceAccountRules,
  'leasecandidates.coordination.k8s.io': leaseCandidateRules,
  'leases.coordination.k8s.io': leaseRules,
  'podgroups.scheduling.k8s.io': podGroupRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  'workloads.scheduling.k8s.io': workloadRules,
  'runtimeclasses.node.k8s.io': runtimeClassRules,
  pods: podRules,
  podtemplates: storedTemplateRules,
  replicationcontrollers: replicationControllerRules,
  'controllerrevisions.apps': controllerRevisionRules,
  'daemonsets.apps': daemonSetRules,
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'statefulsets.apps': statefulSetRules,
  'cronjobs.batch': cronJobRules,
  'jobs.batch': jobRules,
  'poddisruptionbudgets.policy': disruptionBudgetRules,
  endpoints: endpointsRules,
  services: serviceRules,
  persistentvolumeclaims: persistentVolumeClaimRules,
  persistentvolumes: persistentVolumeRules,
  'endpointslices.discovery.k8s.io': endpointSliceRules,
  'ingressclasses.networking.k8s.io': ingressClassRules,
  'ingresses.networking.k8s.io': ingressRules,
  'ipaddresses.networking.k8s.io': ipAddressRules,
  'networkpolicies.networking.k8s.io': networkPolicyRules,
  'servicecidrs.networking.k8s.io': serviceCidrRules,
  'csidrivers.storage.k8s.io': csiDriverRules,
  'csinodes.storage.k8s.io': csiNodeRules,
  'csistoragecapacities.storage.k8s.io': csiStorageCapacityRules,
  'storageclasses.storage.k8s.io': storageClassRules,
  'volumeattachments.storage.k8s.io': volumeAttachmentRules,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClassRules,
}

/** `resource` is the plural name; the core group is the empty text. */
export function rulesFor(group: string, resource: string): MakeKindRules | undefined {
  return rules[group === '' ? resource : `${resource}.${group}`]
}
