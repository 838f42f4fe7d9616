/**
 * Where metrics come from: the APIs metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io of this server,
 * of any API service, or what an annotation of the autoscaler says: `metrics.simulate.pilothouse.dev/NAME: "500m"` is what
 * each pod uses, or what the object or the outside says. Values are in thousandths.
 * Mirrors pkg/controller/podautoscaler/metrics: restMetricsClient.
 */
import { parseDuration } from '../../../api/duration.ts'
import { formatGroupResource } from '../../../api/group-version.ts'
import type { JsonObject } from '../../../api/json.ts'
import { selectorOfObject } from '../../../api/label-selector.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { CrossVersionObjectReference, MetricIdentifier } from '../../../catalog/types/autoscaling-v2.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { HorizontalPodAutoscaler, Pod } from '../../objects.ts'
import { hasCode, messageOf } from '../common/api-errors.ts'
import { groupOf } from '../common/scales.ts'
import type { PodMetrics } from './replica-count.ts'

const scriptPrefix = 'metrics.simulate.pilothouse.dev/'
const account = 'horizontal-pod-autoscaler'
const defaultWindowMs = 60_000

interface PodMetricsItem {
  readonly metadata?: { readonly name?: string }
  readonly timestamp?: string
  readonly window?: string
  readonly containers?: readonly { readonly name?: string; readonly usage?: Readonly<Record<string, string>> }[]
}

interface MetricValueItem {
  readonly describedObject?: { readonly name?: string }
  readonly timestamp?: string
  readonly windowSeconds?: number
  readonly window?: number
  readonly value?: string
}

/** Whose metrics are asked for. */
export interface MetricTarget {
  readonly hpa: HorizontalPodAutoscaler
  readonly pods: readonly Pod[]
  /** The selector of the pods, as text. */
  readonly selector: string
}

export class MetricSource {
  readonly #context: SimulationContext

  constructor(context: SimulationContext) {
    this.#context = context
  }

