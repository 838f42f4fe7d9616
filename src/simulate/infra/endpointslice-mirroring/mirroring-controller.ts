/**
 * Mirrors Endpoints of services without a selector, which are maintained by hand, to EndpointSlices.
 * Mirrors pkg/controller/endpointslicemirroring: Controller.
 */
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { isNamespaceTerminating } from '../../framework/pod-control.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { EndpointSlice, Endpoints, Service } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { managedByLabel, serviceNameLabel } from '../endpointslice/slice-parts.ts'
import { isMirrored, type MirrorPlan, maxPerSubset, mirroringValue, planMirror } from './mirror-plan.ts'

const group = 'discovery.k8s.io'
const resource = 'endpointslices'

export const endpointSliceMirroringController: SimulatedController = {
  name: 'endpointslice-mirroring-controller',
  start: (context) => new Mirroring(context).start(),
}

class Mirroring {
  readonly #endpoints: Informer<Endpoints>
  readonly #services: Informer<Service>
  readonly #slices: Informer<EndpointSlice>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler

  constructor(context: SimulationContext) {
    this.#endpoints = context.informer<Endpoints>('', 'endpoints')
    this.#services = context.informer<Service>('', 'services')
    this.#slices = context.informer<EndpointSlice>(group, resource)
    this.#writer = context.writer('endpointslicemirroring-controller')
    this.#recorder = context.recorder('endpoint-slice-mirroring-controller')
    this.#queue = reconciler(context, { name: 'endpoint_slice_mirroring', reconcile: (key) => this.#sync(key) })
  }

  start() {
    const subscriptions = [
      this.#endpoints.subscribe(({ object, old }) => {
        if (isMirrored(object) || (old !== undefined && isMirrored(old))) this.#queue.add(keyOf(object))
      }),
      this.#services.subscribe(({ object, old }) => {
        const isOwn = object.spec?.selector === undefined
        if (old === undefined ? isOwn : isOwn !== (old.spec?.selector === undefined)) this.#queue.add(keyOf(object))
      }),
      this.#slices.subscribe(({ object, old }) => {
        for (const slice of old === undefined ? [object] : [object, old]) {
          const { labels, namespace } = slice.metadata
          const name = labels?.[serviceNameLabel]
          if (labels?.[managedByLabel] === mirroringValue && name) this.#queue.add(`${namespace ?? ''}/${name}`)
        }
      }),
    ]
    return runningController(subscriptions, [this.#queue])
  }

  async #sync(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const endpoints = this.#endpoints.get(namespace, name)
    const service = this.#services.get(namespace, name)
    const slices = this.#mirrored(namespace, name)
    const isWanted = service !== undefined && service.spec?.selector === undefined
    if (endpoints === undefined || !isMirrored(endpoints) || !isWanted) {
      for (const slice of slices) await this.#delete(slice)
      return
    }
    const plan = planMirror(endpoints, slices)
    this.#warn(endpoints, plan)
    try {
      await this.#write(endpoints, plan)
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error
    }
  }

  #mirrored(namespace: string, name: string): EndpointSlice[] {
    return this.#slices
      .list(namespace)
      .filter(
        ({ metadata }) =>
          metadata.labels?.[serviceNameLabel] === name && metadata.labels[managedByLabel] === mirroringValue,
      )
  }

  #warn(endpoints: Endpoints, { invalid, skipped }: MirrorPlan): void {
    if (invalid > 0) {
      const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`
      this.#recorder.event(endpoints, { type: 'Warning', reason: 'InvalidIPAddress', message })
    }
    if (skipped > invalid) {
      const message = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`
      this.#recorder.event(endpoints, { type: 'Warning', reason: 'TooManyAddressesToMirror', message })
    }
  }

  async #write(endpoints: Endpoints, { create, update, delete: gone }: MirrorPlan): Promise<void> {
    if (endpoints.metadata.deletionTimestamp === undefined) {
      for (const slice of create) await this.#writer.create<EndpointSlice>(group, resource, slice)
    }
    for (const slice of update) {
      const { namespace = '', name = '', labels = {}, annotations = {}, ownerReferences = [] } = slice.metadata
      await this.#writer.update<EndpointSlice>(group, resource, { namespace, name }, (current) => ({
        ...current,
        metadata: { ...current.metadata, labels, annotations, ownerReferences },
        endpoints: slice.endpoints,
        ports: slice.ports,
      }))
    }
    for (const slice of gone) await this.#delete(slice)
  }

  #delete({ metadata }: EndpointSlice): Promise<void> {
    const { namespace = '', name = '' } = metadata
    return this.#writer.delete(group, resource, { namespace, name })
  }
}
