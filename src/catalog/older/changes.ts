/** What is different in the version that took the place of a removed one, for people who have to move. */
const selector = 'spec.selector is required and cannot be changed later'

const shares =
  'spec.limited.nominalConcurrencyShares is 30 only when it is left out: a zero that is written stays a zero'
const sharesRenamed = 'spec.limited.assuredConcurrencyShares is called nominalConcurrencyShares'

const webhooks = [
  'webhooks[*].failurePolicy is Fail when left out (was Ignore)',
  'webhooks[*].matchPolicy is Equivalent when left out (was Exact)',
  'webhooks[*].timeoutSeconds is 10 when left out (was 30)',
  'webhooks[*].sideEffects is required, and only None and NoneOnDryRun are allowed',
  'webhooks[*].admissionReviewVersions is required (v1 and v1beta1 can be called)',
  'webhooks[*].name must be unique in the list',
]

const ingress = [
  'spec.backend is called spec.defaultBackend',
  'serviceName of a backend is service.name',
  'servicePort of a backend is service.port.number when it is a number, service.port.name when it is a text',
  'pathType of a path is required: Prefix, Exact or ImplementationSpecific (which is what was meant before)',
]

const deployment = [
  'spec.rollbackTo is gone',
  selector,
  'spec.progressDeadlineSeconds is 600 when left out (was no deadline)',
  'spec.revisionHistoryLimit is 10 when left out',
  'maxSurge and maxUnavailable are 25% when left out',
]

const metrics = [
  'a metric has its name and selector in metric, and what is aimed at in target (type, value, averageValue, averageUtilization)',
  'target of an object metric is called describedObject',
]

const byKind: Readonly<Record<string, readonly string[]>> = {
  'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration': [shares],
  'flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration': [sharesRenamed, shares],
  'flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration': [sharesRenamed, shares],
  'flowcontrol.apiserver.k8s.io/v1alpha1 PriorityLevelConfiguration': [sharesRenamed, shares],
  'autoscaling/v2beta2 HorizontalPodAutoscaler': [
    'targetAverageUtilization is target.averageUtilization with target.type Utilization',
  ],
  'autoscaling/v2beta1 HorizontalPodAutoscaler': metrics,
  'discovery.k8s.io/v1beta1 EndpointSlice': [
    'topology of an endpoint is gone: use nodeName and zone; the rest can be read in deprecatedTopology, which cannot be written',
  ],
  'events.k8s.io/v1beta1 Event': [
    'type must be Normal or Warning',
    'involvedObject is called regarding',
    'action, reason, reportingController and reportingInstance are required',
    'eventTime takes the place of firstTimestamp, series.lastObservedTime of lastTimestamp, series.count of count',
    'reportingController takes the place of source.component, reportingInstance of source.host',
    'the deprecated… fields cannot be set in new events',
  ],
  'policy/v1beta1 PodDisruptionBudget': [
    'an empty spec.selector ({}) selects all pods of the namespace (before: none); without a selector none are selected in both',
  ],
  'policy/v1beta1 PodSecurityPolicy': [
    'there is no such kind any more: use Pod Security admission (labels on namespaces) or an admission webhook',
  ],
  'extensions/v1beta1 PodSecurityPolicy': [
    'there is no such kind any more: policy/v1beta1 had it until v1.25; use Pod Security admission or an admission webhook',
  ],
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration': webhooks,
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition': [
    'spec.scope is required',
    'spec.version is gone: use spec.versions',
    'spec.validation, spec.subresources and spec.additionalPrinterColumns are in spec.versions[*]',
    'spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig',
    'spec.conversion.conversionReviewVersions is spec.conversion.webhook.conversionReviewVersions',
    'spec.versions[*].schema.openAPIV3Schema is required and must be structural',
    'spec.preserveUnknownFields cannot be true: use x-kubernetes-preserve-unknown-fields in the schema',
    'JSONPath of a column is called jsonPath',
  ],
  'authorization.k8s.io/v1beta1 SubjectAccessReview': ['spec.group is called spec.groups'],
  'authorization.k8s.io/v1beta1 LocalSubjectAccessReview': ['spec.group is called spec.groups'],
  'certificates.k8s.io/v1beta1 CertificateSigningRequest': [
    'spec.signerName is required, and kubernetes.io/legacy-unknown is not allowed in new requests',
    'spec.usages is required, without duplicates and unknown ones',
    'status.conditions has one condition of a type, each with a status',
    'status.certificate is PEM with CERTIFICATE blocks only',
  ],
  'extensions/v1beta1 Ingress': ingress,
  'networking.k8s.io/v1beta1 Ingress': ingress,
  'extensions/v1beta1 DaemonSet': [
    'spec.templateGeneration is gone',
    selector,
    'spec.updateStrategy.type is RollingUpdate when left out (was OnDelete)',
  ],
  'apps/v1beta2 DaemonSet': [selector],
  'extensions/v1beta1 Deployment': deployment,
  'apps/v1beta1 Deployment': deployment,
  'apps/v1beta2 Deployment': [selector],
  'apps/v1beta1 StatefulSet': [selector, 'spec.updateStrategy.type is RollingUpdate when left out (was OnDelete)'],
  'apps/v1beta2 StatefulSet': [selector],
  'extensions/v1beta1 ReplicaSet': [selector],
  'apps/v1beta1 ReplicaSet': [selector],
  'apps/v1beta2 ReplicaSet': [selector],
  'node.k8s.io/v1alpha1 RuntimeClass': [
    'spec.runtimeHandler is called handler; overhead and scheduling are not in spec',
  ],
  'rbac.authorization.k8s.io/v1alpha1 RoleBinding': ['subjects[*].apiVersion is subjects[*].apiGroup'],
  'rbac.authorization.k8s.io/v1alpha1 ClusterRoleBinding': ['subjects[*].apiVersion is subjects[*].apiGroup'],
}

export function changesSince(apiVersion: string, kind: string): readonly string[] {
  return byKind[`${apiVersion} ${kind}`] ?? []
}
