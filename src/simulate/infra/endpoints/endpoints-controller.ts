/**
 * Keeps the Endpoints of services that select pods, and deletes those of services that are gone.
 * Mirrors pkg/controller/endpoint: Controller.
 */
import { equalSemantic } from '../../../api/json.ts'
import type { EndpointSubset } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { isNamespaceTerminating } from '../../framework/pod-control.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Endpoints, Pod, Service } from '../../objects.ts'
import { hasCode, messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import {
  affectedServices,
  hasClusterIp,
  headlessLabel,
  matchesSelector,
  type PodChange,
  selectsPods,
  triggerTimeAnnotation,
} from '../endpoint/service-pods.ts'
import { TriggerTimes, withTriggerTime } from '../endpoint/trigger-times.ts'
import { subsetsOf, truncated } from './subsets.ts'

const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity'
const managedByLabel = 'endpoints.kubernetes.io/managed-by'
const managedByValue = 'endpoint-controller'
/** An Endpoints that leaders are elected with has no service. */
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'

export const endpointsController: SimulatedController = {
  name: 'endpoints-controller',
  start: (context) => new EndpointsOfServices(context).start(),
}

class EndpointsOfServices {
  readonly #services: Informer<Service>
  readonly #pods: Informer<Pod>
  readonly #endpoints: Informer<Endpoints>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  readonly #triggers = new TriggerTimes()

  constructor(context: SimulationContext) {
    this.#services = context.informer<Service>('', 'services')
    this.#pods = context.informer<Pod>('', 'pods')
    this.#endpoints = context.informer<Endpoints>('', 'endpoints')
    this.#writer = context.writer('endpoint-controller')
    this.#recorder = context.recorder('endpoint-controller')
    this.#queue = reconciler(context, { name: 'endpoint', reconcile: (key) => this.#sync(key) })
  }

  start() {
    let isStarting = true
    const subscriptions = [
      this.#services.subscribe(({ object }) => this.#queue.add(keyOf(object))),
      this.#pods.subscribe((change) => this.#onPod(change)),
      this.#endpoints.subscribe(({ type, object }) => {
        // Those that are there at the start may be left over from a service that went meanwhile.
        const isLeftOver = isStarting && object.metadata.annotations?.[leaderAnnotation] === undefined
        if (type === 'DELETED' || isLeftOver) this.#queue.add(keyOf(object))
      }),
    ]
    isStarting = false
    return runningController(subscriptions, [this.#queue])
  }

  #onPod(change: PodChange & { readonly namespace: string }): void {
    const services = this.#services.list(change.namespace)
    for (const key of affectedServices(services, change)) this.#queue.add(key)
  }

  async #sync(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const service = this.#services.get(namespace, name)
    if (service === undefined) {
      this.#triggers.forget(key)
      if (this.#endpoints.get(namespace, name) === undefined) return
      await this.#writer.delete('', 'endpoints', { namespace, name })
      return
    }
    if (!selectsPods(service)) return
    const pods = this.#pods.list(namespace).filter((pod) => matchesSelector(service.spec?.selector, pod))
    const trigger = this.#triggers.next(key, service, pods)
    const all = subsetsOf(service, pods)
    const current = this.#endpoints.get(namespace, name)
    if (current !== undefined && isCurrent(current, service, all)) return
    await this.#write(service, endpointsOf(service, all, current?.metadata.annotations, trigger), current === undefined)
  }

  async #write(service: Service, wanted: Endpoints, isNew: boolean): Promise<void> {
    const { namespace = '', name = '', labels = {}, annotations = {} } = wanted.metadata
    try {
      if (isNew) await this.#writer.create<Endpoints>('', 'endpoints', wanted)
      else {
        await this.#writer.update<Endpoints>('', 'endpoints', { namespace, name }, (current) => ({
          ...current,
          metadata: { ...current.metadata, labels, annotations },
          subsets: wanted.subsets ?? [],
        }))
      }
    } catch (error) {
      if (isNew && hasCode(error, 403) && isNamespaceTerminating(error)) return
      const [reason, what] = isNew
        ? ['FailedToCreateEndpoint', 'Failed to create endpoint for service']
        : ['FailedToUpdateEndpoint', 'Failed to update endpoint']
      const message = `${what} ${keyOf(service)}: ${messageOf(error)}`
      this.#recorder.event(wanted, { type: 'Warning', reason, message })
      throw error
    }
  }
}

export function endpointsOf(
  service: Service,
  all: readonly EndpointSubset[],
  annotations: Readonly<Record<string, string>> | undefined,
  trigger: string | undefined,
): Endpoints {
  const { subsets, isTruncated } = truncated(all)
  const { [overCapacityAnnotation]: _, ...others } = withTriggerTime(annotations, triggerTimeAnnotation, trigger)
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: service.metadata.name ?? '',
      namespace: service.metadata.namespace ?? '',
      labels: {
        ...labels,
        ...(hasClusterIp(service) ? {} : { [headlessLabel]: '' }),
        [managedByLabel]: managedByValue,
      },
      annotations: isTruncated ? { ...others, [overCapacityAnnotation]: 'truncated' } : others,
    },
    subsets,
  }
}

/** Whether the object says all of it already; the headless label alone is no reason to write. */
function isCurrent({ metadata, subsets }: Endpoints, service: Service, wanted: readonly EndpointSubset[]): boolean {
  const own = [headlessLabel, managedByLabel]
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => !own.includes(key)))
  return (
    metadata.labels?.[managedByLabel] === managedByValue &&
    equalSemantic(labels, service.metadata.labels ?? {}) &&
    metadata.annotations?.[overCapacityAnnotation] === undefined &&
    equalSemantic(subsets ?? [], [...wanted])
  )
}
