/**
 * Lets requests through by priority and fairness: at once while their level has seats, later from a queue, or not at
 * all (429). Seats are held until the answer is complete, and while the handler works on after the time of its request;
 * a watch holds them until it has begun. While a request waits for its client, other flows may take its seats
 * (preemption.ts).
 */

import type { RequestContext } from '../../api/request-context.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Filter, Handler } from '../filter.ts'
import { isLongRunning } from '../long-running.ts'
import { runAndRelease } from '../run-and-release.ts'
import { answerTooMany } from '../too-many-requests.ts'
import type { Flow } from './classifier.ts'
import type { FlowControl } from './flow-control.ts'
import type { RefusalReason } from './flow-metrics.ts'
import { FlowRequest } from './flow-request.ts'
import type { FlowClock } from './queue-set-options.ts'
import { estimateWork, type WorkSources } from './work-estimate.ts'

/** The upper bound of the queue wait, whatever the time-out of a request. */
const longestWaitMs = 60_000

export interface FairnessOptions {
  readonly control: FlowControl
  readonly clock: FlowClock
  readonly sources: WorkSources
  /** How long a request has, in milliseconds; it may wait for a quarter of that. */
  readonly requestTimeout: (context: RequestContext) => number
  /** Called when a request begins (1) and ends (-1) to wait. */
  readonly onWait?: RequestCounter
  /** Called when a request begins and ends to run; a watch runs until it has begun. */
  readonly onRun?: RequestCounter
}

/** `by` is 1 or -1, `now` a time of the clock of queues. */
export type RequestCounter = (context: RequestContext, by: 1 | -1, now: number) => void

export function fairness(options: FairnessOptions): Filter {
  const { control, sources } = options
  return (context, next) => {
    const { info } = context
    const isWatch = info.verb === 'watch'
    if (!isWatch && isLongRunning(info)) return next(context)
    const flow = control.flowOf(context.user, info)
    const { level, series } = flow
    const work = estimateWork(info, flow, sources)
    const request = new FlowRequest(flow, work, context)
    series.estimated.observe(request.maxSeats)
    context.placement = request
    showFlow(context, flow)
    const run = (): Awaitable<void> =>
      isWatch ? runWatch(request, flow, options, next) : runRequest(request, flow, options, next)
    const granted = level.requestSeats(request.maxSeats)
    if (granted !== undefined) return granted.then(() => admit(request, flow, options, run))
    return admit(request, flow, options, run)
  }
}

function admit(
  request: FlowRequest,
  flow: Flow,
  options: FairnessOptions,
  run: () => Awaitable<void>,
): Awaitable<void> {
  const { level, series } = flow
  switch (level.queues.admit(request)) {
    case 'execute':
      if (!level.settings.exempt) series.waited.observe(0)
      return run()
    case 'refuse': {
      const reason = level.settings.queuing === undefined ? 'concurrency-limit' : 'queue-full'
      return refuse(request.context, flow, reason, options.clock)
    }
    case 'wait':
      return runLater(request, flow, options, run)
  }
}

/** By uid: names would disclose to clients how they are ranked. */
function showFlow({ exchange }: RequestContext, { schema, level }: Flow): void {
  exchange.addHeader('x-kubernetes-pf-flowschema-uid', schema.uid)
  exchange.addHeader('x-kubernetes-pf-prioritylevel-uid', level.settings.uid)
}

function begin(request: FlowRequest, flow: Flow, { onRun }: FairnessOptions): void {
  const { context, startedAt } = request
  count(request, flow, 1)
  flow.series.dispatched.value++
  onRun?.(context, 1, startedAt)
  context.seats = request
  request.onPause = countPause
}

const countPause: FlowRequest['onPause'] = (request, paused) => count(request, request.flow as Flow, paused ? -1 : 1)

function count({ maxSeats }: FlowRequest, { series }: Flow, by: 1 | -1): void {
  series.executing.value += by
  series.executingSeats.value += by * maxSeats
}

function end(request: FlowRequest, flow: Flow, { onRun }: FairnessOptions): void {
  if (request.state !== 'paused') count(request, flow, -1)
  flow.level.queues.finish(request)
  onRun?.(request.context, -1, request.startedAt + request.executionMs)
}

/** Most answers are complete before the handler returns, and the seats are free again with them. */
function runRequest(request: FlowRequest, flow: Flow, options: FairnessOptions, next: Handler): Awaitable<void> {
  begin(request, flow, options)
  const over = (): void => {
    end(request, flow, options)
    flow.series.execution.observe(request.executionMs / 1000)
  }
  return runAndRelease(request.context, next, { clock: options.clock, over })
}

function runWatch(request: FlowRequest, flow: Flow, options: FairnessOptions, next: Handler): Awaitable<void> {
  const { context } = request
  begin(request, flow, options)
  context.exchange.onEnd(options.sources.watches.add(context.info))
  const begun = (): void => {
    end(request, flow, options)
    flow.series.watchStart().observe(request.executionMs / 1000)
  }
  try {
    const done = next(context)
    if (done instanceof Promise) return done.finally(begun)
  } catch (error) {
    begun()
    throw error
  }
  begun()
  return undefined
}

/** Waits for the request's turn; runs it then, or refuses it when its turn has not come in time. */
async function runLater(
  request: FlowRequest,
  flow: Flow,
  { clock, requestTimeout, onWait }: FairnessOptions,
  run: () => Awaitable<void>,
): Promise<void> {
  const { series } = flow
  series.waiting.value++
  onWait?.(request.context, 1, request.arrivedAt)
  series.waitingSeats.value += request.maxSeats
  series.queueLength().observe(request.queue?.waiting.size ?? 0)
  const limit = Math.min(requestTimeout(request.context) / 4, longestWaitMs)
  const refused = await turn(request, flow, limit, clock)
  const now = clock.now()
  series.waiting.value--
  onWait?.(request.context, -1, now)
  series.waitingSeats.value -= request.maxSeats
  const waited = (now - request.arrivedAt) / 1000
  request.context.waited('apf-queue-wait', now - request.arrivedAt)
  if (refused === undefined) {
    series.waited.observe(waited)
    return run()
  }
  series.waitedInVain().observe(waited)
  refuse(request.context, flow, refused, clock)
}

/** Resolves when the request may run, or with the reason why it may not. */
function turn(
  request: FlowRequest,
  { level }: Flow,
  limit: number,
  clock: FlowClock,
): Promise<RefusalReason | undefined> {
  const { signal } = request.context.exchange
  return new Promise((resolve) => {
    const settle = (reason: RefusalReason | undefined): void => {
      cancelTimer()
      signal.removeEventListener('abort', onGone)
      resolve(reason)
    }
    const onGone = (): void => {
      if (level.queues.cancel(request, 'gone')) settle('cancelled')
    }
    const cancelTimer = clock.setTimeout(() => {
      if (level.queues.cancel(request, 'time-out')) settle('time-out')
    }, limit)
    request.onDispatch = () => settle(undefined)
    signal.addEventListener('abort', onGone)
    if (signal.aborted) onGone()
  })
}

function refuse(context: RequestContext, { level, series }: Flow, reason: RefusalReason, clock: FlowClock): void {
  series.refused(reason).value++
  level.retryAfter.refused(clock.now())
  answerTooMany(context, level.retryAfter.seconds)
}
