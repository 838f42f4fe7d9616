/** One object of every built-in kind that the server takes, and of some kinds several, in an order that they can be made in. */
import { signingRequest } from '../../../src/admission/testing/signing-request.ts'
import type { JsonObject } from '../../../src/api/json.ts'

export const exampleNamespace = 'examples'

const namespaced = { namespace: exampleNamespace }
const labels = { app: 'web' }
const selector = { matchLabels: labels }
const container = { name: 'a', image: 'example.com/a:1' }
const template = { metadata: { labels }, spec: { containers: [container] } }
/** Fields of features that are off unless a gate says otherwise. */
const templateOfTomorrow = {
  metadata: { labels },
  spec: {
    hostUsers: false,
    resourceClaims: [{ name: 'claim', resourceClaimName: 'claim' }],
    containers: [
      {
        ...container,
        resources: { claims: [{ name: 'claim' }] },
        volumeMounts: [{ name: 'image', mountPath: '/image' }],
      },
    ],
    volumes: [{ name: 'image', image: { reference: 'example.com/files:1' } }],
  },
}

const object = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}): JsonObject => {
  const { metadata = {}, ...others } = rest
  return { apiVersion, kind, metadata: { ...(metadata as JsonObject), name }, ...others }
}
const inNamespace = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}): JsonObject =>
  object(apiVersion, kind, name, { ...rest, metadata: { ...(rest['metadata'] as JsonObject), ...namespaced } })

/** What admission reads when pods and others come. */
const surroundings = (): JsonObject[] => [
  object('v1', 'Namespace', exampleNamespace, {
    metadata: {
      annotations: {
        'scheduler.alpha.kubernetes.io/node-selector': 'disk=fast',
        'scheduler.alpha.kubernetes.io/defaultTolerations':
          '[{"key":"slow","operator":"Exists","effect":"NoSchedule"}]',
      },
    },
  }),
  inNamespace('v1', 'ServiceAccount', 'default', {
    secrets: [{ name: 'token', kind: 'Secret' }],
    imagePullSecrets: [{ name: 'pull' }],
  }),
  inNamespace('v1', 'LimitRange', 'limits', {
    spec: { limits: [{ type: 'Container', default: { memory: '1Gi' }, defaultRequest: { memory: '1Mi' } }] },
  }),
  inNamespace('v1', 'ResourceQuota', 'quota', { spec: { hard: { pods: '100', 'count/configmaps': '100' } } }),
  object('v1', 'Node', 'node-a', {
    metadata: { labels: { 'topology.k8s.io/zone': 'z', 'topology.k8s.io/region': 'r' } },
    spec: { configSource: {}, taints: [{ key: 'slow', effect: 'NoSchedule' }] },
    status: { features: { supplementalGroupsPolicy: true }, runtimeHandlers: [{ name: 'h' }] },
  }),
  object('scheduling.k8s.io/v1', 'PriorityClass', 'usual', { value: 5, globalDefault: true }),
  object('node.k8s.io/v1', 'RuntimeClass', 'confined', {
    handler: 'h',
    overhead: { podFixed: { memory: '1Mi' } },
    scheduling: { nodeSelector: { confined: 'yes' }, tolerations: [{ key: 'confined', operator: 'Exists' }] },
  }),
  object('storage.k8s.io/v1', 'StorageClass', 'usual', {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'example.com/disk',
    parameters: { kind: 'ssd' },
  }),
  object('networking.k8s.io/v1', 'IngressClass', 'usual', {
    metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'example.com/c' },
  }),
  object('admissionregistration.k8s.io/v1alpha1', 'MutatingAdmissionPolicy', 'label', {
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'IfNeeded',
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': exampleNamespace } },
      },
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"policy": "applied"}}}' },
        },
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression: '[JSONPatch{op: "add", path: "/metadata/annotations", value: {"policy": "patched"}}]',
          },
        },
      ],
    },
  }),
  object('admissionregistration.k8s.io/v1alpha1', 'MutatingAdmissionPolicyBinding', 'label', {
    spec: { policyName: 'label', matchResources: { objectSelector: { matchLabels: { patch: 'me' } } } },
  }),
]

