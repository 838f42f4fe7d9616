/**
 * Where the console is put into a server that may have one. Until it is opened this is all there is of it: a few functions that find nothing. The
 * authenticator of its sessions is loaded when the console is opened, everything else with the first request under `/console`.
 */
import type { AdmissionObserver } from '../admission/observer.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { Exchange } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import { pathNotFound } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import { type Authenticator, noOpinion } from '../auth/authenticator.ts'
import { type Authorizer, abstain } from '../auth/authorizer.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Console } from '../console/console.ts'
import type { RequestTap } from '../console/requests/request-tap.ts'
import type { ConsoleServices } from '../console/services.ts'
import type { ConsoleLink, SessionAuthenticator } from '../console/session-authenticator.ts'
import { consoleRole } from '../controllers/bootstrap/console-role.ts'
import { ensureObjects } from '../controllers/bootstrap/ensure-objects.ts'
import type { Clock } from '../lib/clock.ts'
import type { Filter } from '../pipeline/filter.ts'
import type { RequestObserver } from '../pipeline/metrics.ts'
import type { Store } from '../store/store.ts'

/** Holds the tap while requests are recorded. The decorators below look here, and do nothing else while there is none. */
export interface TapHolder {
  /** Undefined: recording is off. */
  readonly tap: RequestTap | undefined
}

export interface ConsoleSlotOptions {
  readonly options: ServerOptions
  readonly clock: Clock
}

type Given = Omit<ConsoleServices, 'sessions' | 'streams' | 'setTap'>

const noDecision = abstain()

export class ConsoleSlot implements TapHolder {
  /** Set while requests are recorded. */
  tap: RequestTap | undefined
  readonly #given: ConsoleSlotOptions
  #services: (() => Given) | undefined
  #url = ''
  #sessions: SessionAuthenticator | undefined
  #opening: Promise<SessionAuthenticator> | undefined
  #console: Promise<Console> | undefined

  constructor(given: ConsoleSlotOptions) {
    this.#given = given
  }

  /** Called when the server is put together. */
  attach(services: () => Given): void {
    this.#services = services
  }

  /** Called when the server listens. */
  listensAt(url: string): void {
    this.#url = url
  }

  open(): Promise<SessionAuthenticator> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<SessionAuthenticator> {
    const { clock, options } = this.#given
    const loaded = await import('../console/session-authenticator.ts')
    this.#sessions = new loaded.SessionAuthenticator({
      clock,
      addresses: options.console.addresses,
      url: () => this.#url,
    })
    return this.#sessions
  }

  /** `base` is where the link leads, unless to the secure port. */
  async link(user: UserInfo, base?: string): Promise<ConsoleLink> {
    const sessions = await this.open()
    const { registries } = this.#services?.() ?? {}
    if (registries !== undefined && !this.#given.options.console.isOn) await ensureObjects(registries, [consoleRole])
    return sessions.link(user, base)
  }

  readonly authenticator: Authenticator = {
    authenticate: (credentials) => this.#sessions?.authenticate(credentials) ?? noOpinion,
  }

  readonly authorizer: Authorizer = {
    authorize: (attributes) => this.#sessions?.authorize(attributes) ?? noDecision,
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  }

  readonly guard: Filter = (context, next) => {
    this.#sessions?.guard(context)
    return next(context)
  }

  /** Undefined: the path is none of the console's, or it is not open. */
  handle(context: RequestContext): Promise<void> | undefined {
    const { path } = context.info
    if (this.#sessions === undefined || !(path === '/console' || path.startsWith('/console/'))) return undefined
    return this.#handle(context, this.#sessions)
  }

  async #handle(context: RequestContext, sessions: SessionAuthenticator): Promise<void> {
    this.#console ??= this.#load(sessions)
    return (await this.#console).handle(context)
  }

  async #load(sessions: SessionAuthenticator): Promise<Console> {
    const services = this.#services?.()
    if (services === undefined) throw pathNotFound()
    const { makeConsole } = await import('../console/console.ts')
    const setTap: ConsoleServices['setTap'] = (tap) => {
      this.tap = tap
    }
    return makeConsole({ ...services, sessions, streams: new Set(), setTap })
  }

  /** Ends all streams, as watches end with the server. */
  endStreams(): void {
    void this.#console?.then((console) => console.close())
  }

  close(): void {
    this.endStreams()
    this.#sessions?.close()
  }
}

