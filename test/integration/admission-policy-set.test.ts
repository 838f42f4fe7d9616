// A set of validating policies in the forms that published sets use: guards by kind, shared variables, parameters of a
// custom kind, computed messages, bindings that select by label, and policies over connections.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

const registration = 'admissionregistration.k8s.io/v1'
const policies = `/apis/${registration}/validatingadmissionpolicies`
const selected = { 'policy-set': 'on' }

const workloads = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
  {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['deployments', 'replicasets', 'daemonsets', 'statefulsets'],
  },
  { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['jobs', 'cronjobs'] },
]

const paramKind = { apiVersion: 'sets.example.com/v1', kind: 'Settings' }
const templated = "['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job']"
/** The pod's own spec, wherever the kind keeps it. */
const podSpec = {
  name: 'podSpec',
  expression: `object.kind == 'Pod' ? object.spec : object.kind == 'CronJob' ? object.spec.jobTemplate.spec.template.spec : object.spec.template.spec`,
}
const containers = {
  name: 'containers',
  expression:
    'variables.podSpec.containers + (has(variables.podSpec.initContainers) ? variables.podSpec.initContainers : [])',
}

/** What each policy of the set says beyond its name. */
const set: Record<string, Json> = {
  'read-only-root': {
    validations: [
      {
        expression: `object.kind != 'Pod' || object.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem == true)`,
        message: 'pods need a root that cannot be written',
      },
      {
        expression: `${templated}.all(kind, object.kind != kind) || object.spec.template.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem == true)`,
        message: 'workloads need a root that cannot be written',
      },
      {
        expression: `object.kind != 'CronJob' || object.spec.jobTemplate.spec.template.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem == true)`,
        message: 'cron jobs need a root that cannot be written',
      },
    ],
  },
  'memory-in-range': {
    paramKind,
    variables: [podSpec, containers],
    validations: [
      {
        expression: `variables.containers.all(c, has(c.resources) && has(c.resources.limits) && has(c.resources.limits.memory) &&
          quantity(string(params.settings.memoryMin)).compareTo(quantity(string(c.resources.limits.memory))) != 1 &&
          quantity(string(params.settings.memoryMax)).compareTo(quantity(string(c.resources.limits.memory))) != -1)`,
        messageExpression: `object.kind + '/' + object.metadata.name + ' needs between ' + string(params.settings.memoryMin) + ' and ' + string(params.settings.memoryMax) + ' of memory'`,
      },
    ],
  },
  'known-registries': {
    paramKind,
    variables: [
      podSpec,
      containers,
      { name: 'registries', expression: 'params.settings.?registries.orValue([])' },
      {
        name: 'strangers',
        expression: `variables.containers.filter(c, !(c.image.split('/')[0] in variables.registries))`,
      },
    ],
    validations: [
      {
        expression: 'variables.strangers.size() == 0',
        messageExpression: `'images from elsewhere: ' + variables.strangers.map(c, c.image).join(', ')`,
        reason: 'Forbidden',
      },
    ],
  },
  'plain-names-once': {
    variables: [podSpec, containers],
    matchConditions: [{ name: 'not-a-job', expression: `object.kind != 'Job' && object.kind != 'CronJob'` }],
    validations: [
      { expression: `variables.containers.all(c, c.name.matches('^[a-z]+$'))`, message: 'names are letters' },
      {
        expression:
          '!variables.containers.exists(c, has(c.env) && !c.env.all(e, c.env.exists_one(other, other.name == e.name)))',
        message: 'variables are set once',
      },
    ],
    auditAnnotations: [{ key: 'containers', valueExpression: 'string(variables.containers.size())' }],
  },
  'no-terminals': {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/exec', 'pods/attach'] },
      ],
    },
    validations: [
      {
        expression: `!(has(object.tty) && object.tty == true) || request.userInfo.groups.exists(g, g == 'oncall')`,
        messageExpression: `object.kind + ' of ' + request.name + ' with a terminal'`,
      },
    ],
  },
}

