/** Webhooks as plugins: which are asked, what their answers do, and what their failures mean. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { systemClock } from '../../lib/clock.ts'
import type { AdmissionObserver } from '../observer.ts'
import type { MutationPass } from '../plugin.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { type MutatingDependencies, mutatingWebhooks } from './mutating-webhooks.ts'
import { validatingWebhooks } from './validating-webhooks.ts'
import { WebhookIndex } from './webhook.ts'

const rule: JsonObject = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }
const hook = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  rules: [rule],
  clientConfig: { url: `https://${name}` },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
})

/** What a webhook answers: its response, or why there is none. */
type Answer = JsonObject | Error
type Answers = Readonly<Record<string, Answer | ((review: JsonObject) => Answer)>>

const patchOf = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const label = (key: string, value = 'x'): JsonObject => ({ op: 'add', path: `/metadata/labels/${key}`, value })
const pod = (labels: JsonObject = { app: 'web' }): KubeObject =>
  testObject('Pod', 'x', { spec: { containers: [] } }, { namespace: 'ns', labels })

interface Outcome {
  readonly asked: string[]
  readonly reviews: JsonObject[]
  readonly warnings: string[]
  readonly annotations: JsonObject
  readonly told: string[]
  readonly waited: string[]
  readonly refused: string | undefined
  readonly object: KubeObject | undefined
  readonly repeats: number
}

async function run(
  type: 'mutating' | 'validating',
  webhooks: readonly JsonObject[],
  answers: Answers,
  request: Partial<AdmissionRequest> = {},
  more: Partial<MutatingDependencies> & { readonly rounds?: number } = {},
): Promise<Outcome> {
  const resource = `${type}webhookconfigurations`
  const configuration = testObject('Configuration', 'c', { webhooks })
  const namespaces = [testObject('Namespace', 'ns', {}, { labels: { team: 'a' } })]
  const cluster = testCluster({ namespaces, [`${resource}.admissionregistration.k8s.io`]: [configuration] })
  const outcome = {
    asked: [] as string[],
    reviews: [] as JsonObject[],
    warnings: [] as string[],
    annotations: {},
    told: [] as string[],
    waited: [] as string[],
  }
  const call = async ({ url = '' }: { url?: string }, review: JsonObject, seconds: number): Promise<JsonObject> => {
    const name = url.replace('https://', '')
    outcome.asked.push(`${name} ${seconds}`)
    outcome.reviews.push(review)
    const given = answers[name] ?? { allowed: true }
    const answer = typeof given === 'function' ? given(review) : given
    if (answer instanceof Error) throw answer
    const { uid } = review['request'] as JsonObject
    return {
      kind: 'AdmissionReview',
      apiVersion: review['apiVersion'] as string,
      response: { uid: uid as JsonValue, ...answer },
    }
  }
  const observer: Partial<AdmissionObserver> = {
    webhookAsked: ({ webhook, type: of, rejection, code, failedOpen, seconds }) =>
      void outcome.told.push(`${webhook} ${of} ${rejection} ${code} ${failedOpen} ${seconds >= 0 && seconds < 1000}`),
    conditionsJudged: ({ name, outcome: judged }) => void outcome.told.push(`${name} ${judged}`),
  }
  const dependencies = {
    cluster,
    client: { call },
    clock: systemClock,
    observer: observer as AdmissionObserver,
    decode: (_: unknown, object: JsonObject) => object as KubeObject,
    restoreVersion: (_: unknown, object: KubeObject) => object,
    equal: (_: unknown, a: KubeObject | undefined, b: KubeObject | undefined) => equalJson(a, b),
    parse: (text: string) => JSON.parse(text) as JsonValue,
    ...more,
  } as unknown as MutatingDependencies
  const index = new WebhookIndex({ cluster, resource, forms: () => [] })
  const whole = testRequest({
    object: pod(),
    ...request,
    warn: (text) => void outcome.warnings.push(text),
    annotate: (key, value) => void Object.assign(outcome.annotations, { [key]: value }),
    waited: ((what: string) => void outcome.waited.push(what)) as never,
  })
  let repeats = 0
  const memory = new Map<string, unknown>()
  const passOf = (round: number): MutationPass => ({
    round,
    repeat: () => void repeats++,
    remember: <T>(plugin: string, make: () => T): T => {
      if (!memory.has(plugin)) memory.set(plugin, make())
      return memory.get(plugin) as T
    },
  })
  let object = whole.object
  let refused: string | undefined
  try {
    if (type === 'validating') await validatingWebhooks(dependencies, index).validate?.(whole)
    else
      for (let round = 0; round < (more.rounds ?? 1); round++)
        object = (await mutatingWebhooks(dependencies, index).mutate?.({ ...whole, object }, passOf(round))) ?? object
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refused = `${error.code} ${error.message}`
  }
  return { ...outcome, refused, object, repeats }
}

