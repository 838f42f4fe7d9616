import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { writerOf } from './test-writer.ts'

const gates = resolveFeatureGates(new Map(), { major: 1, minor: 33 })
const pods = writerOf('v1', 'pods', (name) => gates.enabled(name))
const everyGate = writerOf('v1', 'pods', () => true)

const container = { name: 'c', image: 'i:1' }
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container], ...spec },
})
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message.split('\n')[0]}`)

describe('names that every object has', () => {
  test('are no labels that are out of date', () => {
    const { warnings } = pods.create(
      pod({
        nodeSelector: { constructor: 'x' },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'toString', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      }),
    )
    expect(warnings).toEqual([])
  })

  test('are no resources that somebody limited', () => {
    const resources = { requests: { constructor: '1' }, limits: { cpu: '1' } }
    expect(texts(pods.create(pod({ containers: [{ ...container, resources }] })).errors)).toEqual([
      'spec.containers[0].resources.requests[constructor]: Invalid value: constructor: must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[constructor]: Invalid value: constructor: must be a standard resource for containers',
    ])
  })
})

test('a whole pod asks for what pods can have', () => {
  const { errors } = everyGate.create(pod({ resources: { limits: { cpu: '1', 'ephemeral-storage': '1Gi' } } }))
  expect(texts(errors)).toEqual([
    'spec.resources.limits[ephemeral-storage]: Unsupported value: ephemeral-storage: supported values: "cpu", "hugepages-", "memory"',
  ])
})

describe('tolerations in the annotation', () => {
  test.each([
    ['[', 'unexpected end of JSON input'],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['{}', 'json: cannot unmarshal object into Go value of type []core.Toleration'],
    ['["a"]', 'json: cannot unmarshal string into Go value of type core.Toleration'],
    ['[{"KEY": 1}]', 'json: cannot unmarshal number into Go struct field Toleration.Key of type string'],
    [
      '[{"tolerationSeconds": 1.5}]',
      'json: cannot unmarshal number 1.5 into Go struct field Toleration.TolerationSeconds of type int64',
    ],
  ])('%s', (text, why) => {
    const key = 'scheduler.alpha.kubernetes.io/tolerations'
    expect(texts(pods.create(pod({}, { annotations: { [key]: text } })).errors)).toEqual([
      `metadata.annotations: Invalid value: "${key}": ${why}`,
    ])
  })

  test('are held against the rules of the field', () => {
    const key = 'scheduler.alpha.kubernetes.io/tolerations'
    const text = '[{"Key": "a", "Operator": "No", "other": 1}, null]'
    expect(texts(pods.create(pod({}, { annotations: { [key]: text } })).errors)).toEqual([
      `metadata.annotations.${key}[0].operator: Unsupported value: "No": supported values: "Equal", "Exists"`,
      `metadata.annotations.${key}[1].operator: Invalid value: "": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
    ])
    expect(pods.create(pod({}, { annotations: { [key]: 'null' } })).errors).toEqual([])
  })
})

describe('static pods', () => {
  const metadata = { annotations: { 'kubernetes.io/config.mirror': 'm' } }

  test('have no claims', () => {
    const { errors } = everyGate.create(
      pod({ nodeName: 'n', resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] }, metadata),
    )
    expect(texts(errors)).toEqual(['[]: Forbidden: static pods do not support resource claims'])
  })

  test.each([
    ['ephemeralcontainers', 'static pods do not support ephemeral containers'],
    ['resize', 'static pods cannot be resized'],
  ])('refuse %s', (part, why) => {
    const old = pods.create(pod({ nodeName: 'n' }, metadata)).object
    expect(texts(pods.update(pod({ nodeName: 'n' }, metadata), old, part).errors)).toEqual([`[]: Forbidden: ${why}`])
  })
})

describe('updates', () => {
  test('may write an amount in another way', () => {
    const spec = (memory: string): JsonObject => ({
      containers: [{ ...container, resources: { requests: { memory } } }],
      volumes: [{ name: 'v', emptyDir: { sizeLimit: memory } }],
    })
    const old = pods.create(pod(spec('1Gi'))).object
    expect(pods.update(pod(spec('1073741824')), old).errors).toEqual([])
    expect(texts(pods.update(pod(spec('2Gi')), old).errors)).toEqual([
      expect.stringContaining('spec: Forbidden: pod updates may not change fields other than'),
    ])
  })

  const gated = (terms: JsonObject[]): JsonObject => ({
    schedulingGates: [{ name: 'a' }],
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    },
  })
  const term = (...keys: string[]): JsonObject => ({
    matchExpressions: keys.map((key) => ({ key, operator: 'In', values: ['v'] })),
  })
  const at = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
  const shown = (key: string): string =>
    `core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"${key}", Operator:"In", Values:[]string{"v"}}}, MatchFields:[]core.NodeSelectorRequirement(nil)}`

  test.each([
    ['more', gated([term('a', 'b')]), []],
    [
      'other',
      gated([term('b')]),
      [`${at}[0]: Invalid value: ${shown('b')}: only additions are allowed (no mutations or deletions)`],
    ],
    [
      'further',
      gated([term('a'), term('b')]),
      [
        `${at}: Invalid value: []core.NodeSelectorTerm{${shown('a')}, ${shown('b')}}: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    ],
    [
      'no',
      { schedulingGates: [{ name: 'a' }] },
      [
        `${at}: Invalid value: []core.NodeSelectorTerm(nil): no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    ],
  ])('of a pod that waits, to %s demands of its node', (_, after, wanted) => {
    const old = pods.create(pod(gated([term('a')]))).object
    expect(texts(pods.update(pod(after), old).errors)).toEqual(wanted)
  })
})

test.each([
  ['plain', []],
  ['s.io:n:plain', []],
  [':plain', ['ClusterTrustBundle without signer name must not have ":" in its name']],
  ['s.io/n:plain', ['ClusterTrustBundle for signerName s.io/n must be named with prefix s.io:n:']],
])('a trust bundle may be called %s but for %j', (name, why) => {
  const sources = [{ clusterTrustBundle: { name, path: 'p' } }]
  const { errors } = everyGate.create(pod({ volumes: [{ name: 'v', projected: { sources } }] }))
  const at = 'spec.volumes[0].projected.sources[0].clusterTrustBundle.name'
  expect(texts(errors)).toEqual(
    why.map((text) => `${at}: Invalid value: "${name}": not a valid clustertrustbundlename: ${text}`),
  )
})

test('texts are quoted as Go quotes them', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/c'
  expect(texts(pods.create(pod({}, { annotations: { [key]: 'a\u0001' } })).errors)).toEqual([
    `metadata.annotations[${key}]: Invalid value: "a\\x01": invalid AppArmor profile name: "a\\x01"`,
  ])
})
