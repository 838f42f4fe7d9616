import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseGroupVersion } from '../../api/group-version.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { canonicalize } from '../../schema/canonicalize.ts'
import { schemaForKind, typeSchema } from '../catalog.ts'
import { findResource } from '../resources.ts'
import { type DefaultingContext, defaultObject, defaultObjectInSteps } from './defaults.ts'

const on = new Set([
  'LoadBalancerIPMode',
  'StatefulSetAutoDeletePVC',
  'JobPodReplacementPolicy',
  'SELinuxMountReadWriteOncePod',
])
const context: DefaultingContext = { enabled: (gate) => on.has(gate), now: () => '2024-01-01T00:00:00Z' }

/** Every leaf that defaulting adds, with its path. */
function added(object: JsonObject, type: string, gates = context): Record<string, JsonValue> {
  const schema = typeSchema(type)
  const given = canonicalize(object, schema)
  return difference(given, defaultObject(given, schema, gates))
}

function difference(before: JsonValue | undefined, after: JsonValue, path = ''): Record<string, JsonValue> {
  if (typeof after !== 'object' || after === null || Object.keys(after).length === 0) {
    return JSON.stringify(before) === JSON.stringify(after) ? {} : { [path]: after }
  }
  const entries = Object.entries(after).map(([key, value]) =>
    difference((before as JsonObject | undefined)?.[key], value as JsonValue, path === '' ? key : `${path}.${key}`),
  )
  return Object.assign({}, ...entries) as Record<string, JsonValue>
}

const podSpec = {
  'spec.dnsPolicy': 'ClusterFirst',
  'spec.enableServiceLinks': true,
  'spec.restartPolicy': 'Always',
  'spec.schedulerName': 'default-scheduler',
  'spec.securityContext': {},
  'spec.terminationGracePeriodSeconds': 30,
}
const container = {
  'spec.containers.0.imagePullPolicy': 'IfNotPresent',
  'spec.containers.0.terminationMessagePath': '/dev/termination-log',
  'spec.containers.0.terminationMessagePolicy': 'File',
}

const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 3_000 }, (_, i) => item(i))
const image = (i: number): JsonObject => ({ name: `c${i}`, image: 'i', ports: [{ containerPort: 80 }] })

describe('defaultObjectInSteps', () => {
  it.each<{ name: string; type: string; object: JsonObject }>([
    { name: 'many items', type: 'core.v1.Pod', object: { spec: { containers: many(image) } } },
    {
      name: 'a heavy item between light ones',
      type: 'core.v1.Pod',
      object: {
        spec: {
          hostNetwork: true,
          containers: [image(0), { ...image(1), ports: many((i) => ({ containerPort: i + 1 })) }, image(2)],
        },
      },
    },
    {
      name: 'amounts by many names',
      type: 'core.v1.Pod',
      object: {
        spec: {
          containers: [
            { name: 'c', resources: { limits: Object.fromEntries(many((i) => [`example.com/r${i}`, '1.5n'])) } },
          ],
        },
      },
    },
    {
      name: 'amounts of which some are finer',
      type: 'core.v1.Node',
      object: {
        status: {
          capacity: Object.fromEntries(many((i) => [`example.com/r${i}`, i % 7 === 0 ? `${i}.5n` : '1'])),
          allocatable: Object.fromEntries(many((i) => [`example.com/r${i}`, '1'])),
        },
      },
    },
    {
      name: 'a list in a list',
      type: 'networking.v1.NetworkPolicy',
      object: { spec: { ingress: [{ ports: many((port) => ({ port })) }] } },
    },
    { name: 'nothing to add', type: 'core.v1.ConfigMap', object: { data: { a: 'b' } } },
  ])('completes $name as defaultObject does', ({ type, object }) => {
    const schema = typeSchema(type)
    const given = canonicalize(object, schema)
    const steps = defaultObjectInSteps(given, schema, context)
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(step.value).toEqual(defaultObject(given, schema, context))
    if (type !== 'core.v1.ConfigMap') expect(count).toBeGreaterThan(2)
  })
})

it('requests very many limits, but for what is requested', () => {
  const schema = typeSchema('core.v1.Pod')
  const limits = Object.fromEntries(many((i) => [`example.com/r${i}`, '2']))
  const requests = Object.fromEntries(many((i) => [`example.com/r${3 * i}`, '1']).slice(0, 1_000))
  const pod = { spec: { containers: [{ name: 'c', resources: { limits, requests } }] } }
  const filled = defaultObject(canonicalize(pod, schema), schema, context) as typeof pod
  const expected = Object.entries({ ...limits, ...requests }).sort(([a], [b]) => (a < b ? -1 : 1))
  expect(Object.entries(filled.spec.containers[0]?.resources.requests ?? {})).toEqual(expected)
})

