/** An entry of the table of controllers that a simulation runs: its name, whether it is enabled, how it is loaded. */
import type { ControllerName } from '../../config/controller-selection.ts'
import type { SimulateSettings } from '../../config/simulate-options.ts'
import type { SimulatedController } from './controller.ts'

/** A controller of kube-controller-manager, which `--controllers` turns on and off, or a component beside it (nodes, the scheduler), which the settings of the simulation do. */
export type ControllerDescriptor = { readonly load: () => Promise<SimulatedController> } & (
  | { readonly name: ControllerName }
  | { readonly name: string; readonly isOn: (settings: SimulateSettings) => boolean }
)
