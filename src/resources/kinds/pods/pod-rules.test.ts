import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { writerOf } from './test-writer.ts'

const gates = resolveFeatureGates(new Map(), { major: 1, minor: 33 })
const pods = writerOf('v1', 'pods', (name) => gates.enabled(name))

const container = { name: 'c', image: 'i:1' }
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container], ...spec },
})
const withContainer = (more: JsonObject): JsonObject => pod({ containers: [{ ...container, ...more }] })
const withVolume = (source: JsonObject): JsonObject => pod({ volumes: [{ name: 'v', ...source }] })

/** `field: message`. */
const tell = (body: JsonObject): string[] =>
  pods.create(body).errors.map(({ field, message }) => `${field}: ${message}`)

describe('a new pod', () => {
  test('is pending, and counted by its requests', () => {
    const { object, errors } = pods.create(pod({}))
    expect(errors).toEqual([])
    expect(object['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
  })

  test.each([
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1' } }, 'Burstable'],
    [{ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1024Mi' } }, 'Guaranteed'],
    [{ requests: { cpu: '0' } }, 'BestEffort'],
    [{ requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } }, 'BestEffort'],
  ])('with %j is %s', (resources, qosClass) => {
    expect(pods.create(withContainer({ resources })).object['status']).toMatchObject({ qosClass })
  })

  test('that waits at gates says so', () => {
    const { object } = pods.create(pod({ schedulingGates: [{ name: 'example.com/a' }] }))
    expect(object['status']).toMatchObject({
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    })
  })

  test('gets label keys of its affinity as expressions', () => {
    const term = {
      topologyKey: 'zone',
      labelSelector: {},
      matchLabelKeys: ['app', 'none'],
      mismatchLabelKeys: ['tier'],
    }
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    const { object } = pods.create(pod({ affinity }, { labels: { app: 'a', tier: 't' } }))
    const [made] = (object['spec'] as JsonObject & { affinity: typeof affinity }).affinity.podAffinity
      .requiredDuringSchedulingIgnoredDuringExecution
    expect(made?.labelSelector).toEqual({
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['a'] },
        { key: 'tier', operator: 'NotIn', values: ['t'] },
      ],
    })
  })

  test('gets profiles both as field and as annotation', () => {
    const fromField = pods.create(withContainer({ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }))
    expect(fromField.object.metadata.annotations).toEqual({
      'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
    })
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/p' }
    const fromAnnotation = pods.create(pod({}, { annotations }))
    expect(fromAnnotation.warnings).toEqual([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ])
    expect(fromAnnotation.object['spec']).toMatchObject({
      containers: [{ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } } }],
    })
    const refused = pods.create(pod({ restartPolicy: 'No' }, { annotations }))
    expect(refused.errors).toHaveLength(1)
    expect(refused.warnings).toEqual(fromAnnotation.warnings)
  })

  test('loses fields of features that are off', () => {
    const { object } = pods.create(
      pod({ resources: { limits: { cpu: '1' } }, volumes: [{ name: 'i', image: { reference: 'r' } }] }),
    )
    expect(object['spec']).not.toHaveProperty('resources')
  })
})