  async resource({ hpa, pods, selector }: MetricTarget, resource: string, container: string): Promise<PodMetrics> {
    const scripted = this.#scripted(hpa, resource)
    if (scripted !== undefined) return this.#same(pods, scripted)
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${hpa.metadata.namespace ?? ''}/pods${query({ labelSelector: selector })}`
    const items = await this.#items<PodMetricsItem>(path, 'resource', 'get pods.metrics.k8s.io')
    return new Map(items.flatMap((item) => podMetric(item, resource, container)))
  }

  async pods({ hpa, pods, selector }: MetricTarget, metric: MetricIdentifier): Promise<PodMetrics> {
    const scripted = this.#scripted(hpa, metric.name)
    if (scripted !== undefined) return this.#same(pods, scripted)
    const path = `namespaces/${hpa.metadata.namespace ?? ''}/pods/*/${encodeURIComponent(metric.name)}`
    const items = await this.#custom(path, { labelSelector: selector, metricLabelSelector: selectorText(metric) })
    return new Map(
      items.map((item) => [
        item.describedObject?.name ?? '',
        {
          value: milli(item.value),
          timestamp: Date.parse(item.timestamp ?? '') || 0,
          windowMs: (item.windowSeconds ?? item.window ?? defaultWindowMs / 1000) * 1000,
        },
      ]),
    )
  }

  async object(
    hpa: HorizontalPodAutoscaler,
    { apiVersion = '', kind, name }: CrossVersionObjectReference,
    metric: MetricIdentifier,
  ): Promise<number> {
    const scripted = this.#scripted(hpa, metric.name)
    if (scripted !== undefined) return scripted
    const { namespace = '' } = hpa.metadata
    const group = groupOf(apiVersion)
    const at =
      group === '' && kind === 'Namespace'
        ? `namespaces/${namespace}/metrics`
        : `namespaces/${namespace}/${this.#resourceOf(group, kind)}/${encodeURIComponent(name)}`
    const items = await this.#custom(`${at}/${encodeURIComponent(metric.name)}`, {
      metricLabelSelector: selectorText(metric),
    })
    return milli(items[0]?.value)
  }

  async external(hpa: HorizontalPodAutoscaler, metric: MetricIdentifier): Promise<number> {
    const scripted = this.#scripted(hpa, metric.name)
    if (scripted !== undefined) return scripted
    const name = encodeURIComponent(metric.name)
    const labelSelector = selectorText(metric)
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${hpa.metadata.namespace ?? ''}/${name}${query({ labelSelector })}`
    const items = await this.#items<MetricValueItem>(path, 'external', `get ${metric.name}.external.metrics.k8s.io`)
    return items.reduce((sum, { value }) => sum + milli(value), 0)
  }

  #scripted({ metadata }: HorizontalPodAutoscaler, name: string): number | undefined {
    const text = metadata.annotations?.[`${scriptPrefix}${name}`]
    return text === undefined || Quantity.check(text) !== undefined ? undefined : milli(text)
  }

  #same(pods: readonly Pod[], value: number): PodMetrics {
    const metric = { value, timestamp: this.#context.clock.now(), windowMs: 0 }
    return new Map(pods.map(({ metadata }) => [metadata.name ?? '', metric]))
  }

  #resourceOf(group: string, kind: string): string {
    for (const { definition } of this.#context.resources.all()) {
      if (definition.group === group && definition.kind === kind) return formatGroupResource(definition)
    }
    throw new Error(
      `unable to fetch metrics from custom metrics API: no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`,
    )
  }

  /** The newer version of the API, or the older one where that is all there is. */
  async #custom(path: string, parameters: Readonly<Record<string, string>>): Promise<readonly MetricValueItem[]> {
    const base = '/apis/custom.metrics.k8s.io'
    for (const version of ['v1beta2', 'v1beta1']) {
      if (!(await this.#isServed(`${base}/${version}`))) continue
      return this.#items<MetricValueItem>(`${base}/${version}/${path}${query(parameters)}`, 'custom')
    }
    throw new Error(
      'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    )
  }

  async #isServed(path: string): Promise<boolean> {
    try {
      await this.#context.services.request({ method: 'GET', path, account })
      return true
    } catch {
      return false
    }
  }

  async #items<T>(path: string, api: string, asked?: string): Promise<readonly T[]> {
    let answer: JsonObject
    try {
      answer = await this.#context.services.request({ method: 'GET', path, account })
    } catch (error) {
      const isMissing = asked !== undefined && hasCode(error, 404)
      const why = isMissing ? `the server could not find the requested resource (${asked})` : messageOf(error)
      throw new Error(`unable to fetch metrics from ${api} metrics API: ${why}`)
    }
    const items = (answer['items'] ?? []) as unknown as readonly T[]
    if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
    return items
  }
}

function podMetric(
  item: PodMetricsItem,
  resource: string,
  container: string,
): [string, { value: number; timestamp: number; windowMs: number }][] {
  const counted = (item.containers ?? []).filter(({ name }) => container === '' || name === container)
  const usages = counted.map(({ usage }) => usage?.[resource])
  if (usages.length === 0 || usages.some((usage) => usage === undefined)) return []
  const value = usages.reduce((sum, usage) => sum + milli(usage), 0)
  const timestamp = Date.parse(item.timestamp ?? '') || 0
  return [[item.metadata?.name ?? '', { value, timestamp, windowMs: windowOf(item.window) }]]
}

function windowOf(text: string | undefined): number {
  try {
    return text === undefined ? defaultWindowMs : Number(parseDuration(text) / 1_000_000n)
  } catch {
    return defaultWindowMs
  }
}

const milli = (text: string | undefined): number => (text === undefined ? 0 : Quantity.parse(String(text)).milliValue())

const selectorText = ({ selector }: MetricIdentifier): string =>
  selector === undefined ? '' : selectorOfObject(selector).toString()

function query(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}
