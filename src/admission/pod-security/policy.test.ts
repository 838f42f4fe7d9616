/** What a namespace asks for by its labels, and what the configuration says where it does not. */
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { StringMap } from '../../api/object.ts'
import {
  compareLevels,
  exemptionWarning,
  formatPolicy,
  type LevelVersion,
  type PodSecurityPolicy,
  parsePolicyVersion,
  policyOf,
  privilegedPolicy,
} from './policy.ts'
import { readSettings } from './settings.ts'

const prefix = 'pod-security.kubernetes.io/'
const labels = (given: Record<string, string>): StringMap =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [prefix + key, value]))
const shown = ({ enforce, audit, warn }: PodSecurityPolicy): string =>
  [enforce, audit, warn].map(formatPolicy).join(' ')

it.each<[string, object | undefined]>([
  ['latest', { minor: undefined }],
  ['v1.0', { minor: 0 }],
  ['v1.33', { minor: 33 }],
  ['v1.9223372036854775807', undefined],
  ['v1.03', undefined],
  ['v1', undefined],
  ['v2.1', undefined],
  ['v1.x', undefined],
  ['', undefined],
])('the version %j', (text, expected) => {
  expect(parsePolicyVersion(text)).toEqual(expected)
})

it('levels have an order', () => {
  expect(compareLevels('baseline', 'privileged')).toBeGreaterThan(0)
  expect(compareLevels('baseline', 'restricted')).toBeLessThan(0)
  expect(compareLevels('baseline', 'baseline')).toBe(0)
})

describe('the policy of labels', () => {
  const standard: PodSecurityPolicy = {
    enforce: { level: 'baseline', minor: 20 },
    audit: { level: 'restricted', minor: 21 },
    warn: { level: 'baseline', minor: 22 },
  }
  const open = 'privileged:latest privileged:latest'
  it.each<[string, Record<string, string>, PodSecurityPolicy, string]>([
    ['none', {}, privilegedPolicy, `privileged:latest ${open}`],
    ['none, by the standard', {}, standard, 'baseline:v1.20 restricted:v1.21 baseline:v1.22'],
    [
      'enforce, which warns of the same',
      { enforce: 'baseline' },
      privilegedPolicy,
      'baseline:latest privileged:latest baseline:latest',
    ],
    [
      'enforce in a version, which warns of the same',
      { enforce: 'baseline', 'enforce-version': 'v1.5' },
      privilegedPolicy,
      'baseline:v1.5 privileged:latest baseline:v1.5',
    ],
    [
      'enforce, and a version of warnings',
      { enforce: 'restricted', 'warn-version': 'v1.6' },
      privilegedPolicy,
      'restricted:latest privileged:latest restricted:v1.6',
    ],
    [
      'enforce and warn',
      { enforce: 'restricted', warn: 'baseline' },
      privilegedPolicy,
      'restricted:latest privileged:latest baseline:latest',
    ],
    [
      'enforce less than is warned of',
      { enforce: 'privileged' },
      standard,
      'privileged:v1.20 restricted:v1.21 baseline:v1.22',
    ],
    [
      'enforce as much as is warned of',
      { enforce: 'baseline', 'enforce-version': 'v1.9' },
      standard,
      'baseline:v1.9 restricted:v1.21 baseline:v1.22',
    ],
    [
      'audit',
      { audit: 'baseline', 'audit-version': 'latest' },
      standard,
      'baseline:v1.20 baseline:latest baseline:v1.22',
    ],
  ])('%s', (_, given, defaults, expected) => {
    const { policy, errors } = policyOf(labels(given), defaults)
    expect([shown(policy), errors]).toEqual([expected, []])
  })

  it.each<[Record<string, string>, string, string[]]>([
    [{ enforce: 'x' }, `restricted:latest ${open}`, ['metadata.labels[pod-security.kubernetes.io/enforce]']],
    [
      { audit: 'x', warn: 'y' },
      `privileged:latest ${open}`,
      ['metadata.labels[pod-security.kubernetes.io/audit]', 'metadata.labels[pod-security.kubernetes.io/warn]'],
    ],
    [
      { enforce: 'baseline', 'enforce-version': 'x' },
      'baseline:latest privileged:latest baseline:latest',
      ['metadata.labels[pod-security.kubernetes.io/enforce-version]'],
    ],
  ])('%j cannot be read', (given, expected, fields) => {
    const { policy, errors } = policyOf(labels(given), privilegedPolicy)
    expect([shown(policy), errors.map(({ field }) => field)]).toEqual([expected, fields])
  })

  it('is that of the standard without labels', () => {
    expect(policyOf(undefined, standard).policy).toEqual(standard)
  })
})

