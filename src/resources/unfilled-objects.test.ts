/**
 * Rules of what no request leaves as it is, as defaults, preparation and allocation come before them: the rules alone, on objects
 * as they stand here.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { type Against, type KindRegistries, openKindRegistries } from '../../test/support/kind-registries.ts'
import type { JsonObject } from '../api/json.ts'
import { checkDns1123Label } from '../api/names.ts'

interface Case extends Against {
  /** `apps/v1/deployments`. */
  readonly of: string
  readonly object: JsonObject
  readonly errors: readonly string[]
}

const opened: KindRegistries[] = []
afterAll(() => {
  for (const kinds of opened) kinds.close()
})

function play(name: string, { release = 33, gates = '' }: { release?: number; gates?: string }, cases: Case[]): void {
  describe(name, async () => {
    const isServed = ({ subresource }: { subresource: string }): boolean => subresource === ''
    const kinds = await openKindRegistries({ release, gates, ranges: ['10.0.0.0/24', 'fd00::/112'], isServed })
    opened.push(kinds)
    test.each(cases)('$of $errors', async ({ of, object, errors, ...against }) => {
      const slash = of.lastIndexOf('/')
      const target = { apiVersion: of.slice(0, slash), resource: of.slice(slash + 1) }
      expect(await kinds.check(target, object, against)).toEqual(errors)
    })
  })
}

const metadata = { name: 'a', namespace: 'ns' }
const container = { name: 'c', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File', resources: {} }
const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  dnsPolicy: 'Default',
  terminationGracePeriodSeconds: 1,
}
const template = { metadata: { labels: { a: 'b' } }, spec: podSpec }
const once = { ...template, spec: { ...podSpec, restartPolicy: 'Never' } }
const selector = { matchLabels: { a: 'b' } }
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }
const port = { port: 80, protocol: 'TCP', targetPort: 80 }
const service = {
  type: 'ClusterIP',
  ports: [port],
  clusterIP: '10.0.0.5',
  clusterIPs: ['10.0.0.5'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
}
const dualStack = {
  ...service,
  clusterIPs: ['10.0.0.5', 'fd00::5'],
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'RequireDualStack',
}
const job = { parallelism: 1, completions: 1, backoffLimit: 1, completionMode: 'NonIndexed', selector, template: once }
const cronJob = (spec: JsonObject): JsonObject => ({
  metadata,
  spec: {
    schedule: 'TZ=UTC * * * * *',
    concurrencyPolicy: 'Allow',
    jobTemplate: { spec: { template: once } },
    ...spec,
  },
})
const signing = (status: JsonObject): JsonObject => ({
  metadata,
  spec: { request: '', signerName: 'a.b/c', usages: ['digital signature'] },
  status,
})
const labels = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, 'b']))
const condition = (type: string): JsonObject => ({ type, status: 'True' })
const pod = (spec: JsonObject, status: JsonObject = {}): JsonObject => ({
  metadata,
  spec: { ...podSpec, ...spec },
  status,
})
const claimOf = (spec: JsonObject): JsonObject => ({
  metadata,
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '2Gi' } },
    volumeMode: 'Filesystem',
    ...spec,
  },
  status: { phase: 'Bound' },
})
const volume = (name: string): JsonObject => ({
  metadata,
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'a', volumeHandle: 'b' },
    persistentVolumeReclaimPolicy: 'Retain',
    volumeAttributesClassName: name,
  },
})

