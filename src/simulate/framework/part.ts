/** A line of the table of what a simulation runs. */
import type { ControllerName } from '../../config/controller-selection.ts'
import type { SimulateSettings } from '../../config/simulate-options.ts'
import type { SimulatedController } from './controller.ts'

/** A controller of kube-controller-manager, which `--controllers` turns on and off, or another part, which settings do. */
export type Part = { readonly load: () => Promise<SimulatedController> } & (
  | { readonly name: ControllerName }
  | { readonly name: string; readonly isOn: (settings: SimulateSettings) => boolean }
)
