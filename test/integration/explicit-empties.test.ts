/**
 * Go tells an empty list or map from none, from decoding through defaults and validation to storage, which loses the
 * difference. The cases are what kube-apiserver v1.33 answers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(['--store', 'memory', '--disable-admission-plugins=ServiceAccount'])
})
afterAll(() => server.close())

const mergePatch = { 'content-type': 'application/merge-patch+json' }
const inDefault = (group: string, resource: string): string => `/apis/${group}/namespaces/default/${resource}`
const autoscalers = inDefault('autoscaling/v2', 'horizontalpodautoscalers')
const policies = inDefault('networking.k8s.io/v1', 'networkpolicies')
const classes = '/apis/storage.k8s.io/v1/storageclasses'
const secrets = '/api/v1/namespaces/default/secrets'
const configMaps = '/api/v1/namespaces/default/configmaps'
const nodes = '/api/v1/nodes'
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

const autoscaler = (policies: Json): Json => ({
  metadata: { name: 'a' },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'x', name: 'y' }, behavior: { scaleDown: { policies } } },
})

test('an empty list of scaling policies is not filled in, and refused', async () => {
  const { status, body } = await server.call('POST', autoscalers, autoscaler([]))
  expect(status).toBe(422)
  expect(body.toString()).toContain(
    'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
  )
  expect((await server.call('POST', autoscalers, autoscaler(null))).status).toBe(201)
})

interface Update {
  readonly path: string
  readonly object: Json
  readonly patch: Json
  readonly refused?: string
}

test.each<Update>([
  {
    path: classes,
    object: { metadata: { name: 'c' }, provisioner: 'p' },
    patch: { parameters: {} },
    refused: 'parameters: Forbidden: updates to parameters are forbidden.',
  },
  { path: classes, object: { metadata: { name: 'd' }, provisioner: 'p' }, patch: { mountOptions: [] } },
  {
    path: secrets,
    object: { metadata: { name: 's' }, immutable: true },
    patch: { data: {} },
    refused: 'data: Forbidden: field is immutable when `immutable` is set',
  },
  { path: configMaps, object: { metadata: { name: 'm' }, immutable: true }, patch: { data: {} } },
  {
    path: configMaps,
    object: { metadata: { name: 'n' }, immutable: true },
    patch: { binaryData: {} },
    refused: 'binaryData: Forbidden: field is immutable when `immutable` is set',
  },
])('an update of $path with $patch', async ({ path, object, patch, refused }) => {
  const { metadata } = (await server.call('POST', path, object)).json()
  const answer = await server.call('PATCH', `${path}/${metadata.name}`, patch, mergePatch)
  if (refused === undefined) {
    expect(answer.status).toBe(200)
    // Nothing is stored of it, and nobody owns it.
    expect(answer.json().metadata).toEqual(metadata)
  } else expect(answer.json()).toMatchObject({ code: 422, message: expect.stringContaining(refused) })
})

describe('the generation', () => {
  const generation = async (path: string, object: Json, patch: Json): Promise<number> => {
    const { metadata } = (await server.call('POST', path, object)).json()
    const answer = await server.call('PATCH', `${path}/${metadata.name}`, patch, mergePatch)
    return answer.json().metadata.generation
  }

  test('of a kind that is compared by reflect.DeepEqual counts an empty list', async () => {
    const policy = (name: string): Json => ({ metadata: { name }, spec: { podSelector: { matchLabels: { a: 'b' } } } })
    expect(await generation(policies, policy('a'), { spec: { ingress: [] } })).toBe(2)
    expect(await generation(policies, policy('b'), { spec: { ingress: null } })).toBe(1)
    const hook = {
      name: 'a.b.c',
      clientConfig: { url: 'https://x' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    const hooks = { metadata: { name: 'h' }, webhooks: [hook] }
    expect(await generation(webhooks, hooks, { webhooks: [{ ...hook, matchConditions: [] }] })).toBe(2)
  })

  test('of other kinds does not', async () => {
    const containers = [{ name: 'c', image: 'i' }]
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers } }
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } }
    const patch = { spec: { template: { spec: { nodeSelector: {}, tolerations: [] } } } }
    expect(await generation(inDefault('apps/v1', 'deployments'), deployment, patch)).toBe(1)
  })
})

test('what is lost in storage has its default again', async () => {
  const status = { capacity: { cpu: '4' }, allocatable: {} }
  const { body } = await server.call('POST', nodes, { metadata: { name: 'n' }, status })
  expect(JSON.parse(body.toString()).status).toMatchObject({ allocatable: { cpu: '4' } })
  expect((await server.call('GET', `${nodes}/n`)).body.toString()).toBe(body.toString())
})

test.each<[string, Json]>([
  ['{}', []],
  ['(nil)', null],
])('refused terms of a node selector are shown as %s when they are %j', async (shown, nodeSelectorTerms) => {
  const pods = '/api/v1/namespaces/default/pods'
  const affinity = (terms: Json): Json => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  })
  const spec = {
    schedulingGates: [{ name: 'g' }],
    containers: [{ name: 'c', image: 'i' }],
    affinity: affinity([{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }]),
  }
  const { name } = (await server.call('POST', pods, { metadata: { generateName: 'gated-' }, spec })).json().metadata
  const patch = { spec: { affinity: affinity(nodeSelectorTerms) } }
  const refused = await server.call('PATCH', `${pods}/${name}`, patch, mergePatch)
  expect(refused.status).toBe(422)
  expect(refused.json().message).toContain(`Invalid value: []core.NodeSelectorTerm${shown}: no additions/deletions`)
})

test.each([
  [null, {}],
  [{}, null],
  [{}, {}],
])('an apply of %o and then of %o in another second writes nothing', async (first, second) => {
  const path = `${configMaps}/no-op?fieldManager=m`
  const apply = async (value: Json) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'no-op', labels: value }, data: value }
    const answer = await server.call('PATCH', path, object, { 'content-type': 'application/apply-patch+yaml' })
    return answer.json().metadata.resourceVersion as string
  }
  const version = await apply(first)
  const begun = Math.floor(Date.now() / 1000)
  await until('the next second', async () => Math.floor(Date.now() / 1000) > begun)
  expect(await apply(second)).toBe(version)
})
