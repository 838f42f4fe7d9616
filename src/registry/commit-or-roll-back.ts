/**
 * The end of a reservation: committed after the write, rolled back after a refusal, and left to reconciliation where the store failed and may
 * have applied the write.
 */
import { mayBeApplied } from './store-failure.ts'
import type { Reservation, Strategy } from './strategy.ts'

/** `unknown`: the store failed after it may have taken the write. */
export type WriteOutcome = 'written' | 'refused' | 'unknown'

export const outcomeOfFailure = (error: unknown): WriteOutcome => (mayBeApplied(error) ? 'unknown' : 'refused')

export async function commitOrRollBack(
  strategy: Pick<Strategy, 'onUnknownOutcome'>,
  reservation: Reservation | undefined,
  outcome: WriteOutcome,
): Promise<void> {
  if (outcome === 'written') await reservation?.commit()
  else if (outcome === 'refused') await reservation?.rollback()
  else strategy.onUnknownOutcome?.()
}