type Handle = (exchange: Exchange) => void

export function tappedHandler(holder: TapHolder | undefined, handle: Handle): Handle {
  if (holder === undefined) return handle
  return (exchange) => {
    const { tap } = holder
    if (tap === undefined) handle(exchange)
    else tap.handle(exchange, handle)
  }
}

export function tappedObserver(holder: TapHolder | undefined, observer: RequestObserver): RequestObserver {
  if (holder === undefined) return observer
  return {
    began: (context) => observer.began(context),
    authenticated(context, outcome) {
      observer.authenticated(context, outcome)
      if (outcome === 'success') holder.tap?.authenticated(context)
    },
    authorized(context, outcome) {
      observer.authorized(context, outcome)
      holder.tap?.authorized()
    },
    filterCompleted(context, filter) {
      observer.filterCompleted(context, filter)
      holder.tap?.filterCompleted(filter)
    },
    ended: (context, outcome) => observer.ended(context, outcome),
  }
}

export function tappedPlugins(
  holder: TapHolder | undefined,
  plugins: readonly AdmissionPlugin[],
): readonly AdmissionPlugin[] {
  return holder === undefined ? plugins : plugins.map((plugin) => tappedPlugin(holder, plugin))
}

function tappedPlugin(holder: TapHolder, plugin: AdmissionPlugin): AdmissionPlugin {
  const { mutate, validate } = plugin
  return {
    ...plugin,
    ...(mutate === undefined
      ? {}
      : {
          mutate: (request, pass) => {
            const { tap } = holder
            return tap === undefined ? mutate(request, pass) : tap.mutate(plugin, request, pass)
          },
        }),
    ...(validate === undefined
      ? {}
      : {
          validate: (request) => {
            const { tap } = holder
            return tap === undefined ? validate(request) : tap.validate(plugin, request)
          },
        }),
  }
}

export function tappedAdmissionObserver(holder: TapHolder | undefined, observer: AdmissionObserver): AdmissionObserver {
  if (holder === undefined) return observer
  return {
    ...observer,
    webhookAsked(outcome) {
      observer.webhookAsked(outcome)
      holder.tap?.webhookAsked(outcome)
    },
    policyChecked(check) {
      observer.policyChecked(check)
      holder.tap?.policyChecked(check)
    },
    conditionsJudged(judgement) {
      observer.conditionsJudged(judgement)
      holder.tap?.conditionsJudged(judgement)
    },
  }
}

export function tappedStore(holder: TapHolder | undefined, store: Store): Store {
  if (holder === undefined) return store
  const timed = <T>(run: () => Promise<T>): Promise<T> => {
    const { tap } = holder
    return tap === undefined ? run() : tap.stored(run)
  }
  return {
    name: store.name,
    readsOwnWrites: store.readsOwnWrites,
    shared: store.shared,
    maxValueBytes: store.maxValueBytes,
    currentRevision: () => timed(() => store.currentRevision()),
    get: (key, options) => timed(() => store.get(key, options)),
    range: (prefix, options) => timed(() => store.range(prefix, options)),
    async write(operation) {
      const { tap } = holder
      if (tap === undefined) return store.write(operation)
      const result = await tap.stored(() => store.write(operation))
      if (result.ok) tap.wrote(result.revision)
      return result
    },
    watch: (prefix, options) => store.watch(prefix, options),
    compact: (revision) => store.compact(revision),
    health: (signal, need) => store.health(signal, need),
    size: () => store.size(),
    close: () => store.close(),
  }
}
