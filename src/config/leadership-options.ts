/** The lease by which one of several servers coordinates leader elections: how long it is valid, and when it is renewed. */
import type { FlagValues } from './flags.ts'

/** In milliseconds. */
export interface LeadershipOptions {
  readonly leaseDuration: number
  readonly renewDeadline: number
  readonly retryPeriod: number
}

const prefix = 'coordinated-leadership'

export const leadershipOptions = (flags: FlagValues): LeadershipOptions => ({
  leaseDuration: flags.number(`${prefix}-lease-duration`),
  renewDeadline: flags.number(`${prefix}-renew-deadline`),
  retryPeriod: flags.number(`${prefix}-retry-period`),
})

/** Renewals without a pause would never end. Mirrors pkg/controlplane/apiserver/options: validateCoordinatedLeadershipFlags. */
export function validateLeadership({ leaseDuration, renewDeadline, retryPeriod }: LeadershipOptions): string[] {
  const greater = (one: string, other: string): string => `--${prefix}-${one} must be greater than --${prefix}-${other}`
  return [
    ...(leaseDuration <= renewDeadline ? [greater('lease-duration', 'renew-deadline')] : []),
    ...(renewDeadline <= retryPeriod ? [greater('renew-deadline', 'retry-period')] : []),
    ...(retryPeriod <= 0 ? [`--${prefix}-retry-period must be greater than zero`] : []),
  ]
}
