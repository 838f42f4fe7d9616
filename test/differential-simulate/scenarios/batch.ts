import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import { hasCondition, hasStatus, job, jobTemplate, object, scripted } from './building.ts'

const at = 'batch/v1/jobs/work'
const oddFails = 'if [ $(expr $JOB_COMPLETION_INDEX % 2) -ne 0 ]; then exit 3; fi'

const cronJob = (spec: JsonMap, name = 'tick'): JsonMap =>
  object('batch/v1', 'CronJob', name, {
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate('exit 0') } }, ...spec },
  })

export const batchScenarios: readonly Scenario[] = [
  {
    name: 'job',
    steps: [{ apply: [job('work', { completions: 3, parallelism: 2 })] }, hasCondition(at, 'Complete')],
  },
  {
    name: 'job-indexed',
    steps: [
      { apply: [job('work', { completions: 4, parallelism: 2, completionMode: 'Indexed' })] },
      hasCondition(at, 'Complete'),
    ],
  },
  {
    name: 'job-elastic-indexed',
    steps: [
      {
        apply: [
          job('work', {
            completions: 2,
            parallelism: 2,
            completionMode: 'Indexed',
            template: jobTemplate('sleep 1000'),
          }),
        ],
      },
      hasStatus(at, { active: 2, ready: 2 }),
      { patch: at, with: { spec: { completions: 3, parallelism: 3 } } },
      hasStatus(at, { active: 3, ready: 3 }),
    ],
  },
  {
    name: 'job-backoff-limit',
    steps: [{ apply: [job('work', { backoffLimit: 1, template: jobTemplate('exit 1') })] }, hasCondition(at, 'Failed')],
  },
  {
    name: 'job-backoff-limit-on-failure',
    steps: [
      {
        apply: [job('work', { backoffLimit: 1, template: jobTemplate('exit 1', { restartPolicy: 'OnFailure' }) })],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-backoff-per-index',
    steps: [
      {
        apply: [
          job('work', {
            completions: 4,
            parallelism: 4,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 0,
            template: jobTemplate(oddFails),
          }),
        ],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-max-failed-indexes',
    steps: [
      {
        apply: [
          job('work', {
            completions: 4,
            parallelism: 1,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 0,
            maxFailedIndexes: 0,
            template: jobTemplate(oddFails),
          }),
        ],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-failure-policy-fails',
    steps: [
      {
        apply: [
          job('work', {
            template: jobTemplate('exit 42'),
            podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
          }),
        ],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-failure-policy-counts',
    steps: [
      {
        apply: [
          job('work', {
            backoffLimit: 0,
            template: jobTemplate('exit 2'),
            podFailurePolicy: {
              rules: [
                { action: 'Count', onExitCodes: { operator: 'In', values: [2], containerName: 'main' } },
                { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
              ],
            },
          }),
        ],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-failure-policy-index',
    steps: [
      {
        apply: [
          job('work', {
            completions: 3,
            parallelism: 3,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 2,
            template: jobTemplate(oddFails),
            podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [3] } }] },
          }),
        ],
      },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-failure-policy-ignores',
    steps: [
      {
        apply: [
          job('work', {
            backoffLimit: 0,
            template: jobTemplate('sleep 1000'),
            podFailurePolicy: {
              rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
            },
          }),
        ],
      },
      hasStatus(at, { active: 1, ready: 1 }),
      {
        post: 'v1/pods?labelSelector=job-name%3Dwork',
        sub: 'eviction',
        body: { apiVersion: 'policy/v1', kind: 'Eviction' },
      },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate' } },
      hasStatus(at, { active: 1, ready: 1 }),
    ],
  },
  {
    name: 'job-success-policy',
    steps: [
      {
        apply: [
          job('work', {
            completions: 3,
            parallelism: 3,
            completionMode: 'Indexed',
            template: jobTemplate('if [ $JOB_COMPLETION_INDEX -eq 0 ]; then exit 0; fi; sleep 1000'),
            successPolicy: { rules: [{ succeededIndexes: '0' }] },
          }),
        ],
      },
      hasCondition(at, 'Complete'),
    ],
  },
  {
    name: 'job-suspend',
    steps: [
      { apply: [job('work', { suspend: true, template: jobTemplate('sleep 1000') })] },
      hasCondition(at, 'Suspended'),
      { patch: at, with: { spec: { suspend: false } } },
      hasStatus(at, { active: 1, ready: 1 }),
      { patch: at, with: { spec: { suspend: true } } },
      hasCondition(at, 'Suspended'),
      { until: 'v1/pods', count: 0 },
      { patch: at, with: { spec: { suspend: false } } },
      hasStatus(at, { active: 1, ready: 1 }),
    ],
  },
  {
    name: 'job-ttl',
    steps: [
      { apply: [job('work', { ttlSecondsAfterFinished: 2 })] },
      { until: at, gone: true },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'job-deadline',
    steps: [
      { apply: [job('work', { activeDeadlineSeconds: 2, template: jobTemplate('sleep 1000') })] },
      hasCondition(at, 'Failed'),
    ],
  },
  {
    name: 'job-replacement',
    steps: [
      {
        apply: [
          job('work', {
            podReplacementPolicy: 'Failed',
            template: jobTemplate(
              'sleep 1000',
              { terminationGracePeriodSeconds: 3 },
              scripted({ stop: { takes: 2000 } }),
            ),
          }),
        ],
      },
      hasStatus(at, { active: 1, ready: 1 }),
      { remove: 'v1/pods?labelSelector=job-name%3Dwork' },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate' } },
      hasStatus(at, { active: 1, ready: 1 }),
    ],
  },
  {
    name: 'job-parallelism-reduced',
    steps: [
      { apply: [job('work', { parallelism: 3, completions: 5, template: jobTemplate('sleep 1000') })] },
      hasStatus(at, { active: 3, ready: 3 }),
      { patch: at, with: { spec: { parallelism: 1 } } },
      hasStatus(at, { active: 1, ready: 1 }),
      { until: 'v1/pods', count: 1 },
    ],
  },
  {
    name: 'job-work-queue',
    steps: [{ apply: [job('work', { parallelism: 2 })] }, hasCondition(at, 'Complete')],
  },
  {
    name: 'job-managed-by',
    steps: [{ apply: [job('work', { managedBy: 'example.com/other' })] }, { until: at, has: {} }],
  },
  {
    name: 'cronjob',
    steps: [
      {
        apply: [
          cronJob({ successfulJobsHistoryLimit: 1 }),
          cronJob({ suspend: true }, 'suspended'),
          cronJob(
            { failedJobsHistoryLimit: 1, jobTemplate: { spec: { backoffLimit: 0, template: jobTemplate('exit 1') } } },
            'failing',
          ),
        ],
      },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate', involvedObject: { name: 'tick' } } },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate', involvedObject: { name: 'failing' } } },
      { until: 'v1/events', atLeast: 1, has: { reason: 'SuccessfulDelete', involvedObject: { name: 'tick' } } },
      { patch: 'batch/v1/cronjobs/tick', with: { spec: { suspend: true } } },
      { patch: 'batch/v1/cronjobs/failing', with: { spec: { suspend: true } } },
      { until: 'batch/v1/cronjobs/tick', has: { status: { active: null } } },
    ],
  },
  {
    name: 'cronjob-policies',
    steps: [
      {
        apply: (['Forbid', 'Replace', 'Allow'] as const).map((concurrencyPolicy) =>
          cronJob(
            { concurrencyPolicy, jobTemplate: { spec: { template: jobTemplate('sleep 1000') } } },
            concurrencyPolicy.toLowerCase(),
          ),
        ),
      },
      { until: 'v1/events', atLeast: 1, has: { reason: 'JobAlreadyActive' }, isMoving: true },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate', involvedObject: { name: 'replace' } } },
      { until: 'v1/events', atLeast: 2, has: { reason: 'SuccessfulCreate', involvedObject: { name: 'allow' } } },
    ],
  },
]
