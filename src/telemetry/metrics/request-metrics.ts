/**
 * Counts requests. What is counted by is bounded: only resources that are served have series, whatever paths strangers
 * ask for. All that one request is counted in is found by one lookup.
 */
import { formatGroupResource } from '../../api/group-version.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { RequestInfo } from '../../api/request-info.ts'
import type { Histogram, HistogramSeries, MetricSet, NumberSeries } from '../../lib/metrics.ts'
import { PeakGauge } from '../../lib/peak-gauge.ts'
import type {
  AuthenticationOutcome,
  AuthorizationOutcome,
  RequestObserver,
  RequestOutcome,
  TimedFilter,
} from '../../pipeline/metrics.ts'
import type { ResourceTable } from '../../registry/served-resource.ts'
import { AccessMetrics } from './access-metrics.ts'

interface RequestSeries {
  readonly byStatus: Map<number, NumberSeries>
  readonly labels: readonly string[]
  readonly duration: HistogramSeries
  /** Without the time in which others were waited for. */
  readonly sli: HistogramSeries
  /** Reads only. */
  readonly size: HistogramSeries | undefined
  /** The gauge of what runs, for requests that last. */
  readonly running: NumberSeries | undefined
  /** Found when first needed: most requests get their answer. */
  readonly aborted: () => NumberSeries
  readonly terminated: (status: number) => NumberSeries
  /** Absent for requests that bring no object. */
  readonly bodies: HistogramSeries | undefined
}

interface KnownSeries extends Pick<RequestInfo, 'verb' | 'group' | 'version' | 'subresource' | 'isResourceRequest'> {
  readonly dryRun: string
  readonly scope: string
  readonly series: RequestSeries
}

const verbLabels: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'APPLY',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  proxy: 'CONNECT',
}
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const lastingSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
const countedPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz'])

/** Custom resources come and go: past this many, new ones are found anew for each request. */
const maxKnown = 20_000

export class RequestMetrics implements RequestObserver {
  readonly #set: MetricSet
  readonly #table: ResourceTable
  /** By resource, or the path of what is none: of each there are few, and a few comparisons cost less than making a key. */
  readonly #series = new Map<string, KnownSeries[]>()
  #known = 0
  readonly #inflight = { readOnly: new PeakGauge(), mutating: new PeakGauge() }

  readonly #access: AccessMetrics
  readonly #fieldValidations: Histogram

  constructor(set: MetricSet, table: ResourceTable) {
    this.#set = set
    this.#table = table
    this.#access = new AccessMetrics(set)
    this.#fieldValidations = set.histogram('field_validation_request_duration_seconds')
    const inflight = set.gauge('apiserver_current_inflight_requests')
    set.onCollect(() => {
      inflight.set(this.#inflight.readOnly.peak(), 'readOnly')
      inflight.set(this.#inflight.mutating.peak(), 'mutating')
    })
  }

  began(context: RequestContext): void {
    const { info } = context
    if (!info.isResourceRequest) return
    if (isLasting(info)) {
      const running = this.#find(context)?.running
      if (running !== undefined) running.value++
    } else {
      this.#inflight[readVerbs.has(info.verb) ? 'readOnly' : 'mutating'].add(1)
    }
  }

  authenticated(context: RequestContext, outcome: AuthenticationOutcome): void {
    this.#access.authenticated(context, outcome)
  }

  authorized(context: RequestContext, outcome: AuthorizationOutcome): void {
    this.#access.authorized(context, outcome)
  }

  filterCompleted(context: RequestContext, filter: TimedFilter): void {
    this.#access.filterCompleted(context, filter)
  }

  ended(context: RequestContext, { status, bytes, seconds }: RequestOutcome): void {
    const { info, waits } = context
    const series = this.#find(context)
    if (info.isResourceRequest && !isLasting(info)) {
      this.#inflight[readVerbs.has(info.verb) ? 'readOnly' : 'mutating'].add(-1)
    }
    if (series === undefined) return
    if (series.running !== undefined) series.running.value--
    let count = series.byStatus.get(status)
    if (count === undefined) {
      count = this.#set.counter('apiserver_request_total').series(...series.labels, String(status))
      series.byStatus.set(status, count)
    }
    count.value++
    if (status === 0) series.aborted().value++
    else if (isTermination(info, status)) series.terminated(status).value++
    series.duration.observe(seconds)
    series.sli.observe(waits === undefined ? seconds : Math.max(seconds - waitedSeconds(waits), 0))
    series.size?.observe(bytes)
    if (series.bodies === undefined) return
    if (context.bodyBytes > 0) series.bodies.observe(context.bodyBytes)
    this.#fieldValidations.observe(seconds, info.query.isEmpty ? '' : fieldValidationOf(info))
  }

  #find(context: RequestContext): RequestSeries | undefined {
    const { info } = context
    const verb = info.verb === 'patch' && isApply(context) ? 'apply' : info.verb
    const dryRun = info.query.isEmpty ? '' : dryRunOf(info)
    const scope = scopeOf(info)
    const place = info.isResourceRequest ? info.resource : info.path
    const nearby = this.#series.get(place)
    const known = nearby?.find((each) => isOf(each, info, verb, dryRun, scope))
    if (known !== undefined) return known.series
    const made = info.isResourceRequest
      ? this.#resourceSeries(info, [verb, dryRun, scope])
      : countedPaths.has(info.path)
        ? this.#make([info.verb.toUpperCase(), '', '', '', '', info.path, '', ''], { lasts: false, verb: info.verb })
        : undefined
    if (made !== undefined && this.#known < maxKnown) {
      const { group, version, subresource, isResourceRequest } = info
      const added = { verb, dryRun, scope, group, version, subresource, isResourceRequest, series: made }
      if (nearby === undefined) this.#series.set(place, [added])
      else nearby.push(added)
      this.#known++
    }
    return made
  }

  /** Undefined for what is not served. */
  #resourceSeries(
    info: RequestInfo,
    [verb = '', dryRun = '', scope = '']: readonly string[],
  ): RequestSeries | undefined {
    const { group, version, resource, subresource } = info
    const served = this.#table.find(group, version, resource)
    const action = this.#table.findAction(group, version, resource)
    if (served === undefined && action === undefined) return undefined
    const parts = served?.version.subresources ?? served?.registry.definition.subresources
    const part = parts?.get(subresource)
    if (subresource !== '' && part === undefined && !lastingSubresources.has(subresource)) return undefined
    const label = verbLabels[verb]
    if (label === undefined) return undefined
    const deprecation = served?.version.deprecation ?? action?.action.deprecation
    if (deprecation !== undefined) {
      const gauge = this.#set.gauge('apiserver_requested_deprecated_apis')
      gauge.set(1, group, version, resource, subresource, deprecation.removedRelease ?? '')
    }
    const shown = part?.type === 'connect' && subresource !== 'log' ? 'CONNECT' : label
    const labels = [shown, dryRun, group, version, resource, subresource, scope, 'apiserver']
    return this.#make(labels, { lasts: isLasting(info), verb: info.verb })
  }

