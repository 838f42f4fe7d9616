/**
 * The lives of API versions that are served no longer. A line: group version and resource, the present version that
 * has its objects today (`-` for none), the releases that introduced, deprecated and removed it, and then what is out
 * of the ordinary: `use=` another replacement than that version (`-` for none), `off` not served unless asked for,
 * `until=` the release from which on not even that helps, `alone` without the subresources of today, `action=`
 * a subresource that only creates and that there is no more, with its kind, `kind=` and so on for a resource that has no
 * successor.
 */
export const olderLifecycle = `
extensions/v1beta1 daemonsets apps/v1 1.1 1.8 1.16 until=1.18
extensions/v1beta1 deployments apps/v1 1.1 1.8 1.16 until=1.18 action=rollback:DeploymentRollback
extensions/v1beta1 ingresses networking.k8s.io/v1 1.1 1.14 1.22
extensions/v1beta1 networkpolicies networking.k8s.io/v1 1.3 1.9 1.16 until=1.18 alone
extensions/v1beta1 podsecuritypolicies - 1.2 1.11 1.16 until=1.18 use=policy/v1beta1 kind=PodSecurityPolicy short=psp
extensions/v1beta1 replicasets apps/v1 1.2 1.8 1.16 until=1.18
apps/v1beta2 controllerrevisions apps/v1 1.8 1.9 1.16 until=1.18
apps/v1beta2 daemonsets apps/v1 1.8 1.9 1.16 until=1.18
apps/v1beta2 deployments apps/v1 1.8 1.9 1.16 until=1.18
apps/v1beta2 replicasets apps/v1 1.8 1.9 1.16 until=1.18
apps/v1beta2 statefulsets apps/v1 1.8 1.9 1.16 until=1.18
apps/v1beta1 controllerrevisions apps/v1 1.7 1.8 1.16 until=1.18
apps/v1beta1 deployments apps/v1 1.6 1.8 1.16 until=1.18 action=rollback:DeploymentRollback
apps/v1beta1 replicasets apps/v1 1.6 1.8 1.16 until=1.18
apps/v1beta1 statefulsets apps/v1 1.5 1.8 1.16 until=1.18
events.k8s.io/v1beta1 events events.k8s.io/v1 1.8 1.22 1.25
authentication.k8s.io/v1beta1 selfsubjectreviews authentication.k8s.io/v1 1.27 1.30 1.33 use=- off
authentication.k8s.io/v1beta1 tokenreviews authentication.k8s.io/v1 1.4 1.19 1.22
authorization.k8s.io/v1beta1 localsubjectaccessreviews authorization.k8s.io/v1 1.2 1.19 1.22
authorization.k8s.io/v1beta1 selfsubjectaccessreviews authorization.k8s.io/v1 1.2 1.19 1.22
authorization.k8s.io/v1beta1 selfsubjectrulesreviews authorization.k8s.io/v1 1.8 1.19 1.22
authorization.k8s.io/v1beta1 subjectaccessreviews authorization.k8s.io/v1 1.2 1.19 1.22
autoscaling/v2beta1 horizontalpodautoscalers autoscaling/v2 1.8 1.22 1.25
autoscaling/v2beta2 horizontalpodautoscalers autoscaling/v2 1.12 1.23 1.26
batch/v1beta1 cronjobs batch/v1 1.8 1.21 1.25
batch/v2alpha1 cronjobs batch/v1 1.5 1.5 1.21 use=batch/v1beta1 off
certificates.k8s.io/v1beta1 certificatesigningrequests certificates.k8s.io/v1 1.12 1.19 1.22
networking.k8s.io/v1beta1 ingressclasses networking.k8s.io/v1 1.18 1.19 1.22
networking.k8s.io/v1beta1 ingresses networking.k8s.io/v1 1.14 1.19 1.22
policy/v1beta1 poddisruptionbudgets policy/v1 1.5 1.21 1.25
policy/v1beta1 podsecuritypolicies - 1.10 1.21 1.25 use=- kind=PodSecurityPolicy short=psp
rbac.authorization.k8s.io/v1beta1 clusterrolebindings rbac.authorization.k8s.io/v1 1.6 1.17 1.22
rbac.authorization.k8s.io/v1beta1 clusterroles rbac.authorization.k8s.io/v1 1.6 1.17 1.22
rbac.authorization.k8s.io/v1beta1 rolebindings rbac.authorization.k8s.io/v1 1.6 1.17 1.22
rbac.authorization.k8s.io/v1beta1 roles rbac.authorization.k8s.io/v1 1.6 1.17 1.22
rbac.authorization.k8s.io/v1alpha1 clusterrolebindings rbac.authorization.k8s.io/v1 1.5 1.17 1.22 off
rbac.authorization.k8s.io/v1alpha1 clusterroles rbac.authorization.k8s.io/v1 1.5 1.17 1.22 off
rbac.authorization.k8s.io/v1alpha1 rolebindings rbac.authorization.k8s.io/v1 1.5 1.17 1.22 off
rbac.authorization.k8s.io/v1alpha1 roles rbac.authorization.k8s.io/v1 1.5 1.17 1.22 off
storage.k8s.io/v1beta1 csidrivers storage.k8s.io/v1 1.14 1.19 1.22
storage.k8s.io/v1beta1 csinodes storage.k8s.io/v1 1.14 1.17 1.22
storage.k8s.io/v1beta1 csistoragecapacities storage.k8s.io/v1 1.21 1.24 1.27
storage.k8s.io/v1beta1 storageclasses storage.k8s.io/v1 1.4 1.19 1.22
storage.k8s.io/v1beta1 volumeattachments storage.k8s.io/v1 1.10 1.19 1.22 alone
storage.k8s.io/v1alpha1 csistoragecapacities storage.k8s.io/v1 1.19 1.21 1.24 use=storage.k8s.io/v1beta1 off
storage.k8s.io/v1alpha1 volumeattachments storage.k8s.io/v1 1.9 1.21 1.24 alone off
admissionregistration.k8s.io/v1beta1 mutatingwebhookconfigurations admissionregistration.k8s.io/v1 1.9 1.16 1.22
admissionregistration.k8s.io/v1beta1 validatingwebhookconfigurations admissionregistration.k8s.io/v1 1.9 1.16 1.22
apiextensions.k8s.io/v1beta1 customresourcedefinitions apiextensions.k8s.io/v1 1.7 1.16 1.22
apiregistration.k8s.io/v1beta1 apiservices apiregistration.k8s.io/v1 1.7 1.19 1.22
scheduling.k8s.io/v1beta1 priorityclasses scheduling.k8s.io/v1 1.11 1.14 1.22
scheduling.k8s.io/v1alpha1 priorityclasses scheduling.k8s.io/v1 1.8 1.14 1.22 off
coordination.k8s.io/v1beta1 leases coordination.k8s.io/v1 1.12 1.19 1.22
node.k8s.io/v1beta1 runtimeclasses node.k8s.io/v1 1.13 1.22 1.25
node.k8s.io/v1alpha1 runtimeclasses node.k8s.io/v1 1.12 1.20 1.23 off
discovery.k8s.io/v1beta1 endpointslices discovery.k8s.io/v1 1.16 1.21 1.25
flowcontrol.apiserver.k8s.io/v1beta3 flowschemas flowcontrol.apiserver.k8s.io/v1 1.26 1.29 1.32
flowcontrol.apiserver.k8s.io/v1beta3 prioritylevelconfigurations flowcontrol.apiserver.k8s.io/v1 1.26 1.29 1.32
flowcontrol.apiserver.k8s.io/v1beta2 flowschemas flowcontrol.apiserver.k8s.io/v1 1.23 1.26 1.29 use=flowcontrol.apiserver.k8s.io/v1beta3
flowcontrol.apiserver.k8s.io/v1beta2 prioritylevelconfigurations flowcontrol.apiserver.k8s.io/v1 1.23 1.26 1.29 use=flowcontrol.apiserver.k8s.io/v1beta3
flowcontrol.apiserver.k8s.io/v1beta1 flowschemas flowcontrol.apiserver.k8s.io/v1 1.20 1.23 1.26 use=flowcontrol.apiserver.k8s.io/v1beta2
flowcontrol.apiserver.k8s.io/v1beta1 prioritylevelconfigurations flowcontrol.apiserver.k8s.io/v1 1.20 1.23 1.26 use=flowcontrol.apiserver.k8s.io/v1beta2
flowcontrol.apiserver.k8s.io/v1alpha1 flowschemas flowcontrol.apiserver.k8s.io/v1 1.18 1.20 1.21 use=flowcontrol.apiserver.k8s.io/v1beta1 off
flowcontrol.apiserver.k8s.io/v1alpha1 prioritylevelconfigurations flowcontrol.apiserver.k8s.io/v1 1.18 1.20 1.21 use=flowcontrol.apiserver.k8s.io/v1beta1 off
`

