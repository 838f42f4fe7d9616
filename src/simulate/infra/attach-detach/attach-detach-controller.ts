/**
 * Attaches the volumes of drivers to the nodes of their pods, and detaches them when no pod is left: VolumeAttachments,
 * which the simulation's own attacher fulfils at once. Nodes' lists of attached volumes are not kept: no kubelet waits for
 * them here.
 * Mirrors pkg/controller/volume/attachdetach: attachDetachController.
 */
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Index, Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import { isTerminated, podsByClaim } from '../persistentvolume-binder/volume-facts.ts'
import { type Attachment, attachmentObject, attachmentsOf, isOwnName, isShared } from './attachments.ts'

const group = 'storage.k8s.io'
const resource = 'volumeattachments'

const attachmentsByVolume: Index<VolumeAttachment> = {
  name: 'volume',
  keys: ({ spec }) => [spec?.source.persistentVolumeName],
}

export const attachDetachController: SimulatedController = {
  name: 'persistentvolume-attach-detach-controller',
  start: (context) => new AttachDetach(context).start(),
}

class AttachDetach {
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #drivers: Informer<CSIDriver>
  readonly #attachments: Informer<VolumeAttachment>
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler

  constructor(context: SimulationContext) {
    this.#pods = context.informer<Pod>('', 'pods')
    this.#claims = context.informer<PersistentVolumeClaim>('', 'persistentvolumeclaims')
    this.#volumes = context.informer<PersistentVolume>('', 'persistentvolumes')
    this.#drivers = context.informer<CSIDriver>(group, 'csidrivers')
    this.#attachments = context.informer<VolumeAttachment>(group, resource)
    this.#writer = context.writer('attachdetach-controller')
    this.#recorder = context.recorder('attachdetach-controller')
    // By volume: what one node gives up another may take.
    this.#queue = reconciler(context, { name: 'attach_detach', reconcile: (volume) => this.#sync(volume) })
  }

  start() {
    const subscriptions = [
      this.#pods.subscribe(({ object }) => {
        for (const key of podsByClaim.keys(object)) this.#addClaim(key)
      }),
      this.#claims.subscribe(({ object }) => this.#addClaim(keyOf(object))),
      this.#attachments.subscribe(({ object }) => {
        if (object.spec?.source.persistentVolumeName) this.#queue.add(object.spec.source.persistentVolumeName)
      }),
    ]
    return runningController(subscriptions, [this.#queue])
  }

  #addClaim(key: string | undefined): void {
    const [namespace = '', name = ''] = (key ?? '').split('/')
    const volume = this.#claims.get(namespace, name)?.spec?.volumeName
    if (volume) this.#queue.add(volume)
  }

  async #sync(volumeName: string): Promise<void> {
    const volume = this.#volumes.get('', volumeName)
    const existing = this.#attachments.byIndex(attachmentsByVolume, volumeName)
    const wanted = volume === undefined ? new Map<string, Attachment>() : this.#wanted(volume)
    for (const { metadata } of existing) {
      const { name = '', deletionTimestamp } = metadata
      const isOver = isOwnName(name) && !wanted.has(name)
      if (isOver && deletionTimestamp === undefined) await this.#detach(name)
    }
    const present = this.#attachments.byIndex(attachmentsByVolume, volumeName)
    const nodes = new Set(present.map(({ spec }) => spec?.nodeName))
    for (const attachment of wanted.values()) {
      const isThere = present.find(({ metadata }) => metadata.name === attachment.name)
      if (isThere?.status?.attached === true || volume === undefined) continue
      const isElsewhere = isThere === undefined && nodes.size > 0 && !isShared(volume)
      if (isElsewhere) this.#refuse(attachment)
      else {
        await this.#attach(attachment)
        nodes.add(attachment.node)
      }
    }
  }

  /** By name; a pod that has ended holds nothing. */
  #wanted(volume: PersistentVolume): Map<string, Attachment> {
    const ref = volume.spec?.claimRef
    const pods = this.#pods.byIndex(podsByClaim, `${ref?.namespace ?? ''}/${ref?.name ?? ''}`)
    const sources = {
      claim: (namespace: string, name: string) => this.#claims.get(namespace, name),
      volume: (name: string) => this.#volumes.get('', name),
      needsAttach: (driver: string) => this.#drivers.get('', driver)?.spec?.attachRequired !== false,
    }
    const live = pods.filter((pod) => !isTerminated(pod))
    const all = live.flatMap((pod) => attachmentsOf(pod, sources))
    return new Map(all.filter((each) => each.volume === volume.metadata.name).map((each) => [each.name, each]))
  }

  async #attach(attachment: Attachment): Promise<void> {
    const { name, pod, volume } = attachment
    if (this.#attachments.get('', name) === undefined) {
      await this.#writer.create<VolumeAttachment>(group, resource, attachmentObject(attachment)).catch(ignoring(409))
    }
    const target = { namespace: '', name, subresource: 'status' }
    await this.#writer.update<VolumeAttachment>(group, resource, target, (current) =>
      current.status?.attached === true ? undefined : { ...current, status: { ...current.status, attached: true } },
    )
    const message = `AttachVolume.Attach succeeded for volume ${JSON.stringify(volume)} `
    this.#recorder.event(pod, { type: 'Normal', reason: 'SuccessfulAttachVolume', message })
  }

  #refuse({ pod, volume }: Attachment): void {
    const message =
      `Multi-Attach error for volume ${JSON.stringify(volume)} ` +
      "Volume is already exclusively attached to one node and can't be attached to another"
    this.#recorder.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', message })
  }

  async #detach(name: string): Promise<void> {
    await this.#writer.delete(group, resource, { namespace: '', name })
  }
}

const ignoring =
  (code: number) =>
  (error: unknown): undefined => {
    if (!hasCode(error, code)) throw error
    return undefined
  }
