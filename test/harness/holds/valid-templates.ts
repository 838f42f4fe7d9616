/**
 * One valid object of each kind that can be large, with one item in each of its lists and maps. `#` in a text becomes the index of an
 * item, a text that is `#number` its number (from 1 on, as ports are), one that is `#address` an address of its own.
 */
import type { JsonObject } from '../../../src/api/json.ts'

export interface Template {
  /** Of the collection. */
  readonly path: string
  readonly object: JsonObject
  /** Only what lies under these paths is varied; all of it unless told. Others have the same types. */
  readonly under?: readonly string[]
}

const core = '/api/v1/namespaces/default'
const cluster = '/api/v1'
const apis = (group: string, version = 'v1'): string => `/apis/${group}/${version}/namespaces/default`
const clusterApis = (group: string, version = 'v1'): string => `/apis/${group}/${version}`

const template = (path: string, kind: string, object: JsonObject, under?: readonly string[]): Template => {
  const [, root, first, second] = path.split('/')
  const apiVersion = root === 'api' ? 'v1' : `${first}/${second}`
  const { metadata, ...rest } = object
  return {
    path,
    object: { apiVersion, kind, metadata: { name: 'large', ...(metadata as JsonObject | undefined) }, ...rest },
    ...(under === undefined ? {} : { under }),
  }
}

const selector: JsonObject = {
  matchLabels: { 'l#': 'v' },
  matchExpressions: [{ key: 'k#', operator: 'In', values: ['v#'] }],
}
const term = { labelSelector: selector, topologyKey: 'kubernetes.io/hostname', namespaces: ['n#'] }
const nodeTerm = { matchExpressions: [{ key: 'k#', operator: 'In', values: ['v#'] }] }
const time = '2026-01-01T00:00:00Z'

const container: JsonObject = {
  name: 'c#',
  image: 'i',
  args: ['a#'],
  command: ['c#'],
  ports: [{ name: 'p#', containerPort: '#number' }],
  env: [{ name: 'E#', value: 'v' }],
  envFrom: [{ configMapRef: { name: 'm#' } }],
  resources: { requests: { 'a.kubernetes.io/r#': '1' }, limits: { 'example.com/r#': '1' } },
  volumeMounts: [{ name: 'v0', mountPath: '/m#' }],
  securityContext: { capabilities: { add: ['C#'] } },
}

const podSpec: JsonObject = {
  containers: [container],
  initContainers: [{ name: 'i#', image: 'i' }],
  volumes: [{ name: 'v#', configMap: { name: 'm', items: [{ key: 'k#', path: 'f#' }] } }],
  imagePullSecrets: [{ name: 's#' }],
  nodeSelector: { 'k#': 'v' },
  tolerations: [{ key: 'k#', operator: 'Exists' }],
  hostAliases: [{ ip: '#address', hostnames: ['h#'] }],
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nodeTerm] } },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
  },
  topologySpreadConstraints: [
    { topologyKey: 'k#', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
  ],
}

const podTemplate = (more: JsonObject = {}): JsonObject => ({
  metadata: { labels: { a: 'b' } },
  spec: { ...podSpec, ...more },
})
const chosen = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k#', operator: 'DoesNotExist' }] }
/** What a kind with a template may do on its own for its items. */
const ofTemplates = ['containers', 'env', 'volumes', 'items', 'limits', 'nodeSelector']