const pods = (): JsonObject[] => [
  inNamespace('v1', 'Pod', 'plain', { spec: { containers: [container] } }),
  inNamespace('v1', 'Pod', 'gated', {
    spec: { ...templateOfTomorrow.spec, schedulingGates: [{ name: 'example.com/wait' }] },
  }),
  inNamespace('v1', 'Pod', 'rich', {
    metadata: {
      labels: { ...labels, release: 'r' },
      annotations: { 'container.apparmor.security.beta.kubernetes.io/b': 'runtime/default' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: 'node-a', uid: 'u' },
        { apiVersion: 'v1', kind: 'Node', name: 'node-a', uid: 'u' },
      ],
    },
    spec: {
      runtimeClassName: 'confined',
      nodeName: 'node-a',
      nodeSelector: { own: 'yes' },
      tolerations: [{ key: 'own', operator: 'Exists' }],
      initContainers: [{ name: 'i', image: 'example.com/i', restartPolicy: 'Always' }],
      containers: [
        { ...container, securityContext: { appArmorProfile: { type: 'Unconfined' }, procMount: 'Default' } },
        { name: 'b', image: 'example.com/b', resources: { limits: { 'example.com/gpu': '1' } } },
      ],
      volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'c' } }] } }],
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: selector, matchLabelKeys: ['release'] },
          ],
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: { topologyKey: 'zone', labelSelector: {}, mismatchLabelKeys: ['app'] },
            },
          ],
        },
      },
    },
  }),
]

const workloads = (): JsonObject[] => [
  inNamespace('v1', 'PodTemplate', 'plain', { template: templateOfTomorrow }),
  inNamespace('v1', 'ReplicationController', 'plain', { spec: { selector: labels, template: templateOfTomorrow } }),
  inNamespace('apps/v1', 'ReplicaSet', 'plain', { spec: { selector, template: templateOfTomorrow } }),
  inNamespace('apps/v1', 'Deployment', 'plain', { spec: { selector, template: templateOfTomorrow } }),
  inNamespace('apps/v1', 'DaemonSet', 'plain', { spec: { selector, template: templateOfTomorrow } }),
  inNamespace('apps/v1', 'StatefulSet', 'plain', {
    spec: {
      serviceName: 's',
      selector,
      template: templateOfTomorrow,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: 1 } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'c' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  inNamespace('apps/v1', 'ControllerRevision', 'plain', { revision: 1, data: { spec: { a: [1] } } }),
  inNamespace('batch/v1', 'Job', 'plain', {
    spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
  }),
  inNamespace('batch/v1', 'Job', 'labelled', {
    metadata: { labels: { ...labels } },
    spec: {
      template: { ...templateOfTomorrow, spec: { ...templateOfTomorrow.spec, restartPolicy: 'Never' } },
      completionMode: 'Indexed',
      completions: 2,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] },
    },
  }),
  inNamespace('batch/v1', 'CronJob', 'plain', {
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: { template: { ...templateOfTomorrow, spec: { ...templateOfTomorrow.spec, restartPolicy: 'Never' } } },
      },
    },
  }),
  inNamespace('policy/v1', 'PodDisruptionBudget', 'plain', { spec: { selector, minAvailable: 1 } }),
  ...(['autoscaling/v1', 'autoscaling/v2'] as const).map((apiVersion) =>
    inNamespace(apiVersion, 'HorizontalPodAutoscaler', apiVersion.replace('/', '-'), {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'plain', apiVersion: 'apps/v1' },
        maxReplicas: 2,
        ...(apiVersion === 'autoscaling/v1'
          ? { targetCPUUtilizationPercentage: 50 }
          : { behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 1 }] } } }),
      },
    }),
  ),
]

