/** Rules that a release changed, with what each release says. */
import { describe, expect, test } from 'vitest'
import type { FieldError } from '../api/field-error.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { errorsAtRelease } from '../api/release-wordings.ts'
import { resolveFeatureGates } from '../config/feature-gates.ts'
import { MetadataChecks } from '../registry/metadata-checks.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { type Conversion, conversionFor } from './conversions.ts'
import { builtInDefinitions } from './definitions.ts'
import type { KindServices, MakeKindRules } from './kind-rules.ts'
import type { ExpressionChecker } from './kinds/control/expressions.ts'
import { storageVersionMigrationRules } from './kinds/control/storage-version-migration/storage-version-migration.ts'
import { taintRuleRules } from './kinds/devices/taint-rule.ts'
import { ipAddressRules } from './kinds/network/ip-address/ip-address.ts'
import { type Writer, writerOf } from './kinds/pods/test-writer.ts'
import { rulesFor } from './kinds.ts'

const gateAt = (release: number, on: readonly string[] = []): WriteContext['gate'] => {
  const gates = resolveFeatureGates(new Map(on.map((name) => [name, true])), { major: 1, minor: release })
  return (name) => gates.enabled(name)
}

const tell = (errors: readonly FieldError[], release: number): string[] =>
  errorsAtRelease(errors, release).map(({ field, message }) => `${field}: ${message}`)

const contextAt = (release: number, on?: readonly string[]): WriteContext =>
  ({ user: undefined, namespace: 'ns', dryRun: false, now: 0, gate: gateAt(release, on) }) as WriteContext

describe('the status of a job', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  const ended = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }))
  const at = (hour: number): string => `2026-01-01T0${hour}:00:00Z`

  const errorsAt = (release: number, status: JsonObject, old: JsonObject): string[] => {
    const jobs: Writer = writerOf('batch/v1', 'jobs', gateAt(release))
    const { object } = jobs.create({ metadata: { name: 'n' }, spec: { template } })
    const before = { ...object, status: old } as KubeObject
    const { spec } = object as unknown as { spec: JsonObject }
    return tell(jobs.update({ metadata: { name: 'n' }, spec, status }, before, 'status').errors, release)
  }

  test.each<[string, number, JsonObject, JsonObject, string[]]>([
    [
      'an end before the start',
      33,
      { startTime: at(2), completionTime: at(1), conditions: ended },
      { startTime: at(2) },
      [
        'status.completionTime: Invalid value: 2026-01-01 01:00:00 +0000 UTC: completionTime cannot be set before startTime',
      ],
    ],
    [
      'an end before the start',
      34,
      { startTime: at(2), completionTime: at(1), conditions: ended },
      { startTime: at(2) },
      ['status.completionTime: Invalid value: "2026-01-01T01:00:00Z": must be equal to or after `startTime`'],
    ],
    [
      'another end',
      33,
      { startTime: at(2), completionTime: at(5), conditions: ended },
      { startTime: at(2), completionTime: at(4), conditions: ended },
      ['status.completionTime: Invalid value: 2026-01-01 05:00:00 +0000 UTC: completionTime cannot be mutated'],
    ],
    [
      'another end',
      34,
      { startTime: at(2), completionTime: at(5), conditions: ended },
      { startTime: at(2), completionTime: at(4), conditions: ended },
      ['status.completionTime: Invalid value: "2026-01-01T05:00:00Z": field is immutable'],
    ],
    [
      'pods that are not counted at the end',
      33,
      { startTime: at(2), completionTime: at(4), conditions: ended, uncountedTerminatedPods: { failed: ['a'] } },
      { startTime: at(2) },
      [
        'status.uncountedTerminatedPods: Invalid value: batch.UncountedTerminatedPods{Succeeded:[]types.UID(nil), Failed:[]types.UID{"a"}}: uncountedTerminatedPods needs to be empty for finished job',
      ],
    ],
    [
      'pods that are not counted at the end',
      34,
      { startTime: at(2), completionTime: at(4), conditions: ended, uncountedTerminatedPods: { failed: ['a'] } },
      { startTime: at(2) },
      [
        'status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
      ],
    ],
    [
      'another start',
      35,
      { startTime: at(3) },
      { startTime: at(2) },
      ['status.startTime: Required value: startTime cannot be removed for unsuspended job'],
    ],
    [
      'another start',
      36,
      { startTime: at(3) },
      { startTime: at(2) },
      ['status.startTime: Invalid value: "2026-01-01T03:00:00Z": field is immutable for unsuspended job once set'],
    ],
    [
      'no start',
      36,
      {},
      { startTime: at(2) },
      ['status.startTime: Invalid value: null: field is immutable for unsuspended job once set'],
    ],
  ])('%s at 1.%d', (_, release, status, old, wanted) => {
    expect(errorsAt(release, status, old)).toEqual(wanted)
  })
})

