/** `log`, `exec`, `attach`, `portforward` and `proxy`: requests that a kubelet, a pod or a service answers. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { badRequest, methodNotAllowed, notFound, serviceUnavailable } from '../../api/status-error.ts'
import { entryKey } from '../../cache/snapshot.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ConnectSubresource } from '../../registry/subresource.ts'
import { admissionRequest } from '../../registry/write-request.ts'
import { freshCache } from '../read-version.ts'
import type { ConnectHandler, ServedResource } from '../served-resource.ts'
import { writeRequest } from '../write-options.ts'
import { connectOptions, pathBelow } from './connect-options.ts'
import { type Destination, forward } from './forward.ts'
import { logQuery } from './log-options.ts'
import { chosenContainer, firstPort, kubeletAddress, nodeName, podAddress } from './pod-location.ts'

export interface ConnectOptions {
  readonly registry: (group: string, resource: string) => Registry
  /** Address types of nodes, in the order in which they are tried. */
  readonly kubeletAddressTypes: readonly string[]
  /** What kubelets are reached with. */
  readonly kubeletTls: Destination['tls'] | undefined
  /** Another way to nodes, pods and services. */
  readonly dial: Destination['dial']
}

export function connectHandler(options: ConnectOptions): ConnectHandler {
  return async (context, target, subresource) => {
    const { info, exchange } = context
    if (!subresource.methods.has(exchange.method)) throw methodNotAllowed()
    const asked = await admit(context, target, subresource)
    switch (info.subresource) {
      case 'log':
        return podLog(context, target, options)
      case 'exec':
      case 'attach':
        return podStream(context, target, { ...options, asked })
      case 'portforward':
        return portForward(context, target, options)
      default:
        return proxy(context, target, options)
    }
  }
}

/** The options of the connection as admission leaves them. Logs are read, not connected to. */
async function admit(
  context: RequestContext,
  target: ServedResource,
  { options }: ConnectSubresource,
): Promise<JsonObject> {
  if (context.info.subresource === 'log') return {}
  const { registry } = target
  const request = writeRequest(context, target, { dryRun: false, fieldManager: '', object: {} })
  // These kinds have no metadata at all.
  const object = connectOptions(options, context.info) as KubeObject
  const subject = { operation: 'CONNECT', name: context.info.name, object, oldObject: undefined } as const
  const admission = { ...admissionRequest(registry, request, subject), kind: options }
  const admitted = (await registry.admission.mutate(admission)) ?? object
  await registry.admission.validate({ ...admission, object: admitted })
  return admitted
}

async function find(registry: Registry, namespace: string, name: string): Promise<KubeObject> {
  const cache = await freshCache(registry)
  const entry = cache.get(entryKey(namespace, name))
  if (entry === undefined) throw notFound(registry.definition, name)
  return entry.object()
}

async function podLog(context: RequestContext, { registry }: ServedResource, options: ConnectOptions): Promise<void> {
  const { info, exchange } = context
  const pod = await find(registry, info.namespace, info.name)
  const query = logQuery(info.query, info.name)
  const container = chosenContainer(pod, info.query.get('container') ?? '')
  if (nodeName(pod) === '') {
    exchange.respond(204, {}, '')
    return
  }
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}`
  await forward(exchange, await kubelet(options, nodeName(pod), path, query.toString()))
}

async function podStream(
  context: RequestContext,
  { registry }: ServedResource,
  options: ConnectOptions & { readonly asked: JsonObject },
): Promise<void> {
  const { info, exchange } = context
  const { asked } = options
  const pod = await find(registry, info.namespace, info.name)
  const container = chosenContainer(pod, typeof asked['container'] === 'string' ? asked['container'] : '')
  const path = `/${info.subresource}/${info.namespace}/${info.name}/${container}`
  await forward(exchange, await kubelet(options, assignedNode(pod), path, kubeletQuery(asked)))
}

async function portForward(
  context: RequestContext,
  { registry }: ServedResource,
  options: ConnectOptions,
): Promise<void> {
  const { info, exchange } = context
  const pod = await find(registry, info.namespace, info.name)
  const path = `/portForward/${info.namespace}/${info.name}`
  await forward(exchange, await kubelet(options, assignedNode(pod), path, exchange.query))
}

function assignedNode(pod: KubeObject): string {
  const node = nodeName(pod)
  if (node === '') throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`)
  return node
}

/** The kubelet's names of the stream parameters. */
function kubeletQuery({ stdin, stdout, stderr, tty, command }: JsonObject): string {
  const passed = new URLSearchParams()
  const streams = { input: stdin, output: stdout, error: stderr, tty }
  for (const [name, wanted] of Object.entries(streams)) if (wanted === true) passed.append(name, '1')
  for (const word of Array.isArray(command) ? command : []) passed.append('command', String(word))
  return passed.toString()
}

async function kubelet(options: ConnectOptions, node: string, path: string, query: string): Promise<Destination> {
  const object = await find(options.registry('', 'nodes'), '', node)
  const { host, port } = kubeletAddress(object, options.kubeletAddressTypes)
  const url = new URL(`https://${bracketed(host)}:${port}${path}${query === '' ? '' : `?${query}`}`)
  return { url, dial: options.dial, ...(options.kubeletTls === undefined ? {} : { tls: options.kubeletTls }) }
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

async function proxy(context: RequestContext, target: ServedResource, options: ConnectOptions): Promise<void> {
  const { info, exchange } = context
  const { scheme, name, port } = proxyName(info.name)
  const path = pathBelow(info) || '/'
  const query = exchange.query === '' ? '' : `?${exchange.query}`
  if (info.resource === 'nodes') {
    return forward(exchange, await kubelet(options, name, path, exchange.query))
  }
  const object = await find(target.registry, info.namespace, name)
  const address =
    info.resource === 'pods'
      ? `${bracketed(podAddress(object))}:${port || firstPort(object) || defaultPort(scheme)}`
      : await serviceAddress(object, port, options)
  await forward(exchange, { url: new URL(`${scheme || 'http'}://${address}${path}${query}`), dial: options.dial })
}

const defaultPort = (scheme: string): string => (scheme === 'https' ? '443' : '80')

/** `name`, `name:port` or `scheme:name:port`. */
function proxyName(text: string): { scheme: string; name: string; port: string } {
  const parts = text.split(':')
  if (parts.length === 3) return { scheme: parts[0] ?? '', name: parts[1] ?? '', port: parts[2] ?? '' }
  return { scheme: '', name: parts[0] ?? '', port: parts[1] ?? '' }
}

/** Any ready address of the service's endpoints. */
async function serviceAddress(service: KubeObject, port: string, options: ConnectOptions): Promise<string> {
  const { name = '', namespace = '' } = service.metadata
  const cache = await freshCache(options.registry('', 'endpoints'))
  const endpoints = cache.get(entryKey(namespace, name))
  if (endpoints === undefined) throw notFound(options.registry('', 'services').definition, name)
  const reachable = lists(endpoints.object()['subsets']).flatMap((subset) => {
    const ports = lists(subset['ports'])
    const wanted = ports.find((each) => port === '' || each['name'] === port || String(each['port']) === port)
    return wanted === undefined
      ? []
      : lists(subset['addresses']).map(({ ip }) => `${bracketed(String(ip))}:${String(wanted['port'])}`)
  })
  const [first] = reachable
  if (first === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  return reachable[Math.floor(options.registry('', 'services').clock.random() * reachable.length)] ?? first
}

const lists = (value: JsonValue | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : [])
