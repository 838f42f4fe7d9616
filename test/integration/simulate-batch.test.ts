import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../src/testing/api/objects.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'

const second = 1000
const hour = 3600 * second
let server: RunningTestServer

beforeAll(async () => {
  server = await startTestServer({ simulate: { nodes: 1, seed: 7, heartbeat: 0 } })
})

afterEach(() => server.reset())
afterAll(() => server.close())

const template = (command = 'exit 0') => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work', command: ['sh', '-c', command] }] },
})

const job = (spec: object, name = 'work'): ApiObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: template(), ...spec },
})

const cronJob = (spec: object): ApiObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tick' },
  spec: { schedule: '0 * * * *', jobTemplate: { spec: { template: template() } }, ...spec },
})

async function statusOf(resource: string, name: string): Promise<ApiObject> {
  await server.settled()
  return (await server.get(resource, name))?.['status']
}

const conditionsOf = ({ conditions = [] }: ApiObject): string[] =>
  conditions.map(({ type, status, reason }: ApiObject) => `${type}=${status} ${reason}`)

const reasons = async (kind: string): Promise<string[]> => (await server.events({ kind })).map(({ reason }) => reason)

describe('Jobs', () => {
  it('run as many pods as asked for, and count them', async () => {
    await server.apply(job({ completions: 5, parallelism: 2 }))
    const status = await statusOf('jobs', 'work')
    expect(status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    expect(conditionsOf(status)).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ])
    expect(status['completionTime']).toBeDefined()
    const pods = await server.list('pods', 'default')
    expect(pods.map(({ metadata }) => metadata?.finalizers)).toEqual(Array(5).fill(undefined))
    expect((await reasons('Job')).sort()).toEqual(['Completed', ...Array(5).fill('SuccessfulCreate')])
  })

  it('run one pod an index, each with its name, label and variable', async () => {
    await server.apply(job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }))
    expect(await statusOf('jobs', 'work')).toMatchObject({ succeeded: 3, completedIndexes: '0-2' })
    const pods = await server.list('pods', 'default')
    const indexes = pods.map(({ metadata, spec }) => [
      metadata?.name?.replace(/-\w{5}$/, ''),
      metadata?.labels?.['batch.kubernetes.io/job-completion-index'],
      spec.hostname,
      spec.containers[0].env[0].name,
    ])
    expect(indexes).toEqual([0, 1, 2].map((i) => [`work-${i}`, `${i}`, `work-${i}`, 'JOB_COMPLETION_INDEX']))
  })

  it('wait longer after every failure, and give up', async () => {
    await server.apply(job({ backoffLimit: 2, template: template('exit 3') }))
    expect(await statusOf('jobs', 'work')).toMatchObject({ failed: 1 })
    await server.clock.advance(11 * second)
    expect(await statusOf('jobs', 'work')).toMatchObject({ failed: 2 })
    await server.clock.advance(21 * second)
    const status = await statusOf('jobs', 'work')
    expect(status).toMatchObject({ failed: 3 })
    expect(conditionsOf(status)).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ])
    expect(await reasons('Job')).toContain('BackoffLimitExceeded')
  })

  it('obey their policies: a failed index alone, a fatal exit code, enough successes', async () => {
    const perIndex = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0 }
    await server.apply(job({ ...perIndex, template: template('exit 1') }, 'indexes'))
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }]
    await server.apply(job({ podFailurePolicy: { rules }, template: template('exit 42') }, 'fatal'))
    const successPolicy = { rules: [{ succeededCount: 1 }] }
    await server.apply(job({ completionMode: 'Indexed', completions: 4, parallelism: 1, successPolicy }, 'enough'))
    const failed = await statusOf('jobs', 'indexes')
    expect(failed).toMatchObject({ failed: 2, failedIndexes: '0,1' })
    expect(conditionsOf(failed)).toContain('Failed=True FailedIndexes')
    expect(conditionsOf(await statusOf('jobs', 'fatal'))).toContain('Failed=True PodFailurePolicy')
    const enough = await statusOf('jobs', 'enough')
    expect(conditionsOf(enough)).toContain('Complete=True SuccessPolicy')
    expect(enough).toMatchObject({ succeeded: 1, completedIndexes: '0' })
  })

  it('are suspended and resumed, end at their deadline, and go when their time is over', async () => {
    const endless = template('sleep infinity')
    await server.apply(
      job({ suspend: true, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100, template: endless }),
    )
    expect(conditionsOf(await statusOf('jobs', 'work'))).toEqual(['Suspended=True JobSuspended'])
    expect(await server.list('pods', 'default')).toEqual([])
    await server.clock.advance(hour)
    await server.apply(
      job({ suspend: false, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100, template: endless }),
    )
    const running = await statusOf('jobs', 'work')
    expect(conditionsOf(running)).toEqual(['Suspended=False JobResumed'])
    expect(running).toMatchObject({ active: 1, ready: 1 })
    await server.clock.advance(100 * second)
    expect(conditionsOf(await statusOf('jobs', 'work'))).toContain('Failed=True DeadlineExceeded')
    expect(await server.list('pods', 'default')).toEqual([])
    await server.clock.advance(101 * second)
    expect(await server.get('jobs', 'work')).toBeUndefined()
  })

  it('are left alone when somebody else manages them', async () => {
    await server.apply(job({ managedBy: 'example.com/other' }))
    await server.settled()
    expect(await server.list('pods', 'default')).toEqual([])
    expect(await statusOf('jobs', 'work')).toEqual({})
  })

  it('let go of their pods when they are deleted', async () => {
    await server.apply(job({ template: template('sleep infinity') }))
    await server.settled()
    await server.call('DELETE', '/apis/batch/v1/namespaces/default/jobs/work?propagationPolicy=Background')
    await server.clock.advance(60 * second)
    expect(await server.list('pods', 'default')).toEqual([])
  })
})