const metadata: JsonObject = {
  labels: { 'l#': 'v' },
  annotations: { 'a#': 'v' },
  finalizers: ['example.com/f#'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o#', uid: 'u#' }],
}

const owned = (field: string): JsonObject => ({
  manager: 'm#',
  operation: 'Apply',
  apiVersion: 'v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { [field]: { 'f:k#': {} } },
})

const workloads: Template[] = [
  template(`${core}/pods`, 'Pod', {
    metadata: { ...metadata, managedFields: [owned('f:spec')] },
    spec: podSpec,
    status: {
      conditions: [{ type: 'example.com/c#', status: 'True' }],
      containerStatuses: [
        { name: 'c#', ready: true, restartCount: 0, image: 'i', imageID: '', state: { waiting: { reason: 'R' } } },
      ],
      podIPs: [{ ip: '#address' }],
    },
  }),
  template(
    `${core}/replicationcontrollers`,
    'ReplicationController',
    {
      spec: { selector: { a: 'b' }, template: podTemplate() },
    },
    ofTemplates,
  ),
  template(`${core}/podtemplates`, 'PodTemplate', { template: podTemplate() }, ofTemplates),
  template(`${apis('apps')}/deployments`, 'Deployment', {
    metadata: { labels: { 'l#': 'v' }, annotations: { 'a#': 'v' } },
    spec: { selector: chosen, template: podTemplate() },
    status: { conditions: [{ type: 'C#', status: 'True' }] },
  }),
  template(
    `${apis('apps')}/replicasets`,
    'ReplicaSet',
    { spec: { selector: chosen, template: podTemplate() } },
    ofTemplates,
  ),
  template(
    `${apis('apps')}/daemonsets`,
    'DaemonSet',
    { spec: { selector: chosen, template: podTemplate() } },
    ofTemplates,
  ),
  template(
    `${apis('apps')}/statefulsets`,
    'StatefulSet',
    {
      spec: {
        serviceName: 's',
        selector: chosen,
        template: podTemplate(),
        volumeClaimTemplates: [
          {
            metadata: { name: 'd#' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    [...ofTemplates, 'volumeClaimTemplates'],
  ),
  template(
    `${apis('batch')}/jobs`,
    'Job',
    {
      spec: {
        manualSelector: true,
        selector: chosen,
        template: podTemplate({ restartPolicy: 'Never' }),
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'C#', status: 'True' }] }],
        },
      },
    },
    [...ofTemplates, 'rules', 'onPodConditions'],
  ),
  template(
    `${apis('batch')}/cronjobs`,
    'CronJob',
    { spec: { schedule: '1 1 1 1 1', jobTemplate: { spec: { template: podTemplate({ restartPolicy: 'Never' }) } } } },
    ofTemplates,
  ),
  template(`${apis('apps')}/controllerrevisions`, 'ControllerRevision', {
    revision: 1,
    data: { 'k#': 'v', l: ['v#'] },
  }),
  template(`${apis('autoscaling', 'v2')}/horizontalpodautoscalers`, 'HorizontalPodAutoscaler', {
    spec: {
      maxReplicas: 2,
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      metrics: [
        {
          type: 'Pods',
          pods: { metric: { name: 'm#', selector }, target: { type: 'AverageValue', averageValue: '1500m' } },
        },
      ],
      behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 1 }] } },
    },
  }),
  template(`${apis('policy')}/poddisruptionbudgets`, 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector },
    status: {
      disruptedPods: { 'p#': time },
      currentHealthy: 1,
      desiredHealthy: 1,
      disruptionsAllowed: 1,
      expectedPods: 1,
    },
  }),
]

