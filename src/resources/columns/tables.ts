/** Which kind has which table, by `group/Kind`. Kinds that are not here show the default table. */
import { defaultRelease } from '../../api/release-facts.ts'
import type { TableDefinition } from '../../api/table.ts'
import { certificateSigningRequestTable } from '../kinds/access/certificate-signing-request/certificate-signing-request-columns.ts'
import { clusterTrustBundleTable } from '../kinds/access/cluster-trust-bundle/cluster-trust-bundle-columns.ts'
import { clusterRoleBindingTable, roleBindingTable } from '../kinds/access/role-binding/role-binding-columns.ts'
import { componentStatusTable } from '../kinds/cluster/component-status/component-status-columns.ts'
import { leaseTable } from '../kinds/cluster/lease/lease-columns.ts'
import { leaseCandidateTable } from '../kinds/cluster/lease-candidate/lease-candidate-columns.ts'
import { namespaceTable } from '../kinds/cluster/namespace/namespace-columns.ts'
import { nodeTable } from '../kinds/cluster/node/node-columns.ts'
import { priorityClassTable } from '../kinds/cluster/priority-class/priority-class-columns.ts'
import { runtimeClassTable } from '../kinds/cluster/runtime-class/runtime-class-columns.ts'
import { serviceAccountTable } from '../kinds/cluster/service-account/service-account-columns.ts'
import { configMapTable } from '../kinds/config/config-map/config-map-columns.ts'
import { eventTable } from '../kinds/config/event/event-columns.ts'
import { resourceQuotaTable } from '../kinds/config/resource-quota/resource-quota-columns.ts'
import { secretTable } from '../kinds/config/secret/secret-columns.ts'
import { apiServiceTable } from '../kinds/control/api-service/api-service-columns.ts'
import { flowSchemaTable } from '../kinds/control/flow-schema/flow-schema-columns.ts'
import { horizontalPodAutoscalerTable } from '../kinds/control/horizontal-pod-autoscaler/horizontal-pod-autoscaler-columns.ts'
import { mutatingAdmissionPolicyTable } from '../kinds/control/mutating-admission-policy/mutating-admission-policy-columns.ts'
import {
  mutatingAdmissionPolicyBindingTable,
  validatingAdmissionPolicyBindingTable,
} from '../kinds/control/policy-binding/policy-binding-columns.ts'
import { priorityLevelConfigurationTable } from '../kinds/control/priority-level-configuration/priority-level-configuration-columns.ts'
import { storageVersionTable } from '../kinds/control/storage-version/storage-version-columns.ts'
import { storageVersionMigrationTable } from '../kinds/control/storage-version-migration/storage-version-migration-columns.ts'
import { validatingAdmissionPolicyTable } from '../kinds/control/validating-admission-policy/validating-admission-policy-columns.ts'
import {
  mutatingWebhookConfigurationTable,
  validatingWebhookConfigurationTable,
} from '../kinds/control/webhook-configuration/webhook-configuration-columns.ts'
import {
  deviceClassTable,
  deviceTaintRuleTable,
  resourceClaimTable,
  resourceClaimTemplateTable,
  resourceSliceTable,
} from '../kinds/devices/device-columns.ts'
import { endpointSliceTable } from '../kinds/network/endpoint-slice/endpoint-slice-columns.ts'
import { endpointsTable } from '../kinds/network/endpoints/endpoints-columns.ts'
import { ingressTable } from '../kinds/network/ingress/ingress-columns.ts'
import { ingressClassTable } from '../kinds/network/ingress-class/ingress-class-columns.ts'
import { ipAddressTable } from '../kinds/network/ip-address/ip-address-columns.ts'
import { networkPolicyTable } from '../kinds/network/network-policy/network-policy-columns.ts'
import { serviceTable } from '../kinds/network/service/service-columns.ts'
import { serviceCidrTable } from '../kinds/network/service-cidr/service-cidr-columns.ts'
import { podTable } from '../kinds/pods/pod-columns.ts'
import { csiDriverTable } from '../kinds/storage/csi-driver/csi-driver-columns.ts'
import { csiNodeTable } from '../kinds/storage/csi-node/csi-node-columns.ts'
import { persistentVolumeTable } from '../kinds/storage/persistent-volume/persistent-volume-columns.ts'
import { persistentVolumeClaimTable } from '../kinds/storage/persistent-volume-claim/persistent-volume-claim-columns.ts'
import { storageClassTable } from '../kinds/storage/storage-class/storage-class-columns.ts'
import { volumeAttachmentTable } from '../kinds/storage/volume-attachment/volume-attachment-columns.ts'
import { volumeAttributesClassTable } from '../kinds/storage/volume-attributes-class/volume-attributes-class-columns.ts'
import { controllerRevisionTable } from '../kinds/workloads/controller-revision/controller-revision-columns.ts'
import { cronJobTable } from '../kinds/workloads/cron-job/cron-job-columns.ts'
import { daemonSetTable } from '../kinds/workloads/daemon-set/daemon-set-columns.ts'
import { deploymentTable } from '../kinds/workloads/deployment/deployment-columns.ts'
import { podDisruptionBudgetTable } from '../kinds/workloads/disruption-budget/disruption-budget-columns.ts'
import { jobTable } from '../kinds/workloads/job/job-columns.ts'
import { podTemplateTable } from '../kinds/workloads/pod-template/pod-template-columns.ts'
import { replicaSetTable } from '../kinds/workloads/replica-set/replica-set-columns.ts'
import { replicationControllerTable } from '../kinds/workloads/replication-controller/replication-controller-columns.ts'
import { scaleTable } from '../kinds/workloads/scale-columns.ts'
import { statefulSetTable } from '../kinds/workloads/stateful-set/stateful-set-columns.ts'
import { laterTable } from './later-tables.ts'
import { statusTable } from './status-columns.ts'

