/** The informers that plugins read, each opened when it is first asked for. */
import type { KubeObject } from '../../api/object.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { Informer } from '../framework/informer.ts'
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceSlice,
  Service,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '../objects.ts'
import type { Listers } from './plugin.ts'

type Informers = {
  readonly [K in keyof Listers]: Listers[K] extends { get(a: string, b: string): infer T }
    ? Informer<NonNullable<T>>
    : never
}

export class SchedulerInformers implements Informers {
  readonly #context: SimulationContext

  constructor(context: SimulationContext) {
    this.#context = context
  }

  get nodes(): Informer<Node> {
    return this.#context.informer('', 'nodes')
  }
  get pods(): Informer<Pod> {
    return this.#context.informer('', 'pods')
  }
  get namespaces(): Informer<KubeObject> {
    return this.#context.informer('', 'namespaces')
  }
  get services(): Informer<Service> {
    return this.#context.informer('', 'services')
  }
  get replicationControllers(): Informer<ReplicationController> {
    return this.#context.informer('', 'replicationcontrollers')
  }
  get replicaSets(): Informer<ReplicaSet> {
    return this.#context.informer('apps', 'replicasets')
  }
  get statefulSets(): Informer<StatefulSet> {
    return this.#context.informer('apps', 'statefulsets')
  }
  get claims(): Informer<PersistentVolumeClaim> {
    return this.#context.informer('', 'persistentvolumeclaims')
  }
  get volumes(): Informer<PersistentVolume> {
    return this.#context.informer('', 'persistentvolumes')
  }
  get storageClasses(): Informer<StorageClass> {
    return this.#context.informer('storage.k8s.io', 'storageclasses')
  }
  get csiNodes(): Informer<CSINode> {
    return this.#context.informer('storage.k8s.io', 'csinodes')
  }
  get csiDrivers(): Informer<CSIDriver> {
    return this.#context.informer('storage.k8s.io', 'csidrivers')
  }
  get csiStorageCapacities(): Informer<CSIStorageCapacity> {
    return this.#context.informer('storage.k8s.io', 'csistoragecapacities')
  }
  get volumeAttachments(): Informer<VolumeAttachment> {
    return this.#context.informer('storage.k8s.io', 'volumeattachments')
  }
  get disruptionBudgets(): Informer<PodDisruptionBudget> {
    return this.#context.informer('policy', 'poddisruptionbudgets')
  }
  get resourceClaims(): Informer<ResourceClaim> {
    return this.#context.informer('resource.k8s.io', 'resourceclaims')
  }
  get resourceSlices(): Informer<ResourceSlice> {
    return this.#context.informer('resource.k8s.io', 'resourceslices')
  }
  get deviceClasses(): Informer<DeviceClass> {
    return this.#context.informer('resource.k8s.io', 'deviceclasses')
  }

  /** Opens those that decide where pods go, so that the first pod does not see half of them. */
  open(useDevices: boolean): void {
    void [this.nodes, this.pods, this.namespaces, this.services, this.replicationControllers, this.replicaSets]
    void [this.statefulSets, this.claims, this.volumes, this.storageClasses, this.csiNodes, this.csiDrivers]
    void [this.csiStorageCapacities, this.volumeAttachments, this.disruptionBudgets]
    if (useDevices) void [this.resourceClaims, this.resourceSlices, this.deviceClasses]
  }
}