const network = (): JsonObject[] => [
  inNamespace('v1', 'Service', 'plain', { spec: { selector: labels, ports: [{ port: 80 }] } }),
  inNamespace('v1', 'Service', 'balanced', {
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      ports: [
        { name: 'tcp', port: 53, protocol: 'TCP' },
        { name: 'udp', port: 53, protocol: 'UDP' },
      ],
    },
  }),
  inNamespace('v1', 'Service', 'external', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
  inNamespace('v1', 'Endpoints', 'plain', { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }] }),
  inNamespace('discovery.k8s.io/v1', 'EndpointSlice', 'plain', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] } }],
    ports: [{ port: 80 }],
  }),
  inNamespace('networking.k8s.io/v1', 'Ingress', 'plain', {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  }),
  inNamespace('networking.k8s.io/v1', 'NetworkPolicy', 'plain', {
    spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }] },
  }),
  object('networking.k8s.io/v1', 'IPAddress', '10.9.8.7', {
    spec: { parentRef: { resource: 'services', name: 's', namespace: exampleNamespace } },
  }),
  object('networking.k8s.io/v1', 'ServiceCIDR', 'plain', { spec: { cidrs: ['10.7.0.0/24'] } }),
]

const configuration = (): JsonObject[] => [
  inNamespace('v1', 'ConfigMap', 'plain', {
    data: { a: '1' },
    binaryData: { b: 'aGk=' },
  }),
  inNamespace('v1', 'Secret', 'plain', { data: { a: 'aGk=' }, stringData: { b: 'hi' } }),
  inNamespace('v1', 'Event', 'plain', {
    involvedObject: { kind: 'Pod', name: 'plain', ...namespaced },
    reason: 'Made',
    type: 'Normal',
  }),
  inNamespace('events.k8s.io/v1', 'Event', 'new', {
    eventTime: '2024-01-01T00:00:00.000000Z',
    regarding: { kind: 'Pod', name: 'plain', ...namespaced },
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'Made',
    type: 'Normal',
  }),
  inNamespace('coordination.k8s.io/v1', 'Lease', 'plain', {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 1, strategy: 'OldestEmulationVersion', preferredHolder: 'x' },
  }),
  inNamespace('coordination.k8s.io/v1beta1', 'LeaseCandidate', 'plain', {
    spec: { leaseName: 'l', binaryVersion: '1.33.0', emulationVersion: '1.33.0', strategy: 'OldestEmulationVersion' },
  }),
]

const volumes = (): JsonObject[] => [
  object('v1', 'PersistentVolume', 'plain', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/data' },
      storageClassName: 'usual',
    },
  }),
  inNamespace('v1', 'PersistentVolumeClaim', 'plain', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
    },
  }),
  object('storage.k8s.io/v1', 'CSIDriver', 'example.com', { spec: { seLinuxMount: true, tokenRequests: [] } }),
  object('storage.k8s.io/v1', 'CSINode', 'node-a', { spec: { drivers: [{ name: 'example.com', nodeID: 'n' }] } }),
  inNamespace('storage.k8s.io/v1', 'CSIStorageCapacity', 'plain', {
    storageClassName: 'usual',
    capacity: '1Gi',
    nodeTopology: selector,
  }),
  object('storage.k8s.io/v1', 'VolumeAttachment', 'plain', {
    spec: { attacher: 'example.com', nodeName: 'node-a', source: { persistentVolumeName: 'plain' } },
  }),
  object('storage.k8s.io/v1beta1', 'VolumeAttributesClass', 'plain', {
    driverName: 'example.com',
    parameters: { a: 'b' },
  }),
]

const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const subjects = [{ kind: 'User', name: 'somebody', apiGroup: 'rbac.authorization.k8s.io' }]
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'plain' }

