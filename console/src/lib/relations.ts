// What an object refers to, kind by kind: by name, by labels, by owner.
import type { Json } from '../api/objects.ts'
import type { LabelSelector } from './selectors.ts'

export interface Reference {
  /** How it is connected, read from the object: “mounts”, “selects”. */
  readonly relation: string
  readonly group: string
  readonly kind: string
  /** Undefined: cluster-scoped. */
  readonly namespace?: string | undefined
  readonly name?: string
  readonly selector?: LabelSelector
  /** The relation by which what it refers to leads on. */
  readonly onward?: string
}

type Finder = (object: Json) => readonly (Reference | undefined)[]

const list = (value: Json): Json[] => (Array.isArray(value) ? value : [])

const group = (apiVersion: unknown): string => {
  const text = String(apiVersion ?? '')
  return text.includes('/') ? text.slice(0, text.indexOf('/')) : ''
}

function named(
  relation: string,
  kind: string,
  name: Json,
  at: { namespace?: string; group?: string } = {},
): Reference | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  return {
    relation,
    kind,
    name,
    group: at.group ?? '',
    ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
  }
}

const onward = (relation: string, reference: Reference | undefined): Reference | undefined =>
  reference && { ...reference, onward: relation }

const namespaceOf = (object: Json): { namespace: string } => ({ namespace: object.metadata?.namespace ?? '' })

function podReferences(spec: Json, at: { namespace: string }, isPod: boolean): (Reference | undefined)[] {
  const containers = [...list(spec?.containers), ...list(spec?.initContainers)]
  const environment = containers.flatMap(({ env, envFrom }) => [
    ...list(env).flatMap(({ valueFrom }) => [
      named('reads', 'ConfigMap', valueFrom?.configMapKeyRef?.name, at),
      named('reads', 'Secret', valueFrom?.secretKeyRef?.name, at),
    ]),
    ...list(envFrom).flatMap((from) => [
      named('reads', 'ConfigMap', from?.configMapRef?.name, at),
      named('reads', 'Secret', from?.secretRef?.name, at),
    ]),
  ])
  return [
    isPod ? named('runs on', 'Node', spec?.nodeName) : undefined,
    named('runs as', 'ServiceAccount', spec?.serviceAccountName, at),
    named('has class', 'PriorityClass', spec?.priorityClassName, { group: 'scheduling.k8s.io' }),
    named('runs with', 'RuntimeClass', spec?.runtimeClassName, { group: 'node.k8s.io' }),
    ...list(spec?.imagePullSecrets).map(({ name }) => named('pulls with', 'Secret', name, at)),
    ...list(spec?.volumes).flatMap((volume) => volumeReferences(volume, at)),
    ...environment,
  ]
}

function volumeReferences(volume: Json, at: { namespace: string }): (Reference | undefined)[] {
  return [
    named('mounts', 'ConfigMap', volume?.configMap?.name, at),
    named('mounts', 'Secret', volume?.secret?.secretName, at),
    onward('bound to', named('mounts', 'PersistentVolumeClaim', volume?.persistentVolumeClaim?.claimName, at)),
    ...list(volume?.projected?.sources).flatMap((source) => [
      named('mounts', 'ConfigMap', source?.configMap?.name, at),
      named('mounts', 'Secret', source?.secret?.name, at),
    ]),
  ]
}

const selecting =
  (relation: string, selectorOf: (object: Json) => Json): Finder =>
  (object) => {
    const selector = selectorOf(object)
    if (typeof selector !== 'object' || selector === null) return []
    return [{ relation, group: '', kind: 'Pod', ...namespaceOf(object), selector }]
  }

const workload: Finder = (object) => [
  ...selecting('selects', ({ spec }) => spec?.selector)(object),
  ...podReferences(object.spec?.template?.spec, namespaceOf(object), false),
]

const binding: Finder = (object) => [
  named(
    'grants',
    object.roleRef?.kind ?? 'ClusterRole',
    object.roleRef?.name,
    object.roleRef?.kind === 'Role' ? { ...namespaceOf(object), group: rbac } : { group: rbac },
  ),
  ...list(object.subjects).map(({ kind, name, namespace }) =>
    kind === 'ServiceAccount' ? named('to', 'ServiceAccount', name, { namespace }) : undefined,
  ),
]

const rbac = 'rbac.authorization.k8s.io'

const webhooks: Finder = ({ webhooks: hooks }) =>
  list(hooks).map(({ clientConfig }) =>
    named('calls', 'Service', clientConfig?.service?.name, { namespace: clientConfig?.service?.namespace }),
  )

