/** What keeps a flood from drowning the server: fairness or plain limits, time-outs, and the way out at the end. */
import type { RequestContext } from '../api/request-context.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { TimedRatio } from '../lib/timed-ratio.ts'
import type { PathHandler } from '../paths/paths.ts'
import type { ServingParts } from '../pipeline/chain.ts'
import { cors } from '../pipeline/cors.ts'
import { answerLate, requestTimeout } from '../pipeline/deadline.ts'
import { dumpFlows, type FlowDump } from '../pipeline/fairness/dump.ts'
import { fairness, type RequestCounter } from '../pipeline/fairness/fairness-filter.ts'
import { FlowControl } from '../pipeline/fairness/flow-control.ts'
import { FlowMetrics } from '../pipeline/fairness/flow-metrics.ts'
import type { FlowClock } from '../pipeline/fairness/queue-set-options.ts'
import { WatchCounts } from '../pipeline/fairness/watch-counts.ts'
import type { Filter } from '../pipeline/filter.ts'
import { type InFlightLimits, inFlightLimits } from '../pipeline/in-flight-limits.ts'
import type { TimedFilter } from '../pipeline/metrics.ts'
import { RunningRequests } from '../pipeline/running-requests.ts'
import { ShutdownState } from '../pipeline/shutdown.ts'
import type { Registries } from '../registry/registries.ts'
import { PeakGauge } from '../telemetry/metrics/peak-gauge.ts'
import type { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import type { ServerDependencies } from './running-server.ts'

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
  readonly paths: ReadonlyMap<string, PathHandler>
  stop(): void
}

interface Below {
  readonly registries: Registries
  readonly metrics: ServerMetrics
}

const group = 'flowcontrol.apiserver.k8s.io'

export async function makeOverload(
  options: ServerOptions,
  { clock, role }: ServerDependencies,
  below: Below,
): Promise<OverloadLayer> {
  const { requestTimeout: timeout, maxRequestsInflight, maxMutatingRequestsInflight } = options.limits
  const common = {
    running: new RunningRequests({ clock, timeout, onTimeout: answerLate }),
    shutdown: new ShutdownState(),
    serving: servingParts(options),
  }
  if (!options.priorityAndFairness) {
    const limits = { reads: maxRequestsInflight, changes: maxMutatingRequestsInflight }
    const onRun = kindUsage(below.metrics, 'executing', limits)
    const room = inFlightLimits({ ...limits, clock, onRun, shares: role?.seats })
    return {
      ...common,
      flowControl: room,
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
    metrics: new FlowMetrics(below.metrics.set),
    shares: role?.seats,
  })
  await followObjects(control, below.registries)
  const room = fairness({
    control,
    clock: flowClock,
    sources: {
      objectCount: (of, resource) => below.registries.get(of, resource)?.storage.loaded?.size,
      watches: new WatchCounts(),
      watchList: options.featureGates.enabled('WatchList'),
    },
    requestTimeout: (context) => requestTimeout(context, timeout),
    onWait: waitingRequests(below.metrics),
    onRun: kindUsage(below.metrics, 'executing'),
  })
  const timeOrigin = clock.now() - flowClock.now()
  return {
    ...common,
    flowControl: room,
    flowControlName: 'priorityandfairness',
    control,
    paths: dumpPaths(control, timeOrigin),
    stop: () => control.stop(),
  }
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Counts what waits, by whether it only reads. */
function waitingRequests(metrics: ServerMetrics): RequestCounter {
  const { set } = metrics
  const count = kindUsage(metrics, 'waiting')
  const waiting = { readOnly: new PeakGauge(), mutating: new PeakGauge() }
  set.onCollect(() => {
    const gauge = set.gauge('apiserver_current_inqueue_requests')
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
  { set }: ServerMetrics,
  phase: 'executing' | 'waiting',
  limits: InFlightLimits = { reads: 1, changes: 1 },
): RequestCounter {
  const histogram = set.histogram('apiserver_flowcontrol_read_vs_write_current_requests')
  const usage = (kind: string, limit: number) => {
    const ratio = new TimedRatio(histogram.series(phase, kind), performance.now())
    ratio.setLimit(limit)
    return { ratio, now: 0 }
  }
  const kinds = { readOnly: usage('readOnly', limits.reads), mutating: usage('mutating', limits.changes) }
  set.onCollect(() => {
    for (const { ratio } of Object.values(kinds)) ratio.settle(performance.now())
  })
  return (context, by, now) => {
    const kind = kinds[kindOf(context)]
    kind.now += by
    kind.ratio.set(kind.now, now)
  }
}

function servingParts({ serving, limits, featureGates }: ServerOptions): ServingParts {
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
      },
      cors: corsOrigins.length > 0 ? cors(corsOrigins) : undefined,
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`--cors-allowed-origins has an invalid regular expression: ${why}`)
  }
}

/** An old emulated version has no such objects: what is mandatory holds. */
async function followObjects(control: FlowControl, registries: Registries): Promise<void> {
  const names = ['flowschemas', 'prioritylevelconfigurations']
  if (names.some((name) => registries.get(group, name) === undefined)) return
  const [schemas, levels] = await Promise.all(names.map((name) => registries.source(group, name)))
  if (schemas !== undefined && levels !== undefined) control.follow({ schemas, levels })
}

function dumpPaths(control: FlowControl, timeOrigin: number): ReadonlyMap<string, PathHandler> {
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