const access = (rootCertificate: string): JsonObject[] => [
  inNamespace('rbac.authorization.k8s.io/v1', 'Role', 'plain', { rules: [rule] }),
  object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'plain', { rules: [rule] }),
  inNamespace('rbac.authorization.k8s.io/v1', 'RoleBinding', 'plain', { subjects, roleRef }),
  object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'plain', { subjects, roleRef }),
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'plain', {
    spec: {
      request: signingRequest({ commonName: 'somebody' }),
      signerName: 'example.com/signer',
      usages: ['client auth'],
      username: 'somebody else',
    },
  }),
  object('certificates.k8s.io/v1beta1', 'ClusterTrustBundle', 'plain', { spec: { trustBundle: rootCertificate } }),
]

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
}

const control = (): JsonObject[] => [
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'plain', {
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'plain', {
    spec: { policyName: 'plain', validationActions: ['Deny'] },
  }),
  ...(['Mutating', 'Validating'] as const).map((what) =>
    object('admissionregistration.k8s.io/v1', `${what}WebhookConfiguration`, 'plain', {
      webhooks: [
        {
          name: 'w.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ apiGroups: ['nobody'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    }),
  ),
  object('apiregistration.k8s.io/v1', 'APIService', 'v1.remote.example.com', {
    spec: {
      group: 'remote.example.com',
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: exampleNamespace, name: 'remote' },
    },
  }),
  object('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'plain', {
    spec: {
      priorityLevelConfiguration: { name: 'plain' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'somebody' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
        },
      ],
    },
  }),
  object('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', 'plain', {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
  }),
  object('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', 'core.pods', { spec: {}, status: {} }),
  object('storagemigration.k8s.io/v1alpha1', 'StorageVersionMigration', 'plain', {
    spec: { resource: { group: 'apps', version: 'v1', resource: 'deployments' } },
  }),
]

const devices = (): JsonObject[] =>
  ['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'].flatMap((apiVersion) => {
    const version = apiVersion.slice('resource.k8s.io/'.length)
    const device = version === 'v1beta2' ? { name: 'd' } : { name: 'd', basic: {} }
    const request =
      version === 'v1beta2'
        ? { name: 'r', exactly: { deviceClassName: 'plain' } }
        : { name: 'r', deviceClassName: 'plain' }
    const spec = { devices: { requests: [request] } }
    return [
      object(apiVersion, 'DeviceClass', `plain-${version}`, {
        spec: { selectors: [{ cel: { expression: 'true' } }] },
      }),
      inNamespace(apiVersion, 'ResourceClaim', `plain-${version}`, { spec }),
      inNamespace(apiVersion, 'ResourceClaimTemplate', `plain-${version}`, { spec: { metadata: { labels }, spec } }),
      object(apiVersion, 'ResourceSlice', `plain-${version}`, {
        spec: {
          driver: 'example.com',
          nodeName: 'node-a',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [device],
        },
      }),
    ]
  })

const custom = (): JsonObject[] => [
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  }),
  inNamespace('example.com/v1', 'Widget', 'plain', { spec: { size: 2 }, status: { phase: 'x' } }),
]

/** Both of the ways in which a policy can change an object change this one, once the policy is in force. */
export const patchedPod = (): JsonObject =>
  inNamespace('v1', 'Pod', 'patched', { metadata: { labels: { patch: 'me' } }, spec: { containers: [container] } })

/** `rootCertificate`: any that may sign, in PEM. */
export const exampleObjects = (rootCertificate: string): JsonObject[] => [
  ...surroundings(),
  ...configuration(),
  ...pods(),
  ...workloads(),
  ...network(),
  ...volumes(),
  ...access(rootCertificate),
  ...control(),
  object('resource.k8s.io/v1alpha3', 'DeviceTaintRule', 'plain', {
    spec: { taint: { key: 'example.com/k', effect: 'NoSchedule' } },
  }),
  ...devices(),
  ...custom(),
]
