/** Whether `--controllers` leaves a controller on: its own name first, then `-name`, then `*` for the default. */
export function isControllerEnabled(selection: readonly string[], name: string, byDefault = true): boolean {
  if (selection.includes(name)) return true
  if (selection.includes(`-${name}`)) return false
  return selection.includes('*') && byDefault
}