const tables: ReadonlyMap<string, TableDefinition> = new Map([
  ['/ComponentStatus', componentStatusTable],
  ['/ConfigMap', configMapTable],
  ['/Endpoints', endpointsTable],
  ['/Event', eventTable],
  ['/Namespace', namespaceTable],
  ['/Node', nodeTable],
  ['/PersistentVolume', persistentVolumeTable],
  ['/PersistentVolumeClaim', persistentVolumeClaimTable],
  ['/Pod', podTable],
  ['/PodTemplate', podTemplateTable],
  ['/ReplicationController', replicationControllerTable],
  ['/ResourceQuota', resourceQuotaTable],
  ['/Secret', secretTable],
  ['/Service', serviceTable],
  ['/ServiceAccount', serviceAccountTable],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', mutatingAdmissionPolicyTable],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', mutatingAdmissionPolicyBindingTable],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', mutatingWebhookConfigurationTable],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', validatingAdmissionPolicyTable],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', validatingAdmissionPolicyBindingTable],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', validatingWebhookConfigurationTable],
  ['apiregistration.k8s.io/APIService', apiServiceTable],
  ['apps/ControllerRevision', controllerRevisionTable],
  ['apps/DaemonSet', daemonSetTable],
  ['apps/Deployment', deploymentTable],
  ['apps/ReplicaSet', replicaSetTable],
  ['apps/StatefulSet', statefulSetTable],
  ['autoscaling/HorizontalPodAutoscaler', horizontalPodAutoscalerTable],
  ['autoscaling/Scale', scaleTable],
  ['batch/CronJob', cronJobTable],
  ['batch/Job', jobTable],
  ['certificates.k8s.io/CertificateSigningRequest', certificateSigningRequestTable],
  ['certificates.k8s.io/ClusterTrustBundle', clusterTrustBundleTable],
  ['coordination.k8s.io/Lease', leaseTable],
  ['coordination.k8s.io/LeaseCandidate', leaseCandidateTable],
  ['discovery.k8s.io/EndpointSlice', endpointSliceTable],
  ['events.k8s.io/Event', eventTable],
  ['flowcontrol.apiserver.k8s.io/FlowSchema', flowSchemaTable],
  ['flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration', priorityLevelConfigurationTable],
  ['internal.apiserver.k8s.io/StorageVersion', storageVersionTable],
  ['meta.k8s.io/Status', statusTable],
  ['networking.k8s.io/Ingress', ingressTable],
  ['networking.k8s.io/IngressClass', ingressClassTable],
  ['networking.k8s.io/IPAddress', ipAddressTable],
  ['networking.k8s.io/NetworkPolicy', networkPolicyTable],
  ['networking.k8s.io/ServiceCIDR', serviceCidrTable],
  ['node.k8s.io/RuntimeClass', runtimeClassTable],
  ['policy/PodDisruptionBudget', podDisruptionBudgetTable],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', clusterRoleBindingTable],
  ['rbac.authorization.k8s.io/RoleBinding', roleBindingTable],
  ['resource.k8s.io/DeviceClass', deviceClassTable],
  ['resource.k8s.io/DeviceTaintRule', deviceTaintRuleTable],
  ['resource.k8s.io/ResourceClaim', resourceClaimTable],
  ['resource.k8s.io/ResourceClaimTemplate', resourceClaimTemplateTable],
  ['resource.k8s.io/ResourceSlice', resourceSliceTable],
  ['scheduling.k8s.io/PriorityClass', priorityClassTable],
  ['storage.k8s.io/CSIDriver', csiDriverTable],
  ['storage.k8s.io/CSINode', csiNodeTable],
  ['storage.k8s.io/StorageClass', storageClassTable],
  ['storage.k8s.io/VolumeAttachment', volumeAttachmentTable],
  ['storage.k8s.io/VolumeAttributesClass', volumeAttributesClassTable],
  ['storagemigration.k8s.io/StorageVersionMigration', storageVersionMigrationTable],
])

/**
 * The table of a built-in kind; undefined for the default one. Its cells read the hub version of the kind, which is
 * autoscaling/v2 for autoscalers and core/v1 for events.
 */
export const tableOfKind = (
  group: string,
  kind: string,
  release: number = defaultRelease,
): TableDefinition | undefined => laterTable(`${group}/${kind}`, release) ?? tables.get(`${group}/${kind}`)

export const kindsWithTables: readonly string[] = [...tables.keys()]
