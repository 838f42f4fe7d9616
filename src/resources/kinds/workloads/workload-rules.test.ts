import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { type Writer, writerOf } from '../pods/test-writer.ts'

const gates = resolveFeatureGates(new Map(), { major: 1, minor: 33 })
const writer = (apiVersion: string, resource: string): Writer =>
  writerOf(apiVersion, resource, (name) => gates.enabled(name))

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } }
const selector = { matchLabels: { app: 'a' } }
const once = { spec: { ...template.spec, restartPolicy: 'Never' } }
const named = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'n', ...metadata },
  spec,
})

const deployments = writer('apps/v1', 'deployments')
const replicaSets = writer('apps/v1', 'replicasets')
const statefulSets = writer('apps/v1', 'statefulsets')
const daemonSets = writer('apps/v1', 'daemonsets')
const controllers = writer('v1', 'replicationcontrollers')
const jobs = writer('batch/v1', 'jobs')
const cronJobs = writer('batch/v1', 'cronjobs')
const budgets = writer('policy/v1', 'poddisruptionbudgets')

const tell = ({ errors }: { errors: readonly { field: string; message: string }[] }): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

describe('refused on create', () => {
  test.each<[string, Writer, JsonObject, string[]]>([
    [
      'deployment: shares',
      deployments,
      named({ selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'deployment: strategy',
      deployments,
      named({ selector, template, strategy: { type: 'Odd' } }),
      [
        'spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"Odd", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'replica set: selector',
      replicaSets,
      named({ selector: {}, template }),
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      'stateful set: service',
      statefulSets,
      named({ selector, template, serviceName: 'Bad Name' }),
      [
        expect.stringMatching(
          /^spec\.serviceName: Invalid value: "Bad Name": a lowercase RFC 1123 label/,
        ) as unknown as string,
      ],
    ],
    [
      'daemon set: both shares',
      daemonSets,
      named({ selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }),
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero',
      ],
    ],
    ['controller: no template', controllers, named({ selector: { a: 'b' } }), ['spec.template: Required value']],
    [
      'job: failure policy',
      jobs,
      named({
        template: once,
        podFailurePolicy: {
          rules: [{ action: '', onExitCodes: { operator: 'In', values: [2, 1, 0] } }, { action: 'FailIndex' }],
        },
      }),
      [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Invalid value: 0: must not be 0 for the In operator',
        'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []int32{2, 1, 0}: must be ordered',
        'spec.podFailurePolicy.rules[1].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      'job: success policy',
      jobs,
      named({
        template: once,
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{}, { succeededIndexes: '1,0' }, { succeededIndexes: '0-1', succeededCount: 3 }] },
      }),
      [
        'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
        'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "1,0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0',
        'spec.successPolicy.rules[2].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
    [
      'budget: shares',
      budgets,
      named({ minAvailable: '101%' }),
      [
        'spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
      ],
    ],
  ])('%s', (_, kind, body, wanted) => {
    expect(tell(kind.create(body))).toEqual(wanted)
  })
})

describe('cron schedules', () => {
  const of = (schedule: string): string[] =>
    tell(cronJobs.create(named({ schedule, jobTemplate: { spec: { template: once } } })))

  test.each(['* * * * *', '*/5 0-23/2 1,15 jan-dec MON', '@hourly', '@every 1h30m', '? ? * * ?', '5/10 * * * *'])(
    '%s',
    (text) => {
      expect(of(text)).toEqual([])
    },
  )

  test.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['*/1/2 * * * *', 'too many slashes: */1/2'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('%s', (text, why) => {
    expect(of(text)).toEqual([`spec.schedule: Invalid value: ${JSON.stringify(text)}: ${why}`])
  })

  test.each([
    ['Europe/Paris', []],
    ['Etc/GMT+5', []],
    ['US/Pacific', []],
    ['US/Eastern', []],
    ['us/eastern', ['spec.timeZone: Invalid value: "us/eastern": unknown time zone us/eastern']],
    ['europe/paris', ['spec.timeZone: Invalid value: "europe/paris": unknown time zone europe/paris']],
    ['Mars/Base', ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base']],
    ['+01:00', ['spec.timeZone: Invalid value: "+01:00": unknown time zone +01:00']],
    [
      'Local',
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
  ])('in the zone %s', (timeZone, wanted) => {
    const spec = { schedule: '@daily', timeZone, jobTemplate: { spec: { template: once } } }
    expect(tell(cronJobs.create(named(spec)))).toEqual(wanted)
  })
})

describe('jobs', () => {
  test('select their own pods', () => {
    const { object, errors } = jobs.create(named({ template: once }))
    expect(errors).toEqual([])
    const labels = {
      'job-name': 'n',
      'batch.kubernetes.io/job-name': 'n',
      'controller-uid': object.metadata.uid,
      'batch.kubernetes.io/controller-uid': object.metadata.uid,
    }
    expect(object.metadata.labels).toEqual(labels)
    expect(object['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': object.metadata.uid } },
      template: { metadata: { labels } },
    })
  })

  test('take other nodes while they are held back, and nothing else', () => {
    const { object } = jobs.create(named({ template: once, suspend: true }))
    const { spec } = structuredClone(object) as unknown as { spec: { template: { spec: JsonObject } } }
    spec.template.spec['nodeSelector'] = { disk: 'ssd' }
    const placed = { metadata: { ...object.metadata }, spec } as unknown as JsonObject
    expect(tell(jobs.update(placed, object))).toEqual([])
    spec.template.spec['hostname'] = 'h'
    expect(jobs.update(placed, object).errors.map(({ field }) => field)).toEqual(['spec.template'])
  })

  test('end once, with what belongs to the end', () => {
    const { object } = jobs.create(named({ template: once }))
    const done = { conditions: [{ type: 'Complete', status: 'True' }] }
    const told = tell(jobs.update({ metadata: { ...object.metadata }, status: done }, object, 'status'))
    expect(told).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ])
  })
})

test('daemon sets count the changes of their template', () => {
  const { object } = daemonSets.create(named({ selector, template }))
  const annotation = 'deprecated.daemonset.template.generation'
  expect(object.metadata.annotations?.[annotation]).toBe('1')
  const changed = { ...template, spec: { ...template.spec, hostname: 'h' } }
  const updated = daemonSets.update(
    named({ selector, template: changed }, { annotations: { [annotation]: '77' } }),
    object,
  )
  expect(updated.object.metadata.annotations?.[annotation]).toBe('2')
})

test('kinds that check twice tell twice', () => {
  const old = replicaSets.create(named({ selector, template })).object
  const body = named({ selector, template, replicas: -1 })
  expect(tell(replicaSets.update(body, old))).toEqual(
    Array(2).fill('spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
  )
  const deployed = deployments.create(named({ selector, template })).object
  expect(tell(deployments.update(body, deployed))).toHaveLength(1)
})

test('stateful sets fix all but a few fields', () => {
  const old = statefulSets.create(named({ selector, template, serviceName: 's' })).object
  expect(tell(statefulSets.update(named({ selector, template, serviceName: 's', replicas: 3 }), old))).toEqual([])
  expect(
    statefulSets.update(named({ selector, template, serviceName: 't' }), old).errors.map(({ field }) => field),
  ).toEqual(['spec'])
})

test('annotations of a deployment are a change of it', () => {
  const old = deployments.create(named({ selector, template })).object
  const update = (metadata: JsonObject): number | undefined =>
    deployments.update(named({ selector, template }, { generation: 1, ...metadata }), old).object.metadata.generation
  expect(update({ annotations: { a: 'b' } })).toBe(2)
  expect(update({ labels: { a: 'b' } })).toBe(1)
})

test('scales show what is wanted, what there is and what is selected', () => {
  const { object } = controllers.create(named({ replicas: 2, selector: { app: 'a' }, template }))
  const { scale } = controllers.rules
  expect(scale?.toScale(object)).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 0, selector: 'app=a' } })
  expect(scale?.withReplicas(object, 5)).toMatchObject({ spec: { replicas: 5 } })
})

describe('numbers in annotations', () => {
  const revision = 'deprecated.deployment.rollback.to'
  const generation = 'deprecated.daemonset.template.generation'
  const withText = (annotation: string, text: string): JsonObject =>
    named({ selector, template }, { annotations: { [annotation]: text } })

  test.each([
    ['5', '5'],
    ['+7', '7'],
    ['007', '7'],
    ['', undefined],
  ])('%j is read as %j', (text, read) => {
    expect(deployments.create(withText(revision, text)).object.metadata.annotations?.[revision]).toBe(read)
  })

  test.each<[Writer, string, string, string]>([
    [
      deployments,
      revision,
      'x',
      `Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${revision}]=x as int64: strconv.ParseInt: parsing "x": invalid syntax`,
    ],
    [
      daemonSets,
      generation,
      '9223372036854775808',
      'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
  ])('what is no number cannot be read', (writerOfKind, annotation, text, message) => {
    expect(() => writerOfKind.read(withText(annotation, text))).toThrow(message)
  })

  test('revisions are not negative', () => {
    expect(tell(deployments.create(withText(revision, '-1')))).toEqual([
      'spec.rollback.version: Invalid value: -1: must be greater than or equal to 0',
    ])
  })
})
