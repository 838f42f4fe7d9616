/**
 * Deletes Jobs so many seconds after they have finished as they ask for.
 * Mirrors pkg/controller/ttlafterfinished: Controller.
 */
import type { Job } from '../../../catalog/types/batch-v1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { millisOf } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'

/** Milliseconds until a job is to go; undefined when it is not. */
export function untilExpired({ metadata, spec, status }: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished } = spec
  if (ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return undefined
  const finished = (status.conditions ?? []).find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  )
  if (finished?.lastTransitionTime == null) return undefined
  return Math.max(0, millisOf(finished.lastTransitionTime) + ttlSecondsAfterFinished * 1000 - now)
}

export const ttlAfterFinished: SimulatedController = {
  name: 'ttl-after-finished-controller',
  start(context) {
    const jobs = context.informer<Job>('batch', 'jobs')
    const writer = context.writer('ttl-after-finished-controller')
    const queue = reconciler(context, {
      name: 'ttl_jobs_to_delete',
      async reconcile(key) {
        const { namespace, name } = splitKey(key)
        const job = jobs.get(namespace, name)
        const wait = job === undefined ? undefined : untilExpired(job, context.clock.now())
        if (job === undefined || wait === undefined) return undefined
        if (wait > 0) return { requeueAfter: wait }
        const { uid = '' } = job.metadata
        const options = { propagationPolicy: 'Foreground', preconditions: { uid } }
        await writer.delete('batch', 'jobs', { namespace, name }, options)
        return undefined
      },
    })
    const end = jobs.subscribe(({ type, object }) => {
      if (type !== 'DELETED' && object.spec.ttlSecondsAfterFinished !== undefined) queue.add(keyOf(object))
    })
    return {
      stop() {
        end()
        return queue.stop()
      },
    }
  },
}
