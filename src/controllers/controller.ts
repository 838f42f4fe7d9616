/** The contract of a controller, its dependencies, and the user as which it writes. */
import type { UserInfo } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Actor } from '../registry/own-writes.ts'
import type { LiveResources, ServedRegistries } from './live-resources.ts'

export interface ControllerOptions {
  readonly resources: ServedRegistries
  readonly live: LiveResources
  readonly clock: Clock
  readonly logger: Logger
  readonly gate: (name: string) => boolean
}

export interface Controller {
  /** Takes no more work, and resolves when what is under way has ended. */
  stop(): Promise<void>
}

/** The controllers write as the service accounts of the same name in the reference. */
export function controllerActor(name: string): Actor {
  return { user: serviceAccount(name), fieldManager: 'kube-controller-manager' }
}

function serviceAccount(name: string): UserInfo {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    extra: new Map(),
  }
}
