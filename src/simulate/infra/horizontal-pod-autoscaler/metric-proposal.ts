/**
 * What one of an autoscaler's metrics proposes, and how the status shows it.
 * Mirrors pkg/controller/podautoscaler: HorizontalController.computeReplicasForMetric.
 */
import { Quantity } from '../../../api/quantity.ts'
import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../catalog/types/autoscaling-v2.ts'
import { messageOf } from '../common/api-errors.ts'
import { goLabelSelector } from '../common/go-label-selector.ts'
import type { MetricSource, MetricTarget as Target } from './metric-source.ts'
import {
  averageReplicas,
  type PodMetrics,
  perPodReplicas,
  replicasForTotal,
  resourceReplicas,
  type Tolerances,
} from './replica-count.ts'

export interface Proposal {
  readonly replicas: number
  /** As events name it. */
  readonly metric: string
  readonly status: MetricStatus
}

/** A metric that could not be had: what its condition and its event say, and what the autoscaler's own error does. */
export class MetricError extends Error {
  override readonly name = 'MetricError'
  readonly reason: string
  /** The words of the condition. */
  readonly why: string

  constructor(reason: string, why: string, message: string) {
    super(message)
    this.reason = reason
    this.why = why
  }
}

export interface ProposalRequest extends Target {
  readonly specReplicas: number
  readonly statusReplicas: number
  readonly tolerances: Tolerances
  readonly now: number
}

export async function proposal(source: MetricSource, request: ProposalRequest, spec: MetricSpec): Promise<Proposal> {
  const maker = makers[spec.type]
  if (maker === undefined) {
    const why = `unknown metric source type ${JSON.stringify(spec.type)}`
    throw new MetricError('InvalidMetricSourceType', why, why)
  }
  try {
    return await maker.make(source, request, spec)
  } catch (error) {
    const why = messageOf(error)
    throw new MetricError(maker.reason, why, `failed to get ${maker.what(spec)} value: ${why}`)
  }
}

interface Maker {
  readonly reason: string
  what(spec: MetricSpec): string
  make(source: MetricSource, request: ProposalRequest, spec: MetricSpec): Promise<Proposal>
}

