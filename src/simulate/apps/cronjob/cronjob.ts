/**
 * Jobs at the times of a schedule.
 * Mirrors pkg/controller/cronjob: ControllerV2.
 */
import { quote } from '../../../api/golang/quote.ts'
import { ApiError } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { CronJob, CronJobStatus, Job } from '../../../catalog/types/batch-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import type { Index } from '../../framework/informer.ts'
import { controllerOf, controllerReference } from '../../framework/owners.ts'
import { isNamespaceTerminating } from '../../framework/pod-control.ts'
import { millisOf } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import { omitEmpty } from '../../framework/values.ts'
import type { Writer } from '../../framework/writer.ts'
import { missedTime, untilNext } from './cron-times.ts'
import { parseSchedule, type Schedule, ScheduleError } from './schedule.ts'
import { TimeZone } from './time-zone.ts'

const kind = 'CronJob'
const timestampAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
const maxSchedules = 1000

const jobsByController: Index<Job> = { name: 'controller', keys: (job) => [controllerOf(job)?.uid] }

export const cronJob: SimulatedController = {
  name: 'cronjob-controller',
  start(context) {
    const cronJobs = context.informer<CronJob>('batch', 'cronjobs')
    const jobs = context.informer<Job>('batch', 'jobs')
    const runs = new CronRuns(context)
    const queue = reconciler(context, { name: 'cronjob', reconcile: (key) => runs.reconcile(key) })
    const add = (key: string): void => queue.add(key)
    const endings = [
      cronJobs.subscribe(({ object }) => add(keyOf(object))),
      followOwned({ owned: jobs, owners: cronJobs, kind, add }),
    ]
    return {
      stop() {
        for (const end of endings) end()
        return queue.stop()
      },
    }
  },
}

/** A CronJob while it is reconciled: its status as it will be written. */
interface Round {
  readonly cronJob: CronJob
  readonly jobs: readonly Job[]
  status: CronJobStatus
}

type Wait = { requeueAfter: number } | undefined

function finishedType({ status }: Job): 'Complete' | 'Failed' | undefined {
  for (const { type, status: value } of status.conditions ?? []) {
    if ((type === 'Complete' || type === 'Failed') && value === 'True') return type
  }
  return undefined
}

