/** Puts custom resources and aggregated API servers into the server: what they serve, and how they are found. */
import type { KubeObject } from '../api/object.ts'
import type { Feed } from '../cache/feed.ts'
import { entryKey } from '../cache/snapshot.ts'
import { webhookConversion } from '../extensions/conversion/webhook-conversion.ts'
import { CustomResources } from '../extensions/custom-resources.ts'
import { definitionRules } from '../extensions/definitions/definition-rules.ts'
import { customGroups } from '../extensions/discovery.ts'
import type { ResolveService } from '../extensions/outbound.ts'
import type { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import type { WatchStream } from '../handlers/watch.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MakeKindRules } from '../resources/kind-rules.ts'
import type { Registries } from './registries.ts'

/** The rules of the kinds that extend the API: they need more than the rules of other kinds. */
export const extensionRules: Readonly<Record<string, MakeKindRules>> = {
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules as unknown as MakeKindRules,
}

export interface ExtensionsOptions {
  readonly registries: Registries
  readonly feed: Feed
  readonly clock: Clock
  readonly logger: Logger
  readonly gate: (name: string) => boolean
  readonly discovery: DiscoveryIndex
  /** Every open watch. */
  readonly open: ReadonlySet<WatchStream>
}

export interface Extensions {
  stop(): Promise<void>
}

/** Resolves when everything that is established is served. */
export async function startExtensions(options: ExtensionsOptions): Promise<Extensions> {
  const { registries, feed, clock, logger, gate, discovery, open } = options
  const resolveService = serviceResolver(registries)
  const announce = (): void => discovery.setCustom(() => customGroups(custom.served()))
  const custom = new CustomResources({
    definitions: registries.need('apiextensions.k8s.io', 'customresourcedefinitions'),
    clock,
    logger,
    ratcheting: gate('CRDValidationRatcheting'),
    add: (definition) => registries.add(definition),
    remove: ({ definition, storage }) => {
      registries.remove(definition)
      const cache = storage.loaded
      cache?.notify()
      for (const stream of open) if (stream.watches(cache)) stream.end()
      feed.unload(storage.keyPrefix)
    },
    conversion: (_, conversion) => webhookConversion(conversion, { clock, resolveService }),
    onChange: announce,
  })
  await custom.start()
  return { stop: () => custom.stop() }
}

/** Services are reached by their cluster address. */
function serviceResolver(registries: Registries): ResolveService {
  return async ({ namespace, name, port }) => {
    const cache = await registries.need('', 'services').storage.cache()
    const service = cache.get(entryKey(namespace, name))?.object()
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
    return { host: hostOf(service, namespace, name), port }
  }
}

function hostOf(service: KubeObject, namespace: string, name: string): string {
  const { type, clusterIP, externalName } = (service['spec'] ?? {}) as Record<string, string | undefined>
  if (type === 'ExternalName') return externalName ?? ''
  if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None') {
    throw new Error(`service ${namespace}/${name} has no cluster address`)
  }
  return clusterIP
}