play('without defaults', {}, [
  {
    of: 'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    object: {
      metadata: {},
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'true' }],
        auditAnnotations: [{ key: 'k', valueExpression: "'x'" }],
      },
      status: {},
    },
    errors: [
      'spec.failurePolicy: Required value',
      'spec.matchConstraints.matchPolicy: Required value',
      'spec.matchConstraints.namespaceSelector: Required value',
      'spec.matchConstraints.objectSelector: Required value',
      'spec.auditAnnotations[0].key: Invalid value: "k": requires metadata.name be non-empty',
    ],
  },
  {
    of: 'apps/v1/deployments',
    object: { metadata, spec: { replicas: 1, selector, template, strategy: { type: 'RollingUpdate' } } },
    errors: ['spec.strategy.rollingUpdate: Required value: this should be defaulted and never be nil'],
  },
  {
    of: 'apps/v1/daemonsets',
    object: {
      metadata,
      spec: { selector, template, updateStrategy: { type: 'RollingUpdate' }, revisionHistoryLimit: 1 },
    },
    errors: ['spec.updateStrategy.rollingUpdate: Required value'],
  },
  {
    of: 'apps/v1/statefulsets',
    object: { metadata, spec: { replicas: 1, selector, template, updateStrategy: {}, serviceName: 's' } },
    errors: ['spec.podManagementPolicy: Required value', 'spec.updateStrategy: Required value'],
  },
  {
    of: 'v1/replicationcontrollers',
    object: { metadata, spec: { selector: { a: 'b' }, template } },
    errors: ['spec.replicas: Required value'],
  },
  {
    of: 'storage.k8s.io/v1/csidrivers',
    object: { metadata, spec: {} },
    errors: [
      'spec.attachedRequired: Required value',
      'spec.podInfoOnMount: Required value',
      'spec.storageCapacity: Required value',
      'spec.seLinuxMount: Required value',
    ],
  },
  {
    of: 'storage.k8s.io/v1/storageclasses',
    object: { metadata, provisioner: 'a' },
    errors: ['volumeBindingMode: Required value'],
  },
  {
    of: 'networking.k8s.io/v1/ingressclasses',
    object: { metadata, spec: { controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } } },
    errors: ['spec.parameters.scope: Required value'],
  },
  {
    of: 'discovery.k8s.io/v1/endpointslices',
    object: { metadata, addressType: 'IPv4', endpoints: [], ports: [{ name: 'a', port: 1 }] },
    errors: ['ports[0].protocol: Required value'],
  },
  {
    of: 'discovery.k8s.io/v1/endpointslices',
    object: { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: labels(17) }] },
    errors: ['endpoints[0].deprecatedTopology: Too many: 17: must have at most 16 items'],
  },
  {
    of: 'discovery.k8s.io/v1/endpointslices',
    object: { metadata, addressType: 'IPv4', endpoints: [], ports: Array.from({ length: 20_001 }, () => ({})) },
    errors: ['ports: Too many: 20001: must have at most 20000 items'],
  },
  {
    of: 'scheduling.k8s.io/v1/priorityclasses',
    object: { metadata, value: 1, preemptionPolicy: '' },
    errors: ['preemptionPolicy: Required value'],
  },
  {
    of: 'v1/events',
    object: { metadata: { name: 'a', namespace: 'A' }, involvedObject: { namespace: 'A' } },
    errors: [
      "namespace: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    of: 'v1/persistentvolumeclaims',
    object: { metadata, spec: {}, status: {} },
    old: { metadata, spec: {}, status: {} },
    subresource: 'status',
    errors: ['Spec.accessModes: Required value'],
  },
  {
    of: 'v1/pods',
    object: { metadata, spec: { containers: [container], restartPolicy: 'Always', dnsPolicy: 'Default' } },
    errors: ['spec.terminationGracePeriodSeconds: Required value'],
  },
  {
    of: 'v1/pods',
    object: pod({ volumes: [{ name: 'v' }] }),
    errors: ['spec.volumes[0]: Required value: must specify a volume type'],
  },
  {
    of: 'v1/pods',
    object: pod({
      containers: [
        {
          ...container,
          ports: [{ containerPort: 1, protocol: '' }],
          lifecycle: { postStart: { httpGet: { port: 1, scheme: 'HTTP' } } },
          env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
      ],
    }),
    errors: [
      'spec.containers[0].ports[0].protocol: Required value',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion: Required value',
      'spec.containers[0].lifecycle.postStart.httpGet.path: Required value',
    ],
  },
  {
    of: 'batch/v1/jobs',
    object: { metadata, spec: job },
    errors: [
      'metadata.uid: Required value',
      "spec.template.metadata.labels[controller-uid]: Required value: must be ''",
      "spec.template.metadata.labels[job-name]: Required value: must be 'a'",
      "spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be ''",
      "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'a'",
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` not auto-generated',
    ],
  },
  {
    of: 'batch/v1/jobs',
    object: {
      metadata,
      spec: {
        ...job,
        completions: undefined as never,
        completionMode: 'Indexed',
        manualSelector: true,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'a', status: '' }] }] },
      },
    },
    errors: [
      'spec.completions: Required value: when completion mode is Indexed',
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Required value: valid values: ["False" "True" "Unknown"]',
    ],
  },
  {
    of: 'batch/v1/jobs',
    object: {
      metadata,
      spec: {
        ...job,
        completions: 100_000,
        completionMode: 'Indexed',
        manualSelector: true,
        successPolicy: {
          rules: [{ succeededIndexes: Array.from({ length: 12_000 }, (_, i) => 2 * i + 10_000).join(',') }],
        },
      },
    },
    errors: ['spec.successPolicy.rules[0].succeededIndexes: Too long: may not be more than 65536 bytes'],
  },
])

play('without preparation', {}, [
  {
    of: 'v1/services',
    object: { metadata, spec: { ...service, sessionAffinityConfig: {} } },
    errors: ['spec.sessionAffinityConfig: Forbidden: must not be set when session affinity is None'],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...service, sessionAffinity: 'ClientIP' } },
    errors: ['spec.sessionAffinityConfig: Required value: when session affinity type is ClientIP'],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...service, sessionAffinity: 'ClientIP', sessionAffinityConfig: {} } },
    errors: ['spec.sessionAffinityConfig.clientIP: Required value: when session affinity type is ClientIP'],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...service, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } } },
    errors: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Required value: when session affinity type is ClientIP',
    ],
  },
  {
    of: 'v1/services',
    object: {
      metadata,
      spec: {
        ...service,
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        ports: [
          { ...port, name: 'a', nodePort: 30_000 },
          { ...port, name: 'b', port: 81, nodePort: 30_000 },
        ],
      },
    },
    errors: [
      'spec.ports[1].nodePort: Duplicate value: 30000',
      'allocateLoadBalancerNodePorts: Required value',
      'spec.healthCheckNodePort: Required value',
    ],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { type: 'ClusterIP', ports: [port], sessionAffinity: 'None', clusterIP: '10.0.0.5' } },
    errors: ['spec.clusterIPs: Required value', 'spec.internalTrafficPolicy: Required value'],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...service, clusterIP: '', clusterIPs: [] } },
    old: { metadata, spec: service },
    errors: ['spec.clusterIPs[0]: Invalid value: []string(nil): primary clusterIP can not be unset'],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...dualStack, clusterIPs: ['10.0.0.5'], ipFamilies: ['IPv4'] } },
    old: { metadata, spec: dualStack },
    errors: [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
    ],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...dualStack, ipFamilies: ['IPv6', 'IPv4'] } },
    old: { metadata, spec: dualStack },
    errors: [
      'spec.ipFamilies[0]: Invalid value: []core.IPFamily{"IPv6", "IPv4"}: may not change once set',
      'spec.ipFamilies[0]: Invalid value: []core.IPFamily{"IPv6", "IPv4"}: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.5": expected an IPv6 value as indicated by `ipFamilies[0]`',
      'spec.clusterIPs[1]: Invalid value: "fd00::5": expected an IPv4 value as indicated by `ipFamilies[1]`',
    ],
  },
  {
    of: 'v1/services',
    object: { metadata, spec: { ...dualStack, ipFamilies: ['IPv6'], clusterIP: '', clusterIPs: [] } },
    old: { metadata, spec: dualStack },
    errors: [
      'spec.clusterIPs[0]: Invalid value: []string(nil): primary clusterIP can not be unset',
      'spec.ipFamilies[0]: Invalid value: []core.IPFamily{"IPv6"}: primary ipFamily can not be unset',
      'spec.ipFamilies[0]: Invalid value: []string(nil): may not change once set',
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
    ],
  },
  {
    of: 'v1/services',
    object: {
      metadata,
      spec: { ...service, type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    },
    old: { metadata, spec: { ...service, type: 'LoadBalancer' } },
    subresource: 'status',
    errors: ['status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set'],
  },
  {
    of: 'batch/v1/cronjobs',
    object: cronJob({ timeZone: 'UTC' }),
    old: cronJob({}),
    errors: [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ],
  },
  {
    of: 'batch/v1/jobs',
    object: { metadata, spec: {}, status: { conditions: [condition('Complete'), condition('SuccessCriteriaMet')] } },
    old: { metadata, spec: {}, status: { conditions: [condition('Complete')] } },
    subresource: 'status',
    errors: [
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ],
  },
  {
    of: 'certificates.k8s.io/v1/certificatesigningrequests',
    object: signing({ certificate: 'eA==' }),
    old: signing({}),
    subresource: 'approval',
    errors: [
      'spec.request: Invalid value: []byte{}: PEM block type must be CERTIFICATE REQUEST',
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      'status.certificate: Forbidden: updates may not set certificate content',
    ],
  },
  {
    of: 'v1/pods',
    object: pod({ hostNetwork: true }, { qosClass: 'BestEffort' }),
    old: pod({}, { qosClass: 'BestEffort' }),
    subresource: 'resize',
    errors: ['spec: Forbidden: only cpu and memory resources are mutable'],
  },
])

const withoutGates = 'RecoverVolumeExpansionFailure=false,VolumeAttributesClass=false,InPlacePodVerticalScaling=false'
play('behind gates that are off', { gates: withoutGates }, [
  {
    of: 'v1/pods',
    object: pod({
      initContainers: [
        { ...container, name: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] },
      ],
    }),
    errors: [
      'spec.initContainers[0].resizePolicy: Invalid value: []core.ContainerResizePolicy{core.ContainerResizePolicy{ResourceName:"cpu", RestartPolicy:"NotRequired"}}: must not be set for init containers',
    ],
  },
  {
    of: 'v1/persistentvolumeclaims',
    object: claimOf({ resources: { requests: { storage: '1Gi' } } }),
    old: claimOf({}),
    errors: ['spec.resources.requests.storage: Forbidden: field can not be less than previous value'],
  },
  {
    of: 'v1/persistentvolumeclaims',
    object: claimOf({ volumeAttributesClassName: 'b' }),
    old: claimOf({ volumeAttributesClassName: 'a' }),
    errors: [
      'spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate is disabled',
    ],
  },
  {
    of: 'v1/persistentvolumes',
    object: volume('b'),
    old: volume('a'),
    errors: [
      'spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate is disabled',
    ],
  },
])

play('of a later release', { release: 36 }, [
  { of: 'node.k8s.io/v1/runtimeclasses', object: { metadata, handler: '' }, errors: ['handler: Required value'] },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    object: { metadata, spec: { type: '' }, status: {} },
    errors: ['spec.type: Required value'],
  },
  ...[
    [0, 'spec.maxReplicas: Required value: must be set and greater than 0'] as const,
    [-1, 'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1'] as const,
  ].map(([maxReplicas, error]) => ({
    of: 'autoscaling/v2/horizontalpodautoscalers',
    object: {
      metadata,
      spec: { maxReplicas, scaleTargetRef: { kind: 'K', name: 'n', apiVersion: 'apps/v1' } },
      status: {},
    },
    errors: [error],
  })),
  {
    of: 'storage.k8s.io/v1/storageclasses',
    object: {
      metadata,
      provisioner: 'b',
      parameters: { a: 'c' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'Immediate',
    },
    old: {
      metadata,
      provisioner: 'a',
      parameters: { a: 'b' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
    errors: [
      'parameters: Invalid value: {"a":"c"}: field is immutable',
      'provisioner: Invalid value: "b": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
    ],
  },
])

const claim = (spec: JsonObject, status: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  metadata: { ...metadata, ...more },
  spec: {
    devices: { requests: [{ name: 'r', deviceClassName: 'k', allocationMode: 'ExactCount', count: 1, ...spec }] },
  },
  status,
})
const allocation = { devices: { results: [{ request: 'r', driver: 'd.x', pool: 'p', device: 'd' }] } }
const reserved = (name: string): JsonObject => ({ resource: 'pods', name, uid: name })

play('of devices', { gates: 'DynamicResourceAllocation=true,DRAAdminAccess=true,DRADeviceTaints=true' }, [
  {
    of: 'resource.k8s.io/v1beta1/resourceclaims',
    object: claim({ adminAccess: true }),
    errors: [
      'spec.devices.requests[0].adminAccess: Internal error: could not retrieve namespace to verify admin access: namespaces "ns" not found',
    ],
  },
  {
    of: 'resource.k8s.io/v1beta1/resourceclaims',
    object: claim({ tolerations: [{ key: 'a' }] }),
    errors: ['spec.devices.requests[0].exactly.tolerations[0].operator: Required value'],
  },
  {
    of: 'resource.k8s.io/v1beta1/resourceclaims',
    object: claim(
      {},
      { allocation, reservedFor: [reserved('a'), reserved('b')] },
      { deletionTimestamp: '2024-01-01T00:00:00Z' },
    ),
    old: claim({}, { allocation, reservedFor: [reserved('a')] }, { deletionTimestamp: '2024-01-01T00:00:00Z' }),
    subresource: 'status',
    errors: [
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    ],
  },
])

const laterGates =
  'DRAConsumableCapacity=true,DRADeviceBindingConditions=true,DRAResourceClaimDeviceStatus=true,GenericWorkload=true,GangScheduling=true,ContainerRestartRules=true,InPlacePodLevelResourcesVerticalScaling=true,PodLevelResources=true,PodCertificateRequest=true'
const resources = (cpu: string, more: JsonObject = {}): JsonObject => ({ requests: { cpu, ...more } })
const started = (init: JsonObject): JsonObject =>
  pod({ initContainers: [{ ...container, name: 'i', ...init }] }, { qosClass: 'Burstable' })
const exits = Array.from({ length: 21 }, () => ({ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }))

play('behind gates of a later release', { release: 36, gates: laterGates }, [
  {
    of: 'resource.k8s.io/v1beta1/resourceclaims',
    object: {
      metadata,
      spec: {
        devices: {
          requests: [{ name: 'r', deviceClassName: 'k', allocationMode: 'ExactCount', count: 1 }],
          constraints: [{ requests: ['r'] }],
        },
      },
    },
    errors: [
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ],
  },
  {
    of: 'v1/pods',
    object: pod({ resources: resources('1') }, { qosClass: 'Burstable' }),
    old: pod({ resources: resources('1', { memory: '1Gi' }) }, { qosClass: 'Burstable' }),
    subresource: 'resize',
    errors: ['spec.resources.requests: Forbidden: pod-level resource requests cannot be removed'],
  },
  {
    of: 'v1/pods',
    object: started({ restartPolicy: 'Always', resources: resources('1', { 'ephemeral-storage': '2Gi' }) }),
    old: started({ restartPolicy: 'Always', resources: resources('1', { 'ephemeral-storage': '1Gi' }) }),
    subresource: 'resize',
    errors: [
      'spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable',
    ],
  },
  {
    of: 'v1/pods',
    object: started({
      resources: resources('2'),
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
    }),
    old: started({
      resources: resources('1'),
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
    }),
    subresource: 'resize',
    errors: [
      'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
    ],
  },
  {
    of: 'v1/pods',
    object: pod({ schedulingGroup: {} }),
    errors: ['spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`'],
  },
  {
    of: 'v1/pods',
    object: pod({ containers: [{ ...container, restartPolicy: 'Never', restartPolicyRules: exits }] }),
    errors: ['spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items'],
  },
  {
    of: 'v1/pods',
    object: pod({
      volumes: [
        { name: 'v', projected: { sources: [{ podCertificate: { signerName: 'a.b/c', keyType: 'ED25519' } }] } },
      ],
    }),
    errors: [
      'spec.volumes[0].projected.sources[0].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
    ],
  },
  {
    of: 'v1/pods',
    object: pod({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              {
                podCertificate: { signerName: 'a.b/c', keyType: 'ED25519', keyPath: 'k', userAnnotations: { '': 'b' } },
              },
            ],
          },
        },
      ],
    }),
    errors: ['spec.volumes[0].projected.sources[0].podCertificate.userAnnotations: Required value'],
  },
])