describe('a stateful set', () => {
  const claim = (name: string, spec: JsonObject): JsonObject => ({ metadata: { name }, spec })
  const whole = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const container = { name: 'c', image: 'i', volumeMounts: [{ name: 'none', mountPath: '/x' }] }
  const errorsAt = (release: number, spec: JsonObject): string[] => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
    const sets = writerOf('apps/v1', 'statefulsets', gateAt(release))
    const body = { metadata: { name: 'n' }, spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec } }
    return tell(sets.create(body).errors, release)
  }
  const claims = 'spec.volumeClaimTemplates[0].spec'
  const replicas = 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'
  const mount = 'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "none"'

  test.each<[number, JsonObject, string[]]>([
    [33, { replicas: -1, volumeClaimTemplates: [claim('a', {})] }, [replicas]],
    [
      34,
      { replicas: -1, volumeClaimTemplates: [claim('a', {})] },
      [
        `${claims}.accessModes: Required value: at least 1 access mode is required`,
        `${claims}.resources[storage]: Required value`,
        replicas,
        mount,
      ],
    ],
    // Claims of one name are one volume.
    [34, { volumeClaimTemplates: [claim('a', whole), claim('a', whole)] }, [mount]],
  ])('at 1.%d: %j', (release, spec, wanted) => {
    expect(errorsAt(release, spec)).toEqual(wanted)
  })
})

describe('names that are kept for files', () => {
  const reserved =
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API'
  const refused = 'metadata.name: Invalid value: "a.static.k8s.io": names ending'
  const gate = 'ManifestBasedAdmissionControlConfig'
  const checker: ExpressionChecker = { check: () => undefined, declare: () => undefined }
  const constraints = {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] }],
  }
  const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression: 'e' } }]
  const kinds: [string, JsonObject][] = [
    ['validatingwebhookconfigurations', { webhooks: [] }],
    ['mutatingwebhookconfigurations', { webhooks: [] }],
    [
      'validatingadmissionpolicies',
      { spec: { failurePolicy: 'Fail', matchConstraints: constraints, validations: [{ expression: 'e' }] } },
    ],
    ['validatingadmissionpolicybindings', { spec: { policyName: 'p', validationActions: ['Deny'] } }],
    [
      'mutatingadmissionpolicies',
      { spec: { failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints: constraints, mutations } },
    ],
    ['mutatingadmissionpolicybindings', { spec: { policyName: 'p' } }],
  ]
  const cases = [
    { release: 35, on: [], name: 'a.static.k8s.io', made: [], changed: [], errors: [] },
    { release: 36, on: [], name: 'a.static.k8s.io', made: [reserved], changed: [reserved], errors: [] },
    { release: 36, on: [], name: 'static.k8s.io', made: [], changed: [], errors: [] },
    { release: 36, on: [gate], name: 'a.static.k8s.io', made: [], changed: [reserved], errors: [refused] },
  ]

  test.each(kinds.flatMap(([resource, body]) => cases.map((row) => ({ resource, body, ...row }))))(
    '$resource $name at 1.$release with $on',
    async ({ resource, body, release, on, name, made, changed, errors }) => {
      const context = contextAt(release, on)
      const services = { gate: context.gate, expressions: () => checker } as unknown as KindServices
      const makeRules = rulesFor('admissionregistration.k8s.io', resource) as MakeKindRules
      const strategy = makeRules(services).strategy as Strategy
      const object = { metadata: { name }, ...structuredClone(body) } as unknown as KubeObject
      expect(strategy.warningsOnCreate?.(object, context)).toEqual(made)
      expect(strategy.warningsOnUpdate?.(object, object, context)).toEqual(changed)
      const found = tell((await strategy.validateInTurns?.(object, undefined, context)) ?? [], release)
      expect(found.map((text) => text.slice(0, refused.length))).toEqual(errors)
      expect(await strategy.validateInTurns?.(object, object, context)).toEqual([])
    },
  )
})

