/** Label keys of spreading, and profiles of containers, as each release takes them. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { writerOf } from './test-writer.ts'

const merge = 'MatchLabelKeysInPodTopologySpreadSelectorMerge'
const writerAt = (minor: number, resource = 'pods', settings: Record<string, boolean> = {}) => {
  const gates = resolveFeatureGates(new Map(Object.entries(settings)), { major: 1, minor })
  return writerOf(resource === 'pods' ? 'v1' : 'apps/v1', resource, (name) => gates.enabled(name))
}
const spread = (labelSelector: JsonObject | undefined, matchLabelKeys = ['app']): JsonObject => ({
  metadata: { name: 'p', labels: { app: 'a' } },
  spec: {
    containers: [{ name: 'c', image: 'i:1' }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'z',
        whenUnsatisfiable: 'DoNotSchedule',
        matchLabelKeys,
        ...(labelSelector && { labelSelector }),
      },
    ],
  },
})
const selectorOf = (object: KubeObject): unknown =>
  (object['spec'] as { topologySpreadConstraints: { labelSelector?: unknown }[] }).topologySpreadConstraints[0]
    ?.labelSelector
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)
const added = { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] }
const at = 'spec.topologySpreadConstraints[0]'

describe('label keys of spreading', () => {
  test.each<[number, Record<string, boolean>, unknown]>([
    [33, {}, {}],
    [34, {}, added],
    [34, { [merge]: false }, {}],
    [36, {}, added],
  ])('1.%i %j: the selector gets %j', (minor, settings, expected) => {
    const { object, errors } = writerAt(minor, 'pods', settings).create(spread({}))
    expect(texts(errors)).toEqual([])
    expect(selectorOf(object)).toEqual(expected)
  })

  test.each<[number, JsonObject | undefined, string[]]>([
    [
      33,
      { matchLabels: { app: 'x' } },
      [`${at}.matchLabelKeys[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector`],
    ],
    [
      34,
      { matchLabels: { app: 'x' } },
      [`${at}[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector`],
    ],
    [33, undefined, [`${at}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`]],
    [34, undefined, [`${at}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`]],
  ])('1.%i refuses %j', (minor, selector, expected) => {
    expect(texts(writerAt(minor).create(spread(selector)).errors)).toEqual(expected)
  })

  test.each<[string, number, Record<string, boolean>, JsonObject, number]>([
    ['merged ones stay when the gate is turned off', 34, { [merge]: false }, added, 0],
    ['keys that the selector had stay when it is turned on', 34, {}, { matchLabels: { app: 'x' }, ...added }, 1],
    ['earlier releases know nothing of that', 33, {}, added, 1],
  ])('%s', (_, minor, settings, selector, errors) => {
    const writer = writerAt(minor, 'pods', settings)
    const old = writer.read(spread(selector)) as KubeObject
    old.metadata.namespace = 'ns'
    const found = texts(writer.update(spread(selector), old).errors).filter((text) => text.startsWith(at))
    expect(found).toHaveLength(errors)
  })
})

const key = 'container.apparmor.security.beta.kubernetes.io/c'
const deprecated = `spec.template.metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`

describe('profiles', () => {
  test.each([
    [33, { [key]: 'runtime/default' }],
    [34, undefined],
    [36, undefined],
  ])('1.%i: a field makes the annotations %j', (minor, expected) => {
    const securityContext = { appArmorProfile: { type: 'RuntimeDefault' } }
    const { object } = writerAt(minor).create({
      metadata: { name: 'p' },
      spec: { securityContext, containers: [{ name: 'c', image: 'i:1' }] },
    })
    expect(object.metadata.annotations).toEqual(expected)
  })

  test.each<[number, string, string[]]>([
    [33, 'localhost/other', []],
    [34, 'localhost/other', [deprecated]],
    [34, 'localhost/mine', []],
    [34, 'odd', [deprecated]],
  ])('1.%i: a template whose field says localhost/mine and whose annotation says %s', (minor, profile, expected) => {
    const securityContext = { appArmorProfile: { type: 'Localhost', localhostProfile: 'mine' } }
    const template = {
      metadata: { labels: { a: 'b' }, annotations: { [key]: profile } },
      spec: { securityContext, containers: [{ name: 'c', image: 'i:1' }] },
    }
    const spec = { selector: { matchLabels: { a: 'b' } }, template }
    expect(writerAt(minor, 'deployments').create({ metadata: { name: 'd' }, spec }).warnings).toEqual(expected)
  })
})
