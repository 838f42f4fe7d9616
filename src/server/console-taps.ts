/** Where requests are watched while the console records them. Each of these asks one thing at all other times: whether somebody records. */
import type { AdmissionObserver } from '../admission/observer.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { Exchange } from '../api/exchange.ts'
import type { RequestTap } from '../console/requests/request-tap.ts'
import type { RequestObserver } from '../pipeline/metrics.ts'
import type { Store } from '../store/store.ts'

export interface TapHolder {
  /** Undefined: recording is off. */
  readonly tap: RequestTap | undefined
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
    passed(context, filter) {
      observer.passed(context, filter)
      holder.tap?.passed(filter)
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