const failing = new Error('connection refused')

describe.each(['mutating', 'validating'] as const)('%s webhooks', (type) => {
  const told = (what: string) => `a ${type === 'mutating' ? 'admit' : 'validating'} ${what} true`
  it.each<[string, JsonObject, Partial<AdmissionRequest>, string[], string | undefined]>([
    ['are asked', {}, {}, ['a 10'], undefined],
    ['are asked for their time', { timeoutSeconds: 3 }, {}, ['a 3'], undefined],
    [
      'are asked about the labels that they select',
      { objectSelector: { matchLabels: { app: 'web' } } },
      {},
      ['a 10'],
      undefined,
    ],
    ['are not asked about other labels', { objectSelector: { matchLabels: { app: 'db' } } }, {}, [], undefined],
    [
      'are asked about the namespace that they select',
      { namespaceSelector: { matchLabels: { team: 'a' } } },
      {},
      ['a 10'],
      undefined,
    ],
    ['are not asked about another namespace', { namespaceSelector: { matchLabels: { team: 'b' } } }, {}, [], undefined],
    [
      'are asked when their conditions hold',
      { matchConditions: [{ name: 'c', expression: 'object.metadata.name == "x"' }] },
      {},
      ['a 10'],
      undefined,
    ],
    [
      'are not asked when one does not',
      {
        matchConditions: [
          { name: 'c', expression: 'true' },
          { name: 'd', expression: 'request.operation == "DELETE"' },
        ],
      },
      {},
      [],
      undefined,
    ],
    [
      'are not asked when one does not, whatever else is wrong',
      {
        matchConditions: [
          { name: 'c', expression: 'object.missing.x' },
          { name: 'd', expression: 'false' },
        ],
      },
      {},
      [],
      undefined,
    ],
    [
      'refuse when one cannot be judged',
      { matchConditions: [{ name: 'c', expression: 'object.missing.x == 1' }] },
      {},
      [],
      `403 pods "x" is forbidden: expression 'object.missing.x == 1' resulted in error: `,
    ],
    [
      'are passed over when one cannot be judged, if they may fail',
      { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'object.missing.x == 1' }] },
      {},
      [],
      undefined,
    ],
    [
      'refuse when one does not compile',
      { matchConditions: [{ name: 'c', expression: 'x +' }] },
      {},
      [],
      '403 pods "x" is forbidden: compilation error: ',
    ],
    ['take part in dry runs without side effects', {}, { dryRun: true }, ['a 10'], undefined],
    ['take part in dry runs that they know', { sideEffects: 'NoneOnDryRun' }, { dryRun: true }, ['a 10'], undefined],
    [
      'refuse dry runs that they do not',
      { sideEffects: 'Some' },
      { dryRun: true },
      [],
      '400 admission webhook "a" does not support dry run',
    ],
    ['are asked in a version that they know', { admissionReviewVersions: ['v1beta1'] }, {}, ['a 10'], undefined],
    [
      'fail in versions that nobody knows',
      { admissionReviewVersions: ['v2'] },
      {},
      [],
      '500 Internal error occurred: failed calling webhook "a": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    ],
  ])('%s', async (_, more, request, asked, refused) => {
    const outcome = await run(type, [hook('a', more)], {}, request)
    expect(outcome.asked).toEqual(asked)
    if (refused === undefined) expect(outcome.refused).toBeUndefined()
    else expect(outcome.refused?.startsWith(refused)).toBe(true)
  })

  it.each<[string, Answer, JsonObject, string | undefined, string]>([
    ['allows', { allowed: true }, {}, undefined, told('undefined 200 false')],
    [
      'denies',
      { allowed: false, status: { message: 'no', code: 403 } },
      {},
      '403 admission webhook "a" denied the request: no',
      told('no_error 403 false'),
    ],
    [
      'denies without a word',
      { allowed: false },
      {},
      '400 admission webhook "a" denied the request without explanation',
      told('no_error 400 false'),
    ],
    [
      'denies as if it had failed',
      { allowed: false, status: { message: 'no', code: 500 } },
      {},
      '500 admission webhook "a" denied the request: no',
      told('apiserver_internal_error 0 false'),
    ],
    [
      'does not come',
      failing,
      {},
      '500 Internal error occurred: failed calling webhook "a": failed to call webhook: connection refused',
      told('calling_webhook_error 400 false'),
    ],
    [
      'does not come, which is passed over',
      failing,
      { failurePolicy: 'Ignore' },
      undefined,
      told('undefined 400 true'),
    ],
    [
      'is to another question',
      { allowed: true, uid: 'other' },
      {},
      '500 Internal error occurred: failed calling webhook "a": received invalid webhook response: expected response.uid=',
      told('calling_webhook_error 503 false'),
    ],
  ])('an answer that %s', async (_, answer, more, refused, observed) => {
    const outcome = await run(type, [hook('a', more)], { a: answer })
    if (refused === undefined) expect(outcome.refused).toBeUndefined()
    else expect(outcome.refused?.startsWith(refused)).toBe(true)
    expect(outcome.told).toEqual([observed])
    expect(outcome.waited).toEqual([`${type}-webhook`])
  })

  it('warn and annotate', async () => {
    const answer = { allowed: true, warnings: ['w'], auditAnnotations: { k: 'v' } }
    const { warnings, annotations } = await run(type, [hook('a')], { a: answer })
    expect(warnings).toEqual(['w'])
    expect(annotations).toMatchObject({ 'a/k': 'v' })
  })

  it('that fail openly are noted', async () => {
    const { annotations } = await run(type, [hook('z'), hook('a', { failurePolicy: 'Ignore' })], { a: failing })
    const key =
      type === 'mutating'
        ? 'failed-open.mutation.webhook.admission.k8s.io/round_0_index_1'
        : 'failed-open.validating.webhook.admission.k8s.io/round_0_index_1'
    expect(annotations).toMatchObject({ [key]: 'a' })
  })

  it('are traced', async () => {
    const spans: unknown[] = []
    const trace = (async (name: string, attributes: object, call: () => unknown) => {
      spans.push(name, attributes)
      return call()
    }) as unknown as NonNullable<MutatingDependencies['trace']>
    await run(type, [hook('a')], {}, {}, { trace })
    expect(spans).toEqual([
      `Call ${type} webhook`,
      { webhook: 'a', operation: 'CREATE', resource: 'pods', subresource: '' },
    ])
  })

  it('are not asked about what configures them', () => {
    const index = new WebhookIndex({ cluster: testCluster(), resource: 'x', forms: () => [] })
    const { handles } =
      type === 'mutating' ? mutatingWebhooks({} as never, index) : validatingWebhooks({} as never, index)
    const shape = { operation: 'CREATE', group: 'admissionregistration.k8s.io', subresource: '' } as const
    expect(handles({ ...shape, resource: 'mutatingwebhookconfigurations' })).toBe(false)
    expect(handles({ ...shape, resource: 'other' })).toBe(true)
  })

  it('that are none cost nothing', async () => {
    expect(await run(type, [], {})).toMatchObject({ asked: [], refused: undefined })
  })
})

