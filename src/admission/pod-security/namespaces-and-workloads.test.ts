/** Pod Security as a plugin: pods are refused, workloads and namespaces are warned about, and some are exempt. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { systemClock } from '../../lib/clock.ts'
import type { AdmissionObserver } from '../observer.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { podSecurity } from './pod-security.ts'

const prefix = 'pod-security.kubernetes.io/'
const labels = (given: Record<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [prefix + key, value]))
const namespace = (given: Record<string, string>, name = 'ns'): KubeObject =>
  testObject('Namespace', name, {}, { labels: labels(given) })
const spec = (more: JsonObject = {}, image = 'i'): JsonObject => ({ containers: [{ name: 'c', image }], ...more })
const bad = spec({ hostNetwork: true })
const pod = (given: JsonObject, metadata: JsonObject = {}): KubeObject =>
  testObject('Pod', 'p', { spec: given }, { namespace: 'ns', ...metadata })

interface Given {
  readonly labels?: Record<string, string> | null
  readonly configuration?: JsonValue
  readonly pods?: readonly KubeObject[]
  readonly gates?: readonly string[]
  readonly clock?: typeof systemClock
}

/** The refusal, the warnings, the annotations, and what the observer was told. */
async function asked(given: Given, request: Partial<AdmissionRequest>) {
  const warnings: string[] = []
  const annotations: JsonObject = {}
  const told: string[] = []
  const observer: Partial<AdmissionObserver> = {
    podJudged: ({ resource, subresource }, { mode, allowed, level, minor }) =>
      void told.push(
        [resource, subresource, mode, allowed, level, minor]
          .filter((part) => part !== '' && part !== undefined)
          .join(' '),
      ),
    podExempt: ({ resource }) => void told.push(`exempt ${resource}`),
    podSecurityFailed: ({ resource }, fatal) => void told.push(`failed ${resource} ${fatal}`),
  }
  const objects = { namespaces: given.labels === null ? [] : [namespace(given.labels ?? {})], pods: given.pods ?? [] }
  const cluster = testCluster(objects, { gates: given.gates ?? [] })
  const plugin = podSecurity(cluster, given.configuration, {
    clock: given.clock ?? systemClock,
    observer: observer as AdmissionObserver,
  })
  const whole = testRequest({
    ...request,
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void Object.assign(annotations, { [key.replace(prefix, '')]: value }),
  })
  let refused: string | undefined
  try {
    await plugin.validate?.(whole)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refused = error.message
  }
  return { refused, warnings, annotations, told }
}

const violation = (level: string, version = 'latest') =>
  `PodSecurity "${level}:${version}": host namespaces (hostNetwork=true)`