class CronRuns {
  readonly #context: SimulationContext
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #schedules = new Map<string, Schedule>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#writer = context.writer('cronjob-controller')
    this.#recorder = context.recorder('cronjob-controller')
  }

  async reconcile(key: string): Promise<Wait> {
    const { namespace, name } = splitKey(key)
    const found = this.#context.informer<CronJob>('batch', 'cronjobs').get(namespace, name)
    if (found === undefined) return undefined
    const jobs = this.#context.informer<Job>('batch', 'jobs').byIndex(jobsByController, found.metadata.uid ?? '')
    const round: Round = { cronJob: found, jobs, status: found.status }
    let wait: Wait
    try {
      this.#followJobs(round)
      wait = found.metadata.deletionTimestamp === undefined ? await this.#schedule(round) : undefined
      await this.#cleanUp(round)
    } finally {
      await this.#writeStatus(round)
    }
    return wait
  }

  #recordEvent(
    { cronJob: found }: Round,
    type: 'Normal' | 'Warning',
    [reason, message]: readonly [string, string],
  ): void {
    this.#recorder.event(found, { type, reason, message })
  }

  /** Jobs that are over leave the list of active ones; so do those that are gone. */
  #followJobs(round: Round): void {
    const { jobs, cronJob: found } = round
    for (const job of jobs) {
      const isListed = (round.status.active ?? []).some(({ uid }) => uid === job.metadata.uid)
      const finished = finishedType(job)
      if (finished === undefined) {
        const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`
        if (!isListed) this.#recordEvent(round, 'Warning', ['UnexpectedJob', message])
        continue
      }
      if (isListed) {
        this.#unlist(round, job.metadata.uid)
        const message = `Saw completed job: ${job.metadata.name}, condition: ${finished}`
        this.#recordEvent(round, 'Normal', ['SawCompletedJob', message])
      }
      if (finished === 'Complete') this.#noteSuccess(round, job.status.completionTime)
    }
    const children = new Set(jobs.map(({ metadata }) => metadata.uid))
    for (const { uid, name = '', namespace = found.metadata.namespace ?? '' } of round.status.active ?? []) {
      if (children.has(uid) || this.#context.informer<Job>('batch', 'jobs').get(namespace, name) !== undefined) continue
      this.#recordEvent(round, 'Normal', ['MissingJob', `Active job went missing: ${name}`])
      this.#unlist(round, uid)
    }
  }

  #unlist(round: Round, uid: string | undefined): void {
    const { active = [], ...rest } = round.status
    round.status = { ...rest, ...omitEmpty({ active: active.filter((job) => job.uid !== uid) }) }
  }

  #noteSuccess(round: Round, time: string | undefined): void {
    const { lastSuccessfulTime } = round.status
    if (time === undefined) return
    if (lastSuccessfulTime !== undefined && millisOf(lastSuccessfulTime) >= millisOf(time)) return
    round.status = { ...round.status, lastSuccessfulTime: time }
  }

  async #schedule(round: Round): Promise<Wait> {
    const { spec } = round.cronJob
    const zone = this.#timeZone(round)
    if (zone === undefined || spec.suspend === true) return undefined
    const schedule = this.#scheduleOf(round)
    if (schedule === undefined) return undefined
    const now = this.#context.clock.now()
    const { time, isMany } = missedTime(withStatus(round), schedule, now, true)
    if (time !== undefined) {
      if (isMany) {
        const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'
        this.#recordEvent(round, 'Warning', ['TooManyMissedTimes', message])
      }
      await this.#runAt(round, time, zone)
    }
    const wait = untilNext(withStatus(round), schedule, now)
    return wait === undefined ? undefined : { requeueAfter: wait }
  }

  #timeZone(round: Round): TimeZone | undefined {
    const { timeZone = '' } = round.cronJob.spec
    try {
      return new TimeZone(timeZone)
    } catch {
      const message = `invalid timeZone: ${quote(timeZone)}: unknown time zone ${timeZone}`
      this.#recordEvent(round, 'Warning', ['UnknownTimeZone', message])
      return undefined
    }
  }

  #scheduleOf(round: Round): Schedule | undefined {
    const { schedule, timeZone = '' } = round.cronJob.spec
    if (schedule.includes('TZ')) {
      const message = `CRON_TZ or TZ used in schedule ${quote(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`
      this.#recordEvent(round, 'Warning', ['UnsupportedSchedule', message])
    }
    const key = `${timeZone}\n${schedule}`
    const known = this.#schedules.get(key)
    if (known !== undefined) return known
    try {
      const parsed = parseSchedule(schedule, timeZone)
      if (this.#schedules.size >= maxSchedules) this.#schedules.clear()
      this.#schedules.set(key, parsed)
      return parsed
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error
      this.#recordEvent(round, 'Warning', [
        'UnparseableSchedule',
        `unparseable schedule: ${quote(schedule)} : ${error.message}`,
      ])
      return undefined
    }
  }

  async #runAt(round: Round, time: number, zone: TimeZone): Promise<void> {
    const { cronJob: found } = round
    const { startingDeadlineSeconds, concurrencyPolicy } = found.spec
    const now = this.#context.clock.now()
    if (startingDeadlineSeconds !== undefined && time + startingDeadlineSeconds * 1000 < now) {
      const message = `Missed scheduled time to start a job: ${rfc1123(time)}`
      this.#recordEvent(round, 'Warning', ['MissSchedule', message])
      return
    }
    const name = `${found.metadata.name}-${Math.floor(time / 60_000)}`
    const { active = [], lastScheduleTime } = round.status
    const isDone = lastScheduleTime !== undefined && millisOf(lastScheduleTime) === time
    if (isDone || active.some((job) => job.name === name)) return
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
      this.#recordEvent(round, 'Normal', ['JobAlreadyActive', message])
      return
    }
    if (concurrencyPolicy === 'Replace') {
      for (const job of active) await this.#delete(round, { name: job.name ?? '', uid: job.uid })
    }
    const job = await this.#create(round, name, { time, zone })
    if (job === undefined) return
    const { uid = '', resourceVersion = '', namespace = '' } = job.metadata
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion }
    round.status = {
      ...round.status,
      active: [...(round.status.active ?? []), reference],
      lastScheduleTime: formatTime(instantOfMillis(time)),
    }
  }

  /** Undefined when the name is taken by a job that is not to be noted. */
  async #create(
    round: Round,
    name: string,
    { time, zone }: { time: number; zone: TimeZone },
  ): Promise<Job | undefined> {
    const { cronJob: found } = round
    const { metadata, spec } = found.spec.jobTemplate
    const { namespace = '' } = found.metadata
    const annotations = this.#context.gate('CronJobsScheduledAnnotation')
      ? { ...metadata.annotations, [timestampAnnotation]: rfc3339(time, zone) }
      : metadata.annotations
    const job: Job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace,
        ...(metadata.labels === undefined ? {} : { labels: { ...metadata.labels } }),
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(found, 'batch/v1', kind)],
        creationTimestamp: null,
      },
      spec: structuredClone(spec),
      status: {},
    }
    try {
      const created = await this.#writer.create('batch', 'jobs', job)
      this.#recordEvent(round, 'Normal', ['SuccessfulCreate', `Created job ${name}`])
      return created
    } catch (error) {
      if (!(error instanceof ApiError) || isNamespaceTerminating(error)) throw error
      if (error.status.reason !== 'AlreadyExists') {
        this.#recordEvent(round, 'Warning', ['FailedCreate', `Error creating job: ${error.message}`])
        throw error
      }
      const taken = this.#context.informer<Job>('batch', 'jobs').get(namespace, name)
      const isOurs = taken !== undefined && controllerOf(taken)?.uid === found.metadata.uid
      const isListed = (round.status.active ?? []).some(({ uid }) => uid === taken?.metadata.uid)
      return isOurs && !isListed ? taken : undefined
    }
  }

  async #delete(round: Round, { name, uid }: { name: string; uid: string | undefined }): Promise<void> {
    const namespace = round.cronJob.metadata.namespace ?? ''
    try {
      await this.#writer.delete('batch', 'jobs', { namespace, name }, { propagationPolicy: 'Background' })
    } catch (error) {
      this.#recordEvent(round, 'Warning', ['FailedDelete', `Deleted job: ${(error as Error).message}`])
      throw error
    }
    this.#unlist(round, uid)
    this.#recordEvent(round, 'Normal', ['SuccessfulDelete', `Deleted job ${name}`])
  }

  async #cleanUp(round: Round): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = round.cronJob.spec
    const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit }
    for (const type of ['Complete', 'Failed'] as const) {
      const limit = limits[type]
      if (limit === undefined) continue
      const over = round.jobs.filter(
        (job) => finishedType(job) === type && job.metadata.deletionTimestamp === undefined,
      )
      for (const { metadata } of byStartTime(over).slice(0, Math.max(0, over.length - limit))) {
        await this.#delete(round, { name: metadata.name ?? '', uid: metadata.uid })
      }
    }
  }

  async #writeStatus({ cronJob: found, status }: Round): Promise<void> {
    const { namespace = '', name = '', uid } = found.metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#writer.update<CronJob>('batch', 'cronjobs', target, (current) =>
      current.metadata.uid === uid ? { ...current, status } : undefined,
    )
  }
}

const withStatus = ({ cronJob: found, status }: Round): CronJob => ({ ...found, status })

const started = ({ status }: Job): number =>
  status.startTime === undefined ? Number.POSITIVE_INFINITY : millisOf(status.startTime)

const byStartTime = (jobs: readonly Job[]): Job[] =>
  [...jobs].sort((a, b) => started(a) - started(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))

/** `Mon, 02 Jan 2006 15:04:05 +0000`. */
const rfc1123 = (time: number): string => new Date(time).toUTCString().replace('GMT', '+0000')

function rfc3339(time: number, zone: TimeZone): string {
  const offset = zone.offset(time)
  const local = new Date(time + offset).toISOString().slice(0, 19)
  if (offset === 0) return `${local}Z`
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