describe('the warning about an exempt namespace', () => {
  const warning = (
    given: Record<string, string>,
    standard: PodSecurityPolicy = privilegedPolicy,
  ): string | undefined => {
    const { policy } = policyOf(labels(given), standard)
    return exemptionWarning('ns', policy, { labels: labels(given), standard })
  }
  const ignored = (policy: string) =>
    `namespace "ns" is exempt from Pod Security, and the policy (${policy}) will be ignored`
  const baseline: LevelVersion = { level: 'baseline', minor: undefined }
  const strict: PodSecurityPolicy = { enforce: baseline, audit: baseline, warn: baseline }
  it.each<[string, Record<string, string>, PodSecurityPolicy, string | undefined]>([
    ['that asks for nothing', {}, privilegedPolicy, undefined],
    ['that asks for what nobody checks', { enforce: 'privileged' }, strict, ignored('')],
    [
      'that asks for something',
      { enforce: 'baseline', audit: 'restricted', 'audit-version': 'v1.3' },
      privilegedPolicy,
      ignored('enforce=baseline:latest, audit=restricted:v1.3'),
    ],
    ['that asks for what holds anyhow', { enforce: 'baseline' }, strict, undefined],
    ['that asks for another version', { 'warn-version': 'v1.3' }, strict, ignored('warn=baseline:v1.3')],
  ])('%s', (_, given, standard, expected) => {
    expect(warning(given, standard)).toBe(expected)
  })
})

describe('the configuration', () => {
  it.each<[string, JsonValue | undefined, string]>([
    ['none', undefined, 'privileged:latest privileged:latest privileged:latest'],
    [
      'defaults',
      { defaults: { enforce: 'baseline', 'enforce-version': 'v1.3', warn: 'restricted', audit: '' } },
      'baseline:v1.3 privileged:latest restricted:latest',
    ],
    ['strange ones', { defaults: [], exemptions: [] }, 'privileged:latest privileged:latest privileged:latest'],
  ])('%s', (_, configuration, expected) => {
    expect(shown(readSettings(configuration).defaults)).toBe(expected)
  })

  it('exempts', () => {
    const { exemptions } = readSettings({
      exemptions: { usernames: ['u'], namespaces: ['n'], runtimeClasses: ['r.x'], other: ['x'] },
    })
    expect([...exemptions.usernames, ...exemptions.namespaces, ...exemptions.runtimeClasses]).toEqual(['u', 'n', 'r.x'])
  })

  it.each<[JsonObject, string]>([
    [
      { defaults: { enforce: 'x' } },
      'PodSecurity configuration error: enforce: must be one of privileged, baseline, restricted',
    ],
    [
      { defaults: { 'audit-version': 'x', warn: 'y' } },
      'PodSecurity configuration error: [audit-version: must be "latest" or "v1.x", warn: must be one of privileged, baseline, restricted]',
    ],
    [
      { exemptions: { usernames: [''] } },
      'PodSecurity invalid: exemptions.usernames[0]: Invalid value: "": username must not be empty',
    ],
    [{ exemptions: { namespaces: ['a', 'a'] } }, 'PodSecurity invalid: exemptions.namespaces[1]: Duplicate value: "a"'],
    [
      { exemptions: { namespaces: ['A'] } },
      'PodSecurity invalid: exemptions.namespaces[0]: Invalid value: "A": a lowercase RFC 1123 label',
    ],
    [
      { exemptions: { runtimeClasses: ['a_b'] } },
      'exemptions.runtimeClasses[0]: Invalid value: "a_b": a lowercase RFC 1123 subdomain',
    ],
  ])('%j is refused', (configuration, why) => {
    expect(() => readSettings(configuration)).toThrow(why)
  })
})
