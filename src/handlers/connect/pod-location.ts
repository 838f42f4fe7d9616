/** Where a pod runs: its container, its node, and the address of that node's kubelet. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { badRequest, unknownError } from '../../api/status-error.ts'
import { isProxyable } from '../../outbound/host-lookup.ts'

const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const part = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** The container that is asked for; with one container that runs there is nothing to ask. */
export function chosenContainer(pod: KubeObject, asked: string): string {
  const spec = part(pod['spec'])
  const containers = objects(spec['containers']).map(({ name }) => text(name))
  const initial = objects(spec['initContainers']).map(({ name }) => text(name))
  const ephemeral = objects(spec['ephemeralContainers']).map(({ name }) => text(name))
  const all = [...initial, ...containers, ...ephemeral]
  const name = pod.metadata.name ?? ''
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`)
    return asked
  }
  if (containers.length === 1) return containers[0] ?? ''
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}

export const nodeName = (pod: KubeObject): string => text(part(pod['spec'])['nodeName'])

/** The address of a pod itself, if it has one that may be reached through the server. */
export function podAddress(pod: KubeObject): string {
  const [first] = objects(part(pod['status'])['podIPs'])
  const address = text(first?.['ip'])
  if (!isProxyable(address)) throw badRequest('address not allowed')
  return address
}

/** Of the first container that has one. */
export function firstPort(pod: KubeObject): string {
  for (const container of objects(part(pod['spec'])['containers'])) {
    const [port] = objects(container['ports'])
    if (port !== undefined) return String(port['containerPort'] ?? '')
  }
  return ''
}

export interface KubeletAddress {
  readonly host: string
  readonly port: number
}

const defaultKubeletPort = 10_250

/** `preferred` are address types in order, such as `InternalIP`. */
export function kubeletAddress(node: KubeObject, preferred: readonly string[]): KubeletAddress {
  const status = part(node['status'])
  const addresses = objects(status['addresses'])
  const endpoint = part(part(status['daemonEndpoints'])['kubeletEndpoint'])
  const port = Number(endpoint['Port'] ?? 0) || defaultKubeletPort
  for (const type of preferred) {
    const host = text(addresses.find((address) => address['type'] === type)?.['address'])
    if (host !== '') return { host, port }
  }
  const known = addresses.map(({ type, address }) => `{${text(type)} ${text(address)}}`).join(' ')
  throw unknownError(`no preferred addresses found; known addresses: [${known}]`)
}
