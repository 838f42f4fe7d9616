/** Ingresses with one name for a service and its port, and endpoints whose zone and node are in a map. */
import { isJsonObject, type JsonObject } from '../../../api/json.ts'
import { changed, changedItems, filled, type OlderConversion, put, renamed, withOlderSpec } from './parts.ts'

/** Every backend of an ingress but the default one. */
const eachPath = (spec: JsonObject, change: (path: JsonObject) => JsonObject): JsonObject =>
  changedItems(spec, 'rules', (rule) => changed(rule, 'http', (http) => changedItems(http, 'paths', change)))

function backendToHub({ serviceName, servicePort, ...rest }: JsonObject): JsonObject {
  const isNone = (serviceName ?? '') === '' && (servicePort === undefined || servicePort === 0)
  if (isNone) return rest
  const port = typeof servicePort === 'string' ? { name: servicePort } : { number: servicePort ?? 0 }
  return { ...rest, service: { name: serviceName ?? '', port } }
}

function backendFromHub({ service, ...rest }: JsonObject): JsonObject {
  if (service === undefined) return { ...rest, servicePort: 0 }
  const { name, port } = service as { name?: string; port?: { name?: string; number?: number } }
  return put({ ...rest, servicePort: port?.name || (port?.number ?? 0) }, 'serviceName', name || undefined)
}

export const ingressConversion: OlderConversion = {
  toHub: (ingress) =>
    withOlderSpec(ingress, (spec) =>
      eachPath(changed(renamed(spec, 'backend', 'defaultBackend'), 'defaultBackend', backendToHub), (path) =>
        changed(path, 'backend', backendToHub),
      ),
    ),
  fromHub: (ingress) =>
    withOlderSpec(ingress, (spec) =>
      eachPath(changed(renamed(spec, 'defaultBackend', 'backend'), 'backend', backendFromHub), (path) =>
        changed(path, 'backend', backendFromHub),
      ),
    ),
  defaults: (ingress) =>
    withOlderSpec(ingress, (spec) => eachPath(spec, (path) => filled(path, { pathType: 'ImplementationSpecific' }))),
}

const zoneLabel = 'topology.kubernetes.io/zone'
const nodeLabel = 'kubernetes.io/hostname'

function endpointToHub({ topology, ...endpoint }: JsonObject): JsonObject {
  if (topology === undefined || topology === null) return endpoint
  const { [zoneLabel]: zone, ...others } = topology as JsonObject
  const { [nodeLabel]: node, ...left } = others
  // A node of another name than the endpoint's own is odd, but was allowed.
  const kept = node !== undefined && node === endpoint['nodeName'] ? left : others
  const old = Object.keys(kept).length === 0 ? undefined : kept
  return put(put(endpoint, 'zone', zone), 'deprecatedTopology', old)
}

function endpointFromHub({ deprecatedTopology, zone, ...endpoint }: JsonObject): JsonObject {
  const { nodeName } = endpoint
  if (deprecatedTopology === undefined && zone === undefined && nodeName === undefined) return endpoint
  const topology: JsonObject = isJsonObject(deprecatedTopology) ? { ...deprecatedTopology } : {}
  if (zone !== undefined) topology[zoneLabel] = zone
  if (nodeName !== undefined && (topology[nodeLabel] ?? '') === '') topology[nodeLabel] = nodeName
  return { ...endpoint, topology }
}

export const endpointSliceConversion: OlderConversion = {
  toHub: (slice) => changedItems(slice, 'endpoints', endpointToHub) as typeof slice,
  fromHub: (slice) => changedItems(slice, 'endpoints', endpointFromHub) as typeof slice,
}
