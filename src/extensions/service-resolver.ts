/**
 * Where services of the cluster are reached by this server: webhooks, conversions and aggregated servers that objects
 * name. With `--enable-aggregator-routing` that is one of the ready endpoints, with `=false` the cluster address, as the
 * reference has it. By default a service that has ready endpoints is reached there, because a kube-proxy that would make
 * cluster addresses lead somewhere is often missing where this server runs alone; only without endpoints it is the cluster
 * address.
 */

import { quote } from '../api/golang/quote.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { ServiceRouting } from '../api/webhook-client-config.ts'
import { selectEverything } from '../cache/selection.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { Clock } from '../lib/clock.ts'
import { pushAll } from '../lib/push-all.ts'
import type { ResolveService, ServiceAddress, ServiceName } from '../outbound/webhook-address.ts'
import { type LazyObject, watchObjects } from '../registry/object-watch.ts'
import type { Registries } from '../registry/registries.ts'

interface ServiceResolverOptions {
  readonly registries: () => Registries
  readonly routing: ServiceRouting
  readonly clock: Pick<Clock, 'random'>
}

export function serviceResolver({ registries, routing, clock }: ServiceResolverOptions): ResolveService {
  const find = async (group: string, resource: string, { namespace, name }: ServiceName) => {
    const cache = await registries().need(group, resource).storage.cache()
    return cache.get(entryKey(namespace, name))?.object()
  }
  return async (wanted) => {
    const service = await find('', 'services', wanted)
    if (service === undefined) throw new Error(`service ${quote(wanted.name)} not found`)
    const spec = part(service['spec'])
    if (spec['type'] === 'ExternalName') return { host: text(spec['externalName']), port: wanted.port }
    if (routing === 'cluster address') return clusterAddress(service, wanted)
    const ready = readyAddresses(await find('', 'endpoints', wanted), portNameOf(service, wanted))
    const sliced = ready.length > 0 ? ready : await slicedAddresses(registries(), service, wanted)
    const chosen = sliced[Math.floor(clock.random() * sliced.length)]
    if (chosen !== undefined) return chosen
    if (routing === 'endpoints') throw new Error(`no endpoints available for service ${quote(wanted.name)}`)
    return clusterAddress(service, wanted)
  }
}

const part = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})
const parts = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Mirrors apiserver/pkg/util/proxy: ResolveCluster. */
function clusterAddress(service: KubeObject, wanted: ServiceName): ServiceAddress {
  const host = text(part(service['spec'])['clusterIP'])
  if (host === 'None') throw new Error('cannot route to service with ClusterIP "None"')
  portNameOf(service, wanted)
  return { host, port: wanted.port }
}

/** Throws when the service does not have the port. */
function portNameOf(service: KubeObject, { name, port }: ServiceName): string {
  const own = parts(part(service['spec'])['ports']).find((each) => each['port'] === port)
  if (own === undefined) throw new Error(`no service port ${port} found for service ${quote(name)}`)
  return text(own['name'])
}

/** Mirrors apiserver/pkg/util/proxy: ResolveEndpoint. */
function readyAddresses(endpoints: KubeObject | undefined, portName: string): ServiceAddress[] {
  return parts(endpoints?.['subsets']).flatMap((subset) => {
    const port = parts(subset['ports']).find((each) => text(each['name']) === portName)?.['port']
    if (typeof port !== 'number') return []
    return parts(subset['addresses']).map(({ ip }) => ({ host: text(ip), port }))
  })
}

const serviceNameLabel = 'kubernetes.io/service-name'

/** The ready addresses of its slices, for services whose endpoints are written as slices alone. */
async function slicedAddresses(
  registries: Registries,
  service: KubeObject,
  wanted: ServiceName,
): Promise<ServiceAddress[]> {
  const portName = portNameOf(service, wanted)
  const found: ServiceAddress[] = []
  for (const slice of await endpointSlicesOf(registries, wanted)) pushAll(found, addressesIn(slice, portName))
  return found
}

/** The endpoint slices of a service. */
export async function endpointSlicesOf(
  registries: Registries,
  { namespace, name }: Pick<ServiceName, 'namespace' | 'name'>,
): Promise<KubeObject[]> {
  const slices = registries.get('discovery.k8s.io', 'endpointslices')
  if (slices === undefined) return []
  const cache = await slices.storage.cache()
  const found: KubeObject[] = []
  for (const entry of cache.snapshot().entries({ ...selectEverything, namespace })) {
    const slice = entry.object()
    if (slice.metadata.labels?.[serviceNameLabel] === name) found.push(slice)
  }
  return found
}

function addressesIn(slice: KubeObject, portName: string): ServiceAddress[] {
  const port = parts(slice['ports']).find((each) => text(each['name']) === portName)?.['port']
  if (typeof port !== 'number' || slice['addressType'] === 'FQDN') return []
  return parts(slice['endpoints'])
    .filter(({ conditions }) => part(conditions)['ready'] !== false)
    .flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses : []))
    .map((host) => ({ host: text(host), port }))
}

/** Calls `changed` when a service, its endpoints or (where `followsSlices`) its slices change; returns what ends that. */
export async function watchServices(
  registries: Registries,
  changed: (namespace: string, name: string) => void,
  followsSlices: boolean,
): Promise<() => void> {
  const listener = {
    changed: (_: unknown, { namespace, name }: { readonly namespace: string; readonly name: string }) =>
      changed(namespace, name),
  }
  const ends: (() => void)[] = []
  const slices = registries.get('discovery.k8s.io', 'endpointslices')
  if (slices !== undefined && followsSlices) {
    const ofService = (_: unknown, { namespace, labels }: Pick<LazyObject, 'namespace' | 'labels'>): void => {
      const name = labels?.[serviceNameLabel]
      if (name !== undefined) changed(namespace, name)
    }
    ends.push(await watchObjects(slices, { changed: ofService }))
  }
  for (const resource of ['services', 'endpoints']) {
    const registry = registries.get('', resource)
    if (registry !== undefined) ends.push(await watchObjects(registry, listener))
  }
  return () => {
    for (const end of ends) end()
  }
}

/** A service, or its endpoints. */
export async function findService(
  registries: Registries,
  resource: string,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  const cache = await registries.get('', resource)?.storage.cache()
  return cache?.get(entryKey(namespace, name))?.object()
}