it('of several validating webhooks that refuse the first is heard, and all are asked', async () => {
  const no = (message: string): Answer => ({ allowed: false, status: { message, code: 403 } })
  const outcome = await run('validating', [hook('a'), hook('b'), hook('c')], { b: no('b'), c: no('c') })
  expect([outcome.refused, outcome.asked.length]).toEqual(['403 admission webhook "b" denied the request: b', 3])
})

describe('a mutating webhook', () => {
  const labelsOf = ({ object }: Outcome): unknown => object?.metadata.labels
  it('changes the object, and the next one sees that', async () => {
    const outcome = await run('mutating', [hook('a'), hook('b')], { a: patchOf(label('a')) })
    expect(labelsOf(outcome)).toEqual({ app: 'web', a: 'x' })
    const [first, second] = outcome.reviews.map(
      (review) => ((review['request'] as JsonObject)['object'] as unknown as KubeObject).metadata.labels,
    )
    expect([first, second]).toEqual([{ app: 'web' }, { app: 'web', a: 'x' }])
    expect(outcome.repeats).toBe(1)
    expect(outcome.annotations).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"c","webhook":"a","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"c","webhook":"a","patch":[{"op":"add","path":"/metadata/labels/a","value":"x"}],"patchType":"JSONPatch"}',
      'mutation.webhook.admission.k8s.io/round_0_index_1': '{"configuration":"c","webhook":"b","mutated":false}',
    })
  })

  it.each<[string, Answer]>([
    ['says nothing', { allowed: true }],
    ['has no operations', patchOf()],
    ['is null', { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('null').toString('base64') }],
    ['changes nothing', patchOf({ op: 'test', path: '/metadata/name', value: 'x' })],
  ])('whose patch %s leaves the object', async (_, answer) => {
    const outcome = await run('mutating', [hook('a')], { a: answer })
    expect([outcome.refused, outcome.repeats, labelsOf(outcome)]).toEqual([undefined, 0, { app: 'web' }])
    expect(outcome.annotations).toMatchObject({
      'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"c","webhook":"a","mutated":false}',
    })
  })

  it.each<[string, Answer, Partial<AdmissionRequest>, Partial<MutatingDependencies>, string]>([
    [
      'of another type',
      { ...patchOf(label('a')), patchType: 'Merge' },
      {},
      {},
      '500 Internal error occurred: failed calling webhook "a": unsupported patch type "Merge"',
    ],
    [
      'of an object that is gone',
      patchOf(label('a')),
      { operation: 'DELETE', object: undefined, oldObject: pod() },
      {},
      '500 Internal error occurred: admission webhook "a" attempted to modify the object, which is not supported for this operation',
    ],
    [
      'that is no JSON',
      { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') },
      {},
      {},
      '500 Internal error occurred: ',
    ],
    [
      'that is no JSON, of later releases',
      { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') },
      {},
      { undecodablePatchFails: true },
      '500 Internal error occurred: failed calling webhook "a": received undecodable patch in webhook response: ',
    ],
    [
      'that the kind cannot read',
      patchOf(label('a')),
      {},
      { decode: () => Promise.reject(new Error('mistyped')) },
      '500 Internal error occurred: mistyped',
    ],
  ])('whose patch is one %s fails', async (_, answer, request, more, refused) => {
    const outcome = await run('mutating', [hook('a')], { a: answer }, request, more)
    expect(outcome.refused?.startsWith(refused)).toBe(true)
  })

  it('is asked again when a later one changed the object, if it wants to be', async () => {
    const again = { reinvocationPolicy: 'IfNeeded' }
    const answers = {
      c: (review: JsonObject) => (JSON.stringify(review).includes('"c":"x"') ? { allowed: true } : patchOf(label('c'))),
    }
    const outcome = await run('mutating', [hook('a', again), hook('b'), hook('c', again)], answers, {}, { rounds: 2 })
    expect(outcome.asked).toEqual(['a 10', 'b 10', 'c 10', 'a 10'])
    expect(labelsOf(outcome)).toEqual({ app: 'web', c: 'x' })
  })

  it('is not asked again when nothing changed', async () => {
    const outcome = await run('mutating', [hook('a', { reinvocationPolicy: 'IfNeeded' })], {}, {}, { rounds: 2 })
    expect(outcome.asked).toEqual(['a 10'])
  })
})
