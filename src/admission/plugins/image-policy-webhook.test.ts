/** Whether images may run, as a backend says: what it is asked, and how long it is believed. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { pluginOutcome, testObject, testRequest } from '../testing/test-cluster.ts'
import { type ImagePolicySettings, imagePolicySettings, imagePolicyWebhook } from './image-policy-webhook.ts'

describe('the settings', () => {
  const policy = (more: JsonObject): JsonValue => ({ imagePolicy: { kubeConfigFile: 'f', ...more } })
  const standard = {
    kubeConfigFile: 'f',
    allowTtlMs: 300_000,
    denyTtlMs: 30_000,
    retryBackoffMs: 500,
    defaultAllow: false,
  }
  it.each<[string, JsonObject, Partial<ImagePolicySettings>]>([
    ['have standards', {}, {}],
    [
      'are as given',
      { allowTTL: 1, denyTTL: 1800, retryBackoff: 300_000, defaultAllow: true },
      { allowTtlMs: 1000, denyTtlMs: 1_800_000, retryBackoffMs: 300_000, defaultAllow: true },
    ],
    [
      'may be never',
      { allowTTL: -1, denyTTL: -1, retryBackoff: -1 },
      { allowTtlMs: 0, denyTtlMs: 0, retryBackoffMs: 0 },
    ],
    ['may be zero, which is the standard', { allowTTL: 0 }, {}],
    ['allow nothing in words', { defaultAllow: 'true' }, {}],
  ])('%s', (_, given, expected) => {
    expect(imagePolicySettings(policy(given))).toEqual({ ...standard, ...expected })
  })

  it.each<[JsonValue | undefined, string]>([
    [undefined, 'ImagePolicyWebhook: imagePolicy.kubeConfigFile must be specified'],
    [{}, 'imagePolicy.kubeConfigFile must be specified'],
    [policy({ kubeConfigFile: '' }), 'imagePolicy.kubeConfigFile must be specified'],
    [policy({ kubeConfigFile: 5 }), 'imagePolicy.kubeConfigFile must be specified'],
    [policy({ allowTTL: 1801 }), 'ImagePolicyWebhook: valid value is between 1 and 1800, got 1801'],
    [policy({ denyTTL: -2 }), 'valid value is between 1 and 1800, got -2'],
    [policy({ retryBackoff: 300_001 }), 'valid value is between 1 and 300000, got 300001'],
  ])('%j are refused', (given, why) => {
    expect(() => imagePolicySettings(given)).toThrow(why)
  })
})

const settings: ImagePolicySettings = {
  kubeConfigFile: 'f',
  allowTtlMs: 1000,
  denyTtlMs: 100,
  retryBackoffMs: 1,
  defaultAllow: false,
}
const pod = (spec: JsonObject = {}, annotations: JsonObject = {}) =>
  testObject('Pod', 'x', { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }, { annotations })

function backend(answer: JsonObject | Error, given: Partial<ImagePolicySettings> = {}) {
  const asked: JsonObject[] = []
  let now = 0
  const clock: Clock = { ...systemClock, now: () => now }
  const post = async (review: JsonObject): Promise<JsonObject> => {
    asked.push(review)
    if (answer instanceof Error) throw answer
    return answer
  }
  const plugin = imagePolicyWebhook({ ...settings, ...given }, post, clock)
  return { plugin, asked, advance: (ms: number) => (now += ms) }
}

describe('a backend is asked', () => {
  it.each<[string, Partial<AdmissionRequest>, JsonObject]>([
    [
      'about all images',
      { object: pod({ initContainers: [{ name: 'i', image: 'j' }, { name: 'k' }] }) },
      { containers: [{ image: 'i' }, { image: 'j' }, { image: '' }], namespace: 'ns' },
    ],
    [
      'about those of ephemeral containers',
      { subresource: 'ephemeralcontainers', object: pod({ ephemeralContainers: [{ name: 'e', image: 'k' }] }) },
      { containers: [{ image: 'k' }], namespace: 'ns' },
    ],
    [
      'with annotations that are for it',
      { object: pod({}, { 'a.image-policy.k8s.io/b': 'c', other: 'd' }) },
      { containers: [{ image: 'i' }], annotations: { 'a.image-policy.k8s.io/b': 'c' }, namespace: 'ns' },
    ],
    ['outside of namespaces', { namespace: '', object: pod() }, { containers: [{ image: 'i' }] }],
  ])('%s', async (_, given, spec) => {
    const { plugin, asked } = backend({ status: { allowed: true } })
    await pluginOutcome(plugin, testRequest(given))
    expect(asked).toEqual([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: { creationTimestamp: null },
        spec,
        status: { allowed: false },
      },
    ])
  })
})

describe('an answer', () => {
  const refused = (why: string): string => `pods "x" is forbidden: ${why}`
  it.each<[string, JsonObject | Error, Partial<ImagePolicySettings>, string | undefined]>([
    ['that allows', { status: { allowed: true } }, {}, undefined],
    [
      'that denies',
      { status: { allowed: false, reason: 'r' } },
      {},
      refused('image policy webhook backend denied one or more images: r'),
    ],
    [
      'that denies without a word',
      { status: { allowed: 'true', reason: 5 } },
      {},
      refused('one or more images rejected by webhook backend'),
    ],
    ['that is empty', {}, {}, refused('one or more images rejected by webhook backend')],
    ['that does not come', new Error('down'), {}, refused('down')],
    ['that does not come, where that allows', new Error('down'), { defaultAllow: true }, undefined],
  ])('%s', async (_, answer, given, why) => {
    const object = pod()
    const found = await pluginOutcome(backend(answer, given).plugin, testRequest({ object }))
    if (why === undefined) expect(found).toBe(object)
    else expect(found).toBe(why)
  })

  it.each<[string, JsonObject | Error, unknown[]]>([
    [
      'annotates the audit',
      { status: { allowed: true, auditAnnotations: { a: 'b', c: 5 } } },
      ['imagepolicywebhook.image-policy.k8s.io/a', 'b', 'imagepolicywebhook.image-policy.k8s.io/c', '5'],
    ],
    ['annotates nothing', { status: { allowed: true, auditAnnotations: 'x' } }, []],
    [
      'that does not come is annotated',
      new Error('down'),
      ['imagepolicywebhook.image-policy.k8s.io/failed-open', 'true'],
    ],
  ])('%s', async (_, answer, expected) => {
    const annotations: unknown[] = []
    const annotate = (key: string, value: string): void => void annotations.push(key, value)
    await pluginOutcome(backend(answer, { defaultAllow: true }).plugin, testRequest({ object: pod(), annotate }))
    expect(annotations).toEqual(expected)
  })

  it.each<[string, JsonObject, number]>([
    ['that allows', { status: { allowed: true } }, 1000],
    ['that denies', { status: { allowed: false } }, 100],
  ])('%s is believed for its time', async (_, answer, ms) => {
    const { plugin, asked, advance } = backend(answer)
    const ask = (image = 'i') =>
      pluginOutcome(plugin, testRequest({ object: pod({ containers: [{ name: 'c', image }] }) }))
    await ask()
    advance(ms - 1)
    await ask()
    expect(asked).toHaveLength(1)
    advance(1)
    await ask()
    expect(asked).toHaveLength(2)
  })

  it('is forgotten when there are many others', async () => {
    const { plugin, asked } = backend({ status: { allowed: true } })
    const ask = (image: string) =>
      pluginOutcome(plugin, testRequest({ object: pod({ containers: [{ name: 'c', image }] }) }))
    for (let i = 0; i < 1024; i++) await ask(`i${i}`)
    await ask('i0')
    expect(asked).toHaveLength(1024)
    await ask('more')
    await ask('i1')
    expect(asked).toHaveLength(1025)
    await ask('i0')
    expect(asked).toHaveLength(1026)
  })
})

it.each<['CREATE' | 'UPDATE' | 'DELETE', string, string, string, boolean]>([
  ['CREATE', '', 'pods', '', true],
  ['UPDATE', '', 'pods', 'ephemeralcontainers', true],
  ['DELETE', '', 'pods', '', false],
  ['CREATE', '', 'pods', 'status', false],
  ['CREATE', 'x', 'pods', '', false],
  ['CREATE', '', 'services', '', false],
])('images are looked at in %s of %s %s %s: %s', (operation, group, resource, subresource, expected) => {
  expect(backend({}).plugin.handles({ operation, group, resource, subresource })).toBe(expected)
})
