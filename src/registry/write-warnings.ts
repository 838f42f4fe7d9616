/** Rules that only warn of what is written, in turns with other requests where the object is large. */
import { warningAtRelease } from '../api/release-wordings.ts'
import { rulesInSteps } from '../api/rules-in-steps.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { WriteContext } from './strategy.ts'

export function addWarnings(
  rules: () => string[] | undefined,
  { warn, gate }: Pick<WriteContext, 'warn' | 'gate'>,
  isLarge = false,
): Awaitable<undefined> {
  const found = isLarge ? inTurns(rulesInSteps(rules)) : rules()
  return whenReady(found, (warnings) => {
    for (const warning of warnings ?? []) warn?.(warningAtRelease(warning, gate))
    return undefined
  })
}
