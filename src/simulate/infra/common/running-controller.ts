/** A controller made of subscriptions and queues, which end in this order. */
import type { Controller } from '../../../controllers/controller.ts'
import type { Reconciler } from '../../framework/reconciler.ts'

export function runningController(subscriptions: readonly (() => void)[], queues: readonly Reconciler[]): Controller {
  return {
    async stop() {
      for (const end of subscriptions) end()
      await Promise.all(queues.map((queue) => queue.stop()))
    },
  }
}
