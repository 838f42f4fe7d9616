/** Where the test server takes part in a server. Every other server has none of this, and pays nothing for it. */

import type { WebhookPost } from '../admission/webhook/webhook-client.ts'
import type { Exchange } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { TokenAuthenticator } from '../auth/authenticator.ts'
import type { KnownEntries, RecallValue } from '../cache/resource-reader.ts'
import type { TestingControls } from '../console/testing.ts'
import type { WatchDecorator } from '../handlers/watch-stream.ts'
import type { Filter } from '../pipeline/filter.ts'
import type { Simulation } from '../simulate/simulation.ts'
import type { Store } from '../store/store.ts'
import type { RequestLayer } from './request-layer.ts'
import type { ResourceLayer } from './resource-layer.ts'
import type { StorageLayer } from './storage-layer.ts'

export interface TestSeams {
  /** In place of the store that the options name. */
  openStore(): Store
  /** What is known of that store already. */
  readonly known?: KnownEntries | undefined
  /** What is known of single values in it. */
  readonly recall?: RecallValue | undefined
  /** The store begins with the roles that such a server makes at its first start. */
  readonly hasRoles?: boolean
  /** A console may be opened while it runs. */
  readonly hasConsole?: boolean
  /** What the console may do to the server in place of the test. */
  readonly testing?: TestingControls | undefined
  /** The server does not keep its process alive. */
  readonly isBackground?: boolean
  /** Puts something between a request that came over the wire and the server. */
  exchange(exchange: Exchange): Exchange
  /** Called for every request before anything else looks at it. */
  began(context: RequestContext): void
  /** Passed by every request that may be answered, as the last thing before that. */
  readonly filter: Filter
  /** Users that no other authenticator knows. */
  readonly tokens: TokenAuthenticator
  /** Throws to make the call of a webhook fail, and may take its time. */
  beforeWebhook(call: WebhookPost): Promise<void>
  /** Called with all that validating policies said who denied a request. */
  denied(messages: readonly string[]): void
  /** Comes between the parts of every watch. */
  readonly watches?: WatchDecorator | undefined
  /** Called once, when the server listens; its controllers follow. */
  started(layers: ServerLayers): void
  /** Called when the simulated cluster has started, where there is one. */
  simulated?(simulation: Simulation): void
}

/** A server from the inside. */
export interface ServerLayers {
  readonly storage: StorageLayer
  readonly resources: ResourceLayer
  readonly requests: RequestLayer
  readonly place: ServerPlace
}

/** Where pods reach a server, as its own objects say it. */
export interface ServerPlace {
  readonly port: number
  /** Undefined: there is none but a loopback address. */
  readonly address: string | undefined
}