describe('a pod', () => {
  it.each<[string, Given, Partial<AdmissionRequest>, Partial<Awaited<ReturnType<typeof asked>>>]>([
    [
      'that its namespace allows',
      { labels: { enforce: 'baseline' } },
      { object: pod(spec()) },
      {
        refused: undefined,
        warnings: [],
        annotations: { 'enforce-policy': 'baseline:latest' },
        told: ['pod enforce true baseline'],
      },
    ],
    [
      'that its namespace enforces against',
      { labels: { enforce: 'baseline' } },
      { object: pod(bad) },
      {
        refused: `pods "x" is forbidden: violates ${violation('baseline')}`,
        warnings: [],
        told: ['pod enforce false baseline'],
      },
    ],
    [
      'that its namespace warns of',
      { labels: { warn: 'baseline', 'warn-version': 'v1.25' } },
      { object: pod(bad) },
      {
        refused: undefined,
        warnings: [`would violate ${violation('baseline', 'v1.25')}`],
        annotations: { 'enforce-policy': 'privileged:latest' },
        told: ['pod enforce true privileged', 'pod warn false baseline 25'],
      },
    ],
    [
      'that its namespace audits',
      { labels: { audit: 'baseline' } },
      { object: pod(bad) },
      {
        refused: undefined,
        warnings: [],
        annotations: {
          'enforce-policy': 'privileged:latest',
          'audit-violations': `would violate ${violation('baseline')}`,
        },
        told: ['pod enforce true privileged', 'pod audit false baseline'],
      },
    ],
    [
      'of a namespace that asks for nothing',
      {},
      { object: pod(bad) },
      {
        refused: undefined,
        annotations: { 'enforce-policy': 'privileged:latest' },
        told: ['pod enforce true privileged'],
      },
    ],
    [
      'of no namespace',
      { labels: null },
      { object: pod(bad) },
      { refused: 'Internal error occurred: failed to lookup namespace "ns"', told: ['failed pod true'] },
    ],
    [
      'of labels that cannot be read',
      { labels: { enforce: 'odd', audit: 'odd' } },
      { object: pod(spec()) },
      {
        refused: expect.stringContaining('violates PodSecurity "restricted:latest"') as unknown as string,
        told: ['failed pod false', 'pod enforce false restricted'],
      },
    ],
    [
      'of an exempt namespace',
      { labels: { enforce: 'baseline' }, configuration: { exemptions: { namespaces: ['ns'] } } },
      { object: pod(bad) },
      { refused: undefined, annotations: { exempt: 'namespace' }, told: ['exempt pod'] },
    ],
    [
      'of an exempt user',
      { labels: { enforce: 'baseline' }, configuration: { exemptions: { usernames: ['somebody'] } } },
      { object: pod(bad) },
      { refused: undefined, annotations: { exempt: 'user' }, told: ['exempt pod'] },
    ],
    [
      'of an exempt runtime class',
      { labels: { enforce: 'baseline' }, configuration: { exemptions: { runtimeClasses: ['r'] } } },
      { object: pod({ ...bad, runtimeClassName: 'r' }) },
      { refused: undefined, annotations: { exempt: 'runtimeClass' }, told: ['exempt pod'] },
    ],
    [
      'of another runtime class',
      { labels: { enforce: 'baseline' }, configuration: { exemptions: { runtimeClasses: ['r'] } } },
      { object: pod({ ...bad, runtimeClassName: 's' }) },
      { told: ['pod enforce false baseline'] },
    ],
    [
      'by the defaults of the cluster',
      { configuration: { defaults: { enforce: 'baseline' } } },
      { object: pod(bad) },
      { told: ['pod enforce false baseline'] },
    ],
  ])('%s', async (_, given, request, expected) => {
    expect(await asked(given, request)).toMatchObject(expected)
  })

  it('whose labels cannot be read is annotated', async () => {
    const one = await asked({ labels: { audit: 'odd' } }, { object: pod(spec()) })
    expect(one.annotations['error']).toMatch(/^Failed to parse policy: metadata\.labels/)
    const two = await asked({ labels: { audit: 'odd', warn: 'odd' } }, { object: pod(spec()) })
    expect(two.annotations['error']).toMatch(/^Failed to parse policy: \[metadata\.labels.*, metadata\.labels.*\]$/)
  })

  it.each<[string, KubeObject, KubeObject, boolean]>([
    ['an annotation', pod(bad, { annotations: { a: 'b' } }), pod(bad), false],
    ['an image', pod(spec({ hostNetwork: true }, 'j')), pod(bad), true],
    ['an init container', pod({ ...bad, initContainers: [{ name: 'i' }] }), pod(bad), true],
    ['an ephemeral container', pod({ ...bad, ephemeralContainers: [{ name: 'e', image: 'i' }] }), pod(bad), true],
    [
      'nothing of an ephemeral container',
      pod({ ...bad, ephemeralContainers: [{ name: 'e', image: 'i' }] }),
      pod({
        ...bad,
        ephemeralContainers: [
          { name: 'x', image: 'x' },
          { name: 'e', image: 'i' },
        ],
      }),
      false,
    ],
  ])('is looked at again when an update changes %s: %#', async (_, object, oldObject, isRefused) => {
    const { refused } = await asked({ labels: { enforce: 'baseline' } }, { operation: 'UPDATE', object, oldObject })
    expect(refused !== undefined).toBe(isRefused)
  })

  it('may be root where user namespaces make that harmless', async () => {
    const restricted = { labels: { enforce: 'restricted' } }
    const root = pod({
      hostUsers: false,
      securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    })
    expect(
      (await asked({ ...restricted, gates: ['UserNamespacesPodSecurityStandards'] }, { object: root })).refused,
    ).toBeUndefined()
    expect((await asked(restricted, { object: root })).refused).toContain('runAsUser=0')
  })
})