const crd: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'settings.sets.example.com' },
  spec: {
    group: 'sets.example.com',
    scope: 'Cluster',
    names: { plural: 'settings', singular: 'settings', kind: 'Settings', listKind: 'SettingsList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { settings: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
}

async function made(path: string, body: Json): Promise<Json> {
  const answer = await server.call('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.body}`)
  return answer.json()
}

async function install(
  name: string,
  { matchConstraints = { resourceRules: workloads }, ...spec }: Json,
): Promise<void> {
  const policy = { apiVersion: registration, kind: 'ValidatingAdmissionPolicy', metadata: { name } }
  await made(policies, { ...policy, spec: { failurePolicy: 'Fail', matchConstraints, ...spec } })
  const isConnect = name === 'no-terminals'
  await made(`/apis/${registration}/validatingadmissionpolicybindings`, {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: {
      policyName: name,
      validationActions: name === 'plain-names-once' ? ['Warn', 'Audit'] : ['Deny'],
      ...(spec.paramKind === undefined ? {} : { paramRef: { name: 'strict', parameterNotFoundAction: 'Deny' } }),
      ...(isConnect ? {} : { matchResources: { objectSelector: { matchLabels: selected } } }),
    },
  })
}

beforeAll(async () => {
  server = await startTestServer(['--store', 'memory', '--disable-admission-plugins=ServiceAccount'])
  await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
  const isServed = async () => (await server.call('GET', '/apis/sets.example.com/v1/settings')).status === 200
  await until('the kind of the parameters', isServed)
  for (const [name, spec] of Object.entries(set)) await install(name, spec)
  // Policies, and bindings, take force in the order in which they are made.
  const isLastInForce = async () =>
    (await server.call('GET', `${paths['Pod']}/none/exec?command=sh&tty=true`)).body.includes('with a terminal')
  await until('the last policy to take force', isLastInForce)
})
afterAll(() => server.close())

const container = (more: Json = {}): Json => ({
  name: 'main',
  image: 'registry.example.com/app',
  securityContext: { readOnlyRootFilesystem: true },
  resources: { limits: { memory: '256Mi' } },
  ...more,
})
const paths: Record<string, string> = {
  Pod: '/api/v1/namespaces/default/pods',
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  CronJob: '/apis/batch/v1/namespaces/default/cronjobs',
}

function workload(kind: string, main: Json, labels: Json): Json {
  const spec = { containers: [main], ...(kind === 'CronJob' ? { restartPolicy: 'Never' } : {}) }
  const metadata = { name: 'x', labels }
  const template = { metadata: { labels: { app: 'x' } }, spec }
  switch (kind) {
    case 'Pod':
      return { apiVersion: 'v1', kind, metadata, spec }
    case 'Deployment':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { selector: { matchLabels: { app: 'x' } }, template } }
    default:
      return {
        apiVersion: 'batch/v1',
        kind,
        metadata,
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
      }
  }
}

/** A trial: nothing is stored. */
const attempt = (kind: string, main: Json = container(), labels: Json = selected): Promise<Answer> =>
  server.call('POST', `${paths[kind]}?dryRun=All`, workload(kind, main, labels))

const kinds = ['Pod', 'Deployment', 'CronJob']

it('denies all that needs parameters while there are none', async () => {
  const answer = await attempt('Pod')
  expect(answer.json().message).toContain(
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  )
  await made('/apis/sets.example.com/v1/settings', {
    ...paramKind,
    metadata: { name: 'strict' },
    settings: { memoryMin: '64Mi', memoryMax: 1073741824, registries: ['registry.example.com'] },
  })
  await until('the parameters to be known', async () => (await attempt('Pod')).status === 201)
})

describe.each(kinds)('a %s', (kind) => {
  it('passes when it keeps to the rules', async () => {
    const answer = await attempt(kind)
    expect(answer.json()).toMatchObject({ kind })
    expect(answer.headers['warning']).toBeUndefined()
  })

  it('is nobody’s business without the label', async () => {
    expect((await attempt(kind, container({ resources: {}, securityContext: {} }), {})).status).toBe(201)
  })

  it.each<[string, Json, number, string]>([
    ['a root that can be written', { securityContext: {} }, 422, 'root that cannot be written'],
    ['no memory', { resources: {} }, 422, `${kind}/x needs between 64Mi and 1073741824 of memory`],
    ['too little memory', { resources: { limits: { memory: '1Mi' } } }, 422, 'needs between'],
    ['too much memory', { resources: { limits: { memory: '2Gi' } } }, 422, 'needs between'],
    [
      'an image from elsewhere',
      { image: 'other.example.com/app' },
      403,
      'images from elsewhere: other.example.com/app',
    ],
  ])('is refused with %s', async (_, main, code, message) => {
    const answer = await attempt(kind, container(main))
    expect(answer.json()).toMatchObject({ code, message: expect.stringContaining(message) })
  })
})

it.each<[string, Json, string | undefined]>([
  ['Pod', { name: 'main-2' }, 'names are letters'],
  ['Deployment', { env: [{ name: 'A' }, { name: 'A' }] }, 'variables are set once'],
  ['Deployment', { env: [{ name: 'A' }, { name: 'B' }] }, undefined],
  ['CronJob', { name: 'main-2' }, undefined],
])('warns about a %s with %j', async (kind, main, warning) => {
  const { status, headers } = await attempt(kind, container(main))
  expect(status).toBe(201)
  const given = String(headers['warning'] ?? '')
  if (warning === undefined) expect(given).not.toContain('plain-names-once')
  else
    expect(given).toContain(
      `Validation failed for ValidatingAdmissionPolicy 'plain-names-once' with binding 'plain-names-once-binding': ${warning}`,
    )
})

it('judges connections by their options', async () => {
  await made(paths['Pod'] ?? '', workload('Pod', container(), selected))
  const refused = await server.call('GET', `${paths['Pod']}/x/exec?command=sh&tty=true`)
  expect(refused.json()).toMatchObject({
    code: 422,
    message: expect.stringContaining('PodExecOptions of x with a terminal'),
  })
  const passed = await server.call('GET', `${paths['Pod']}/x/exec?command=ls`)
  expect(passed.json().message).toContain('does not have a host assigned')
})

it('says of which expressions the types do not fit all kinds', async () => {
  const checked = await until('all policies to be checked', async () => {
    const { items } = (await server.call('GET', policies)).json() as { items: Json[] }
    return items.every(({ status, metadata }) => status?.observedGeneration === metadata.generation) && items
  })
  const warned = (name: string): string[] =>
    (checked.find(({ metadata }) => metadata.name === name)?.status.typeChecking?.expressionWarnings ?? []).map(
      ({ fieldRef }: Json) => fieldRef,
    )
  expect(warned('read-only-root')).toEqual([0, 1, 2].map((index) => `spec.validations[${index}].expression`))
  expect(warned('no-terminals')).toEqual([])
})
