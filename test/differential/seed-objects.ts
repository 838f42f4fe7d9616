/**
 * Objects that every server takes, a few of each kind, as beginnings that mutations lead away from. Without them hardly a
 * random object would get past the first validation. A kind that has none begins with the required fields of its schema.
 */
import type { Json } from './json.ts'

const labels = { app: 'web' }
const selector = { matchLabels: labels }
const container = { name: 'main', image: 'example.com/main:1' }
const pod = { containers: [container] }
const template = { metadata: { labels }, spec: pod }
const jobTemplate = { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } }
const rule = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }
const subject = { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }
const webhookRule = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }
const webhook = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/hook' },
  rules: [webhookRule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
/** Matches nothing that a case makes, so that policies of one case never meet objects of another. */
const constraints = { resourceRules: [webhookRule] }
const claimRequests = {
  flat: { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu.example.com' }] } },
  exactly: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } },
}
const device = { name: 'gpu-0', attributes: { model: { string: 'a' } }, capacity: { memory: { value: '1Gi' } } }
const flatDevice = { name: device.name }

const richPod = {
  metadata: { labels, annotations: { note: 'n' } },
  spec: {
    ...pod,
    initContainers: [{ name: 'init', image: 'i', command: ['true'], restartPolicy: 'Always' }],
    containers: [
      {
        ...container,
        command: ['sh', '-c', 'true'],
        env: [
          { name: 'A', value: 'a' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
        ],
        envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }],
        ports: [{ name: 'http', containerPort: 80 }],
        resources: { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '1', memory: '1Gi' } },
        livenessProbe: { httpGet: { path: '/', port: 'http' } },
        readinessProbe: { tcpSocket: { port: 80 } },
        startupProbe: { exec: { command: ['true'] } },
        lifecycle: { preStop: { sleep: { seconds: 1 } } },
        securityContext: { runAsUser: 1, capabilities: { add: ['NET_ADMIN'] }, allowPrivilegeEscalation: true },
        volumeMounts: [{ name: 'files', mountPath: '/files' }],
      },
    ],
    volumes: [
      { name: 'files', emptyDir: {} },
      { name: 'map', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { name: 'disk', persistentVolumeClaim: { claimName: 'p' } },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: selector } },
        ],
      },
    },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
    ],
    securityContext: { fsGroup: 1, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['a'] }],
    dnsConfig: { nameservers: ['1.1.1.1'] },
    readinessGates: [{ conditionType: 'example.com/ready' }],
    terminationGracePeriodSeconds: 5,
  },
}

const definition = (version: Json): Json => ({
  metadata: { name: '<plain>s.differential.example.com' },
  spec: {
    group: 'differential.example.com',
    scope: 'Namespaced',
    names: { plural: '<plain>s', kind: 'K<plain>' },
    versions: [{ name: 'v1', served: true, storage: true, ...(version as object) }],
  },
})
const freeSchema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const strictSchema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1, default: 3 },
          name: { type: 'string', pattern: '^[a-z]+$', maxLength: 10 },
          parts: {
            type: 'array',
            items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['id'],
          },
        },
        'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too large' }],
      },
      status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    },
  },
}

const service = { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }

