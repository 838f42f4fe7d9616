/** Which kind has which table, by `group/Kind`. Kinds that are not here show the default table. */
import type { TableDefinition } from '../../api/table.ts'
import * as controlPlane from './control-plane.ts'
import * as core from './core.ts'
import * as devices from './devices.ts'
import * as network from './network.ts'
import * as pods from './pods.ts'
import * as storage from './storage.ts'
import * as workloads from './workloads.ts'

const tables: ReadonlyMap<string, TableDefinition> = new Map([
  ['/ComponentStatus', core.componentStatusTable],
  ['/ConfigMap', core.configMapTable],
  ['/Endpoints', network.endpointsTable],
  ['/Event', core.eventTable],
  ['/Namespace', core.namespaceTable],
  ['/Node', core.nodeTable],
  ['/PersistentVolume', storage.persistentVolumeTable],
  ['/PersistentVolumeClaim', storage.persistentVolumeClaimTable],
  ['/Pod', pods.podTable],
  ['/PodTemplate', pods.podTemplateTable],
  ['/ReplicationController', workloads.replicationControllerTable],
  ['/ResourceQuota', core.resourceQuotaTable],
  ['/Secret', core.secretTable],
  ['/Service', network.serviceTable],
  ['/ServiceAccount', core.serviceAccountTable],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', controlPlane.mutatingAdmissionPolicyTable],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', controlPlane.mutatingAdmissionPolicyBindingTable],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', controlPlane.mutatingWebhookConfigurationTable],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', controlPlane.validatingAdmissionPolicyTable],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', controlPlane.validatingAdmissionPolicyBindingTable],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', controlPlane.validatingWebhookConfigurationTable],
  ['apiregistration.k8s.io/APIService', controlPlane.apiServiceTable],
  ['apps/ControllerRevision', workloads.controllerRevisionTable],
  ['apps/DaemonSet', workloads.daemonSetTable],
  ['apps/Deployment', workloads.deploymentTable],
  ['apps/ReplicaSet', workloads.replicaSetTable],
  ['apps/StatefulSet', workloads.statefulSetTable],
  ['autoscaling/HorizontalPodAutoscaler', workloads.horizontalPodAutoscalerTable],
  ['autoscaling/Scale', workloads.scaleTable],
  ['batch/CronJob', workloads.cronJobTable],
  ['batch/Job', workloads.jobTable],
  ['certificates.k8s.io/CertificateSigningRequest', controlPlane.certificateSigningRequestTable],
  ['certificates.k8s.io/ClusterTrustBundle', controlPlane.clusterTrustBundleTable],
  ['coordination.k8s.io/Lease', core.leaseTable],
  ['coordination.k8s.io/LeaseCandidate', core.leaseCandidateTable],
  ['discovery.k8s.io/EndpointSlice', network.endpointSliceTable],
  ['events.k8s.io/Event', core.eventTable],
  ['flowcontrol.apiserver.k8s.io/FlowSchema', controlPlane.flowSchemaTable],
  ['flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration', controlPlane.priorityLevelConfigurationTable],
  ['internal.apiserver.k8s.io/StorageVersion', controlPlane.storageVersionTable],
  ['meta.k8s.io/Status', core.statusTable],
  ['networking.k8s.io/Ingress', network.ingressTable],
  ['networking.k8s.io/IngressClass', network.ingressClassTable],
  ['networking.k8s.io/IPAddress', network.ipAddressTable],
  ['networking.k8s.io/NetworkPolicy', network.networkPolicyTable],
  ['networking.k8s.io/ServiceCIDR', network.serviceCidrTable],
  ['node.k8s.io/RuntimeClass', core.runtimeClassTable],
  ['policy/PodDisruptionBudget', workloads.podDisruptionBudgetTable],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', controlPlane.clusterRoleBindingTable],
  ['rbac.authorization.k8s.io/RoleBinding', controlPlane.roleBindingTable],
  ['resource.k8s.io/DeviceClass', devices.deviceClassTable],
  ['resource.k8s.io/DeviceTaintRule', devices.deviceTaintRuleTable],
  ['resource.k8s.io/ResourceClaim', devices.resourceClaimTable],
  ['resource.k8s.io/ResourceClaimTemplate', devices.resourceClaimTemplateTable],
  ['resource.k8s.io/ResourceSlice', devices.resourceSliceTable],
  ['scheduling.k8s.io/PriorityClass', core.priorityClassTable],
  ['storage.k8s.io/CSIDriver', storage.csiDriverTable],
  ['storage.k8s.io/CSINode', storage.csiNodeTable],
  ['storage.k8s.io/StorageClass', storage.storageClassTable],
  ['storage.k8s.io/VolumeAttachment', storage.volumeAttachmentTable],
  ['storage.k8s.io/VolumeAttributesClass', storage.volumeAttributesClassTable],
  ['storagemigration.k8s.io/StorageVersionMigration', controlPlane.storageVersionMigrationTable],
])

/**
 * The table of a built-in kind; undefined for the default one. Its cells read the hub version of the kind, which is
 * autoscaling/v2 for autoscalers and core/v1 for events.
 */
export const tableOfKind = (group: string, kind: string): TableDefinition | undefined => tables.get(`${group}/${kind}`)

export const kindsWithTables: readonly string[] = [...tables.keys()]
