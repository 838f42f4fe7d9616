/** Rules of pods that a release changed, with what each release says. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { errorsAtRelease } from '../../../api/release-wordings.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { type Writer, writerOf } from './test-writer.ts'

const podsAt = (release: number, ...on: string[]): Writer => {
  const gates = resolveFeatureGates(new Map(on.map((name) => [name, true])), { major: 1, minor: release })
  return writerOf('v1', 'pods', (name) => gates.enabled(name))
}

const container = (name: string, resources: JsonObject): JsonObject => ({ name, image: 'i', resources })

describe('what a pod asks for as a whole', () => {
  const pages = (amount: string): JsonObject => ({ 'hugepages-2Mi': amount })
  const limited: JsonObject = { limits: { cpu: '1m', ...pages('2Mi') } }
  const whole = { cpu: '1', memory: '1Gi' }
  const specs: Record<string, JsonObject> = {
    windows: { os: { name: 'windows' }, resources: { requests: { gpu: '1' } }, containers: [container('c', {})] },
    claims: { resources: { claims: [], requests: { cpu: '1' } }, containers: [container('c', {})] },
    unsaid: { resources: { requests: { memory: '1Gi' } }, containers: [container('c', { requests: { cpu: '1' } })] },
    less: { resources: { requests: { cpu: '1' } }, containers: [container('c', { requests: { cpu: '2' } })] },
    pages: {
      resources: { limits: { ...whole, ...pages('2Mi') }, requests: { ...whole, ...pages('2Mi') } },
      containers: [container('c', limited), container('d', limited)],
    },
    'pages without a limit': {
      resources: { requests: { ...whole, ...pages('2Mi') } },
      containers: [container('c', limited)],
    },
  }
  const missing = 'spec.resources.limits: Required value: Limit must be set for non overcommitable resources'
  const all = 'Invalid value: "2Mi": must be greater than or equal to aggregate container'

  test.each<[string, number, string[]]>([
    [
      'windows',
      33,
      ['spec.resources.requests[gpu]: Invalid value: gpu: must be a standard resource type or fully qualified'],
    ],
    ['windows', 34, ['spec.resources: Forbidden: may not be set for a windows pod']],
    ['claims', 33, ['spec.resources.claims: Forbidden: claims cannot be set for Resources at pod-level']],
    ['claims', 34, ['spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level']],
    [
      'unsaid',
      33,
      [
        'spec.resources.requests[cpu]: Invalid value: "0": must be greater than or equal to aggregate container requests of 1',
      ],
    ],
    ['unsaid', 34, []],
    [
      'less',
      34,
      [
        'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      ],
    ],
    ['pages', 33, [`spec.resources.requests[hugepages-2Mi]: ${all} requests of 4Mi`]],
    [
      'pages',
      34,
      [
        `spec.resources.requests[hugepages-2Mi]: ${all} requests of 4Mi`,
        `spec.resources.limits[hugepages-2Mi]: ${all} limits of 4Mi`,
      ],
    ],
    ['pages without a limit', 33, []],
    ['pages without a limit', 34, [missing]],
  ])('%s at 1.%d', (name, release, wanted) => {
    const { errors } = podsAt(release, 'PodLevelResources').create({ metadata: { name: 'n' }, spec: specs[name] ?? {} })
    const told = errorsAtRelease(errors, release).map(({ field, message }) => `${field}: ${message}`)
    expect(told).toEqual(wanted)
  })
})

test.each([
  [35, []],
  [36, ['spec: Forbidden: pods with node allocatable resource claims cannot be resized']],
])('a pod with claims on what its node has is not resized at 1.%d', (release, wanted) => {
  const pods = podsAt(release, ...(release >= 36 ? ['DRANodeAllocatableResources'] : []))
  const spec = (cpu: string): JsonObject => ({ containers: [container('c', { requests: { cpu } })] })
  const { object } = pods.create({ metadata: { name: 'n' }, spec: spec('1') })
  const claims = [{ resourceClaimName: 'a', containers: ['c'], resources: { cpu: '1' } }]
  const status = { qosClass: 'Burstable', ...(release >= 36 && { nodeAllocatableResourceClaimStatuses: claims }) }
  const old = { ...object, status } as unknown as KubeObject
  const { errors } = pods.update({ metadata: { name: 'n' }, spec: spec('2') }, old, 'resize')
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(wanted)
})
