/** One of the simulated controllers, as the table in `simulation.ts` holds it. */
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from './context.ts'

export interface SimulatedController {
  /** As in `--controllers`, for those that kube-controller-manager has. */
  readonly name: string
  start(context: SimulationContext): Controller
}
