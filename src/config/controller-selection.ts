/** Which of the built-in controllers run. They have the names of the same controllers in kube-controller-manager. */

export const controllerNames = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'resourcequota-controller',
  'validatingadmissionpolicy-status-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

/** Whether `--controllers` leaves a controller on: its own name first, then `-name`, then `*`. */
export function isControllerEnabled(selection: readonly string[], name: ControllerName): boolean {
  if (selection.includes(name)) return true
  return selection.includes('*') && !selection.includes(`-${name}`)
}

/** A misspelt name would turn everything else off without a word. */
export function unknownControllers(selection: readonly string[]): string[] {
  const names = selection.map((name) => name.replace(/^-/, '')).filter((name) => name !== '*')
  return names
    .filter((name) => !controllerNames.some((known) => known === name))
    .map((name) => `${JSON.stringify(name)} is not in the list of known controllers: ${controllerNames.join(', ')}`)
}