describe('a workload', () => {
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' }
  const warned = `would violate ${violation('baseline')}`
  it.each<[string, KubeObject, unknown]>([
    ['with a template', testObject('Deployment', 'd', { spec: { template: { metadata: {}, spec: bad } } }), [warned]],
    [
      'with a template without metadata',
      testObject('Deployment', 'd', { spec: { template: { spec: bad } } }),
      [warned],
    ],
    ['of jobs', testObject('CronJob', 'd', { spec: { jobTemplate: { spec: { template: { spec: bad } } } } }), [warned]],
    ['that is a template', testObject('PodTemplate', 'd', { template: { spec: bad } }), [warned]],
    ['with a good template', testObject('Deployment', 'd', { spec: { template: { spec: spec() } } }), []],
    ['without a template', testObject('Deployment', 'd', { spec: {} }), []],
    ['without a spec', testObject('Deployment', 'd'), []],
    ['with a template without a spec', testObject('Deployment', 'd', { spec: { template: {} } }), []],
  ])('%s is only warned of', async (_, object, expected) => {
    const { refused, warnings, annotations, told } = await asked(
      { labels: { enforce: 'baseline' } },
      { resource, object },
    )
    expect([refused, warnings, annotations]).toEqual([undefined, expected, {}])
    expect(told).toEqual((expected as []).length === 0 ? [] : ['controller warn false baseline'])
  })

  it('of a namespace that only enforces less is not looked at', async () => {
    const object = testObject('Deployment', 'd', { spec: { template: { spec: bad } } })
    expect(await asked({}, { resource, object })).toMatchObject({ warnings: [], told: [] })
  })
})

