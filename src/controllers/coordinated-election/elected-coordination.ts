/** The controller of coordinated leader election, run by that one of several servers which is elected itself. */
import { hostname } from 'node:os'
import type { Controller, ControllerOptions } from '../controller.ts'
import { LeaderElection, type LeaseTiming } from '../leader-election.ts'
import { CoordinatedElection, electionLease } from './coordinated-election.ts'

type ElectedCoordinationOptions = Pick<ControllerOptions, 'resources' | 'clock' | 'logger'> & {
  readonly timing: LeaseTiming
}

/** Undefined where LeaseCandidates or Leases are not served. */
export function electedCoordination({
  resources,
  clock,
  logger,
  timing,
}: ElectedCoordinationOptions): (Controller & { start(): void }) | undefined {
  const candidates = resources.get('coordination.k8s.io', 'leasecandidates')
  const leases = resources.get('coordination.k8s.io', 'leases')
  if (!candidates || !leases) return undefined
  let running: CoordinatedElection | undefined
  const rest = async (): Promise<void> => {
    const controller = running
    running = undefined
    await controller?.stop()
  }
  const election = new LeaderElection({
    leases,
    lease: electionLease,
    identity: `${hostname()}_${clock.uuid()}`,
    clock,
    logger,
    timing,
    onElected() {
      running = new CoordinatedElection({ leases, candidates, clock, logger })
      running.start()
    },
    onLost: () => void rest(),
  })
  return {
    start: () => election.start(),
    async stop() {
      await rest()
      await election.stop()
    },
  }
}