describe('CronJobs', () => {
  const day = 24 * hour
  const names = async (): Promise<string[]> =>
    (await server.list('jobs', 'default')).map(({ metadata }) => metadata?.name ?? '')

  it('run at their times, and keep so many of the past', async () => {
    await server.apply(cronJob({ successfulJobsHistoryLimit: 2 }))
    await server.clock.advance(day)
    await server.settled()
    const found = await server.get('cronjobs', 'tick')
    expect(found?.['status']).toMatchObject({
      lastScheduleTime: expect.stringMatching(/:00:00Z$/),
      lastSuccessfulTime: expect.stringMatching(/:00:0\dZ$/),
    })
    expect(found?.['status']).not.toHaveProperty('active')
    const jobs = await server.list('jobs', 'default')
    expect(jobs.length).toBe(2)
    const minutes = Date.parse(found?.['status'].lastScheduleTime) / 60_000
    expect(await names()).toEqual([`tick-${minutes - 60}`, `tick-${minutes}`])
    expect(jobs[1]?.metadata?.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': found?.['status'].lastScheduleTime,
    })
    const [created] = await server.events({ kind: 'CronJob', reason: 'SuccessfulCreate' })
    expect(created?.message).toMatch(/^Created job tick-\d+$/)
    expect((await server.list('pods', 'default')).length).toBe(2)
  })

  for (const [policy, jobs, reason] of [
    ['Allow', 3, 'SuccessfulCreate'],
    ['Forbid', 1, 'JobAlreadyActive'],
    ['Replace', 1, 'SuccessfulDelete'],
  ] as const) {
    it(`with runs that do not end: ${policy}`, async () => {
      const endless = { spec: { template: template('sleep infinity') } }
      await server.apply(cronJob({ concurrencyPolicy: policy, jobTemplate: endless }))
      await server.clock.advance(3 * hour)
      await server.settled()
      expect((await names()).length).toBe(jobs)
      expect((await server.get('cronjobs', 'tick'))?.['status'].active.length).toBe(jobs)
      expect(await reasons('CronJob')).toContain(reason)
    })
  }

  it('do nothing while they are suspended, and then not what is too late', async () => {
    await server.apply(cronJob({ suspend: true, startingDeadlineSeconds: 600 }))
    await server.clock.advance(5.5 * hour)
    expect(await names()).toEqual([])
    await server.apply(cronJob({ suspend: false, startingDeadlineSeconds: 600 }))
    await server.settled()
    expect((await names()).length).toBeLessThanOrEqual(1)
    await server.clock.advance(hour)
    await server.settled()
    expect((await names()).length).toBeGreaterThanOrEqual(1)
  })

  it('writes no event that expires before the clock stops, unless a watch would see it', async () => {
    const run = async (isWatched: boolean) => {
      await using other = await startTestServer({ simulate: { nodes: 1, seed: 42, heartbeat: 0 } })
      await other.apply(cronJob({}))
      const seen = new Set<string>()
      let open = (): void => undefined
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      // The nodes were registered, which is an event.
      const isLast = ({ metadata, reason }: ApiObject): boolean => {
        open()
        if (reason === 'SawCompletedJob') seen.add(metadata?.name ?? '')
        return seen.size === 5
      }
      const watching = isWatched ? other.waitFor('events', isLast) : undefined
      if (isWatched) await opened
      await other.clock.advance(5 * hour)
      await watching
      const left = (await other.events()).map(({ about, reason, count }) => `${about.split(' ')[0]} ${reason} ${count}`)
      return { left: left.sort(), revision: Number((await other.get('cronjobs', 'tick'))?.metadata?.resourceVersion) }
    }
    const [watched, unwatched] = [await run(true), await run(false)]
    expect(unwatched.left).toEqual(watched.left)
    expect(watched.left).toContain('CronJob SawCompletedJob 1')
    expect(unwatched.revision).toBeLessThan(watched.revision)
  })

  it('comes to the same end for the same seed', async () => {
    const run = async (): Promise<unknown> => {
      await using other = await startTestServer({ simulate: { nodes: 2, seed: 42, heartbeat: 0 } })
      await other.apply([cronJob({}), job({ completions: 3, parallelism: 2 })])
      await other.clock.advance(3 * hour)
      const pods = await other.list('pods', 'default')
      return pods.map(({ metadata }) => metadata?.name?.replace(/^tick-\d+/, 'tick'))
    }
    expect(await run()).toEqual(await run())
  })
})

describe('Pods that nobody runs', () => {
  it('go when their node is gone for a while', async () => {
    await server.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'short-lived' } })
    const spec = { nodeName: 'short-lived', containers: [{ name: 'main', image: 'work' }] }
    await server.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'orphan' }, spec })
    await server.call('DELETE', '/api/v1/nodes/short-lived')
    await server.clock.advance(30 * second)
    expect(await server.get('pods', 'orphan')).toBeDefined()
    await server.clock.advance(30 * second)
    expect(await server.get('pods', 'orphan')).toBeUndefined()
  })
})