/** Present resources that are older than the facts of the newest release say, or came later. */
export const introducedOtherwise: Readonly<Record<string, string>> = {
  'authorization.k8s.io/v1/localsubjectaccessreviews': '1.6',
  'authorization.k8s.io/v1/selfsubjectaccessreviews': '1.6',
  'authorization.k8s.io/v1/selfsubjectrulesreviews': '1.8',
  'storage.k8s.io/v1/csidrivers': '1.19',
}

/** Subresources whose kind was of another version until a release. */
export const olderKindVersions: Readonly<Record<string, readonly [apiVersion: string, until: number]>> = {
  'v1/pods/eviction': ['policy/v1beta1', 22],
}

/** The priority of a version among those of its group, and of groups that are no more. */
export const olderPriorities: Readonly<Record<string, readonly [group: number, version: number]>> = {
  'extensions/v1beta1': [17900, 1],
  'apps/v1beta2': [17800, 9],
  'apps/v1beta1': [17800, 1],
  'events.k8s.io/v1beta1': [17750, 5],
  'authentication.k8s.io/v1beta1': [17700, 9],
  'authorization.k8s.io/v1beta1': [17600, 9],
  'autoscaling/v2beta1': [17500, 9],
  'autoscaling/v2beta2': [17500, 1],
  'batch/v1beta1': [17400, 9],
  'batch/v2alpha1': [17400, 9],
  'certificates.k8s.io/v1beta1': [17300, 9],
  'networking.k8s.io/v1beta1': [17200, 9],
  'policy/v1beta1': [17100, 9],
  'rbac.authorization.k8s.io/v1beta1': [17000, 12],
  'rbac.authorization.k8s.io/v1alpha1': [17000, 9],
  'storage.k8s.io/v1beta1': [16800, 9],
  'storage.k8s.io/v1alpha1': [16800, 1],
  'admissionregistration.k8s.io/v1beta1': [16700, 12],
  'apiextensions.k8s.io/v1beta1': [16700, 9],
  'scheduling.k8s.io/v1beta1': [16600, 12],
  'scheduling.k8s.io/v1alpha1': [16600, 9],
  'coordination.k8s.io/v1beta1': [16500, 9],
  'node.k8s.io/v1beta1': [16300, 9],
  'node.k8s.io/v1alpha1': [16300, 1],
  'discovery.k8s.io/v1beta1': [16200, 12],
  'flowcontrol.apiserver.k8s.io/v1beta3': [16100, 18],
  'flowcontrol.apiserver.k8s.io/v1beta2': [16100, 15],
  'flowcontrol.apiserver.k8s.io/v1beta1': [16100, 12],
  'flowcontrol.apiserver.k8s.io/v1alpha1': [16100, 9],
}
