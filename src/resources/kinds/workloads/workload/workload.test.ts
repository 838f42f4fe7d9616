import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../api/object.ts'
import { errorsAtRelease } from '../../../../api/release-wordings.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { workloadRules } from './workload.ts'

const release = 35
const context = {} as WriteContext
const strategy = workloadRules({ gate: () => false }).strategy as Required<ReturnType<typeof workloadRules>['strategy']>
const workload = (spec: object) =>
  ({ metadata: { name: 'w' }, spec }) as unknown as Parameters<typeof strategy.validate>[0]
const group = (name: string, policy: object = { basic: {} }): object => ({ name, policy })

const told = (now: KubeObject, old?: KubeObject): string[] =>
  errorsAtRelease(
    old === undefined
      ? strategy.validate(now as never, context)
      : strategy.validateUpdate(now as never, old as never, context),
    release,
  ).map(({ field, message }) => `${field}: ${message}`)

test.each<[string, object, string[]]>([
  ['one group', { podGroups: [group('a')] }, []],
  ['none', {}, ['spec.podGroups: Required value: must have at least one item']],
  [
    'too many',
    { podGroups: Array.from({ length: 9 }, (_, i) => group(`g${i}`)) },
    ['spec.podGroups: Too many: 9: must have at most 8 items'],
  ],
  ['twice the same', { podGroups: [group('a'), group('a')] }, ['spec.podGroups[1].name: Duplicate value: "a"']],
  [
    'a name with dots, and no policy',
    { podGroups: [group('a.b', {})] },
    [
      'spec.podGroups[0].name: Invalid value: "a.b": must not contain dots',
      'spec.podGroups[0].policy: Required value: exactly one of `basic`, `gang` is required',
    ],
  ],
  [
    'two policies',
    { podGroups: [group('a', { basic: {}, gang: { minCount: 1 } })] },
    [
      'spec.podGroups[0].policy: Invalid value: "{`basic`, `gang`}": exactly one of `basic`, `gang` is required, but multiple fields are set',
    ],
  ],
  [
    'a gang of none',
    { podGroups: [group('a', { gang: { minCount: 0 } })] },
    ['spec.podGroups[0].policy.gang.minCount: Invalid value: 0: must be greater than zero'],
  ],
  [
    'a controller without a kind',
    { controllerRef: { apiGroup: 'A', kind: '', name: 'x/y' }, podGroups: [group('a')] },
    [
      expect.stringContaining(
        'spec.controllerRef.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain',
      ) as never,
      'spec.controllerRef.kind: Required value',
      `spec.controllerRef.name: Invalid value: "x/y": may not contain '/'`,
    ],
  ],
])('%s', (_, spec, errors) => expect(told(workload(spec))).toEqual(errors))

test('groups and a controller that is named stay, and are shown as the internal types have them', () => {
  const old = workload({ controllerRef: { kind: 'Job', name: 'j' }, podGroups: [group('a')] })
  const now = workload({ podGroups: [group('a', { gang: { minCount: 2 } })] })
  expect(told(now, old)).toEqual([
    'controllerRef: Invalid value: null: field is immutable',
    'podGroups: Invalid value: [{"Name":"a","Policy":{"Basic":null,"Gang":{"MinCount":2}}}]: field is immutable',
  ])
})