const [labelMessage] = checkDns1123Label('a\u0000')
const windows = { windowsOptions: { runAsUserName: 'a\u0000' } }

play('with texts of named types, and pointers to texts, which are shown as JSON', { release: 34 }, [
  {
    of: 'v1/pods',
    object: pod({ os: { name: 'a\u0000' } }),
    errors: ['spec.os: Unsupported value: "a\\u0000": supported values: "linux", "windows"'],
  },
  {
    of: 'v1/pods',
    object: pod({ securityContext: windows }),
    errors: [
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\u0000": runAsUserName cannot contain control characters',
    ],
  },
  {
    of: 'batch/v1/cronjobs',
    object: cronJob({ timeZone: 'a\u0000', schedule: '* * * * *' }),
    errors: ['spec.timeZone: Invalid value: "a\\u0000": unknown time zone a\u0000'],
  },
  {
    of: 'discovery.k8s.io/v1/endpointslices',
    object: {
      metadata,
      addressType: 'IPv4',
      endpoints: [],
      ports: ['a\u0000', 'a\u0000'].map((name) => ({ name, protocol: 'TCP' })),
    },
    errors: [
      `ports[0].name: Invalid value: "a\\x00": ${labelMessage}`,
      `ports[1].name: Invalid value: "a\\x00": ${labelMessage}`,
      'ports[1].name: Duplicate value: "a\\u0000"',
    ],
  },
  {
    of: 'v1/nodes',
    object: { metadata: { name: 'a' }, spec: { taints: [{ key: 'a', effect: 'a\u0000' }] } },
    errors: [
      'metadata.taints[0].effect: Unsupported value: "a\\u0000": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  },
])
