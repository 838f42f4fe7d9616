/** How the objects of removed API versions become those of today, and what such versions fill in otherwise. */
import { formatGroupVersion, type GroupVersionResource } from '../../../api/group-version.ts'
import { eventFromHub, eventToHub } from '../../kinds/config/event/event-conversion.ts'
import { firstBetaAutoscaler, secondBetaAutoscaler } from './autoscalers.ts'
import { endpointSliceConversion, ingressConversion } from './network.ts'
import type { OlderConversion } from './parts.ts'
import {
  alphaBindingConversion,
  alphaRuntimeClassConversion,
  assuredSharesConversion,
  certificateRequestConversion,
  definitionDefaults,
  disruptionBudgetConversion,
  podSecurityDefaults,
  priorityLevelConversion,
  reviewConversion,
  webhookDefaults,
} from './policies.ts'
import {
  appsDeployment,
  appsStatefulSet,
  extensionsDaemonSet,
  extensionsDeployment,
  extensionsReplicaSet,
} from './workloads.ts'

const olderConversions: Readonly<Record<string, OlderConversion>> = {
  'extensions/v1beta1/daemonsets': extensionsDaemonSet,
  'extensions/v1beta1/deployments': extensionsDeployment,
  'extensions/v1beta1/ingresses': ingressConversion,
  'extensions/v1beta1/podsecuritypolicies': podSecurityDefaults,
  'extensions/v1beta1/replicasets': extensionsReplicaSet,
  'apps/v1beta1/deployments': appsDeployment,
  'apps/v1beta1/replicasets': extensionsReplicaSet,
  'apps/v1beta1/statefulsets': appsStatefulSet,
  'events.k8s.io/v1beta1/events': { toHub: eventToHub, fromHub: eventFromHub },
  'authorization.k8s.io/v1beta1/localsubjectaccessreviews': reviewConversion,
  'authorization.k8s.io/v1beta1/subjectaccessreviews': reviewConversion,
  'autoscaling/v2beta1/horizontalpodautoscalers': firstBetaAutoscaler,
  'autoscaling/v2beta2/horizontalpodautoscalers': secondBetaAutoscaler,
  'certificates.k8s.io/v1beta1/certificatesigningrequests': certificateRequestConversion,
  'networking.k8s.io/v1beta1/ingresses': ingressConversion,
  'policy/v1beta1/poddisruptionbudgets': disruptionBudgetConversion,
  'policy/v1beta1/podsecuritypolicies': podSecurityDefaults,
  'rbac.authorization.k8s.io/v1alpha1/clusterrolebindings': alphaBindingConversion,
  'rbac.authorization.k8s.io/v1alpha1/rolebindings': alphaBindingConversion,
  'admissionregistration.k8s.io/v1beta1/mutatingwebhookconfigurations': webhookDefaults,
  'admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations': webhookDefaults,
  'apiextensions.k8s.io/v1beta1/customresourcedefinitions': definitionDefaults,
  'node.k8s.io/v1alpha1/runtimeclasses': alphaRuntimeClassConversion,
  'discovery.k8s.io/v1beta1/endpointslices': endpointSliceConversion,
  'flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations': priorityLevelConversion,
  'flowcontrol.apiserver.k8s.io/v1beta2/prioritylevelconfigurations': assuredSharesConversion,
  'flowcontrol.apiserver.k8s.io/v1beta1/prioritylevelconfigurations': assuredSharesConversion,
  'flowcontrol.apiserver.k8s.io/v1alpha1/prioritylevelconfigurations': assuredSharesConversion,
}

export function olderConversionFor(resource: GroupVersionResource): OlderConversion {
  return olderConversions[`${formatGroupVersion(resource)}/${resource.resource}`] ?? {}
}
