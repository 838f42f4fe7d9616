/**
 * A cluster that lives: the controllers, the scheduler and the nodes that a server with `--simulate` runs. Loaded, and all
 * that it imports, only there; each part only where it is on.
 */
import { isControllerEnabled } from '../config/controller-selection.ts'
import type { Controller } from '../controllers/controller.ts'
import { appsParts } from './apps/parts.ts'
import { type ContextOptions, OpenContext, type SimulationContext } from './framework/context.ts'
import type { Part } from './framework/part.ts'
import { infraParts } from './infra/parts.ts'

/** In the order in which they start. One line a part. */
const parts: readonly Part[] = [
  { name: 'nodes', isOn: () => true, load: async () => (await import('./nodes/simulated-nodes.ts')).simulatedNodes },
  ...appsParts,
  ...infraParts,
  {
    name: 'kube-scheduler',
    isOn: ({ scheduler }) => scheduler,
    load: async () => (await import('./scheduler/scheduler.ts')).scheduler,
  },
]

export interface SimulationOptions extends ContextOptions {
  /** What `--controllers` says. */
  readonly controllers: readonly string[]
}

export interface Simulation extends Controller {
  readonly context: SimulationContext
  /** A part that runs, by its name. */
  part(name: string): Controller | undefined
}

/** Resolves when everything has started; what they do follows. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const context = new OpenContext(options)
  const on = parts.filter((part) =>
    'isOn' in part ? part.isOn(options.settings) : isControllerEnabled(options.controllers, part.name),
  )
  const loaded = await Promise.all(on.map((part) => part.load()))
  const running = new Map(loaded.map((controller) => [controller.name, controller.start(context)]))
  return {
    context,
    part: (name) => running.get(name),
    async stop() {
      await Promise.all([...running.values()].map((controller) => controller.stop()))
      await context.close()
    },
  }
}
