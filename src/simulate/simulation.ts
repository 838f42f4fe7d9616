/**
 * A cluster that lives: the controllers, the scheduler and the nodes that a server with `--simulate` runs. Loaded, and all
 * that it imports, only there; each controller only where it is on.
 */
import { isControllerEnabled } from '../config/controller-selection.ts'
import type { Controller } from '../controllers/controller.ts'
import { appsControllers } from './apps/apps-controllers.ts'
import { type ContextOptions, OpenContext, type SimulationContext } from './framework/context.ts'
import type { ControllerDescriptor } from './framework/controller-descriptor.ts'
import { infraControllers } from './infra/infra-controllers.ts'

/** In the order in which they start. One line a controller. */
const descriptors: readonly ControllerDescriptor[] = [
  { name: 'nodes', isOn: () => true, load: async () => (await import('./nodes/simulated-nodes.ts')).simulatedNodes },
  ...appsControllers,
  ...infraControllers,
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
  /** A running controller, by its name. */
  controller(name: string): Controller | undefined
}

/** Resolves when everything has started; what they do follows. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const context = new OpenContext(options)
  const on = descriptors.filter((descriptor) =>
    'isOn' in descriptor
      ? descriptor.isOn(options.settings)
      : isControllerEnabled(options.controllers, descriptor.name),
  )
  const loaded = await Promise.all(on.map((descriptor) => descriptor.load()))
  const running = new Map(loaded.map((controller) => [controller.name, controller.start(context)]))
  return {
    context,
    controller: (name) => running.get(name),
    async stop() {
      await Promise.all([...running.values()].map((controller) => controller.stop()))
      await context.close()
    },
  }
}