describe('the status of a migration', () => {
  const condition = (type: string): JsonObject => ({
    type,
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })
  const noVersion = 'status.resourceVersion: Invalid value: "": resource version is not well formed: '

  test.each<[number, JsonObject, string[]]>([
    [35, { conditions: [condition('Running')] }, [noVersion]],
    [36, { conditions: [condition('Running')] }, []],
    [
      36,
      { resourceVersion: '05' },
      ['status.resourceVersion: Invalid value: "05": resource version is not well formed: 05'],
    ],
    [
      35,
      { resourceVersion: '5', conditions: [condition('Running'), condition('Failed')] },
      ['status.conditions: Running condition cannot be true when failed condition is true'],
    ],
    [36, { resourceVersion: '5', conditions: [condition('Running'), condition('Failed')] }, []],
  ])('at 1.%d: %j', (release, status, wanted) => {
    const { parts } = storageVersionMigrationRules()
    const migration = (of: JsonObject): KubeObject =>
      ({ metadata: { name: 'm' }, spec: { resource: {} }, status: of }) as unknown as KubeObject
    const rules = parts?.['status'] as Strategy
    const errors = rules.validateUpdate?.(migration(status), migration({}), contextAt(release)) ?? []
    const short = tell(errors, release).map((text) => text.replace(/Invalid value: \[.*\]: /, ''))
    expect(short).toEqual(wanted)
  })
})

test.each([
  [35, '0', '3', { type: 'AverageValue', value: '0', averageValue: '3' }],
  [36, '0', '3', { type: 'AverageValue', averageValue: '3' }],
  [36, '0m', '3', { type: 'AverageValue', averageValue: '3' }],
  [36, '2', '3', { type: 'AverageValue', value: '2', averageValue: '3' }],
  [36, '0', undefined, { type: 'Value', value: '0' }],
])('at 1.%d, the target %s of an object with the average %s', (release, targetValue, averageValue, wanted) => {
  const metrics = [{ type: 'Object', object: { target: {}, metricName: 'm', targetValue, averageValue } }]
  const object: KubeObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h', annotations: { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(metrics) } },
    spec: {},
    status: {},
  }
  const resource = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' }
  const conversion = conversionFor(resource, release) as Conversion
  const { spec } = conversion.toHub(object) as unknown as { spec: { metrics: { object: JsonObject }[] } }
  expect(spec.metrics.map((metric) => metric.object['target'])).toEqual([wanted])
})