describe('refusals', () => {
  test.each<[string, JsonObject, string[]]>([
    [
      'two sources of one volume',
      withVolume({ emptyDir: {}, cephfs: { monitors: ['m'] } }),
      ['spec.volumes[0].cephFS: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'an iSCSI name',
      withVolume({ iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.bad', lun: 256 } }),
      [
        'spec.volumes[0].iscsi.iqn: Invalid value: "iqn.bad": must be valid format',
        'spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      ],
    ],
    [
      'paths that collide in a projected volume',
      withVolume({
        projected: {
          sources: [
            { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
            { configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } },
          ],
        },
      }),
      ['spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths'],
    ],
    [
      'a token without an account',
      withVolume({ projected: { sources: [{ serviceAccountToken: { path: '/abs', expirationSeconds: 5 } }] } }),
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
        'spec.volumes[0].projected.path: Invalid value: "/abs": must be a relative path',
        'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
    [
      'the template of a claim',
      withVolume({ ephemeral: { volumeClaimTemplate: { metadata: { name: 'x' }, spec: { accessModes: ['Never'] } } } }),
      [
        'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Never": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
      ],
    ],
    [
      'files of the downward API',
      withVolume({
        downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }, { path: '..b' }] },
      }),
      [
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
        'spec.volumes[0].downwardAPI.path: Invalid value: "..b": must not start with \'..\'',
        'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      ],
    ],
    [
      'mounts',
      pod({
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          {
            ...container,
            volumeMounts: [
              { name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional', recursiveReadOnly: 'Enabled' },
              { name: 'v', mountPath: '/a', subPath: 'x', subPathExpr: '/y' },
            ],
            volumeDevices: [{ name: 'v', devicePath: '/dev/../x' }],
          },
        ],
      }),
      [
        'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
        'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
        'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
        'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified',
        'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
        'spec.containers[0].volumeMounts[1].name: Invalid value: "v": must not already exist in volumeDevices',
        'spec.containers[0].volumeMounts[1].subPathExpr: Invalid value: "/y": subPathExpr and subPath are mutually exclusive',
        'spec.containers[0].volumeMounts.subPathExpr: Invalid value: "/y": must be a relative path',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/dev/../x": can not contain backsteps (\'..\')',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      ],
    ],
    [
      'probes',
      withContainer({
        livenessProbe: { grpc: { port: 0 }, exec: { command: ['x'] }, successThreshold: 2 },
        readinessProbe: { tcpSocket: { port: 'a' }, terminationGracePeriodSeconds: 3 },
        lifecycle: { preStop: { sleep: { seconds: 99 } }, postStart: {}, stopSignal: 'SIGTERM' },
      }),
      [
        'spec.containers[0].lifecycle.postStart: Required value: must specify a handler type',
        'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 99: must be non-negative and less than terminationGracePeriodSeconds (30)',
        'spec.containers[0].livenessProbe.grpc: Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes',
      ],
    ],
    [
      'resources',
      withContainer({
        resources: {
          requests: { 'example.com/gpu': '1', 'hugepages-2Mi': '3Mi', 'requests.example.com/x': '1' },
          limits: { 'hugepages-2Mi': '3Mi' },
        },
      }),
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        "spec.containers[0].resources.requests[requests.example.com/x]: Invalid value: requests.example.com/x: doesn't follow extended resource name standard",
        'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
        'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
      ],
    ],
    [
      'security',
      pod({
        securityContext: {
          fsGroup: -1,
          sysctls: [{ name: 'net.x' }, { name: 'net.x' }, { name: 'UP' }],
          seccompProfile: { type: 'Localhost' },
          seLinuxChangePolicy: 'MountOption',
        },
        hostNetwork: true,
        containers: [{ ...container, securityContext: { privileged: true, procMount: 'Odd' } }],
      }),
      [
        'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
        'spec.containers[0].securityContext.procMount: Unsupported value: "Odd": supported values: "Default", "Unmasked"',
        'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.sysctls[0].name: Invalid value: "net.x": may not be specified when \'hostNetwork\' is true',
        'spec.securityContext.sysctls[1].name: Duplicate value: "net.x"',
        'spec.securityContext.sysctls[1].name: Invalid value: "net.x": may not be specified when \'hostNetwork\' is true',
        'spec.securityContext.sysctls[2].name: Invalid value: "UP": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
        'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
      ],
    ],
    [
      'affinity',
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'a', operator: 'Gt' }],
                  matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }],
                },
              ],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }],
          },
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '', matchLabelKeys: ['a'] }],
          },
        },
      }),
      [
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      ].concat(
        tell(pod({ nodeSelector: { '': 'x' } }))
          .slice(1)
          .map((text) =>
            text.replace(
              'spec.nodeSelector',
              'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
            ),
          ),
      ),
    ],
    [
      'spreading',
      pod({
        topologySpreadConstraints: [
          { maxSkew: 0, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 0, nodeTaintsPolicy: 'No' },
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      }),
      [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "No": supported values: "Honor", "Ignore"',
      ],
    ],
    [
      'names in DNS',
      pod({ dnsPolicy: 'None' }),
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'init containers',
      pod({ initContainers: [{ ...container, lifecycle: {}, restartPolicy: 'Never', resizePolicy: [] }] }),
      [
        'spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.initContainers[0].name: Duplicate value: "c"',
        'spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'windows',
      pod({ os: { name: 'windows' }, hostPID: true, securityContext: { runAsUser: 1 } }),
      [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'a node for a pod that waits',
      pod({ nodeName: 'n', schedulingGates: [{ name: 'a' }] }),
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'claims',
      pod({
        resourceClaims: [{ name: 'a' }],
        containers: [{ ...container, resources: { claims: [{ name: 'b' }] } }],
      }),
      [],
    ],
  ])('of %s', (_, body, wanted) => {
    expect(tell(body)).toEqual(wanted)
  })
})

describe('warnings', () => {
  test.each<[JsonObject, string[]]>([
    [
      pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
      ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    ],
    [
      withContainer({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      withContainer({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '$(A)2' },
        ],
      }),
      [],
    ],
    [
      withContainer({ ports: [{ containerPort: 80 }, { containerPort: 80, hostPort: 80 }] }),
      ['spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]'],
    ],
    [
      withContainer({ resources: { requests: { memory: '100m' } } }),
      ['spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer'],
    ],
    [
      withVolume({
        configMap: {
          name: 'm',
          items: [
            { key: 'a', path: 'x' },
            { key: 'b', path: 'x/y' },
          ],
        },
      }),
      ['volume "v" (ConfigMap "m"): overlapping paths: "x/y" with "x"'],
    ],
    [
      withVolume({ gitRepo: { repository: 'r' } }),
      ['spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+'],
    ],
    // It is 1 before anybody could warn of it.
    [pod({ terminationGracePeriodSeconds: -1 }), []],
  ])('%#', (body, wanted) => {
    expect(pods.create(body).warnings).toEqual(wanted)
  })
})

