/** What the console needs of the server that it is a part of. */
import type { RequestContext } from '../api/request-context.ts'
import type { UserInfo } from '../api/user.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { WatchStream } from '../handlers/watch-stream.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { FlowControl } from '../pipeline/fairness/flow-control.ts'
import type { Registries } from '../registry/registries.ts'
import type { Store } from '../store/store.ts'
import type { HealthChecks } from '../telemetry/health.ts'
import type { LineStream } from './answers.ts'
import type { RequestTap } from './requests/request-tap.ts'
import type { SessionAuthenticator } from './session-authenticator.ts'
import type { TestingControls } from './testing.ts'

export interface ConsoleServices {
  readonly options: ServerOptions
  readonly clock: Clock
  readonly logger: Logger
  readonly sessions: SessionAuthenticator
  readonly registries: Registries
  readonly authorizer: Authorizer
  readonly metrics: MetricSet
  readonly health: HealthChecks
  readonly store: Store
  /** The newest that caches have. */
  readonly revision: () => number
  readonly openWatches: ReadonlySet<WatchStream>
  /** Undefined where requests are only counted. */
  readonly flowControl: FlowControl | undefined
  readonly startedAt: number
  /** Only of test servers. */
  readonly testing: TestingControls | undefined
  /** Those that are open. */
  readonly streams: Set<LineStream>
  /** Reports requests from now on, or (undefined) no more. */
  readonly setTap: (tap: RequestTap | undefined) => void
}

/** A part of the console's API. */
export interface Endpoint {
  /** `/console/v1/…`; what ends in `/` has everything below it, too. */
  readonly path: string
  /** By HTTP method. */
  readonly methods: Readonly<Record<string, EndpointHandler>>
}

export type EndpointHandler = (context: RequestContext) => void | Promise<void>

export const isAllowed = async (
  authorizer: Authorizer,
  user: UserInfo,
  about: { readonly verb: string; readonly path: string },
): Promise<boolean> => {
  const decision = await authorizer.authorize({
    user,
    ...about,
    isResourceRequest: false,
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  })
  return decision.verdict === 'allow'
}
