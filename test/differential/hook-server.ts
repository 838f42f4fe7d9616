/**
 * What the servers under comparison call: admission webhooks, conversion webhooks and aggregated APIs, over TLS on loopback.
 * Each of the two servers gets a port of its own, so that a call tells who made it. Calls are recorded by execution.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import type { Hook } from './case.ts'
import { isList, isMap, type Json, type JsonMap, mapStrings, merged, valueAt } from './json.ts'

export interface Call {
  readonly hook: string
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Hooks = Readonly<Record<string, Hook>>

interface Registered {
  readonly hooks: Hooks
  readonly calls: Call[]
}

export interface HookAuthority {
  readonly caPem: string
  readonly certPem: string
  readonly keyPem: string
}

/** For loopback, and for services in the namespace. */
export function createHookAuthority(namespace: string): HookAuthority {
  const now = Date.now()
  const ca = createCertificateAuthority('differential hooks', now)
  const names = ['127.0.0.1', 'localhost', `*.${namespace}.svc`]
  const pair = issueCertificate(ca, { commonName: 'hooks', usage: 'server', names, now })
  return { caPem: ca.certPem, certPem: pair.certPem, keyPem: pair.keyPem }
}

const mostCallBytes = 8 << 20

export class HookServer {
  readonly ca: string
  readonly #server: https.Server
  readonly #executions = new Map<string, Registered>()

  constructor({ caPem, certPem, keyPem }: HookAuthority) {
    this.ca = Buffer.from(caPem).toString('base64')
    this.#server = https.createServer({ cert: certPem, key: keyPem }, (request, response) => {
      response.on('error', () => {})
      void this.#take(request, response).catch(() => response.destroy())
    })
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', () => resolve()))
  }

  /** Serves the hooks under `/ID/NAME` and `/apis/ID.example.com` until they are removed. */
  register(id: string, hooks: Hooks): void {
    this.#executions.set(id, { hooks, calls: [] })
  }

  /** The calls since this was asked last. */
  taken(id: string): Call[] {
    return this.#executions.get(id)?.calls.splice(0) ?? []
  }

  remove(id: string): void {
    this.#executions.delete(id)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const { id = '', name = '' } = addressed(request.url ?? '')
    const execution = this.#executions.get(id)
    const hook = execution?.hooks[name]
    if (execution === undefined || hook === undefined) return void response.writeHead(404).end()
    if (isRecorded(name, request)) execution.calls.push(callOf(name, request, body))
    answer(hook, { name, request, response, body })
  }
}

function addressed(url: string): { id?: string; name?: string } {
  const [, group] = /^\/apis\/([^/.]+)\.example\.com(?:[/?]|$)/.exec(url) ?? []
  if (group !== undefined) return { id: group, name: 'api' }
  const [, id = '', name = ''] = /^\/+([^/]+)\/+([^/?]+)/.exec(url) ?? []
  return { id, name }
}

/** Availability checks and reads of discovery are the server's own, and come when they come. */
const isRecorded = (name: string, { headers }: IncomingMessage): boolean =>
  name !== 'api' || headers['user-agent']?.startsWith('differential') === true

const callOf = (hook: string, { method = '', url = '', headers }: IncomingMessage, body: Buffer): Call => ({
  hook,
  method,
  path: url,
  headers,
  body: body.toString('utf8'),
})

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostCallBytes) throw new Error('a call that is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface Exchange {
  readonly name: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

function answer(hook: Hook, exchange: Exchange): void {
  if (hook.delay === undefined) send(hook, exchange)
  else setTimeout(() => send(hook, exchange), hook.delay).unref()
}

function send(hook: Hook, { name, request, response, body }: Exchange): void {
  if (hook.cut) return void response.destroy()
  const sent = parsed(body)
  const discovery = name === 'api' ? discoveryOf(request.url ?? '') : undefined
  if (discovery !== undefined) return void json(response, discovery)
  const content = hook.converts ? merged(conversionOf(sent), hook.body ?? {}) : hook.body
  const text = hook.text ?? (content === undefined ? '' : JSON.stringify(filled(content, sent)))
  response.writeHead(hook.status ?? 200, { 'content-type': 'application/json', ...hook.headers }).end(text)
}

const json = (response: ServerResponse, body: Json): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

function parsed(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json
  } catch {
    return null
  }
}

/** The list of resources of an aggregated version; everything else below the group is the hook's. */
function discoveryOf(url: string): Json | undefined {
  const [, groupVersion] = /^\/apis\/([^/]+\/v1)(?:\?.*)?$/.exec(url) ?? []
  if (groupVersion === undefined) return undefined
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete']
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs }],
  }
}

function filled(body: Json, sent: Json): Json {
  const uid = valueAt(sent, ['request', 'uid'])
  const version = valueAt(sent, ['apiVersion'])
  return mapStrings(body, (text) =>
    text.replaceAll('<request>', String(uid ?? '')).replaceAll('<version>', String(version ?? '')),
  )
}

/** Every object in the desired version, otherwise as it was, but for a mark by which both see that it was converted. */
function conversionOf(sent: Json): Json {
  const desired = valueAt(sent, ['request', 'desiredAPIVersion']) ?? ''
  const objects = valueAt(sent, ['request', 'objects'])
  const convertedObjects = (isList(objects) ? objects : []).map((object) => converted(object, desired))
  return {
    apiVersion: '<version>',
    kind: 'ConversionReview',
    response: { uid: '<request>', result: { status: 'Success' }, convertedObjects },
  }
}

function converted(object: Json, desired: Json): Json {
  if (!isMap(object)) return object
  const metadata: JsonMap = isMap(object['metadata']) ? object['metadata'] : {}
  const labels: JsonMap = isMap(metadata['labels']) ? metadata['labels'] : {}
  return { ...object, apiVersion: desired, metadata: { ...metadata, labels: { ...labels, converted: 'true' } } }
}