describe('defaultObject', () => {
  it.each<{ name: string; type: string; object: JsonObject; expected: Record<string, JsonValue> }>([
    {
      name: 'a pod',
      type: 'core.v1.Pod',
      object: {
        spec: {
          hostNetwork: true,
          volumes: [{ name: 'v' }, { name: 's', secret: { secretName: 'x' } }],
          containers: [
            {
              name: 'a',
              image: 'a:1',
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '1', memory: '1500n' }, requests: { cpu: '500m' } },
              livenessProbe: { httpGet: { port: 80 } },
            },
          ],
        },
      },
      expected: {
        ...podSpec,
        ...container,
        'spec.containers.0.livenessProbe.failureThreshold': 3,
        'spec.containers.0.livenessProbe.httpGet.path': '/',
        'spec.containers.0.livenessProbe.httpGet.scheme': 'HTTP',
        'spec.containers.0.livenessProbe.periodSeconds': 10,
        'spec.containers.0.livenessProbe.successThreshold': 1,
        'spec.containers.0.livenessProbe.timeoutSeconds': 1,
        'spec.containers.0.ports.0.hostPort': 80,
        'spec.containers.0.ports.0.protocol': 'TCP',
        'spec.containers.0.resources.limits.memory': '1m',
        'spec.containers.0.resources.requests.memory': '1m',
        'spec.volumes.0.emptyDir': {},
        'spec.volumes.1.secret.defaultMode': 420,
      },
    },
    {
      name: 'a service with affinity',
      type: 'core.v1.Service',
      object: { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
      expected: {
        'spec.internalTrafficPolicy': 'Cluster',
        'spec.ports.0.protocol': 'TCP',
        'spec.ports.0.targetPort': 80,
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 10_800,
        'spec.type': 'ClusterIP',
      },
    },
    {
      name: 'a rolling deployment',
      type: 'apps.v1.Deployment',
      object: { spec: { strategy: { rollingUpdate: { maxSurge: 1 } }, template: {} } },
      expected: {
        'spec.progressDeadlineSeconds': 600,
        'spec.replicas': 1,
        'spec.revisionHistoryLimit': 10,
        'spec.strategy.rollingUpdate.maxUnavailable': '25%',
        'spec.strategy.type': 'RollingUpdate',
        'spec.template.spec.dnsPolicy': 'ClusterFirst',
        'spec.template.spec.restartPolicy': 'Always',
        'spec.template.spec.schedulerName': 'default-scheduler',
        'spec.template.spec.securityContext': {},
        'spec.template.spec.terminationGracePeriodSeconds': 30,
      },
    },
    {
      name: 'a job that runs twice',
      type: 'batch.v1.Job',
      object: {
        spec: {
          parallelism: 2,
          template: {
            spec: {
              restartPolicy: 'Never',
              ...JSON.parse(
                '{"dnsPolicy":"None","schedulerName":"s","securityContext":{},"terminationGracePeriodSeconds":1}',
              ),
            },
          },
        },
      },
      expected: {
        'spec.backoffLimit': 6,
        'spec.completionMode': 'NonIndexed',
        'spec.manualSelector': false,
        'spec.podReplacementPolicy': 'TerminatingOrFailed',
        'spec.suspend': false,
      },
    },
    {
      name: 'a limit range',
      type: 'core.v1.LimitRange',
      object: { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
      expected: {
        'spec.limits.0.default.cpu': '2',
        'spec.limits.0.defaultRequest.cpu': '2',
        'spec.limits.0.defaultRequest.memory': '1Mi',
      },
    },
    {
      name: 'a policy of two directions',
      type: 'networking.v1.NetworkPolicy',
      object: { spec: { egress: [{}] } },
      expected: { 'spec.policyTypes.0': 'Ingress', 'spec.policyTypes.1': 'Egress' },
    },
    { name: 'a kind without defaults', type: 'networking.v1.Ingress', object: { spec: {} }, expected: {} },
  ])('$name', ({ type, object, expected }) => {
    expect(added(object, type)).toEqual(expected)
  })

  it.each([
    ['a', 'Always'],
    ['a:latest', 'Always'],
    ['a:1', 'IfNotPresent'],
    ['host:5000/a', 'Always'],
    ['host:5000/a:1', 'IfNotPresent'],
    [`a@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
    [`a:latest@sha256:${'0'.repeat(64)}`, 'Always'],
    ['a:latest@sha256:0123', 'IfNotPresent'],
    ['localhost/a', 'Always'],
    ['Host/a', 'Always'],
    ['[::1]:5000/a/b_c.d', 'Always'],
    ['index.docker.io/a:latest', 'Always'],
    ['A', 'IfNotPresent'],
    [' a', 'IfNotPresent'],
    ['a:', 'IfNotPresent'],
    ['a//b', 'IfNotPresent'],
    ['a-', 'IfNotPresent'],
    ['0'.repeat(64), 'IfNotPresent'],
    ['a'.repeat(248), 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    const path = 'spec.containers.0.imagePullPolicy'
    expect(added({ spec: { containers: [{ name: 'c', image }] } }, 'core.v1.Pod')[path]).toBe(policy)
  })

  it('forgets what pods said of init containers in annotations, and a grace period of less than nothing', () => {
    const metadata = { annotations: { a: 'b', 'pod.beta.kubernetes.io/init-containers': '[]' } }
    const spec = { terminationGracePeriodSeconds: -5, containers: [{ name: 'c', image: 'i' }] }
    const complete = (type: string, object: JsonObject): JsonObject => {
      const schema = typeSchema(type)
      return defaultObject(canonicalize(object, schema), schema, context)
    }
    expect(complete('core.v1.Pod', { metadata, spec })).toMatchObject({
      metadata: { annotations: { a: 'b' } },
      spec: { terminationGracePeriodSeconds: 1 },
    })
    expect(complete('core.v1.PodTemplate', { template: { metadata, spec } })).toMatchObject({
      template: { metadata: { annotations: { a: 'b' } }, spec: { terminationGracePeriodSeconds: -5 } },
    })
  })

  it('sums up pod-level resources when their gate is on', () => {
    const gates: DefaultingContext = { ...context, enabled: (gate) => gate === 'PodLevelResources' }
    const containers = [
      { name: 'a', resources: { requests: { cpu: '1' } } },
      { name: 'b', resources: { requests: { cpu: '500m' } } },
    ]
    const object: JsonObject = { spec: { resources: { limits: { cpu: '2', memory: '1Gi' } }, containers } }
    expect(added(object, 'core.v1.Pod', gates)).toMatchObject({
      'spec.resources.requests.cpu': '1500m',
      'spec.resources.requests.memory': '1Gi',
    })
    expect(added(object, 'core.v1.Pod')).not.toHaveProperty('spec.resources.requests.cpu')
  })

  it('requests what is limited, whatever its name', () => {
    const limits = JSON.parse('{"__proto__":"1","constructor":"2"}') as JsonObject
    const given = canonicalize(
      { spec: { containers: [{ name: 'a', resources: { limits } }] } },
      typeSchema('core.v1.Pod'),
    )
    const filled = JSON.stringify(defaultObject(given, typeSchema('core.v1.Pod'), context))
    expect(filled).toContain('"requests":{"__proto__":"1","constructor":"2"}')
  })

  it('gives the same object back when nothing is missing', () => {
    const schema = typeSchema('core.v1.Pod')
    const given = canonicalize({ spec: { containers: [{ name: 'a', image: 'x' }] } }, schema)
    const filled = defaultObject(given, schema, context)
    expect(defaultObject(filled, schema, context)).toBe(filled)
  })
})

// What the reference itself added to minimal objects.
describe('the reference', () => {
  interface Defaulted {
    readonly of: string
    readonly body: JsonObject
    readonly added: JsonObject
  }
  const file = new URL('../../../facts/cases/defaulted.json', import.meta.url)
  const cases: Defaulted[] = JSON.parse(readFileSync(file, 'utf8'))

  /** Not from defaulting: strategies, admission, conversion. */
  const elsewhere =
    /^\.metadata\.(generation|finalizers|annotations)|ipFamil|targetCPU|\.status\.(conditions|qosClass|phase)|tolerations|volumes|volumeMounts|serviceAccount|priority|preemption|taints|\.spec\.(username|uid|groups)/

  it.each(cases)('$of', ({ of, body, added: wanted }) => {
    const slash = of.lastIndexOf('/')
    const version = parseGroupVersion(of.slice(0, slash)) ?? { group: '', version: '' }
    const kind = findResource(version, of.slice(slash + 1))?.kind ?? ''
    const schema = schemaForKind({ ...version, kind })
    if (schema === undefined) throw new Error(`no kind ${of}`)
    const object = defaultObject(canonicalize(body, schema), schema, context)
    for (const [path, value] of Object.entries(wanted)) {
      if (elsewhere.test(path) || (typeof value === 'string' && value.startsWith('{'))) continue
      expect(valueAt(object, path), path).toEqual(value)
    }
  })
})

function valueAt(object: JsonObject, path: string): unknown {
  const labels = /^\.metadata\.labels\.(.*)$/.exec(path)
  if (labels !== null) return (object['metadata'] as { labels?: JsonObject }).labels?.[labels[1] ?? '']
  let at: unknown = object
  for (const [, key, index] of path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)) {
    at = (at as Record<string, unknown> | undefined)?.[key ?? index ?? '']
  }
  return at
}