const finders: Readonly<Record<string, Finder>> = {
  '/Pod': (object) => podReferences(object.spec, namespaceOf(object), true),
  '/Service': (object) => {
    const selector = object.spec?.selector
    const slices = { matchLabels: { 'kubernetes.io/service-name': object.metadata?.name ?? '' } }
    const ownSlices = {
      relation: 'has',
      group: 'discovery.k8s.io',
      kind: 'EndpointSlice',
      ...namespaceOf(object),
      selector: slices,
      onward: 'leads to',
    }
    // A pod that is in a slice is shown below that; one that is only selected is in none.
    return typeof selector === 'object' && selector !== null
      ? [ownSlices, ...selecting('selects', () => ({ matchLabels: selector }))(object)]
      : [ownSlices]
  },
  '/PersistentVolumeClaim': ({ spec }) => [
    named('bound to', 'PersistentVolume', spec?.volumeName),
    named('of class', 'StorageClass', spec?.storageClassName, { group: 'storage.k8s.io' }),
  ],
  '/PersistentVolume': ({ spec }) => [
    named('claimed by', 'PersistentVolumeClaim', spec?.claimRef?.name, { namespace: spec?.claimRef?.namespace }),
    named('of class', 'StorageClass', spec?.storageClassName, { group: 'storage.k8s.io' }),
  ],
  '/ServiceAccount': (object) =>
    [...list(object.secrets), ...list(object.imagePullSecrets)].map(({ name }) =>
      named('has', 'Secret', name, namespaceOf(object)),
    ),
  '/Event': ({ involvedObject }) => [
    named('is about', involvedObject?.kind ?? '', involvedObject?.name, {
      namespace: involvedObject?.namespace,
      group: group(involvedObject?.apiVersion),
    }),
  ],
  'discovery.k8s.io/EndpointSlice': (object) => [
    named('of', 'Service', object.metadata?.labels?.['kubernetes.io/service-name'], namespaceOf(object)),
    ...list(object.endpoints).map(({ targetRef }) =>
      targetRef?.kind === 'Pod'
        ? named('leads to', 'Pod', targetRef.name, { namespace: targetRef.namespace })
        : undefined,
    ),
  ],
  'apps/Deployment': workload,
  'apps/ReplicaSet': workload,
  'apps/StatefulSet': workload,
  'apps/DaemonSet': workload,
  'batch/Job': workload,
  'batch/CronJob': (object) =>
    podReferences(object.spec?.jobTemplate?.spec?.template?.spec, namespaceOf(object), false),
  'policy/PodDisruptionBudget': selecting('protects', ({ spec }) => spec?.selector),
  'networking.k8s.io/NetworkPolicy': selecting('restricts', ({ spec }) => spec?.podSelector),
  'networking.k8s.io/Ingress': (object) => [
    named('of class', 'IngressClass', object.spec?.ingressClassName, { group: 'networking.k8s.io' }),
    named('leads to', 'Service', object.spec?.defaultBackend?.service?.name, namespaceOf(object)),
    ...list(object.spec?.rules).flatMap(({ http }) =>
      list(http?.paths).map(({ backend }) => named('leads to', 'Service', backend?.service?.name, namespaceOf(object))),
    ),
    ...list(object.spec?.tls).map(({ secretName }) => named('reads', 'Secret', secretName, namespaceOf(object))),
  ],
  'autoscaling/HorizontalPodAutoscaler': (object) => {
    const target = object.spec?.scaleTargetRef
    return [
      named('scales', target?.kind ?? '', target?.name, { ...namespaceOf(object), group: group(target?.apiVersion) }),
    ]
  },
  [`${rbac}/RoleBinding`]: binding,
  [`${rbac}/ClusterRoleBinding`]: binding,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': ({ spec }) => [
    named('applies', 'ValidatingAdmissionPolicy', spec?.policyName, { group: 'admissionregistration.k8s.io' }),
  ],
  'apiregistration.k8s.io/APIService': ({ spec }) => [
    named('served by', 'Service', spec?.service?.name, { namespace: spec?.service?.namespace }),
  ],
}

/** What this object refers to, each once. */
export function referencesOf(object: Json): Reference[] {
  const found = finders[`${group(object.apiVersion)}/${object.kind}`]?.(object) ?? []
  const seen = new Set<string>()
  return found.filter((each): each is Reference => {
    if (each === undefined) return false
    const id = JSON.stringify([each.relation, each.group, each.kind, each.namespace, each.name, each.selector])
    return !seen.has(id) && seen.add(id) !== undefined
  })
}

/** Which kinds may refer to one, `group/Kind`: they are looked through for it. */
const referrers: Readonly<Record<string, readonly string[]>> = {
  '/Pod': [
    '/Service',
    'policy/PodDisruptionBudget',
    'networking.k8s.io/NetworkPolicy',
    'discovery.k8s.io/EndpointSlice',
  ],
  '/ConfigMap': ['/Pod'],
  '/Secret': ['/Pod', '/ServiceAccount', 'networking.k8s.io/Ingress'],
  '/PersistentVolumeClaim': ['/Pod', '/PersistentVolume'],
  '/PersistentVolume': ['/PersistentVolumeClaim'],
  '/ServiceAccount': ['/Pod', `${rbac}/RoleBinding`, `${rbac}/ClusterRoleBinding`],
  '/Service': [
    'networking.k8s.io/Ingress',
    'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
    'admissionregistration.k8s.io/MutatingWebhookConfiguration',
    'apiregistration.k8s.io/APIService',
  ],
  '/Node': ['/Pod'],
  'storage.k8s.io/StorageClass': ['/PersistentVolumeClaim', '/PersistentVolume'],
  'apps/Deployment': ['autoscaling/HorizontalPodAutoscaler'],
  'apps/StatefulSet': ['autoscaling/HorizontalPodAutoscaler'],
  [`${rbac}/Role`]: [`${rbac}/RoleBinding`],
  [`${rbac}/ClusterRole`]: [`${rbac}/ClusterRoleBinding`, `${rbac}/RoleBinding`],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  ],
}

export const referrersOf = (object: Json): readonly string[] =>
  referrers[`${group(object.apiVersion)}/${object.kind}`] ?? []