test.each([
  [34, 2],
  [35, 1],
])('at 1.%d, an error of a volume attachment is told %d times in its status', (release, times) => {
  const all: ResourceDefinition[] = builtInDefinitions({
    services: { gate: gateAt(release) } as unknown as KindServices,
    isServed: ({ resource }) => resource === 'volumeattachments',
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 1,
    release,
  })
  const { subresources } = all.find(({ resource }) => resource === 'volumeattachments') as ResourceDefinition
  const { strategy } = subresources.get('status') as unknown as { strategy: Strategy }
  const attachment = (errorCode: number): KubeObject =>
    ({
      metadata: { name: 'a' },
      spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      status: { attached: false, attachError: { message: 'm', errorCode } },
    }) as unknown as KubeObject
  const errors = strategy.validateUpdate?.(attachment(-1), attachment(1), contextAt(release)) ?? []
  expect(errors.map(({ field }) => field)).toEqual(Array.from({ length: times }, () => 'status.attachError.errorCode'))
})

test.each<[number, string, JsonObject, JsonObject, string[]]>([
  [33, 'storageclasses', { parameters: {} }, {}, ['parameters: Forbidden: updates to parameters are forbidden.']],
  [36, 'storageclasses', { parameters: {} }, {}, []],
  [36, 'storageclasses', { parameters: { a: 'b' } }, {}, ['parameters: Invalid value: {"a":"b"}: field is immutable']],
])('at 1.%d, %s with %j after %j', (release, resource, change, before, wanted) => {
  const classes = writerOf('storage.k8s.io/v1', resource, gateAt(release))
  const body = (more: JsonObject): JsonObject => ({ metadata: { name: 'n' }, provisioner: 'p', ...more })
  const { object } = classes.create(body(before))
  expect(tell(classes.update(body(change), object).errors, release)).toEqual(wanted)
})

test.each([
  ['as they were', ['a'], ['a'], 0],
  ['others', ['a'], ['b'], 1],
  ['none', ['a'], [], 0],
])('at 1.36, tokens of a driver that are asked for in attributes get a warning when they change: %s', (...given) => {
  const [, before, after, count] = given
  const drivers = writerOf('storage.k8s.io/v1', 'csidrivers', gateAt(36))
  const body = (audiences: readonly string[]): JsonObject => ({
    metadata: { name: 'n' },
    spec: { tokenRequests: audiences.map((audience) => ({ audience })) },
  })
  const made = drivers.create(body(before))
  expect(made.warnings).toHaveLength(1)
  expect(drivers.update(body(after), made.object).warnings).toHaveLength(count)
})

test.each([
  [35, { conditions: [] }],
  [36, {}],
])('at 1.%d, the status of a new service range is %j', (release, wanted) => {
  const ranges = writerOf('networking.k8s.io/v1', 'servicecidrs', gateAt(release))
  const status = { conditions: [] }
  const { object } = ranges.create({ metadata: { name: 'n' }, spec: { cidrs: ['192.168.0.0/24'] }, status })
  expect((object as unknown as { status: object }).status).toEqual(wanted)
})

const dnsName =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"

describe.each([
  ['resource.k8s.io/v1', 'deviceclasses', { spec: {} }],
  ['v1', 'replicationcontrollers', { spec: {} }],
] as const)('names of %s %s', (apiVersion, resource, rest) => {
  test.each<[number, JsonObject, string[]]>([
    [34, { name: 'x', generateName: 'D_' }, [`metadata.generateName: Invalid value: "D_": ${dnsName}`]],
    [35, { name: 'x', generateName: 'D_' }, []],
    [34, { name: 'D_' }, [`metadata.name: Invalid value: "D_": ${dnsName}`]],
    [35, { name: 'D_' }, [`metadata.name: Invalid value: "D_": ${dnsName}`]],
    [34, { name: 'a'.repeat(254) }, ['must be no more than 253 characters']],
    [35, { name: 'a'.repeat(254) }, ['must be no more than 253 bytes']],
  ])('at 1.%d, %j', (release, metadata, wanted) => {
    const errors = metadataErrors(apiVersion, resource, release, { metadata, ...rest })
    expect(errors).toHaveLength(wanted.length)
    for (const [i, text] of wanted.entries()) expect(errors[i]).toContain(text)
  })
})

