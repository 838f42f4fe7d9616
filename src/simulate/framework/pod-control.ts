/**
 * Pods that controllers make from templates and delete, with the events that report it.
 * Mirrors pkg/controller: RealPodControl, GetPodFromTemplate.
 */
import { ApiError } from '../../api/status-error.ts'
import type { Pod, PodTemplateSpec } from '../../catalog/types/core-v1.ts'
import type { OwnerReference } from '../../catalog/types/meta-v1.ts'
import type { EventRecorder, Regarding } from './recorder.ts'
import type { Writer } from './writer.ts'

export interface PodControl {
  readonly writer: Writer
  readonly recorder: EventRecorder
}

/** The new pod, with a name to be generated from its owner's. */
export function podFromTemplate(template: PodTemplateSpec, owner: Regarding, reference: OwnerReference): Pod {
  const { labels, annotations, finalizers } = template.metadata
  const metadata = {
    namespace: owner.metadata.namespace ?? '',
    generateName: `${owner.metadata.name ?? ''}-`,
    ...(labels === undefined ? {} : { labels: { ...labels } }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    ownerReferences: [reference],
    creationTimestamp: null,
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: structuredClone(template.spec), status: {} }
}

/** Throws what refuses it, after an event about it; without one where the namespace is being deleted. */
export async function createPod({ writer, recorder }: PodControl, owner: Regarding, pod: Pod): Promise<Pod> {
  try {
    const created = await writer.create('', 'pods', pod)
    const message = `Created pod: ${created.metadata.name}`
    recorder.event(owner, { type: 'Normal', reason: 'SuccessfulCreate', message })
    return created
  } catch (error) {
    if (error instanceof ApiError && !isNamespaceTerminating(error)) {
      recorder.event(owner, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${error.message}` })
    }
    throw error
  }
}

export async function deletePod({ writer, recorder }: PodControl, owner: Regarding, pod: Pod): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  try {
    await writer.delete('', 'pods', { namespace, name }, { preconditions: { uid } })
    recorder.event(owner, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` })
  } catch (error) {
    // It has another uid: the pod that was meant is gone.
    if (error instanceof ApiError && error.code === 409) return
    if (error instanceof ApiError) {
      recorder.event(owner, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${error.message}` })
    }
    throw error
  }
}

export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')

/**
 * Does something so many times, in batches that double as long as all goes well, so that what is refused is not tried
 * hundreds of times. Throws the first error after its batch.
 */
export async function slowStart(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  for (let done = 0, batch = Math.min(count, 1); batch > 0; batch = Math.min(2 * batch, count - done)) {
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, i) => act(done + i)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    done += batch
  }
}
