/**
 * Keeps the EndpointSlices of services that select pods.
 * Mirrors pkg/controller/endpointslice: Controller.
 */
import { selectorOfLabels } from '../../../api/label-selector.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer, InformerChange } from '../../framework/informer.ts'
import { isNamespaceTerminating } from '../../framework/pod-control.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { EndpointSlice, Node, Pod, Service } from '../../objects.ts'
import { messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import {
  affectedServices,
  matchesSelector,
  type PodChange,
  selectsPods,
  triggerTimeAnnotation,
} from '../endpoint/service-pods.ts'
import { TriggerTimes, withTriggerTime } from '../endpoint/trigger-times.ts'
import { controllerValue, managedByLabel, serviceNameLabel } from './slice-parts.ts'
import { type FamilyPlan, planSlices, reuseNames, type SlicePlan } from './slice-plan.ts'
import { TopologyHints, wantsTopologyHints } from './topology-hints.ts'
import { withoutAllHints, withTrafficHints } from './traffic-hints.ts'

const group = 'discovery.k8s.io'
const resource = 'endpointslices'
const maxEndpointsPerSlice = 100
const zoneLabel = 'topology.kubernetes.io/zone'

export const endpointSliceController: SimulatedController = {
  name: 'endpointslice-controller',
  start: (context) => new EndpointSlices(context).start(),
}

class EndpointSlices {
  readonly #context: SimulationContext
  readonly #services: Informer<Service>
  readonly #pods: Informer<Pod>
  readonly #nodes: Informer<Node>
  readonly #slices: Informer<EndpointSlice>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  readonly #triggers = new TriggerTimes()
  readonly #topology = new TopologyHints()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#services = context.informer<Service>('', 'services')
    this.#pods = context.informer<Pod>('', 'pods')
    this.#nodes = context.informer<Node>('', 'nodes')
    this.#slices = context.informer<EndpointSlice>(group, resource)
    this.#writer = context.writer('endpointslice-controller')
    this.#recorder = context.recorder('endpoint-slice-controller')
    this.#queue = reconciler(context, { name: 'endpoint_slice', reconcile: (key) => this.#sync(key) })
  }

  start() {
    const subscriptions = [
      this.#services.subscribe(({ object }) => this.#queue.add(keyOf(object))),
      this.#pods.subscribe((change) => this.#onPod(change)),
      this.#slices.subscribe((change) => this.#onSlice(change)),
      this.#nodes.subscribe((change) => this.#onNode(change)),
    ]
    return runningController(subscriptions, [this.#queue])
  }

  #onPod(change: PodChange & { readonly namespace: string }): void {
    const services = this.#services.list(change.namespace)
    for (const key of affectedServices(services, change)) this.#queue.add(key)
  }

  /** Slices that another client changed are reconciled. What this controller wrote comes by as well, and finds nothing to do. */
  #onSlice({ object, old }: InformerChange<EndpointSlice>): void {
    for (const slice of old === undefined ? [object] : [object, old]) {
      const { labels, namespace } = slice.metadata
      const service = labels?.[serviceNameLabel]
      if (labels?.[managedByLabel] === controllerValue && service) this.#queue.add(`${namespace ?? ''}/${service}`)
    }
  }

  #onNode({ type, object, old }: InformerChange<Node>): void {
    if (type === 'MODIFIED' && old !== undefined && zoneFacts(old) === zoneFacts(object)) return
    this.#topology.setNodes(this.#nodes.list())
    for (const key of this.#topology.overloaded()) this.#queue.add(key)
    // Pods whose node was unknown were left out.
    if (type === 'ADDED') this.#addServicesOn(object.metadata.name ?? '')
  }

  #addServicesOn(node: string): void {
    for (const pod of this.#pods.list()) {
      if (pod.spec?.nodeName === node)
        this.#onPod({ object: pod, old: undefined, namespace: pod.metadata.namespace ?? '' })
    }
  }

  async #sync(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const service = this.#services.get(namespace, name)
    if (service === undefined) {
      this.#triggers.forget(key)
      this.#topology.forget(key)
      return
    }
    if (!selectsPods(service)) return
    const pods = this.#pods.list(namespace).filter((pod) => matchesSelector(service.spec?.selector, pod))
    const slices = this.#managedSlices(service)
    const node = (nodeName: string) => this.#nodes.get('', nodeName)
    const plan = planSlices({ service, pods, slices, node, maxEndpoints: maxEndpointsPerSlice })
    const trigger = this.#triggers.next(key, service, pods)
    try {
      for (const family of plan.families) await this.#write(service, this.#hinted(key, service, family), trigger)
      for (const slice of plan.stale) await this.#delete(slice)
    } catch (error) {
      if (isNamespaceTerminating(error)) return
      this.#warn(service, messageOf(error))
      throw error
    }
    const [skipped] = plan.skipped
    if (skipped === undefined) return
    this.#warn(service, `skipping Pod ${skipped.pod} for Service ${key}: Node ${skipped.node} Not Found`)
  }

  #managedSlices({ metadata }: Service): EndpointSlice[] {
    const wanted = selectorOfLabels({ [serviceNameLabel]: metadata.name ?? '', [managedByLabel]: controllerValue })
    return this.#slices
      .list(metadata.namespace ?? '')
      .filter((slice) => slice.metadata.deletionTimestamp === undefined && wanted.matches(slice.metadata.labels))
  }

  #hinted(key: string, service: Service, family: FamilyPlan): FamilyPlan {
    const byAnnotation = wantsTopologyHints(service.metadata.annotations)
    if (byAnnotation && this.#context.gate('TopologyAwareHints')) {
      const { plan, event } = this.#topology.add(key, family)
      if (event !== undefined) this.#recorder.event(service, event)
      return plan
    }
    const removed = this.#topology.removed(key, family)
    if (removed !== undefined) this.#recorder.event(service, removed)
    const distribution = service.spec?.trafficDistribution
    if (distribution === undefined || byAnnotation || !this.#isKnown(distribution)) return withoutAllHints(family)
    return withTrafficHints(family, distribution)
  }

  #isKnown(distribution: string): boolean {
    if (!this.#context.gate('ServiceTrafficDistribution')) return false
    if (distribution === 'PreferClose') return true
    const isNew = distribution === 'PreferSameZone' || distribution === 'PreferSameNode'
    return isNew && this.#context.gate('PreferSameTrafficDistribution')
  }

  async #write(service: Service, plan: SlicePlan, trigger: string | undefined): Promise<void> {
    const { create, update, delete: gone } = reuseNames(plan, service)
    const triggered = (slice: EndpointSlice) =>
      withTriggerTime(slice.metadata.annotations, triggerTimeAnnotation, trigger)
    if (service.metadata.deletionTimestamp === undefined) {
      for (const slice of create) {
        const metadata = { ...slice.metadata, annotations: triggered(slice) }
        await this.#writer.create<EndpointSlice>(group, resource, { ...slice, metadata })
      }
    }
    for (const slice of update) {
      const { namespace = '', name = '', labels = {} } = slice.metadata
      const { endpoints, ports } = slice
      const annotations = triggered(slice)
      await this.#writer.update<EndpointSlice>(group, resource, { namespace, name }, (current) => ({
        ...current,
        metadata: { ...current.metadata, labels, annotations },
        endpoints,
        ports,
      }))
    }
    for (const slice of gone) await this.#delete(slice)
  }

  #delete({ metadata }: EndpointSlice): Promise<void> {
    const { namespace = '', name = '' } = metadata
    return this.#writer.delete(group, resource, { namespace, name })
  }

  #warn(service: Service, why: string): void {
    const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${why}`
    this.#recorder.event(service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message })
  }
}

/** What hints and endpoints take from a node. */
const zoneFacts = ({ metadata, status }: Node): string =>
  JSON.stringify([metadata.labels?.[zoneLabel], status?.conditions?.find(({ type }) => type === 'Ready')?.status])