/** By kind, or by kind and API version where versions differ. `<name>` is the name of the case's object. */
export const seedObjects: Readonly<Record<string, readonly Json[]>> = {
  Pod: [{ spec: pod }, richPod, { metadata: { labels }, spec: { ...pod, nodeName: 'node-a' } }],
  ConfigMap: [
    { data: { a: '1' } },
    { data: { a: '1', b: '2' }, binaryData: { c: 'AAE=' } },
    { immutable: true, data: { a: '1' } },
  ],
  Secret: [
    { stringData: { a: '1' } },
    { type: 'kubernetes.io/tls', data: { 'tls.crt': 'AA==', 'tls.key': 'AA==' } },
    { data: { a: 'AAE=' }, immutable: true },
  ],
  Service: [
    { spec: service },
    { spec: { ...service, type: 'NodePort', sessionAffinity: 'ClientIP' } },
    { spec: { ...service, type: 'LoadBalancer', externalTrafficPolicy: 'Local' } },
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
    { spec: { clusterIP: 'None', selector: labels } },
  ],
  Endpoints: [
    {
      subsets: [
        { addresses: [{ ip: '10.1.0.1', targetRef: { kind: 'Pod', name: 'p' } }], ports: [{ name: 'http', port: 80 }] },
      ],
    },
  ],
  Event: [
    {
      involvedObject: { kind: 'Pod', name: 'p', namespace: '<namespace>' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 1,
    },
  ],
  'Event events.k8s.io/v1': [
    {
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      type: 'Warning',
      regarding: { kind: 'Pod', name: 'p', namespace: '<namespace>' },
      note: 'n',
    },
  ],
  LimitRange: [
    { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Pi' }, min: { storage: '1' } }] } },
  ],
  Namespace: [{}, { metadata: { labels, finalizers: ['example.com/f'] } }],
  Node: [
    {},
    {
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }], podCIDR: '10.2.0.0/24' },
      status: {
        capacity: { cpu: '4', memory: '1Gi' },
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.3.0.1' }],
      },
    },
  ],
  PersistentVolume: [
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadOnlyMany'],
        csi: { driver: 'd.example.com', volumeHandle: 'h' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
      },
    },
  ],
  PersistentVolumeClaim: [
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    {
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        storageClassName: 's',
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ],
  PodTemplate: [{ template }],
  ReplicationController: [{ spec: { replicas: 1, selector: labels, template } }],
  ResourceQuota: [
    { spec: { hard: { 'count/widgets.example.com': '5' } } },
    {
      spec: {
        hard: { 'requests.storage': '5Pi' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] },
      },
    },
  ],
  ServiceAccount: [
    {},
    { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false },
  ],
  APIService: [
    {
      metadata: { name: 'v1.<name>.example.com' },
      spec: {
        group: '<name>.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 's', namespace: 'default' },
      },
    },
  ],
  ControllerRevision: [{ revision: 1, data: { a: { b: [1, 'c'] } } }],
  DaemonSet: [
    { spec: { selector, template } },
    {
      spec: {
        selector,
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      },
    },
  ],
  Deployment: [
    { spec: { selector, template } },
    {
      metadata: { labels },
      spec: {
        replicas: 2,
        paused: true,
        strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } },
        selector,
        template: { ...template, spec: richPod.spec },
      },
    },
  ],
  ReplicaSet: [{ spec: { replicas: 1, selector, template } }],
  StatefulSet: [
    { spec: { selector, template, serviceName: 's' } },
    {
      spec: {
        selector,
        template,
        serviceName: 's',
        replicas: 2,
        podManagementPolicy: 'Parallel',
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
  ],
  TokenReview: [{ spec: { token: 'nobody' } }, { spec: { token: 'admintoken', audiences: ['a'] } }],
  SelfSubjectReview: [{}],
  LocalSubjectAccessReview: [
    {
      metadata: { namespace: '<namespace>' },
      spec: { user: 'alice', resourceAttributes: { namespace: '<namespace>', verb: 'get', resource: 'pods' } },
    },
  ],
  SelfSubjectAccessReview: [
    { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    { spec: { nonResourceAttributes: { path: '/livez', verb: 'get' } } },
  ],
  SelfSubjectRulesReview: [{ spec: { namespace: '<namespace>' } }],
  SubjectAccessReview: [
    {
      spec: {
        user: 'alice',
        groups: ['dev'],
        resourceAttributes: {
          verb: 'list',
          group: 'apps',
          resource: 'deployments',
          labelSelector: { rawSelector: 'a=b' },
        },
      },
    },
    { spec: { groups: ['system:masters'], nonResourceAttributes: { path: '/x', verb: 'get' } } },
  ],
  'HorizontalPodAutoscaler autoscaling/v2': [
    {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          {
            type: 'External',
            external: { metric: { name: 'm', selector }, target: { type: 'AverageValue', averageValue: '1500m' } },
          },
        ],
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 5, policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }] },
        },
      },
    },
  ],
  HorizontalPodAutoscaler: [
    {
      spec: {
        maxReplicas: 5,
        minReplicas: 1,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
      },
    },
  ],
  CronJob: [
    { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
    {
      spec: {
        schedule: '@hourly',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        suspend: true,
        startingDeadlineSeconds: 5,
        jobTemplate: { metadata: { labels }, spec: { backoffLimit: 1, template: jobTemplate } },
      },
    },
  ],
  Job: [
    { spec: { template: jobTemplate } },
    {
      spec: {
        completionMode: 'Indexed',
        completions: 3,
        parallelism: 2,
        suspend: true,
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } }] },
        successPolicy: { rules: [{ succeededIndexes: '0-1' }] },
        template: jobTemplate,
      },
    },
  ],
  CertificateSigningRequest: [{ spec: { request: 'LS0t', signerName: 'example.com/s', usages: ['client auth'] } }],
  IngressClass: [
    { spec: { controller: 'example.com/c' } },
    {
      spec: {
        controller: 'example.com/c',
        parameters: { kind: 'K', name: 'n', apiGroup: 'example.com', scope: 'Cluster' },
      },
    },
  ],
  Ingress: [
    { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    {
      spec: {
        ingressClassName: 'c',
        tls: [{ hosts: ['a.example.com'], secretName: 's' }],
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'http' } } } }],
            },
          },
        ],
      },
    },
  ],
  IPAddress: [
    {
      metadata: { name: '192.168.<octet>' },
      spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } },
    },
  ],
  NetworkPolicy: [
    { spec: { podSelector: selector } },
    {
      spec: {
        podSelector: {},
        policyTypes: ['Egress', 'Ingress'],
        ingress: [
          {
            from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            ports: [{ port: 80, protocol: 'TCP', endPort: 90 }],
          },
        ],
        egress: [{ to: [{ namespaceSelector: {} }] }],
      },
    },
  ],
  ServiceCIDR: [{ spec: { cidrs: ['192.168.0.0/24'] } }],
  PodDisruptionBudget: [
    { spec: { minAvailable: 1, selector } },
    { spec: { maxUnavailable: '50%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
  ],
  ClusterRoleBinding: [
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: [subject] },
  ],
  ClusterRole: [
    { rules: [rule] },
    { rules: [{ nonResourceURLs: ['/x/*'], verbs: ['get'] }] },
    { aggregationRule: { clusterRoleSelectors: [selector] }, rules: null },
  ],
  RoleBinding: [
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [subject, { kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    },
  ],
  Role: [{ rules: [rule] }],
  CSIDriver: [
    { spec: {} },
    {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Ephemeral'],
        tokenRequests: [{ audience: 'a', expirationSeconds: 600 }],
        storageCapacity: true,
      },
    },
  ],
  CSINode: [
    { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 1 } }] } },
  ],
  CSIStorageCapacity: [{ storageClassName: 's', capacity: '1Gi', nodeTopology: selector, maximumVolumeSize: '1Gi' }],
  StorageClass: [
    { provisioner: 'example.com/disk' },
    {
      provisioner: 'example.com/disk',
      parameters: { a: 'b' },
      mountOptions: ['ro'],
      reclaimPolicy: 'Retain',
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
  ],
  VolumeAttachment: [{ spec: { attacher: 'd.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } } }],
  VolumeAttributesClass: [{ driverName: 'd.example.com', parameters: { a: 'b' } }],
  MutatingWebhookConfiguration: [{ webhooks: [{ ...webhook, reinvocationPolicy: 'IfNeeded' }] }],
  ValidatingWebhookConfiguration: [
    {
      webhooks: [
        webhook,
        {
          ...webhook,
          name: 'two.example.com',
          matchConditions: [{ name: 'a', expression: 'request.name != ""' }],
          namespaceSelector: selector,
          objectSelector: {},
          timeoutSeconds: 5,
        },
      ],
    },
  ],
  ValidatingAdmissionPolicy: [
    { spec: { matchConstraints: constraints, validations: [{ expression: 'true' }] } },
    {
      spec: {
        failurePolicy: 'Ignore',
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: constraints,
        matchConditions: [{ name: 'c', expression: 'has(object.metadata)' }],
        variables: [{ name: 'v', expression: '1 + 1' }],
        validations: [
          {
            expression: 'variables.v > 1',
            message: 'm',
            reason: 'Forbidden',
            messageExpression: '"x" + string(variables.v)',
          },
        ],
        auditAnnotations: [{ key: 'k', valueExpression: 'string(variables.v)' }],
      },
    },
  ],
  ValidatingAdmissionPolicyBinding: [
    { spec: { policyName: 'p', validationActions: ['Deny'] } },
    {
      spec: {
        policyName: 'p',
        validationActions: ['Warn', 'Audit'],
        paramRef: { name: 'c', namespace: 'default', parameterNotFoundAction: 'Deny' },
        matchResources: { namespaceSelector: selector },
      },
    },
  ],
  MutatingAdmissionPolicy: [
    {
      spec: {
        matchConstraints: constraints,
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
          },
        ],
      },
    },
    {
      spec: {
        matchConstraints: constraints,
        reinvocationPolicy: 'IfNeeded',
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]' },
          },
        ],
      },
    },
  ],
  MutatingAdmissionPolicyBinding: [{ spec: { policyName: 'p' } }],
  CustomResourceDefinition: [
    definition({ schema: freeSchema }),
    definition({
      schema: strictSchema,
      subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    }),
  ],
  PriorityClass: [{ value: 5 }, { value: -5, preemptionPolicy: 'Never', description: 'd' }],
  Lease: [
    {
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 5,
        acquireTime: '2024-01-01T00:00:00.000000Z',
        renewTime: '2024-01-01T00:00:00.000000Z',
      },
    },
  ],
  LeaseCandidate: [
    {
      spec: { leaseName: 'l', binaryVersion: '1.33.0', emulationVersion: '1.33.0', strategy: 'OldestEmulationVersion' },
    },
  ],
  RuntimeClass: [
    { handler: 'h' },
    {
      handler: 'h',
      overhead: { podFixed: { cpu: '1' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
    },
  ],
  EndpointSlice: [
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: true }, zone: 'a' }],
      ports: [{ name: 'http', port: 80 }],
    },
    {
      addressType: 'FQDN',
      endpoints: [{ addresses: ['a.example.com'], hostname: 'h', targetRef: { kind: 'Pod', name: 'p' } }],
      ports: [],
    },
  ],
  DeviceClass: [
    {
      spec: {
        selectors: [{ cel: { expression: 'device.driver == "d.example.com"' } }],
        config: [{ opaque: { driver: 'd.example.com', parameters: { a: 1 } } }],
      },
    },
  ],
  'ResourceClaim resource.k8s.io/v1beta2': [{ spec: claimRequests.exactly }],
  ResourceClaim: [{ spec: claimRequests.flat }],
  'ResourceClaimTemplate resource.k8s.io/v1beta2': [{ spec: { spec: claimRequests.exactly } }],
  ResourceClaimTemplate: [{ spec: { spec: claimRequests.flat } }],
  'ResourceSlice resource.k8s.io/v1beta2': [
    {
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [device],
      },
    },
  ],
  ResourceSlice: [
    {
      spec: {
        driver: 'd.example.com',
        allNodes: true,
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ ...flatDevice, basic: {} }],
      },
    },
  ],
  DeviceTaintRule: [
    { spec: { deviceSelector: { driver: 'd.example.com' }, taint: { key: 'a.example.com/t', effect: 'NoSchedule' } } },
  ],
  FlowSchema: [
    {
      spec: {
        priorityLevelConfiguration: { name: 'global-default' },
        matchingPrecedence: 9000,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
            resourceRules: [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    },
  ],
  PriorityLevelConfiguration: [
    {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 1,
          limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } },
        },
      },
    },
    { spec: { type: 'Exempt', exempt: { lendablePercent: 5 } } },
  ],
  StorageVersion: [
    {
      metadata: { name: '<name>.things' },
      spec: {},
      status: { storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'] }] },
    },
  ],
  Binding: [{ target: { kind: 'Node', name: 'n' } }],
  Eviction: [{ deleteOptions: { gracePeriodSeconds: 0 } }],
  Scale: [{ spec: { replicas: 2 } }],
  TokenRequest: [{ spec: { audiences: ['a'], expirationSeconds: 600 } }],
}
