/** Overload protection, put together from the options: priority and fairness or plain in-flight limits, time-outs, shutdown. */
import type { ObjectSource } from '../api/object-source.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { PeakGauge } from '../lib/peak-gauge.ts'
import { TimedRatio } from '../lib/timed-ratio.ts'
import type { ServingParts } from './chain.ts'
import { cors } from './cors.ts'
import { answerTimeout, requestTimeout } from './deadline.ts'
import { dumpFlows, type FlowDump } from './fairness/dump.ts'
import { fairness, type RequestCounter } from './fairness/fairness-filter.ts'
import { FlowControl } from './fairness/flow-control.ts'
import { FlowMetrics } from './fairness/flow-metrics.ts'
import type { FlowClock } from './fairness/queue-set-options.ts'
import { WatchCounts } from './fairness/watch-counts.ts'
import type { Filter } from './filter.ts'
import { impersonationObserver } from './impersonation-metrics.ts'
import { type InFlightLimits, inFlightLimits } from './in-flight-limits.ts'
import type { TimedFilter } from './metrics.ts'
import { RunningRequests } from './running-requests.ts'
import type { SeatShares } from './seat-shares.ts'
import { ShutdownState } from './shutdown.ts'

export interface OverloadLayer {
  readonly serving: ServingParts
  readonly running: RunningRequests
  readonly shutdown: ShutdownState
  /** Lets requests through while there is room. */
  readonly flowControl: Filter
  readonly flowControlName: TimedFilter
  /** Undefined where requests are only counted. */
  readonly control: FlowControl | undefined
  /** Where people look into the queues. */
  readonly paths: ReadonlyMap<string, (context: RequestContext) => void>
  stop(): void
}

export interface OverloadDependencies {
  readonly clock: Clock
  readonly metrics: MetricSet
  /** Of a server of several processes. */
  readonly shares: SeatShares | undefined
  /** The objects of a resource; undefined where it is not served. */
  readonly source: (group: string, resource: string) => Promise<ObjectSource> | undefined
  /** How many objects a resource has; undefined while that is not known. */
  readonly objectCount: (group: string, resource: string) => number | undefined
}

const group = 'flowcontrol.apiserver.k8s.io'

export async function makeOverload(options: ServerOptions, dependencies: OverloadDependencies): Promise<OverloadLayer> {
  const { clock, metrics, shares } = dependencies
  const { requestTimeout: timeout, maxRequestsInflight, maxMutatingRequestsInflight } = options.limits
  const common = {
    running: new RunningRequests({ clock, timeout, onTimeout: answerTimeout }),
    shutdown: new ShutdownState(),
    serving: servingParts(options, metrics),
  }
  if (!options.priorityAndFairness) {
    const limits = { reads: maxRequestsInflight, changes: maxMutatingRequestsInflight }
    const onRun = kindUsage(metrics, 'executing', limits)
    const flowControl = inFlightLimits({ ...limits, clock, onRun, shares })
    return {
      ...common,
      flowControl,
      flowControlName: 'maxinflight',
      control: undefined,
      paths: new Map(),
      stop: () => {},
    }
  }
  const flowClock: FlowClock = {
    now: () => performance.now(),
    setTimeout: (fn, ms, options) => clock.setTimeout(fn, ms, options),
  }
  const control = new FlowControl({
    clock: flowClock,
    serverSeats: maxRequestsInflight + maxMutatingRequestsInflight,
    metrics: new FlowMetrics(metrics),
    shares,
  })
  await followObjects(control, dependencies)
  const flowControl = fairness({
    control,
    clock: flowClock,
    sources: {
      objectCount: dependencies.objectCount,
      watches: new WatchCounts(),
      watchList: options.featureGates.enabled('WatchList'),
    },
    requestTimeout: (context) => requestTimeout(context, timeout),
    onWait: waitingRequests(metrics),
    onRun: kindUsage(metrics, 'executing'),
  })
  const timeOrigin = clock.now() - flowClock.now()
  return {
    ...common,
    flowControl,
    flowControlName: 'priorityandfairness',
    control,
    paths: dumpPaths(control, timeOrigin),
    stop: () => control.stop(),
  }
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Counts what waits, by whether it only reads. */
function waitingRequests(metrics: MetricSet): RequestCounter {
  const count = kindUsage(metrics, 'waiting')
  const waiting = { readOnly: new PeakGauge(), mutating: new PeakGauge() }
  metrics.onCollect(() => {
    const gauge = metrics.gauge('apiserver_current_inqueue_requests')
    for (const [kind, peak] of Object.entries(waiting)) gauge.set(peak.peak(), kind)
  })
  return (context, by, now) => {
    waiting[kindOf(context)].add(by)
    count(context, by, now)
  }
}

const kindOf = ({ info }: RequestContext): 'readOnly' | 'mutating' =>
  readVerbs.has(info.verb) ? 'readOnly' : 'mutating'

/** Counts over time what runs or waits, as a part of the limit where there is one. */
function kindUsage(
  metrics: MetricSet,
  phase: 'executing' | 'waiting',
  limits: InFlightLimits = { reads: 1, changes: 1 },
): RequestCounter {
  const histogram = metrics.histogram('apiserver_flowcontrol_read_vs_write_current_requests')
  const usage = (kind: string, limit: number) => {
    const ratio = new TimedRatio(histogram.series(phase, kind), performance.now())
    ratio.setLimit(limit)
    return { ratio, now: 0 }
  }
  const kinds = { readOnly: usage('readOnly', limits.reads), mutating: usage('mutating', limits.changes) }
  metrics.onCollect(() => {
    for (const { ratio } of Object.values(kinds)) ratio.settle(performance.now())
  })
  return (context, by, now) => {
    const kind = kinds[kindOf(context)]
    kind.now += by
    kind.ratio.set(kind.now, now)
  }
}

function servingParts({ serving, limits, featureGates, version }: ServerOptions, metrics: MetricSet): ServingParts {
  const { hstsDirectives, goAwayChance, corsOrigins } = serving
  const { requestTimeout: timeout } = limits
  try {
    return {
      requestTimeout: timeout,
      hstsDirectives,
      goAwayChance,
      impersonation: {
        constrained: featureGates.enabled('ConstrainedImpersonation'),
        refusesMalformed: featureGates.enabled('release:badImpersonation'),
        observer: impersonationObserver(metrics, version.emulation.minor),
      },
      cors: corsOrigins.length > 0 ? cors(corsOrigins) : undefined,
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`--cors-allowed-origins has an invalid regular expression: ${why}`)
  }
}

/** An old emulated version has no such objects: what is mandatory holds. */
async function followObjects(control: FlowControl, { source }: OverloadDependencies): Promise<void> {
  const [schemas, levels] = await Promise.all([
    source(group, 'flowschemas'),
    source(group, 'prioritylevelconfigurations'),
  ])
  if (schemas !== undefined && levels !== undefined) control.follow({ schemas, levels })
}

function dumpPaths(control: FlowControl, timeOrigin: number): ReadonlyMap<string, (context: RequestContext) => void> {
  const dumps: readonly FlowDump[] = ['dump_priority_levels', 'dump_queues', 'dump_requests']
  const answer =
    (dump: FlowDump) =>
    ({ exchange, info }: RequestContext): void => {
      const details = (info.query.get('includeRequestDetails') ?? '') !== ''
      exchange.respond(200, dumpHeaders, dumpFlows(control, dump, { timeOrigin, details }))
    }
  return new Map(dumps.map((dump) => [`/debug/api_priority_and_fairness/${dump}`, answer(dump)]))
}

const dumpHeaders = { 'content-type': 'text/plain; charset=utf-8' }
