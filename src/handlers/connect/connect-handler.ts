/** `log`, `exec`, `attach`, `portforward` and `proxy`: requests that a kubelet, a pod or a service answers. */
import type { Exchange } from '../../api/exchange.ts'
import { clientGoPath, requestTarget } from '../../api/golang/url.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { objectNotFound } from '../../api/object-key.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { badRequest, methodNotAllowed, serviceUnavailable } from '../../api/status-error.ts'
import { entryKey } from '../../cache/snapshot.ts'
import type { Transport } from '../../outbound/transport.ts'
import { freshCache } from '../../registry/fresh-cache.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ConnectHandler, ServedResource } from '../../registry/served-resource.ts'
import type { ConnectSubresource } from '../../registry/subresource.ts'
import { admissionRequest } from '../../registry/write-request.ts'
import { writeRequest } from '../write-options.ts'
import { connectOptions, pathBelow } from './connect-options.ts'
import { type Forwarding, forward, wantsUpgrade } from './forward.ts'
import { logQuery } from './log-options.ts'
import { chosenContainer, firstPort, kubeletAddress, nodeName, podAddress } from './pod-location.ts'
import { sendLog } from './pod-log.ts'
import type { ProxyFront } from './proxy-front.ts'
import { endpointAddress, type ProxyTarget, portName, proxyTarget } from './proxy-target.ts'
import { speaksClosingProtocol, translateStreams } from './stream-translator.ts'
import { tunnelledProtocols, tunnelStreams } from './stream-tunnel.ts'

export interface ConnectOptions {
  readonly registry: (group: string, resource: string) => Registry
  /** Address types of nodes, in the order in which they are tried. */
  readonly kubeletAddressTypes: readonly string[]
  /** The ways to kubelets for their own services, to kubelets as nodes that are proxied to, and to pods and services. */
  readonly transports: {
    readonly kubelets: Transport
    readonly nodes: Transport
    readonly pods: Transport
  }
  /** Throws unless the user may open streams to pods by this request; absent where every request that got here may. */
  readonly checkStreams?: (context: RequestContext) => Promise<void>
  /** Which WebSockets are translated for kubelets that speak SPDY. */
  readonly translation: {
    readonly gate: (name: 'TranslateStreamCloseWebsocketRequests' | 'PortForwardWebsockets') => boolean
    /** Called for every request that was translated or tunnelled, with the status that it ended with. */
    readonly onEnd: (way: 'translator' | 'tunnel', code: number) => void
  }
}

export function connectHandler(options: ConnectOptions): ConnectHandler {
  return async (context, target, subresource) => {
    const { info, exchange } = context
    if (!subresource.methods.has(exchange.method)) throw methodNotAllowed()
    if (info.subresource !== 'log' && info.query.all('dryRun').some((value) => value !== '')) {
      throw badRequest('dryRun is not supported')
    }
    const asked = await admit(context, target, subresource)
    if (streams.has(info.subresource)) await options.checkStreams?.(context)
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

const streams: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward'])

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

/** `asked`: what the request is about. That is what is said not to be found, also when it is something else. */
async function find(registry: Registry, namespace: string, name: string, asked = registry): Promise<KubeObject> {
  const cache = await freshCache(registry)
  const entry = cache.get(entryKey(namespace, name))
  if (entry === undefined) throw objectNotFound(asked.definition, name)
  return entry.object()
}

async function podLog(context: RequestContext, { registry }: ServedResource, options: ConnectOptions): Promise<void> {
  const { info, exchange } = context
  const query = logQuery(info.query, info.name).toString()
  const pod = await find(registry, info.namespace, info.name)
  const container = chosenContainer(pod, info.query.get('container') ?? '')
  const node = nodeName(pod)
  if (node === '') {
    exchange.respond(204, {}, '')
    return
  }
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}`
  await sendLog(exchange, await kubelet(options, { registry, node, path, query }), info.name)
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
  const node = assignedNode(pod)
  const destination = await kubelet(options, { registry, node, path, query: kubeletQuery(asked) })
  const { gate, onEnd } = options.translation
  if (!gate('TranslateStreamCloseWebsocketRequests') || !speaksClosingProtocol(exchange)) {
    return joinStreams(exchange, destination)
  }
  await translateStreams(exchange, {
    ...destination,
    streams: {
      stdin: asked['stdin'] === true,
      stdout: asked['stdout'] === true,
      stderr: asked['stderr'] === true,
      tty: asked['tty'] === true,
    },
    clock: registry.clock,
    onEnd: (code) => onEnd('translator', code),
  })
}

async function portForward(
  context: RequestContext,
  { registry }: ServedResource,
  options: ConnectOptions,
): Promise<void> {
  const { info, exchange } = context
  const pod = await find(registry, info.namespace, info.name)
  const path = `/portForward/${info.namespace}/${info.name}`
  const node = assignedNode(pod)
  const destination = await kubelet(options, { registry, node, path, query: exchange.query })
  const { gate, onEnd } = options.translation
  if (!gate('PortForwardWebsockets') || tunnelledProtocols(exchange).length === 0) {
    return joinStreams(exchange, destination)
  }
  await tunnelStreams(exchange, { ...destination, onEnd: (code) => onEnd('tunnel', code) })
}

/** Streams need a protocol that has some. */
async function joinStreams(exchange: Exchange, kubelet: Forwarding): Promise<void> {
  if (!wantsUpgrade(exchange)) throw badRequest('Upgrade request required')
  await forward(exchange, kubelet)
}

function assignedNode(pod: KubeObject): string {
  const node = nodeName(pod)
  if (node === '') throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`)
  return node
}

