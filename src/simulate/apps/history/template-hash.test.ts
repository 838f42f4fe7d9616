// The names are those that kube-controller-manager v1.33 gave to the same templates.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import { revisionHash, templateHash } from './template-hash.ts'

const container = (more: object): object => ({
  name: 'main',
  image: 'nginx:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  ...more,
})

/** As the server has it after defaulting. */
const template = (of: object = {}, spec: object = {}, annotations?: object): PodTemplateSpec =>
  ({
    metadata: { creationTimestamp: null, labels: { app: 'web' }, ...(annotations && { annotations }) },
    spec: {
      containers: [container(of)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 1,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      ...spec,
    },
  }) as unknown as PodTemplateSpec

describe('the hash of a template', () => {
  const cases: readonly (readonly [hash: string, template: PodTemplateSpec])[] = [
    ['68455d994f', template()],
    ['8f7b964b8', template({ image: 'nginx:2' })],
    ['565945647', template({ image: 'nginx:3' })],
    ['7c75ff5f5d', template({ image: 'nginx:4' })],
    ['77b65688bb', template({ image: 'nginx:missing' })],
    ['6b7f8ff44f', template({}, {}, { 'simulate.pilothouse.dev/script': '{"ready":{"after":1000}}' })],
    ['88ccf595b', template({}, { nodeSelector: { 'kubernetes.io/hostname': 'node-3' } })],
  ]
  for (const [hash, given] of cases) {
    it(`is ${hash}`, () => expect(templateHash(given, undefined)).toBe(hash))
  }

  it('is the same whatever the order of members, and another with collisions', () => {
    const { spec, metadata } = template()
    expect(templateHash({ spec, metadata } as PodTemplateSpec, undefined)).toBe('68455d994f')
    expect(templateHash(template(), 0)).not.toBe('68455d994f')
    expect(templateHash(template(), 1)).not.toBe(templateHash(template(), 0))
  })

  it('does not tell an empty list or map from none', () => {
    const { spec, metadata } = template({ command: [], env: [] }, { nodeSelector: {}, volumes: [] })
    expect(templateHash({ spec, metadata } as PodTemplateSpec, undefined)).toBe('68455d994f')
  })
})

describe('the hash of a revision', () => {
  const cases: readonly (readonly [hash: string, image: string])[] = [
    ['574b9bc956', 'nginx:2'],
    ['867b64c4c5', 'nginx:3'],
    ['84f7c477bb', 'nginx:4'],
    ['c566664bf', 'a:missing'],
  ]
  for (const [hash, image] of cases) {
    it(`is ${hash}`, () => expect(revisionHash(patchOf(template({ image })), 0)).toBe(hash))
  }
})

/** Sorted, as the revision has it. */
function patchOf({ metadata, spec }: PodTemplateSpec): JsonObject {
  const data = { spec: { template: { $patch: 'replace', metadata, spec } } }
  return sorted(data) as JsonObject
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}