function metadataErrors(apiVersion: string, resource: string, release: number, body: JsonObject): string[] {
  const all = builtInDefinitions({
    services: { gate: gateAt(release), release } as unknown as KindServices,
    isServed: (each) => each.resource === resource && (apiVersion === 'v1' ? each.group === '' : each.group !== ''),
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 1,
    release,
  })
  const { strategy, namespaced } = all.find((each) => each.resource === resource) as ResourceDefinition
  const { metadata } = body as unknown as KubeObject
  const checks = new MetadataChecks({
    metadata: { ...metadata, ...(namespaced ? { namespace: 'n' } : {}) },
    namespaced,
  })
  return tell(strategy.validateMetadata?.(checks, body as unknown as KubeObject) ?? checks.validate(), release)
}

test.each([
  [33, 'metadata.generateName'],
  [34, undefined],
])('at 1.%d, an update of a service checks its metadata as that of a new one: %s', (release, wanted) => {
  const all = builtInDefinitions({
    services: { gate: gateAt(release), release } as unknown as KindServices,
    isServed: (each) => each.resource === 'services',
    defaulting: { enabled: () => false, now: () => '' },
    eventTtlSeconds: 1,
    release,
  })
  const metadata = { name: 'x', namespace: 'n', generateName: 'D_', resourceVersion: '1' }
  const object = { metadata } as unknown as KubeObject
  const checks = new MetadataChecks({ metadata, old: metadata, namespaced: true })
  const { strategy } = all.find(({ resource }) => resource === 'services') as ResourceDefinition
  const errors = strategy.validateMetadataUpdate?.(checks, object) ?? []
  expect(errors.map(({ field }) => field)).toEqual(wanted === undefined ? [] : [wanted])
})

test.each([
  [33, false],
  [34, false],
  [35, true],
])('at 1.%d, rules of taints have a status: %s', (release, wanted) => {
  const { parts } = taintRuleRules({ gate: gateAt(release) } as KindServices)
  expect('status' in (parts ?? {})).toBe(wanted)
})

test('an address is named by what its name is generated from', () => {
  expect(ipAddressRules().strategy.nameFrom?.('10.0.0.')).toBe('10.0.0.')
})

describe('an update that was checked as a new object, too', () => {
  const key = 'Example.com/a'
  const driver = { name: 'd', nodeID: 'n', topologyKeys: [key, key] }
  const from = (cidr: string): JsonObject => ({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr } }] }] })
  const attributes = (driverName: string): JsonObject => ({ driverName, parameters: { a: 'b' } })
  test.each<[number, string, string, JsonObject, JsonObject, string[]]>([
    [35, 'storage.k8s.io/v1', 'csinodes', { spec: {} }, { spec: { drivers: [driver] } }, ['IDI', 'IDI']],
    [36, 'storage.k8s.io/v1', 'csinodes', { spec: {} }, { spec: { drivers: [driver] } }, ['IDI']],
    [34, 'storage.k8s.io/v1beta1', 'volumeattributesclasses', attributes('d'), attributes('_'), ['I', 'F', 'I']],
    [35, 'storage.k8s.io/v1beta1', 'volumeattributesclasses', attributes('d'), attributes('_'), ['F', 'I']],
    [34, 'rbac.authorization.k8s.io/v1', 'roles', { rules: [] }, { rules: [{ verbs: [] }] }, ['RRR', 'RRR']],
    [35, 'rbac.authorization.k8s.io/v1', 'roles', { rules: [] }, { rules: [{ verbs: [] }] }, ['RRR']],
    // What the old policy excuses is only excused by the check of the update.
    [
      35,
      'networking.k8s.io/v1',
      'networkpolicies',
      { spec: from('010.0.0.0/8') },
      { spec: from('010.0.0.0/8') },
      ['I'],
    ],
    [36, 'networking.k8s.io/v1', 'networkpolicies', { spec: from('010.0.0.0/8') }, { spec: from('010.0.0.0/8') }, []],
  ])('at 1.%d: %s %s %j, %j', (release, apiVersion, resource, before, after, wanted) => {
    const writer = writerOf(apiVersion, resource, gateAt(release, ['StrictIPCIDRValidation']))
    const { object } = writer.create({ metadata: { name: 'n' }, ...before })
    const { errors } = writer.update({ metadata: { name: 'n' }, ...after }, object)
    expect(
      tell(errors, release)
        .map((text) => text.replace(/^[^:]*: (.).*/, '$1'))
        .join(''),
    ).toBe(wanted.join(''))
  })

  test('still has what its own rules find twice', () => {
    const services = writerOf('v1', 'services', gateAt(36))
    const body = (loadBalancerClass: string): JsonObject => ({
      metadata: { name: 'n' },
      spec: { type: 'LoadBalancer', loadBalancerClass, ports: [{ port: 1 }] },
    })
    const errors = services.update(body('_'), services.create(body('_')).object).errors
    const found = errors.filter(({ field }) => field === 'spec.loadBalancerClass')
    expect(found).toHaveLength(2)
  })
})

