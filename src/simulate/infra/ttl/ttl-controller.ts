/**
 * Sets for kubelets, by an annotation of their node, for how long they may keep what they read: the longer, the more nodes
 * there are. Mirrors pkg/controller/ttl: Controller.
 */
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { Node } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'

const ttlAnnotation = 'node.alpha.kubernetes.io/ttl'

/** The ranges overlap, so that a cluster on a boundary does not flap. */
const steps = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
] as const

/** The step for a number of nodes, seen from the present one. */
export function nextStep(step: number, count: number): number {
  let next = step
  while (count > (steps[next]?.max ?? count)) next++
  while (count < (steps[next]?.min ?? 0)) next--
  return next
}

export const ttlController: SimulatedController = {
  name: 'ttl-controller',
  start(context) {
    const nodes = context.informer<Node>('', 'nodes')
    const writer = context.writer('ttl-controller')
    const known = new Set<string>()
    let step = 0
    const queue = reconciler(context, {
      name: 'ttlcontroller',
      async reconcile(name) {
        const wanted = String(steps[step]?.seconds ?? 0)
        const node = nodes.get('', name)
        if (node === undefined || node.metadata.annotations?.[ttlAnnotation] === wanted) return
        await writer.update<Node>('', 'nodes', { namespace: '', name }, (current) => ({
          ...current,
          metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [ttlAnnotation]: wanted } },
        }))
      },
    })
    const subscription = nodes.subscribe(({ type, name }) => {
      if (type === 'DELETED') known.delete(name)
      else known.add(name)
      step = nextStep(step, known.size)
      if (type !== 'DELETED') queue.add(name)
    })
    return runningController([subscription], [queue])
  },
}
