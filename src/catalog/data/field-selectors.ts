// Made by scripts/catalog.mjs. Do not edit.
export const fieldSelectorsJson = `[
{"group":"","version":"v1","resource":"events","labels":["involvedObject.apiVersion","involvedObject.fieldPath","involvedObject.kind","involvedObject.name","involvedObject.namespace","involvedObject.resourceVersion","involvedObject.uid","metadata.name","metadata.namespace","reason","reportingComponent","source","type"]},
{"group":"","version":"v1","resource":"namespaces","labels":["metadata.name","status.phase"]},
{"group":"","version":"v1","resource":"nodes","labels":["metadata.name","spec.unschedulable"]},
{"group":"","version":"v1","resource":"pods","labels":["metadata.name","metadata.namespace","spec.host","spec.hostNetwork","spec.nodeName","spec.restartPolicy","spec.schedulerName","spec.serviceAccountName","status.nominatedNodeName","status.phase","status.podIP","status.podIPs"],"alias":{"spec.host":"spec.nodeName"}},
{"group":"","version":"v1","resource":"replicationcontrollers","labels":["metadata.name","metadata.namespace","status.replicas"]},
{"group":"","version":"v1","resource":"secrets","labels":["metadata.name","metadata.namespace","type"]},
{"group":"","version":"v1","resource":"services","labels":["metadata.name","metadata.namespace","spec.clusterIP","spec.type"]},
{"group":"events.k8s.io","version":"v1","resource":"events","labels":["metadata.name","metadata.namespace","reason","regarding.apiVersion","regarding.fieldPath","regarding.kind","regarding.name","regarding.namespace","regarding.resourceVersion","regarding.uid","reportingController","type"],"alias":{"regarding.kind":"involvedObject.kind","regarding.namespace":"involvedObject.namespace","regarding.name":"involvedObject.name","regarding.uid":"involvedObject.uid","regarding.apiVersion":"involvedObject.apiVersion","regarding.resourceVersion":"involvedObject.resourceVersion","regarding.fieldPath":"involvedObject.fieldPath","reportingController":"reportingComponent"}},
{"group":"batch","version":"v1","resource":"jobs","labels":["metadata.name","metadata.namespace","status.successful"]},
{"group":"certificates.k8s.io","version":"v1","resource":"certificatesigningrequests","labels":["metadata.name","spec.signerName"]},
{"group":"certificates.k8s.io","version":"v1beta1","resource":"clustertrustbundles","labels":["metadata.name","spec.signerName"]},
{"group":"certificates.k8s.io","version":"v1alpha1","resource":"clustertrustbundles","labels":["metadata.name","spec.signerName"]},
{"group":"resource.k8s.io","version":"v1beta2","resource":"resourceslices","labels":["metadata.name","spec.driver","spec.nodeName"]},
{"group":"resource.k8s.io","version":"v1beta1","resource":"resourceslices","labels":["metadata.name","spec.driver","spec.nodeName"]},
{"group":"resource.k8s.io","version":"v1alpha3","resource":"resourceslices","labels":["metadata.name","spec.driver","spec.nodeName"]}
]
`