describe('an odd text that an update refuses', () => {
  const odd = 'a\u0000<'
  const [plain, json] = ['"a\\x00<"', '"a\\u0000\\u003c"']
  const job = (spec: JsonObject): JsonObject => ({
    spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  })
  const event = (type: string): JsonObject => ({
    ...{ regarding: {}, reason: 'r', action: 'a', reportingController: 'e.com/c', reportingInstance: 'i' },
    ...{ eventTime: '2026-01-01T00:00:00.000000Z', type },
  })
  const volume = (volumeMode: string): JsonObject => ({ spec: { volumeMode, hostPath: { path: '/a' } } })
  const slice = (nodeName: string): JsonObject => ({
    spec: { driver: 'd', nodeName, pool: { name: 'p', resourceSliceCount: 1, generation: 1 } },
  })
  test.each<[string, string, string, JsonObject, JsonObject, string | undefined, string]>([
    ['a pointer', 'batch/v1', 'jobs', job({}), job({ managedBy: odd }), undefined, `${json}: field is immutable`],
    ['a plain text', 'events.k8s.io/v1', 'events', event('Normal'), event(odd), undefined, `${plain}: field is imm`],
    ['a pointer', 'v1', 'persistentvolumes', volume('Block'), volume(odd), undefined, `${json}: field is immutable`],
    ['a pointer', 'resource.k8s.io/v1beta2', 'resourceslices', slice('n'), slice(odd), undefined, `${json}: field is`],
    ['its text', 'resource.k8s.io/v1beta2', 'resourceslices', slice('n'), slice(odd), undefined, `${plain}: a lower`],
    ['a named text', 'v1', 'namespaces', {}, { status: { phase: odd } }, 'status', `${json}: may only be 'Active'`],
  ])('of 1.34, %s: %s %s', (_, apiVersion, resource, before, after, part, wanted) => {
    const writer = writerOf(apiVersion, resource, gateAt(34))
    const { object } = writer.create({ metadata: { name: 'n' }, ...before })
    const { errors } = writer.update({ metadata: { name: 'n' }, ...after }, object, part)
    expect(tell(errors, 34).join('\n')).toContain(wanted)
  })

  test('is the value of a toleration, whose error is at an operator of a named type', () => {
    const tolerant = (value: string, operator?: string): JsonObject => ({
      metadata: { name: 'n' },
      handler: 'h',
      scheduling: { tolerations: [{ key: 'a', operator, value }] },
    })
    const classes = writerOf('node.k8s.io/v1', 'runtimeclasses', gateAt(34))
    const errors = [tolerant(odd), tolerant(odd, 'Exists')].flatMap((body) => classes.create(body).errors)
    expect(errors.map(({ field }) => field)).toEqual(Array(2).fill('scheduling.tolerations.tolerations[0].operator'))
    expect(errors.map(({ withJsonText }) => withJsonText)).toEqual([undefined, undefined])
  })
})
