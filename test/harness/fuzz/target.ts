/**
 * The server under attack, in this process: requests reach its handler without a network, stored bytes its store, and raw
 * bytes its listener.
 */

import { authenticated, noOpinion } from '../../../src/auth/authenticator.ts'
import { parseServerOptions } from '../../../src/config/server-options.ts'
import { callLocally } from '../../../src/http/local-exchange.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/logger.ts'
import { temporaryCredentials } from '../../../src/pki/data-folder.ts'
import { startServer } from '../../../src/server/server.ts'
import type { ServerLayers, TestSeams } from '../../../src/server/test-seams.ts'
import { openMemoryStore } from '../../../src/store/memory.ts'
import type { Store } from '../../../src/store/store.ts'

export interface TargetRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export interface TargetAnswer {
  readonly status: number
  readonly body: Buffer
}

export interface Target {
  readonly port: number
  readonly store: Store
  send(request: TargetRequest): Promise<TargetAnswer>
  close(): Promise<void>
}

const token = 'harness'
const masters = { name: 'harness', groups: ['system:masters'], extra: new Map<string, string[]>() }

/** `more` flags than the fuzz needs. */
export async function startTarget(more: readonly string[] = []): Promise<Target> {
  const flags = [
    '--store=memory',
    '--bind-address=127.0.0.1',
    '--disable-admission-plugins=ServiceAccount',
    '--runtime-config=api/all=true',
    '--feature-gates=CBORServingAndStorage=true',
    ...more,
  ]
  const parsed = parseServerOptions(flags)
  const options = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
  const store = openMemoryStore()
  const seams = new FuzzSeams(store)
  const credentials = temporaryCredentials(options, systemClock)
  const server = await startServer(options, { logger: silentLogger(), credentials, clock: systemClock, seams })
  await server.ready
  return {
    port: seams.layers.place.port,
    store,
    send: (request) =>
      callLocally(
        { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } },
        seams.layers.requests.handle,
      ),
    close: () => server.close(),
  }
}

/** Lets everything pass, knows one administrator, and ends every watch soon after it began. */
class FuzzSeams implements TestSeams {
  readonly #store: Store
  #layers: ServerLayers | undefined
  readonly tokens: TestSeams['tokens'] = {
    authenticateToken: (given) => (given === token ? authenticated(masters) : noOpinion),
  }

  constructor(store: Store) {
    this.#store = store
  }

  get layers(): ServerLayers {
    if (this.#layers === undefined) throw new Error('the server has not started')
    return this.#layers
  }

  openStore(): Store {
    return this.#store
  }

  readonly exchange: TestSeams['exchange'] = (exchange) => exchange

  readonly filter: TestSeams['filter'] = (context, next) => next(context)

  readonly began = (): void => undefined

  readonly denied = (): void => undefined

  async beforeWebhook(): Promise<void> {}

  readonly watches: TestSeams['watches'] = {
    answer: (answer) => answer,
    sink: (stream) => stream,
    opened: (stream) => void setTimeout(() => stream.end(), 20),
  }

  started(layers: ServerLayers): void {
    this.#layers = layers
  }
}