const network: Template[] = [
  template(`${core}/services`, 'Service', {
    metadata: { labels: { 'l#': 'v' } },
    spec: {
      selector: { 'l#': 'v' },
      ports: [{ name: 'p#', port: '#number' }],
      externalIPs: ['#address'],
    },
  }),
  template(
    `${core}/services`,
    'Service',
    {
      spec: { type: 'LoadBalancer', ports: [{ name: 'p', port: 80 }] },
      status: {
        loadBalancer: { ingress: [{ ip: '#address', ports: [{ port: '#number', protocol: 'TCP' }] }] },
        conditions: [{ type: 'C#', status: 'True', reason: 'R', message: 'm', lastTransitionTime: time }],
      },
    },
    ['status'],
  ),
  template(`${core}/endpoints`, 'Endpoints', {
    subsets: [
      {
        addresses: [{ ip: '#address', targetRef: { kind: 'Pod', name: 'p#', namespace: 'default' } }],
        notReadyAddresses: [{ ip: '#address' }],
        ports: [{ name: 'p#', port: '#number' }],
      },
    ],
  }),
  template(`${apis('discovery.k8s.io')}/endpointslices`, 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['#address'],
        conditions: { ready: true },
        deprecatedTopology: { 'l#': 'v' },
        hints: { forZones: [{ name: 'z#' }] },
      },
    ],
    ports: [{ name: 'p#', port: '#number' }],
  }),
  template(`${apis('networking.k8s.io')}/networkpolicies`, 'NetworkPolicy', {
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: '#number' }] }],
      egress: [
        { to: [{ podSelector: selector, namespaceSelector: selector }], ports: [{ port: '#number', protocol: 'UDP' }] },
      ],
    },
  }),
  template(`${apis('networking.k8s.io')}/ingresses`, 'Ingress', {
    spec: {
      rules: [
        {
          host: 'h#.example.com',
          http: {
            paths: [{ path: '/p#', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
      tls: [{ hosts: ['h#.example.com'], secretName: 's' }],
    },
    status: { loadBalancer: { ingress: [{ ip: '#address', ports: [{ port: '#number', protocol: 'TCP' }] }] } },
  }),
  template(`${clusterApis('networking.k8s.io')}/ingressclasses`, 'IngressClass', { spec: { controller: 'a.b/c' } }),
]

const rule = { apiGroups: ['g#'], resources: ['r#'], verbs: ['v#'], resourceNames: ['n#'] }
const subject = { kind: 'User', name: 'u#', apiGroup: 'rbac.authorization.k8s.io' }

const access: Template[] = [
  template(`${apis('rbac.authorization.k8s.io')}/roles`, 'Role', { rules: [rule] }),
  template(`${clusterApis('rbac.authorization.k8s.io')}/clusterroles`, 'ClusterRole', {
    rules: [rule, { nonResourceURLs: ['/u#'], verbs: ['v#'] }],
    aggregationRule: { clusterRoleSelectors: [selector] },
  }),
  template(`${apis('rbac.authorization.k8s.io')}/rolebindings`, 'RoleBinding', {
    subjects: [subject],
    roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
  }),
  template(`${clusterApis('rbac.authorization.k8s.io')}/clusterrolebindings`, 'ClusterRoleBinding', {
    subjects: [subject],
    roleRef: { kind: 'ClusterRole', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
  }),
  template(`${core}/serviceaccounts`, 'ServiceAccount', {
    secrets: [{ name: 's#' }],
    imagePullSecrets: [{ name: 's#' }],
  }),
  template(`${clusterApis('certificates.k8s.io', 'v1alpha1')}/clustertrustbundles`, 'ClusterTrustBundle', {
    spec: { trustBundle: '' },
  }),
]

const config: Template[] = [
  template(`${core}/configmaps`, 'ConfigMap', {
    metadata: { ...metadata, managedFields: [owned('f:data')] },
    data: { 'k#': 'v' },
    binaryData: { 'b#': 'AA==' },
  }),
  template(`${core}/secrets`, 'Secret', { data: { 'k#': 'AA==' }, stringData: { 's#': 'v' } }),
  template(
    `${core}/resourcequotas`,
    'ResourceQuota',
    {
      spec: { hard: { 'count/r#.example.com': '1' }, scopes: ['Terminating'] },
      status: { hard: { 'count/r#.example.com': '1' }, used: { 'count/r#.example.com': '1' } },
    },
    ['spec', 'status'],
  ),
  template(
    `${core}/resourcequotas`,
    'ResourceQuota',
    {
      spec: {
        hard: { pods: '100' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['p#'] }] },
      },
    },
    ['scopeSelector'],
  ),
  template(`${core}/limitranges`, 'LimitRange', {
    spec: {
      limits: [
        {
          type: 'example.com/t#',
          max: { 'example.com/r#': '2' },
          min: { 'example.com/r#': '1' },
        },
      ],
    },
  }),
  template(`${cluster}/namespaces`, 'Namespace', { metadata, spec: { finalizers: ['example.com/f#'] } }, [
    'spec',
    'metadata',
  ]),
  template(`${core}/events`, 'Event', {
    involvedObject: { namespace: 'default', kind: 'Pod', name: 'p' },
    reason: 'R',
    metadata: { labels: { 'l#': 'v' } },
  }),
  template(`${apis('coordination.k8s.io')}/leases`, 'Lease', { spec: {}, metadata: { annotations: { 'a#': 'v' } } }),
]

const resourceRules = [
  {
    apiGroups: ['g#.example.com'],
    apiVersions: ['v#'],
    operations: ['CREATE'],
    resources: ['r#'],
    resourceNames: ['n#'],
  },
]
const condition = { name: 'c#', expression: 'true' }
const hook: JsonObject = {
  name: 'h#.example.com',
  clientConfig: { url: 'https://127.0.0.1:9/' },
  rules: [{ apiGroups: ['g#.example.com'], apiVersions: ['v#'], operations: ['CREATE'], resources: ['r#'] }],
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: selector,
  objectSelector: selector,
  matchConditions: [condition],
}
const matchConstraints = {
  resourceRules,
  excludeResourceRules: resourceRules,
  namespaceSelector: selector,
  objectSelector: selector,
}
const admission = clusterApis('admissionregistration.k8s.io')

const wideVersion: JsonObject = {
  name: 'v1#',
  served: true,
  storage: false,
  additionalPrinterColumns: [{ name: 'C#', type: 'string', jsonPath: '.spec.p#' }],
  selectableFields: [{ jsonPath: '.spec.p#' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      required: ['r#'],
      properties: {
        spec: {
          type: 'object',
          properties: { 'p#': { type: 'string', enum: ['e#'] } },
          'x-kubernetes-validations': [{ rule: 'self == self || # == 1', message: 'm#' }],
        },
        other: { type: 'object', properties: { 'o#': { type: 'integer', default: 1, pattern: '^a#$' } } },
        texts: { type: 'object', default: { 'd#': 'v' }, additionalProperties: { type: 'string' } },
        list: { type: 'array', default: ['d#'], items: { type: 'string' } },
      },
    },
  },
}

const extension: Template[] = [
  template(`${admission}/validatingwebhookconfigurations`, 'ValidatingWebhookConfiguration', { webhooks: [hook] }),
  template(`${admission}/mutatingwebhookconfigurations`, 'MutatingWebhookConfiguration', { webhooks: [hook] }),
  template(`${admission}/validatingadmissionpolicies`, 'ValidatingAdmissionPolicy', {
    spec: {
      matchConstraints,
      matchConditions: [condition],
      variables: [{ name: 'v#', expression: '1' }],
      validations: [{ expression: 'object.metadata.name != "n#"', message: 'm#' }],
      auditAnnotations: [{ key: 'a#', valueExpression: '"v"' }],
    },
  }),
  template(`${admission}/validatingadmissionpolicybindings`, 'ValidatingAdmissionPolicyBinding', {
    spec: { policyName: 'large', validationActions: ['Deny'], matchResources: matchConstraints },
  }),
  template('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'CustomResourceDefinition', {
    metadata: { name: 'wides.valid.example.com' },
    spec: {
      group: 'valid.example.com',
      scope: 'Namespaced',
      names: {
        plural: 'wides',
        singular: 'wide',
        kind: 'Wide',
        listKind: 'WideList',
        shortNames: ['w#'],
        categories: ['c#'],
      },
      versions: [
        wideVersion,
        { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  }),
  template('/apis/apiregistration.k8s.io/v1/apiservices', 'APIService', {
    metadata: { name: 'v1.none.example.com', labels: { 'l#': 'v' }, annotations: { 'a#': 'v' } },
    spec: {
      group: 'none.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      insecureSkipTLSVerify: true,
      service: { name: 's', namespace: 'default' },
    },
    status: { conditions: [{ type: 'C#', status: 'True' }] },
  }),
  template(`${clusterApis('flowcontrol.apiserver.k8s.io')}/flowschemas`, 'FlowSchema', {
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u#' } }],
          resourceRules: [{ apiGroups: ['g#'], resources: ['r#'], verbs: ['get'], namespaces: ['n#'] }],
          nonResourceRules: [{ nonResourceURLs: ['/u#'], verbs: ['get'] }],
        },
      ],
    },
    status: { conditions: [{ type: 'C#', status: 'True' }] },
  }),
]

const claimRequest = { name: 'r#', deviceClassName: 'c', selectors: [{ cel: { expression: 'true' } }] }

const machines: Template[] = [
  template(`${cluster}/nodes`, 'Node', {
    metadata: { labels: { 'l#': 'v' }, annotations: { 'a#': 'v' } },
    spec: { taints: [{ key: 'k#', effect: 'NoSchedule' }] },
    status: {
      addresses: [{ type: 'T#', address: '#address' }],
      capacity: { 'example.com/r#': '1' },
      allocatable: { 'example.com/r#': '1' },
      conditions: [{ type: 'C#', status: 'True' }],
      images: [{ names: ['i#'], sizeBytes: 1 }],
      volumesInUse: ['v#'],
      volumesAttached: [{ name: 'v#', devicePath: '/d' }],
    },
  }),
  template(`${cluster}/persistentvolumes`, 'PersistentVolume', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      mountOptions: ['o#'],
      csi: { driver: 'd.example.com', volumeHandle: 'h', volumeAttributes: { 'a#': 'v' } },
      nodeAffinity: { required: { nodeSelectorTerms: [nodeTerm] } },
    },
  }),
  template(`${core}/persistentvolumeclaims`, 'PersistentVolumeClaim', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      selector,
    },
    status: { phase: 'Bound', conditions: [{ type: 'C#', status: 'True' }], capacity: { storage: '1Gi' } },
  }),
  template(`${clusterApis('storage.k8s.io')}/storageclasses`, 'StorageClass', {
    provisioner: 'p.example.com',
    parameters: { 'p#': 'v' },
    mountOptions: ['o#'],
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'k#', values: ['v#'] }] }],
  }),
  template(`${clusterApis('storage.k8s.io')}/csinodes`, 'CSINode', {
    spec: { drivers: [{ name: 'd#', nodeID: 'n', topologyKeys: ['k#'] }] },
  }),
  template(`${clusterApis('storage.k8s.io')}/csidrivers`, 'CSIDriver', {
    spec: { tokenRequests: [{ audience: 'a#' }], volumeLifecycleModes: ['Persistent'] },
  }),
  template(`${clusterApis('storage.k8s.io')}/volumeattachments`, 'VolumeAttachment', {
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } },
    status: { attached: true, attachmentMetadata: { 'm#': 'v' } },
  }),
  template(`${apis('storage.k8s.io')}/csistoragecapacities`, 'CSIStorageCapacity', {
    storageClassName: 's',
    nodeTopology: selector,
  }),
  template(`${clusterApis('storage.k8s.io', 'v1beta1')}/volumeattributesclasses`, 'VolumeAttributesClass', {
    driverName: 'd.example.com',
    parameters: { 'p#': 'v' },
  }),
  template(`${clusterApis('node.k8s.io')}/runtimeclasses`, 'RuntimeClass', {
    handler: 'h',
    overhead: { podFixed: { 'example.com/r#': '1' } },
    scheduling: { nodeSelector: { 'k#': 'v' }, tolerations: [{ key: 'k#', operator: 'Exists' }] },
  }),
  template(`${clusterApis('scheduling.k8s.io')}/priorityclasses`, 'PriorityClass', {
    metadata: { annotations: { 'a#': 'v' } },
    value: 1,
  }),
  template(`${clusterApis('resource.k8s.io', 'v1beta2')}/resourceslices`, 'ResourceSlice', {
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      sharedCounters: [{ name: 's#', counters: { 'c#': { value: '1' } } }],
      devices: [{ name: 'd#', attributes: { 'a#': { string: 'v' } }, capacity: { 'c#': { value: '1' } } }],
    },
  }),
  template(`${clusterApis('resource.k8s.io', 'v1beta2')}/deviceclasses`, 'DeviceClass', {
    spec: {
      selectors: [{ cel: { expression: 'device.driver != "d#"' } }],
      config: [{ opaque: { driver: 'd.example.com', parameters: { 'k#': 'v' } } }],
    },
  }),
  template(`${apis('resource.k8s.io', 'v1beta1')}/resourceclaims`, 'ResourceClaim', {
    spec: {
      devices: {
        requests: [claimRequest],
        config: [{ requests: ['r#'], opaque: { driver: 'd.example.com', parameters: { 'k#': 'v' } } }],
        constraints: [{ requests: ['r0'], matchAttribute: 'example.com/a' }],
      },
    },
  }),
]

export const templates: readonly Template[] = [
  ...workloads,
  ...network,
  ...access,
  ...config,
  ...extension,
  ...machines,
]