/** The kubelet's names of the stream parameters. */
function kubeletQuery({ stdin, stdout, stderr, tty, command }: JsonObject): string {
  const forwarded = new URLSearchParams()
  const streams = { input: stdin, output: stdout, error: stderr, tty }
  for (const [name, wanted] of Object.entries(streams)) if (wanted === true) forwarded.append(name, '1')
  for (const word of Array.isArray(command) ? command : []) forwarded.append('command', String(word))
  return forwarded.toString()
}

interface KubeletRequest {
  /** Of what the request is about. */
  readonly registry: Registry
  readonly node: string
  readonly path: string
  readonly query: string
}

async function kubelet(options: ConnectOptions, { registry, node, path, query }: KubeletRequest): Promise<Forwarding> {
  const object = await find(options.registry('', 'nodes'), '', node, registry)
  const address = kubeletAddress(object, options.kubeletAddressTypes)
  const destination = { scheme: 'https', ...address, path: requestTarget(path, query) } as const
  return { transport: options.transports.kubelets, destination }
}

async function proxy(context: RequestContext, target: ServedResource, options: ConnectOptions): Promise<void> {
  const { info, exchange } = context
  const { registry } = target
  const asked = proxyTarget(info.name, registry.definition.singular)
  if (info.resource === 'nodes') return proxyToNode(context, registry, asked, options)
  const address =
    info.resource === 'pods'
      ? podDestination(await find(registry, info.namespace, asked.name), asked)
      : await serviceAddress(context, registry, asked, options)
  const destination = { scheme: asked.scheme || 'http', ...address, path: proxiedPath(context) } as const
  await forward(exchange, { transport: options.transports.pods, destination, front: frontOf(context) })
}

/** What is below the subresource, cleaned. Mirrors apimachinery/pkg/util/net: JoinPreservingTrailingSlash. */
function proxiedPath({ info, exchange }: RequestContext): string {
  const below = pathBelow(info)
  const path = clientGoPath(below)
  return requestTarget(below.endsWith('/') && !path.endsWith('/') ? `${path}/` : path, exchange.query)
}

function podDestination(pod: KubeObject, { scheme, port }: ProxyTarget): { host: string; port: number } {
  const chosen = port || firstPort(pod)
  return { host: podAddress(pod), port: chosen === '' ? defaultPorts[scheme || 'http'] : portNumber(chosen) }
}

const defaultPorts = { http: 80, https: 443 } as const

/** Ports are dialled by number. */
function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  const why = /^\d+$/.test(text) ? `address ${text}: invalid port` : `lookup tcp/${text}: unknown port`
  throw serviceUnavailable(`error trying to reach service: dial tcp: ${why}`)
}

/** To its kubelet, unless another port of the node is asked for. */
async function proxyToNode(
  context: RequestContext,
  registry: Registry,
  { scheme, name, port }: ProxyTarget,
  { kubeletAddressTypes, transports }: ConnectOptions,
): Promise<void> {
  const own = kubeletAddress(await find(registry, '', name), kubeletAddressTypes)
  const path = proxiedPath(context)
  const isKubelet = port === '' || port === String(own.port)
  const forwarding: Forwarding = isKubelet
    ? { transport: transports.nodes, destination: { scheme: 'https', ...own, path } }
    : {
        transport: transports.pods,
        destination: { scheme: scheme || 'http', host: own.host, port: portNumber(port), path },
      }
  await forward(context.exchange, { ...forwarding, front: frontOf(context) })
}

/** The client's own address stays: nothing is known of how it reaches this server. */
function frontOf({ info, exchange }: RequestContext): ProxyFront {
  const below = pathBelow(info)
  const { path } = exchange
  return { prefix: path.endsWith(below) ? path.slice(0, path.length - below.length) : path, scheme: '', host: '' }
}

async function serviceAddress(
  { info }: RequestContext,
  registry: Registry,
  { name, port }: ProxyTarget,
  options: ConnectOptions,
): Promise<{ host: string; port: number }> {
  const { namespace } = info
  const isNumber = /^[+-]?\d+$/.test(port)
  const wanted = isNumber ? portName(await find(registry, namespace, name), port) : port
  const endpoints = await find(options.registry('', 'endpoints'), namespace, name, registry)
  const pods = await freshCache(options.registry('', 'pods'))
  const [host, chosen] = endpointAddress(endpoints, {
    asked: info.name,
    port: wanted,
    findPod: (pod) => pods.get(entryKey(namespace, pod))?.object(),
    random: () => registry.clock.random(),
  })
  return { host, port: Number(chosen) }
}
