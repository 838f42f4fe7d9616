/** Rules that only warn of what is written, in turns with other requests where the object is large. */
import { rulesInSteps } from '../api/rules-in-steps.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { WriteRequest } from './write-request.ts'

export function warnOf(
  { isLarge, warn }: Pick<WriteRequest, 'isLarge' | 'warn'>,
  rules: () => string[] | undefined,
): Awaitable<undefined> {
  const found = isLarge === true ? inTurns(rulesInSteps(rules)) : rules()
  return whenReady(found, (warnings) => {
    for (const warning of warnings ?? []) warn(warning)
    return undefined
  })
}
