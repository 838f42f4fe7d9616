import { describe, expect, it } from 'vitest'
import type { Job } from '../../../catalog/types/batch-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import { formatIndexes, has, merge, missingIndexes, overlap, parseIndexes, total, withIndexes } from './indexes.ts'
import {
  failureCountAnnotation,
  indexAnnotation,
  isReached,
  planJobPods,
  trackingFinalizer,
  verdictOf,
  viewJob,
} from './job-facts.ts'
import { judgeFailure, metSuccessRule, nextBackoff, remainingBackoff } from './job-policies.ts'
import { countUncounted, trackPods } from './job-tracking.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const gates = { podReplacementPolicy: true, managedBy: true }

describe('indexes', () => {
  const texts: readonly [string, number, string][] = [
    ['', 10, ''],
    ['0', 10, '0'],
    ['0,1', 10, '0,1'],
    ['0-2,4', 10, '0-2,4'],
    ['0,2,x,4-5', 10, '0,2,4,5'],
    ['0-20', 10, '0-9'],
    ['12', 10, ''],
  ]
  for (const [text, completions, shown] of texts) {
    it(`reads ${JSON.stringify(text)}`, () => expect(formatIndexes(parseIndexes(text, completions))).toBe(shown))
  }

  it('are merged, counted, sought and completed', () => {
    const some = withIndexes(parseIndexes('1,3-5', 10), [0, 6, 8])
    expect(formatIndexes(some)).toBe('0,1,3-6,8')
    expect([total(some), has(some, 4), has(some, 7)]).toEqual([7, true, false])
    expect(missingIndexes(some, 2, 10)).toEqual([2, 7])
    expect(missingIndexes(some, 9, 10)).toEqual([2, 7, 9])
    expect(formatIndexes(merge(parseIndexes('0-3', 9), parseIndexes('2-5', 9)))).toBe('0-5')
    expect(overlap(parseIndexes('0-3,7', 10), parseIndexes('2,3,5-8', 10))).toBe(3)
  })
})

interface PodFacts {
  phase?: string
  index?: number
  failures?: number
  going?: boolean
  tracked?: boolean
  exitCode?: number
  condition?: string
  finished?: string
}

let pods = 0
function pod(given: PodFacts = {}): Pod {
  const { phase = 'Running', index, failures, going, tracked = true, exitCode, condition } = given
  const { finished = '2026-01-01T11:59:00Z' } = given
  const name = `pod-${++pods}`
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      creationTimestamp: '2026-01-01T11:00:00Z',
      ...(tracked ? { finalizers: [trackingFinalizer] } : {}),
      ...(going ? { deletionTimestamp: finished } : {}),
      annotations: {
        ...(index === undefined ? {} : { [indexAnnotation]: String(index) }),
        ...(failures === undefined ? {} : { [failureCountAnnotation]: String(failures) }),
      },
    },
    spec: { containers: [] },
    status: {
      phase,
      ...(condition === undefined ? {} : { conditions: [{ type: condition, status: 'True' }] }),
      containerStatuses: [
        {
          name: 'main',
          restartCount: 0,
          ...(exitCode === undefined && !['Failed', 'Succeeded'].includes(phase)
            ? {}
            : { state: { terminated: { exitCode: exitCode ?? 0, finishedAt: finished } } }),
        },
      ],
    },
  } as unknown as Pod
}

const job = (spec: Partial<Job['spec']>, status: Partial<Job['status']> = {}): Job =>
  ({
    metadata: { name: 'job', namespace: 'default', uid: 'job' },
    spec: { parallelism: 2, backoffLimit: 6, template: { metadata: {}, spec: { restartPolicy: 'Never' } }, ...spec },
    status: { startTime: '2026-01-01T11:00:00Z', ...status },
  }) as unknown as Job