const makers: Readonly<Record<string, Maker>> = {
  Resource: {
    reason: 'FailedGetResourceMetric',
    what: ({ resource }) => `${resource?.name ?? ''} resource metric`,
    async make(source, request, { resource }) {
      const { name = '', target } = resource ?? {}
      const made = await ofResource(source, request, { name, container: '', target })
      const status: MetricStatus = { type: 'Resource', resource: { name, current: made.current } }
      const metric = made.isRaw ? `${name} resource` : `${name} resource utilization (percentage of request)`
      return { replicas: made.replicas, metric, status }
    },
  },
  ContainerResource: {
    reason: 'FailedGetContainerResourceMetric',
    what: ({ containerResource }) => `${containerResource?.container ?? ''} container metric`,
    async make(source, request, { containerResource }) {
      const { name = '', container = '', target } = containerResource ?? {}
      const made = await ofResource(source, request, { name, container, target })
      const status: MetricStatus = {
        type: 'ContainerResource',
        containerResource: { name, container, current: made.current },
      }
      const metric = made.isRaw ? `${name} resource` : `${name} container resource utilization (percentage of request)`
      return { replicas: made.replicas, metric, status }
    },
  },
  Pods: {
    reason: 'FailedGetPodsMetric',
    what: () => 'pods metric',
    async make(source, request, { pods }) {
      const metric = pods?.metric ?? { name: '' }
      const metrics = await named(`unable to get metric ${metric.name}`, source.pods(request, metric))
      const target = milli(pods?.target.averageValue)
      const { replicas, usage } = averageReplicas({ ...counted(request), resource: '', target }, metrics)
      const status: MetricStatus = { type: 'Pods', pods: { metric, current: { averageValue: ofMilli(usage) } } }
      return { replicas, metric: `pods metric ${metric.name}`, status }
    },
  },
  Object: {
    reason: 'FailedGetObjectMetric',
    what: () => 'object metric',
    async make(source, request, { object }) {
      const { describedObject = { kind: '', name: '' }, metric = { name: '' }, target } = object ?? {}
      const { kind, name } = describedObject
      const get = () =>
        source.object(request.hpa, describedObject, metric).catch((error: unknown) => {
          // The reference puts the kind where the error belongs, and the error at the end.
          const at = `${request.hpa.metadata.namespace ?? ''} ${name}/${messageOf(error)}`
          throw new Error(`unable to get metric ${metric.name}: ${kind} on ${at}`)
        })
      const shown = (current: MetricValueStatus): MetricStatus => ({
        type: 'Object',
        object: { describedObject, metric, current },
      })
      if (target?.type === 'Value' && target.value !== undefined) {
        const { replicas, usage } = replicasForTotal(counted(request), await get(), milli(target.value))
        return { replicas, metric: `${kind} metric ${metric.name}`, status: shown({ value: ofMilli(usage) }) }
      }
      if (target?.type === 'AverageValue' && target.averageValue !== undefined) {
        const { replicas, usage } = perPodReplicas(ofStatus(request), await get(), milli(target.averageValue))
        const text = `external metric ${metric.name}(${goLabelSelector(metric.selector)})`
        return { replicas, metric: text, status: shown({ averageValue: ofMilli(usage) }) }
      }
      throw new Error('invalid object metric source: neither a value target nor an average value target was set')
    },
  },
  External: {
    reason: 'FailedGetExternalMetric',
    what: ({ external }) => `${external?.metric.name ?? ''} external metric`,
    async make(source, request, { external }) {
      const { metric = { name: '' }, target } = external ?? {}
      const selector = goLabelSelector(metric.selector)
      const namespace = request.hpa.metadata.namespace ?? ''
      const get = () =>
        named(
          `unable to get external metric ${namespace}/${metric.name}/${selector}`,
          source.external(request.hpa, metric),
        )
      const shown = (current: MetricValueStatus): MetricStatus => ({ type: 'External', external: { metric, current } })
      const text = `external metric ${metric.name}(${selector})`
      if (target?.averageValue !== undefined) {
        const { replicas, usage } = perPodReplicas(ofStatus(request), await get(), milli(target.averageValue))
        return { replicas, metric: text, status: shown({ averageValue: ofMilli(usage) }) }
      }
      if (target?.value !== undefined) {
        const { replicas, usage } = replicasForTotal(counted(request), await get(), milli(target.value))
        return { replicas, metric: text, status: shown({ value: ofMilli(usage) }) }
      }
      throw new Error('invalid external metric source: neither a value target nor an average value target was set')
    },
  },
}

interface ResourceTarget {
  readonly name: string
  readonly container: string
  readonly target: MetricTarget | undefined
}

async function ofResource(source: MetricSource, request: ProposalRequest, { name, container, target }: ResourceTarget) {
  const get = (): Promise<PodMetrics> =>
    named(`unable to get metrics for resource ${name}`, source.resource(request, name, container))
  const worded = <T>(what: string, made: Promise<T>): Promise<T> => named(`failed to get ${name} ${what}`, made)
  if (target?.averageValue !== undefined) {
    const wanted = milli(target.averageValue)
    const make = async () => averageReplicas({ ...counted(request), resource: name, target: wanted }, await get())
    const { replicas, usage } = await worded('usage', make())
    return { replicas, current: { averageValue: ofMilli(usage) }, isRaw: true }
  }
  if (target?.averageUtilization === undefined) {
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  }
  const wanted = target.averageUtilization
  const make = async () =>
    resourceReplicas({ ...counted(request), resource: name, container, target: wanted }, await get())
  const { replicas, usage, utilization } = await worded('utilization', make())
  return { replicas, current: { averageUtilization: utilization, averageValue: ofMilli(usage) }, isRaw: false }
}

const counted = ({ specReplicas, pods, tolerances, now }: ProposalRequest) => ({
  replicas: specReplicas,
  pods,
  tolerances,
  now,
})

const ofStatus = ({ statusReplicas, tolerances }: ProposalRequest) => ({ replicas: statusReplicas, tolerances })

const named = <T>(what: string, made: Promise<T>): Promise<T> =>
  made.catch((error: unknown) => {
    throw new Error(`${what}: ${messageOf(error)}`)
  })

const milli = (amount: string | undefined): number =>
  amount === undefined ? 0 : Quantity.parse(String(amount)).milliValue()

const ofMilli = (value: number): string => Quantity.ofMilli(value).toString()
