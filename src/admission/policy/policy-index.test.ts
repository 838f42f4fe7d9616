/** Which policies and bindings a request meets, also after they change. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { Cluster } from '../cluster.ts'
import { LiveSource } from '../testing/live-source.ts'
import { testObject, testRequest } from '../testing/test-cluster.ts'
import { WebhookIndex } from '../webhook/webhook.ts'
import { PolicyIndex } from './policy-index.ts'

const rule = (more: JsonObject = {}): JsonObject => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: ['pods'],
  ...more,
})
const policy = (
  name: string,
  matchConstraints: JsonObject = { resourceRules: [rule()] },
  more: JsonObject = {},
): KubeObject => testObject('ValidatingAdmissionPolicy', name, { spec: { matchConstraints, ...more } })
const binding = (name: string, policyName: string, matchResources?: JsonObject): KubeObject =>
  testObject('ValidatingAdmissionPolicyBinding', name, {
    spec: { policyName, ...(matchResources === undefined ? {} : { matchResources }) },
  })

function indexOf(policies: KubeObject[], bindings: KubeObject[]) {
  const sources = {
    policies: new LiveSource(),
    bindings: new LiveSource(),
    namespaces: new LiveSource(),
    webhooks: new LiveSource(),
  }
  for (const each of policies) sources.policies.put(each)
  for (const each of bindings) sources.bindings.put(each)
  sources.namespaces.put(testObject('Namespace', 'ns', {}, { labels: { team: 'a' } }))
  let revision = 0
  const compiled: string[] = []
  const cluster = new Cluster({
    source: async (_, resource) => sources[resource as keyof typeof sources],
    fresh: () => true,
    authorize: () => ({ allowed: true, reason: '' }),
    gate: () => false,
    resourcesRevision: () => revision,
  })
  let others: {
    resource: { group: string; version: string; resource: string }
    kind: { group: string; version: string; kind: string }
  }[] = []
  const forms = () => others
  const index = new PolicyIndex<string>({
    cluster,
    policies: 'policies',
    bindings: 'bindings',
    forms,
    compile: ({ metadata }) => {
      compiled.push(metadata.name ?? '')
      return `compiled ${metadata.name}`
    },
  })
  const matched = async (request: Partial<AdmissionRequest> = {}): Promise<string[]> => {
    const found = await index.matching(testRequest({ object: testObject('Pod', 'x'), ...request }))
    return found.map(
      (each) =>
        `${each.compiled}: ${each.bindings.map(({ metadata }) => metadata.name).join('+')} as ${each.form.resource.version}`,
    )
  }
  const serve = (forms: typeof others): void => {
    others = forms
    revision++
  }
  return { index, matched, compiled, serve, cluster, forms, ...sources }
}

describe('a request meets', () => {
  const one = (constraints: JsonObject, matchResources?: JsonObject) => ({
    policies: [policy('p', constraints)],
    bindings: [binding('b', 'p', matchResources)],
  })
  const met = ['compiled p: b as v1']
  const named = (resourceNames: string[]): JsonObject => ({ resourceRules: [rule({ resourceNames })] })
  const labelled = { object: testObject('Pod', 'x', {}, { labels: { app: 'web' } }) }
  it.each<[string, { policies: KubeObject[]; bindings: KubeObject[] }, Partial<AdmissionRequest>, string[]]>([
    ['a policy that is bound', one({ resourceRules: [rule()] }), {}, met],
    ['none that is not bound', { policies: [policy('p')], bindings: [binding('b', 'q')] }, {}, []],
    ['none without bindings', { policies: [policy('p')], bindings: [] }, {}, []],
    ['none without rules', one({}), {}, []],
    [
      'none without constraints',
      { policies: [testObject('ValidatingAdmissionPolicy', 'p', { spec: {} })], bindings: [binding('b', 'p')] },
      {},
      [],
    ],
    ['none about another resource', one({ resourceRules: [rule({ resources: ['services'] })] }), {}, []],
    ['none about another operation', one({ resourceRules: [rule({ operations: ['DELETE'] })] }), {}, []],
    ['none that excludes it', one({ resourceRules: [rule()], excludeResourceRules: [rule()] }), {}, []],
    [
      'one that excludes another',
      one({ resourceRules: [rule()], excludeResourceRules: [rule({ resources: ['services'] })] }),
      {},
      met,
    ],
    ['one that names it', one(named(['x', 'y'])), {}, met],
    ['none that names another', one(named(['y'])), {}, []],
    ['one whose other rule names nobody', one({ resourceRules: [rule({ resourceNames: ['y'] }), rule()] }), {}, met],
    [
      'none whose other rule is about others',
      one({ resourceRules: [rule({ resourceNames: ['y'] }), rule({ resources: ['services'] })] }),
      {},
      [],
    ],
    [
      'none that excludes its name',
      one({ resourceRules: [rule()], excludeResourceRules: [rule({ resourceNames: ['x'] })] }),
      {},
      [],
    ],
    [
      'one that excludes another name',
      one({ resourceRules: [rule()], excludeResourceRules: [rule({ resourceNames: ['y'] })] }),
      {},
      met,
    ],
    [
      'one that selects its labels',
      one({ resourceRules: [rule()], objectSelector: { matchLabels: { app: 'web' } } }),
      labelled,
      met,
    ],
    [
      'none that selects other labels',
      one({ resourceRules: [rule()], objectSelector: { matchLabels: { app: 'db' } } }),
      labelled,
      [],
    ],
    [
      'one that selects its namespace',
      one({ resourceRules: [rule()], namespaceSelector: { matchLabels: { team: 'a' } } }),
      {},
      met,
    ],
    [
      'none that selects another namespace',
      one({ resourceRules: [rule()], namespaceSelector: { matchLabels: { team: 'b' } } }),
      {},
      [],
    ],
    [
      'a binding without rules',
      one({ resourceRules: [rule()] }, { namespaceSelector: { matchLabels: { team: 'a' } } }),
      {},
      met,
    ],
    [
      'no binding of another namespace',
      one({ resourceRules: [rule()] }, { namespaceSelector: { matchLabels: { team: 'b' } } }),
      {},
      [],
    ],
    [
      'no binding about another resource',
      one({ resourceRules: [rule()] }, { resourceRules: [rule({ resources: ['services'] })] }),
      {},
      [],
    ],
    ['a binding that names it', one({ resourceRules: [rule()] }, named(['x'])), {}, met],
    ['no binding that names another', one({ resourceRules: [rule()] }, named(['y'])), {}, []],
    [
      'no binding that excludes its name',
      one({ resourceRules: [rule()] }, { excludeResourceRules: [rule({ resourceNames: ['x'] })] }),
      {},
      [],
    ],
    [
      'no binding that selects other labels',
      one({ resourceRules: [rule()] }, { objectSelector: { matchLabels: { app: 'db' } } }),
      labelled,
      [],
    ],
  ])('%s', async (_, { policies, bindings }, request, expected) => {
    expect(await indexOf(policies, bindings).matched(request)).toEqual(expected)
  })

  it('several by name, each with all of its bindings by name', async () => {
    const given = indexOf(
      [policy('q'), policy('p')],
      [
        binding('c', 'p'),
        binding('a', 'q'),
        binding('b', 'p', { resourceRules: [rule({ resources: ['x'] })] }),
        binding('aa', 'p'),
      ],
    )
    expect(await given.matched()).toEqual(['compiled p: aa+c as v1', 'compiled q: a as v1'])
  })

  it('what is about another version of it, unless it wants its own', async () => {
    const other = {
      resource: { group: '', version: 'v2', resource: 'pods' },
      kind: { group: '', version: 'v2', kind: 'Pod' },
    }
    const constraints = { resourceRules: [rule({ apiVersions: ['v2'] })] }
    const given = indexOf(
      [policy('p', constraints), policy('q', { ...constraints, matchPolicy: 'Exact' })],
      [binding('b', 'p'), binding('c', 'q')],
    )
    expect(await given.matched()).toEqual([])
    given.serve([other])
    expect(await given.matched()).toEqual(['compiled p: b as v2'])
    given.serve([])
    expect(await given.matched()).toEqual([])
  })
})

describe('what changes', () => {
  it('is seen, and compiled when it is met', async () => {
    const given = indexOf([], [])
    expect(await given.matched()).toEqual([])
    given.policies.put(policy('p'))
    expect([await given.matched(), given.compiled]).toEqual([[], []])
    given.bindings.put(binding('b', 'p'))
    expect([await given.matched(), await given.matched()]).toEqual([['compiled p: b as v1'], ['compiled p: b as v1']])
    expect(given.compiled).toEqual(['p'])
    given.policies.put({ ...policy('p'), status: { observedGeneration: 1 } } as unknown as KubeObject)
    await given.matched()
    expect(given.compiled).toEqual(['p'])
    given.policies.put(policy('p', { resourceRules: [rule()] }, { failurePolicy: 'Ignore' }))
    await given.matched()
    expect(given.compiled).toEqual(['p', 'p'])
    given.bindings.put(binding('b', 'q'))
    expect(await given.matched()).toEqual([])
    given.bindings.put(binding('b', 'p'))
    given.bindings.drop('', 'b')
    expect(await given.matched()).toEqual([])
    given.bindings.put(binding('b', 'p'))
    given.policies.drop('', 'p')
    expect(await given.matched()).toEqual([])
  })

  it('is known by kind of request', async () => {
    const given = indexOf(
      [policy('p', { resourceRules: [rule({ operations: ['CREATE'], scope: 'Namespaced' })] })],
      [binding('b', 'p')],
    )
    expect(await given.matched()).toHaveLength(1)
    expect(await given.matched({ operation: 'UPDATE' })).toEqual([])
    expect(await given.matched({ subresource: 'status' })).toEqual([])
    expect(await given.matched({ namespace: '' })).toEqual([])
    expect(await given.matched({ resource: { group: 'x', version: 'v1', resource: 'pods' } })).toEqual([])
  })
})

describe('the webhooks of a request', () => {
  const configuration = (name: string, ...webhooks: JsonObject[]): KubeObject =>
    testObject('MutatingWebhookConfiguration', name, webhooks.length === 0 ? {} : { webhooks })
  const hook = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    rules: [rule()],
    clientConfig: { url: 'https://x' },
    ...more,
  })
  function webhooks(...configurations: KubeObject[]) {
    const given = indexOf([], [])
    for (const each of configurations) given.webhooks.put(each)
    const index = new WebhookIndex({ cluster: given.cluster, resource: 'webhooks', forms: given.forms })
    const found = async (request: Partial<AdmissionRequest> = {}) => index.candidates(testRequest(request))
    return {
      ...given,
      found,
      ids: async (request: Partial<AdmissionRequest> = {}) =>
        (await found(request)).map(({ webhook, form, index: at }) => `${webhook.id} ${form.resource.version} ${at}`),
    }
  }

  it('are those whose rules match, by the name of their configuration and as listed', async () => {
    const given = webhooks(
      configuration('b', hook('z'), hook('y', { rules: [rule({ resources: ['services'] })] }), hook('z')),
      configuration('a', hook('x')),
      configuration('c'),
    )
    expect(await given.ids()).toEqual(['a/x/0 v1 0', 'b/z/0 v1 1', 'b/z/1 v1 3'])
    expect(await given.ids({ resource: { group: '', version: 'v1', resource: 'services' } })).toEqual(['b/y/0 v1 2'])
    expect(await webhooks().ids()).toEqual([])
  })

  it('follow their configurations and what is served', async () => {
    const given = webhooks(
      configuration(
        'a',
        hook('x', { rules: [rule({ apiVersions: ['v2'] })] }),
        hook('y', { rules: [rule({ apiVersions: ['v2'] })], matchPolicy: 'Exact' }),
      ),
    )
    expect(await given.ids()).toEqual([])
    given.serve([
      { resource: { group: '', version: 'v2', resource: 'pods' }, kind: { group: '', version: 'v2', kind: 'Pod' } },
    ])
    expect(await given.ids()).toEqual(['a/x/0 v2 0'])
    given.webhooks.put(configuration('b', hook('z')))
    expect(await given.ids()).toEqual(['a/x/0 v2 0', 'b/z/0 v1 2'])
    given.webhooks.drop('', 'a')
    expect(await given.ids()).toEqual(['b/z/0 v1 0'])
  })

  it.each<[string, JsonObject, JsonObject]>([
    [
      'standards',
      {},
      {
        failOpen: false,
        reinvocable: false,
        sideEffects: 'Unknown',
        timeoutSeconds: 10,
        reviewVersion: undefined as never,
        equivalent: true,
      },
    ],
    [
      'what they say',
      {
        failurePolicy: 'Ignore',
        reinvocationPolicy: 'IfNeeded',
        sideEffects: 'None',
        timeoutSeconds: 3,
        admissionReviewVersions: ['v2', 'v1beta1', 'v1'],
        matchPolicy: 'Exact',
      },
      {
        failOpen: true,
        reinvocable: true,
        sideEffects: 'None',
        timeoutSeconds: 3,
        reviewVersion: 'v1beta1',
        equivalent: false,
      },
    ],
    [
      'what they say otherwise',
      {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        admissionReviewVersions: ['v1'],
        matchPolicy: 'Equivalent',
      },
      { failOpen: false, reinvocable: false, reviewVersion: 'v1', equivalent: true },
    ],
  ])('have %s', async (_, more, expected) => {
    const [found] = await webhooks(configuration('a', hook('x', more))).found()
    expect(found?.webhook).toMatchObject(expected)
  })

  it('have conditions that compile or do not', async () => {
    const matchConditions = [
      { name: 'good', expression: 'true' },
      { name: 'bad', expression: 'x +' },
    ]
    const [found] = await webhooks(configuration('a', hook('x', { matchConditions }))).found()
    expect(found?.webhook.conditions.map(({ name, program }) => [name, 'compileError' in program])).toEqual([
      ['good', false],
      ['bad', true],
    ])
  })
})