describe('a namespace', () => {
  const resource = { group: '', version: 'v1', resource: 'namespaces' }
  const tighten = (given: Given, to: Record<string, string>, from: Record<string, string> | null = {}) =>
    asked(given, {
      resource,
      operation: from === null ? 'CREATE' : 'UPDATE',
      namespace: '',
      name: 'ns',
      object: namespace(to),
      ...(from === null ? {} : { oldObject: namespace(from) }),
    })
  const named = (name: string, more: JsonObject = {}, given = bad): KubeObject =>
    testObject('Pod', name, { spec: given }, { namespace: 'ns', ...more })
  const head = 'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"'

  it.each<[string, Record<string, string>, Record<string, string> | null, string[]]>([
    ['that tightens what it enforces', { enforce: 'baseline' }, {}, [head, 'a: host namespaces']],
    ['that is new', { enforce: 'baseline' }, null, []],
    ['that enforces the same', { enforce: 'baseline' }, { enforce: 'baseline' }, []],
    ['that enforces less', { enforce: 'baseline' }, { enforce: 'restricted' }, []],
    ['that enforces nothing', { enforce: 'privileged' }, { enforce: 'restricted' }, []],
    ['that only warns', { warn: 'baseline' }, {}, []],
    [
      'that enforces another version',
      { enforce: 'baseline' },
      { enforce: 'baseline', 'enforce-version': 'v1.20' },
      [head, 'a: host namespaces'],
    ],
  ])('%s is warned of', async (_, to, from, expected) => {
    const { refused, warnings } = await tighten({ pods: [named('a'), named('b', {}, spec())] }, to, from)
    expect([refused, warnings]).toEqual([undefined, expected])
  })

  it('is warned of each kind of violation once, by the first of its pods', async () => {
    const privileged = spec({ containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] })
    const pods = [
      named('z'),
      named('y'),
      named('w'),
      named('v', {}, privileged),
      named('u', {}, privileged),
      named('t', {}, { ...privileged, hostNetwork: true }),
    ]
    const { warnings } = await tighten({ pods }, { enforce: 'baseline' })
    expect(warnings).toEqual([
      head,
      't: host namespaces, privileged',
      'u (and 1 other pod): privileged',
      'w (and 2 other pods): host namespaces',
    ])
  })

  it('is told how many pods were looked at, one of each controller first', async () => {
    let now = 0
    const clock = { ...systemClock, now: () => (now += 400) }
    const owned = (name: string, uid: string) =>
      named(name, { ownerReferences: [{ uid, controller: true }] as unknown as JsonObject[] })
    const pods = [owned('a1', 'a'), owned('a2', 'a'), owned('b1', 'b'), named('c')]
    const { warnings } = await tighten({ pods, clock }, { enforce: 'baseline' })
    expect(warnings).toEqual([
      'new PodSecurity enforce level only checked against the first 3 of 4 existing pods',
      head,
      'a1 (and 2 other pods): host namespaces',
    ])
  })

  it('does not look at pods of exempt runtime classes', async () => {
    const pods = [named('a', {}, { ...bad, runtimeClassName: 'r' })]
    expect(
      (await tighten({ pods, configuration: { exemptions: { runtimeClasses: ['r'] } } }, { enforce: 'baseline' }))
        .warnings,
    ).toEqual([])
  })

  it('that is exempt is told that its labels are ignored', async () => {
    const configuration = { exemptions: { namespaces: ['ns'] } }
    const ignored =
      'namespace "ns" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored'
    for (const from of [null, {}])
      expect((await tighten({ configuration, pods: [named('a')] }, { enforce: 'baseline' }, from)).warnings).toEqual([
        ignored,
      ])
    expect((await tighten({ configuration }, {}, null)).warnings).toEqual([])
  })

  it.each<[string, Record<string, string>, Record<string, string> | null, boolean]>([
    ['new', { enforce: 'odd' }, null, true],
    ['changed', { enforce: 'odd' }, {}, true],
    ['otherwise wrong before', { enforce: 'odd' }, { enforce: 'strange' }, true],
    ['as wrong before', { enforce: 'odd' }, { enforce: 'odd' }, false],
  ])('with labels that cannot be read is refused when they are %s', async (_, to, from, isRefused) => {
    const { refused } = await tighten({}, to, from)
    expect(
      refused?.startsWith('Namespace "ns" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]') ?? false,
    ).toBe(isRefused)
  })
})

it.each<['CREATE' | 'UPDATE' | 'DELETE', string, string, string, boolean]>([
  ['CREATE', '', 'pods', '', true],
  ['UPDATE', '', 'pods', 'ephemeralcontainers', true],
  ['CREATE', '', 'pods', 'exec', false],
  ['UPDATE', '', 'pods', 'status', false],
  ['DELETE', '', 'pods', '', false],
  ['CREATE', '', 'namespaces', '', true],
  ['UPDATE', '', 'namespaces', 'finalize', false],
  ['CREATE', 'apps', 'deployments', '', true],
  ['CREATE', '', 'deployments', '', false],
  ['CREATE', '', 'replicationcontrollers', '', true],
  ['UPDATE', 'apps', 'deployments', 'scale', false],
  ['CREATE', 'apps', 'pods', '', false],
  ['CREATE', '', 'services', '', false],
])('it is for %s of %s %s %s: %s', (operation, group, resource, subresource, expected) => {
  const { handles } = podSecurity(testCluster(), undefined, { clock: systemClock })
  expect(handles({ operation, group, resource, subresource })).toBe(expected)
})