describe('what a job does next', () => {
  const failed = { phase: 'Failed' }
  const succeeded = { phase: 'Succeeded' }
  const indexed = { completionMode: 'Indexed' }
  const cases: readonly [
    string,
    Job,
    PodFacts[],
    { verdict?: string; remove?: number; create?: number; indexes?: number[]; wait?: number; reached?: boolean },
  ][] = [
    ['begins', job({ completions: 3 }), [], { create: 2 }],
    ['goes on', job({ completions: 3 }), [succeeded, {}], { create: 1 }],
    ['needs no more than are left', job({ completions: 3, parallelism: 5 }), [succeeded, succeeded], { create: 1 }],
    ['is reached', job({ completions: 2 }), [succeeded, succeeded], { reached: true }],
    ['counts what it counted before', job({ completions: 3 }, { succeeded: 2 }), [succeeded], { reached: true }],
    ['without completions, one success is enough', job({}), [succeeded, {}], {}],
    ['without completions, it is reached when all have ended', job({}), [succeeded], { reached: true }],
    ['has too many', job({ completions: 5, parallelism: 1 }), [{}, {}], { remove: 1 }],
    ['is suspended', job({ completions: 5, suspend: true }), [{}, {}], { remove: 2 }],
    [
      'waits after a failure',
      job({ completions: 1 }),
      [{ ...failed, finished: '2026-01-01T11:59:55Z' }],
      { wait: 5000 },
    ],
    ['replaces what is going', job({ completions: 2 }), [{ going: true }, {}], { create: 1 }],
    ['replaces what has gone only', job({ completions: 2, podReplacementPolicy: 'Failed' }), [{ going: true }, {}], {}],
    [
      'has failed too often',
      job({ completions: 1, backoffLimit: 1 }),
      [failed, failed],
      { verdict: 'FailureTarget BackoffLimitExceeded' },
    ],
    [
      'is too late',
      job({ completions: 1, activeDeadlineSeconds: 3600 }),
      [{}],
      { verdict: 'FailureTarget DeadlineExceeded' },
    ],
    [
      'fills the first gaps',
      job({ ...indexed, completions: 5, parallelism: 3 }),
      [{ ...succeeded, index: 1 }, { index: 0 }],
      { indexes: [2, 3] },
    ],
    [
      'has one pod an index',
      job({ ...indexed, completions: 5, parallelism: 3 }),
      [{ index: 0 }, { index: 0 }, { index: 9 }],
      { remove: 2 },
    ],
    [
      'fails indexes one by one',
      job({ ...indexed, completions: 3, backoffLimitPerIndex: 1 }),
      [
        { ...failed, index: 0, failures: 1 },
        { ...succeeded, index: 1 },
      ],
      { indexes: [2] },
    ],
    [
      'has failed indexes',
      job({ ...indexed, completions: 2, backoffLimitPerIndex: 0, backoffLimit: 2 ** 31 - 1 }),
      [
        { ...failed, index: 0 },
        { ...succeeded, index: 1 },
      ],
      { verdict: 'FailureTarget FailedIndexes' },
    ],
    [
      'has too many failed indexes',
      job({ ...indexed, completions: 5, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
      [
        { ...failed, index: 0 },
        { ...failed, index: 1 },
      ],
      { verdict: 'FailureTarget MaxFailedIndexesExceeded' },
    ],
    [
      'is met by its success policy',
      job({ ...indexed, completions: 5, successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      [{ ...succeeded, index: 0 }, { index: 1 }],
      { verdict: 'SuccessCriteriaMet SuccessPolicy' },
    ],
    [
      'fails by its failure policy',
      job({
        completions: 1,
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
      }),
      [{ ...failed, exitCode: 42 }],
      { verdict: 'FailureTarget PodFailurePolicy' },
    ],
    [
      'ignores disruptions',
      job({
        completions: 1,
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
      }),
      [{ ...failed, condition: 'DisruptionTarget', finished: '2026-01-01T11:00:00Z' }],
      { create: 1 },
    ],
  ]
  for (const [name, object, given, expected] of cases) {
    it(name, () => {
      const view = viewJob(object, given.map(pod), { gates, now })
      const verdict = verdictOf(view)
      const backoff = nextBackoff(undefined, view.newSucceeded, view.newFailed)
      const plan = verdict === undefined ? undefined : { remove: [], create: 0, indexes: [], wait: 0 }
      const { remove, create, indexes, wait } = plan ?? planJobPods(view, remainingBackoff(backoff, now))
      expect(verdict && `${verdict.type} ${verdict.reason}`).toBe(expected.verdict)
      expect({ remove: remove.length, create, indexes, wait }).toEqual({
        remove: expected.remove ?? 0,
        create: expected.create ?? expected.indexes?.length ?? 0,
        indexes: expected.indexes ?? [],
        wait: expected.wait ?? 0,
      })
      if (verdict === undefined) expect(isReached(view, view.active.length)).toBe(expected.reached ?? false)
    })
  }

  it('says which container and rule failed it', () => {
    const policy = {
      rules: [
        { action: 'Count', onExitCodes: { operator: 'In', values: [1] } },
        { action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [1] } },
      ],
    }
    const failedPod = pod({ phase: 'Failed', exitCode: 3 })
    expect(judgeFailure(job({ podFailurePolicy: policy }), failedPod)).toEqual({
      action: 'FailJob',
      message: `Container main for pod default/${failedPod.metadata.name} failed with exit code 3 matching FailJob rule at index 1`,
    })
    expect(judgeFailure(job({ podFailurePolicy: policy }), pod({ phase: 'Failed', exitCode: 1 }))).toEqual({
      action: 'Count',
    })
    expect(judgeFailure(job({ podFailurePolicy: policy }), pod({ phase: 'Failed' }))).toEqual({})
  })

  it('knows which success rule is met', () => {
    const rules = [{ succeededIndexes: '0-2', succeededCount: 2 }, { succeededCount: 4 }]
    const met = (indexes: string) => metSuccessRule({ rules }, parseIndexes(indexes, 9), 9)
    expect([met(''), met('0'), met('0,2'), met('3-6')]).toEqual([
      undefined,
      undefined,
      'Matched rules at index 0',
      'Matched rules at index 1',
    ])
  })

  it('waits twice as long after every failure, until one succeeds', () => {
    const waits = [1, 2, 3, 7, 20].map((failures) => remainingBackoff({ failures, lastFailure: now }, now))
    expect(waits).toEqual([10_000, 20_000, 40_000, 600_000, 600_000])
    const failedPods = [
      pod({ phase: 'Failed', finished: '2026-01-01T11:10:00Z' }),
      pod({ phase: 'Failed', finished: '2026-01-01T11:20:00Z' }),
    ]
    const before = { failures: 2, lastFailure: 0 }
    expect(nextBackoff(before, [], failedPods)).toEqual({
      failures: 4,
      lastFailure: Date.parse('2026-01-01T11:20:00Z'),
    })
    const success = [pod({ phase: 'Succeeded', finished: '2026-01-01T11:15:00Z' })]
    expect(nextBackoff(before, success, failedPods)).toEqual({
      failures: 1,
      lastFailure: Date.parse('2026-01-01T11:20:00Z'),
    })
    expect(nextBackoff(before, success, [])).toEqual({ failures: 0, lastFailure: 0 })
  })
})

describe('the counting of ended pods', () => {
  it('notes uids first, and counts them when their finalizers are gone', () => {
    const [good, bad, running] = [pod({ phase: 'Succeeded' }), pod({ phase: 'Failed' }), pod()]
    const view = viewJob(job({ completions: 5 }), [good, bad, running], { gates, now })
    const { status, release } = trackPods(view, view.job.status, undefined)
    expect(status.uncountedTerminatedPods).toEqual({ succeeded: [good.metadata.uid], failed: [bad.metadata.uid] })
    expect(release).toEqual([good, bad])
    expect(countUncounted(status, new Set([bad.metadata.uid ?? '']))).toMatchObject({
      succeeded: 1,
      uncountedTerminatedPods: { failed: [bad.metadata.uid] },
    })
    const again = viewJob(job({ completions: 5 }, status), [good, bad], { gates, now })
    expect([again.succeeded, again.failed]).toEqual([1, 1])
    expect(trackPods(again, status, undefined).status).toEqual(status)
  })

  it('keeps the failed pod of an index until another takes its place', () => {
    const spec = { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 3 }
    const bad = pod({ phase: 'Failed', index: 0, failures: 1 })
    const alone = viewJob(job(spec), [bad], { gates, now })
    expect(trackPods(alone, alone.job.status, undefined).release).toEqual([])
    const replaced = viewJob(job(spec), [bad, pod({ index: 0, failures: 2 })], { gates, now })
    expect(trackPods(replaced, replaced.job.status, undefined).release).toEqual([bad])
  })
})