describe('updates', () => {
  const stored = (spec: JsonObject = {}, metadata: JsonObject = {}): KubeObject =>
    pods.create(pod(spec, metadata)).object
  const refused = (body: JsonObject, old: KubeObject, part?: string): string[] =>
    pods.update(body, old, part).errors.map(({ field, message }) => `${field}: ${message.split('\n')[0]}`)
  const fixed =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['another image', {}, { containers: [{ ...container, image: 'i:2' }] }, []],
    ['a deadline', {}, { activeDeadlineSeconds: 5 }, []],
    ['a tolerance more', {}, { tolerations: [{ operator: 'Exists' }] }, []],
    ['a node', {}, { nodeName: 'n' }, [fixed]],
    [
      'another container',
      {},
      { containers: [container, { ...container, name: 'd' }] },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'a grace period that was negative',
      { terminationGracePeriodSeconds: -5 },
      { terminationGracePeriodSeconds: 1 },
      [],
    ],
    [
      'a tolerance less',
      { tolerations: [{ operator: 'Exists' }] },
      {},
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'a node selector while gated',
      { schedulingGates: [{ name: 'a' }] },
      { schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } },
      [],
    ],
    [
      'node affinity while gated',
      { schedulingGates: [{ name: 'a' }] },
      {
        schedulingGates: [{ name: 'a' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      [],
    ],
    [
      'a gate more',
      {},
      { schedulingGates: [{ name: 'a' }] },
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a'"],
    ],
    [
      'a gate twice',
      {},
      { schedulingGates: [{ name: 'a' }, { name: 'a' }] },
      [
        'spec.schedulingGates[1]: Duplicate value: "a"',
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a'",
      ],
    ],
  ])('with %s', (_, before, after, wanted) => {
    expect(refused(pod(after), stored(before))).toEqual(wanted)
  })

  test('of ephemeral containers only add', () => {
    const old = stored()
    const added = pods.update(pod({ ephemeralContainers: [{ name: 'e', image: 'x' }] }), old, 'ephemeralcontainers')
    expect(added.errors).toEqual([])
    expect(refused(pod({}), added.object, 'ephemeralcontainers')).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed',
    ])
    const forbiddenFields = { name: 'f', image: 'x', ports: [{ containerPort: 1 }], targetContainerName: 'none' }
    expect(refused(pod({ ephemeralContainers: [forbiddenFields] }), old, 'ephemeralcontainers')).toEqual([
      'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ])
  })

  test('of resources keep the quality of service and never shrink memory', () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } }
    const old = stored({ containers: [{ ...container, resources }] })
    const resize = (more: JsonObject): string[] => refused(withContainer({ resources: more }), old, 'resize')
    expect(resize({ requests: { cpu: '2', memory: '1Gi' }, limits: { memory: '1Gi' } })).toEqual([])
    expect(resize({ requests: { cpu: '1', memory: '512Mi' }, limits: { memory: '512Mi' } })).toEqual([
      'spec.containers[0].resources.limits[memory]: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer',
    ])
    expect(resize({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } })).toEqual([
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ])
    expect(resize({ requests: { memory: '1Gi' }, limits: { memory: '1Gi' } })).toEqual([
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ])
  })

  test('of status keep the specification, and what has ended', () => {
    const ended = {
      name: 'c',
      ready: false,
      restartCount: 0,
      image: 'i',
      imageID: 'i',
      state: { terminated: { exitCode: 0 } },
    }
    const old = stored({ restartPolicy: 'Never' })
    const first = pods.update(
      { ...pod({ restartPolicy: 'Never' }), status: { containerStatuses: [ended] } },
      old,
      'status',
    )
    expect(first.errors).toEqual([])
    expect(first.object['status']).toMatchObject({ qosClass: 'BestEffort' })
    const again = {
      ...pod({ restartPolicy: 'Never' }),
      status: { containerStatuses: [{ ...ended, state: { running: {} } }] },
    }
    expect(refused(again, first.object, 'status')).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ])
  })
})

describe('deletion', () => {
  const grace = pods.rules.strategy.gracePeriodSeconds
  test.each([
    [{ nodeName: 'n' }, 'Running', {}, 30],
    [{ nodeName: 'n', terminationGracePeriodSeconds: -3 }, 'Running', {}, 1],
    [{ nodeName: 'n' }, 'Running', { gracePeriodSeconds: 4 }, 4],
    [{ nodeName: 'n' }, 'Succeeded', { gracePeriodSeconds: 4 }, 0],
    [{}, 'Pending', { gracePeriodSeconds: 4 }, 0],
  ])('%j %s %j', (spec, phase, options, wanted) => {
    const { object } = pods.create(pod(spec))
    expect(grace?.({ ...object, status: { phase } }, options)).toBe(wanted)
  })
})
