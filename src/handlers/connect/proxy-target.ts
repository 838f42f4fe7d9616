/** What a path asks to proxy to: a name, perhaps with a port and a scheme, and for a service one of its pods. */
import { quote } from '../../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { badRequest, serviceUnavailable } from '../../api/status-error.ts'

export type ProxyScheme = '' | 'http' | 'https'

export interface ProxyTarget {
  readonly scheme: ProxyScheme
  readonly name: string
  readonly port: string
}

const schemes: ReadonlySet<string> = new Set(['', 'http', 'https'])

/** `name`, `name:port` or `scheme:name:port`. `kind`: of what, for the message. */
export function proxyTarget(text: string, kind: string): ProxyTarget {
  const parts = text.split(':')
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts
  if (parts.length > 3 || name === '' || !schemes.has(scheme))
    throw badRequest(`invalid ${kind} request ${quote(text)}`)
  return { scheme: scheme as ProxyScheme, name, port }
}

const lists = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const part = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** Endpoints know the ports of a service by name. */
export function portName(service: KubeObject, number: string): string {
  const wanted = Number(number)
  const port = lists(part(service['spec'])['ports']).find((each) => each['port'] === wanted)
  if (port !== undefined) return typeof port['name'] === 'string' ? port['name'] : ''
  throw serviceUnavailable(`no service port ${wanted} found for service ${quote(service.metadata.name ?? '')}`)
}

export interface EndpointSearch {
  /** What the path named, for the message. */
  readonly asked: string
  /** The name of the port. */
  readonly port: string
  readonly findPod: (name: string) => KubeObject | undefined
  /** From 0 up to 1. */
  readonly random: () => number
}

/** Any address that belongs to a pod and has the port: `[host, port]`. */
export function endpointAddress(endpoints: KubeObject, search: EndpointSearch): readonly [host: string, port: string] {
  const { asked, port, findPod, random } = search
  const { name = '', namespace = '' } = endpoints.metadata
  const subsets = lists(endpoints['subsets'])
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${quote(name)}`)
  const reachable = subsets.flatMap((subset) => {
    const found = lists(subset['ports']).filter((each) => (each['name'] ?? '') === port)
    const addresses = lists(subset['addresses']).filter((address) => isOfPod(address, namespace, findPod))
    return found.flatMap((each) => addresses.map(({ ip }) => [String(ip), String(each['port'])] as const))
  })
  const chosen = reachable[Math.floor(random() * reachable.length)]
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${quote(asked)}`)
  return chosen
}

/** Guards against SSRF: the right to write endpoints must not reach other addresses through the server. */
function isOfPod({ ip, targetRef }: JsonObject, namespace: string, findPod: EndpointSearch['findPod']): boolean {
  const reference = part(targetRef)
  if (reference['namespace'] !== namespace) return false
  const pod = findPod(typeof reference['name'] === 'string' ? reference['name'] : '')
  return lists(part(pod?.['status'])['podIPs']).some((each) => each['ip'] === ip)
}