  /** Labels in the order of the definitions: verb, dry_run, and the target. */
  #make(labels: readonly string[], about: { readonly lasts: boolean; readonly verb: string }): RequestSeries {
    const [verb = '', , ...target] = labels
    const [group = '', , resource = ''] = target
    const set = this.#set
    const bodyVerb = bodyVerbs[about.verb]
    return {
      byStatus: new Map(),
      labels,
      duration: set.histogram('apiserver_request_duration_seconds').series(...labels),
      sli: set.histogram('apiserver_request_sli_duration_seconds').series(verb, ...target),
      size:
        verb === 'GET' || verb === 'LIST'
          ? set.histogram('apiserver_response_sizes').series(verb, ...target)
          : undefined,
      aborted: () => set.counter('apiserver_request_aborts_total').series(verb, ...target.slice(0, -1)),
      terminated: (status) =>
        set.counter('apiserver_request_terminations_total').series(verb, ...target, String(status)),
      bodies:
        bodyVerb === undefined
          ? undefined
          : set
              .histogram('apiserver_request_body_size_bytes')
              .series(formatGroupResource({ group, resource }), bodyVerb),
      running: about.lasts ? set.gauge('apiserver_longrunning_requests').series(verb, ...target) : undefined,
    }
  }
}

function isOf(known: KnownSeries, info: RequestInfo, verb: string, dryRun: string, scope: string): boolean {
  return (
    known.verb === verb &&
    known.scope === scope &&
    known.subresource === info.subresource &&
    known.group === info.group &&
    known.version === info.version &&
    known.dryRun === dryRun &&
    known.isResourceRequest === info.isResourceRequest
  )
}

const waitedSeconds = (waits: NonNullable<RequestContext['waits']>): number =>
  (waits['mutating-webhook'] + waits['validating-webhook'] + waits['apf-queue-wait']) / 1000

const fieldValidations: ReadonlySet<string> = new Set(['', 'Ignore', 'Warn', 'Strict'])

function fieldValidationOf({ query }: RequestInfo): string {
  const asked = query.get('fieldValidation') ?? ''
  return fieldValidations.has(asked) ? asked : 'invalid'
}

/** Verbs of requests that bring objects, as the sizes of these are labelled. */
const bodyVerbs: Readonly<Record<string, string>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  apply: 'patch',
  delete: 'delete',
  deletecollection: 'delete_collection',
}

/** Whether the server ended the request to protect itself. An eviction that must wait is an answer like others. */
const isTermination = ({ subresource }: RequestInfo, status: number): boolean =>
  status === 504 || (status === 429 && subresource !== 'eviction')

const isLasting = ({ verb, subresource }: RequestInfo): boolean =>
  verb === 'watch' || verb === 'proxy' || (subresource !== '' && lastingSubresources.has(subresource))

/** By the path: a list that selects one name is one of a namespace all the same. */
function scopeOf({ isResourceRequest, parts, namespace, verb }: RequestInfo): string {
  if (!isResourceRequest) return ''
  if (parts.length > 1 || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

/** The value is a stranger's: only the one that means something is a label. */
const dryRunOf = (info: RequestInfo): string => (info.query.get('dryRun') === 'All' ? 'All' : '')

function isApply(context: RequestContext): boolean {
  return context.header('content-type')?.startsWith('application/apply-patch') ?? false
}
