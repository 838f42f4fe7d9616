/**
 * Writes what was decided about a pod's volumes, and waits until they are bound. Mirrors plugins/volumebinding: AssumePodVolumes,
 * BindPodVolumes; what upstream polls for every second is also looked at whenever claims or volumes change.
 */
import type { Clock } from '../../../lib/clock.ts'
import type { Writer } from '../../framework/writer.ts'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../objects.ts'
import { nameOf, namespaceOf, schedulingKey, uidOf } from '../objects.ts'
import type { ClusterView } from '../plugin.ts'
import { isFullyBound, isReachable, selectedNodeAnnotation } from '../volume-claims.ts'
import { Assumed } from './assumed.ts'
import { isVolumeBoundToClaim } from './matching-volume.ts'
import type { NodeVolumes } from './volume-decision.ts'

const bindTimeoutMs = 600_000
const pollMs = 1000
const boundByController = 'pv.kubernetes.io/bound-by-controller'

export interface VolumeBinderOptions {
  readonly view: ClusterView
  readonly clock: Clock
  readonly writer: Writer
  /** Calls back on changes of claims and volumes; the result unsubscribes. */
  onChange(changed: () => void): () => void
}

export class VolumeBinder {
  readonly claims: Assumed<PersistentVolumeClaim>
  readonly volumes: Assumed<PersistentVolume>
  readonly #options: VolumeBinderOptions

  constructor(options: VolumeBinderOptions) {
    this.#options = options
    this.claims = new Assumed(options.view.listers.claims)
    this.volumes = new Assumed(options.view.listers.volumes)
  }

  /** As if it were done. */
  assume({ bindings, provisions }: NodeVolumes, node: string): void {
    for (const { claim, volume } of bindings) this.volumes.assume(boundVolume(volume, claim))
    for (const claim of provisions) this.claims.assume(selectedClaim(claim, node))
  }

  revert({ bindings, provisions }: NodeVolumes): void {
    for (const { volume } of bindings) this.volumes.restore(volume)
    for (const claim of provisions) this.claims.restore(claim)
  }

  async write({ bindings, provisions }: NodeVolumes, node: string): Promise<void> {
    for (const { claim, volume } of bindings) await this.#bindVolume(volume, claim)
    for (const claim of provisions) await this.#selectNode(claim, node)
  }

  /** Resolves when everything is bound; rejects when it cannot be any more, or takes too long. */
  async untilBound(decided: NodeVolumes, pod: Pod, node: string): Promise<void> {
    const { clock } = this.#options
    const end = clock.now() + bindTimeoutMs
    while (!this.#isBound(decided, pod, node)) {
      if (clock.now() >= end) throw new Error('binding volumes: context deadline exceeded')
      await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.setTimeout(() => ended(), pollMs)
      const unlisten = this.#options.onChange(() => ended())
      const ended = (): void => {
        cancel()
        unlisten()
        resolve()
      }
    })
  }

  async #bindVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const target = { namespace: '', name: nameOf(volume) }
    await this.#options.writer.update<PersistentVolume>('', 'persistentvolumes', target, (current) => {
      if (current.spec.claimRef !== undefined && !isVolumeBoundToClaim(current, claim)) {
        throw new Error(`volume ${JSON.stringify(nameOf(volume))} was bound to another claim`)
      }
      return boundVolume(current, claim)
    })
  }

  async #selectNode(claim: PersistentVolumeClaim, node: string): Promise<void> {
    const target = { namespace: namespaceOf(claim), name: nameOf(claim) }
    await this.#options.writer.update<PersistentVolumeClaim>('', 'persistentvolumeclaims', target, (current) => {
      const selected = current.metadata.annotations?.[selectedNodeAnnotation]
      if (selected !== undefined && selected !== node) {
        throw new Error(`claim ${JSON.stringify(schedulingKey(claim))} is made for another node`)
      }
      return selectedClaim(current, node)
    })
  }

  #isBound({ bindings, provisions }: NodeVolumes, pod: Pod, node: string): boolean {
    const { view } = this.#options
    const place = view.node(node)
    if (place === undefined) throw new Error(`binding volumes: failed to get node ${JSON.stringify(node)}`)
    if (uidOf(view.listers.pods.get(namespaceOf(pod), nameOf(pod)) ?? noObject) !== uidOf(pod)) {
      throw new Error('binding volumes: pod does not exist any more')
    }
    const claimOf = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
      const found = view.listers.claims.get(namespaceOf(claim), nameOf(claim))
      if (found === undefined)
        throw new Error(`binding volumes: failed to check binding: ${schedulingKey(claim)} is gone`)
      return found
    }
    for (const { claim, volume } of bindings) {
      const current = view.listers.volumes.get('', nameOf(volume))
      if ((current?.spec.claimRef?.uid ?? '') === '') {
        throw new Error(`binding volumes: ClaimRef got reset for pv ${JSON.stringify(nameOf(volume))}`)
      }
      if (!isFullyBound(claimOf(claim))) return false
    }
    for (const claim of provisions) {
      const current = claimOf(claim)
      if (current.metadata.annotations?.[selectedNodeAnnotation] !== node) {
        throw new Error(`binding volumes: provisioning failed for PVC ${JSON.stringify(nameOf(claim))}`)
      }
      const volume = view.listers.volumes.get('', current.spec.volumeName ?? '')
      if (volume !== undefined && !isReachable(volume, place)) {
        const which = `pv ${JSON.stringify(nameOf(volume))} node affinity doesn't match node ${JSON.stringify(node)}`
        throw new Error(`binding volumes: ${which}: no matching NodeSelectorTerms`)
      }
      if (volume === undefined || !isFullyBound(current)) return false
    }
    return true
  }
}

const noObject = { apiVersion: '', kind: '', metadata: {} }

function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (volume.spec.claimRef?.uid === uidOf(claim)) return volume
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: namespaceOf(claim),
    name: nameOf(claim),
    uid: uidOf(claim),
    resourceVersion: claim.metadata.resourceVersion ?? '',
  }
  const annotations =
    volume.spec.claimRef === undefined
      ? { ...volume.metadata.annotations, [boundByController]: 'yes' }
      : volume.metadata.annotations
  const metadata = annotations === undefined ? volume.metadata : { ...volume.metadata, annotations }
  return { ...volume, metadata, spec: { ...volume.spec, claimRef } }
}

function selectedClaim(claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim {
  const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: node }
  return { ...claim, metadata: { ...claim.metadata, annotations } }
}
