// Every rule explains what it says, and nothing beside it.
import { describe, expect, it } from 'vitest'
import type { Place } from '../differential/compare.ts'
import type { Json } from '../differential/json.ts'
import { explanationOf, knownDifferences } from './known-differences.ts'

const place = (path: Place['path'], reference: Json | undefined, server: Json | undefined): Place => ({
  path,
  reference,
  server,
})
const event = (key: string, reference: Json | undefined, server: Json | undefined): Place =>
  place(['events', key], reference, server)

const conflict =
  'Warning | FailedScheduling | Pod | a |  | default-scheduler | Scheduling | the object has been modified; try again'
const waiting =
  'Normal | WaitForFirstConsumer | PersistentVolumeClaim | a |  | persistentvolume-controller |  | waiting'
const combined = 'Warning | FailedCreate | ReplicaSet | a |  | c |  | (combined from similar events): no'
const attached = 'Normal | SuccessfulAttachVolume | Pod | a |  | attachdetach-controller |  | AttachVolume.Attach'
const changed = { 'endpoints.kubernetes.io/last-change-trigger-time': 'NOW' }
const quota = ['objects', 'v1/resourcequotas', 'few', 0, 'metadata', 'managedFields', 1]

const cases: readonly (readonly [name: string, explained: Place, unexplained: Place])[] = [
  [
    'description of kube-root-ca.crt',
    place(['objects', 'v1/configmaps', 'a', 0, 'metadata', 'annotations', 'kubernetes.io/description'], 'a', 'b'),
    place(['objects', 'v1/configmaps', 'a', 0, 'metadata', 'annotations', 'other'], 'a', 'b'),
  ],
  [
    'how often an event happened',
    event(waiting, 'several times', 'once'),
    event('a | b | c', 'several times', undefined),
  ],
  ['writes from an old state', event(conflict, 'once', undefined), event(conflict, undefined, 'once')],
  ['combined events', event(combined, 'once', undefined), event(combined, undefined, 'once')],
  [
    'steps of a rollout',
    event('Normal | ScalingReplicaSet | Deployment | a |  | b |  | Scaled down', 'once', undefined),
    event('Normal | SuccessfulCreate | Deployment | a |  | b |  | Scaled down', 'once', undefined),
  ],
  ['a claim waits for no time', event(waiting, 'once', undefined), event(waiting, undefined, 'once')],
  [
    'a pod before its claim',
    event(
      'Warning | FailedScheduling | Pod | a |  | b |  | pod has unbound immediate PersistentVolumeClaims',
      'once',
      undefined,
    ),
    event('Warning | FailedScheduling | Pod | a |  | b |  | Insufficient cpu', 'once', undefined),
  ],
  [
    'a budget before its pods',
    event('Normal | NoPods | PodDisruptionBudget | a |  | b |  | No matching pods found', 'once', undefined),
    event('Normal | UnmanagedPods | PodDisruptionBudget | a |  | b |  | unmanaged', 'once', undefined),
  ],
  [
    'misscheduled pods that are gone',
    place(
      ['objects', 'b', 'a', 0, 'metadata', 'managedFields', 2, 'fieldsV1', 'f:status', 'f:numberMisscheduled'],
      {},
      undefined,
    ),
    place(['objects', 'b', 'a', 0, 'status', 'numberMisscheduled'], 1, 0),
  ],
  ['volumes are attached', event(attached, undefined, 'once'), event(attached, 'once', undefined)],
  [
    'time of the last change of endpoints',
    place(['objects', 'v1/endpoints', 'a', 0, 'metadata', 'annotations'], undefined, changed),
    place(['objects', 'v1/services', 'a', 0, 'metadata', 'annotations'], undefined, changed),
  ],
  [
    'owner of the status of a quota',
    place([...quota, 'manager'], 'kube-controller-manager', 'kube-apiserver'),
    place(['objects', 'v1/pods', ...quota.slice(2), 'manager'], 'kube-controller-manager', 'kube-apiserver'),
  ],
]

describe('a known difference', () => {
  for (const [name, explained, unexplained] of cases) {
    it(name, () => {
      expect(explanationOf(explained)?.name).toBe(name)
      expect(explanationOf(unexplained)).toBeUndefined()
    })
  }

  it('has a case here', () => {
    expect(cases.map(([name]) => name)).toEqual(knownDifferences.map(({ name }) => name))
  })
})
