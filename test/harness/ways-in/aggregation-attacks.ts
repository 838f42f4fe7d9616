/**
 * An API server that strangers run, behind the aggregation layer: it answers 418 when something reaches it that must not, such as a
 * credential, an identity that the client chose, or a path that is none of its own. Otherwise it answers 403.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { isSessionCookie, sessionCookiePrefix } from '../../../src/api/session-cookie.ts'
import { type Attack, type Attempt, adminToken, bearer, userToken } from './attack.ts'
import { hookHost } from './outgoing.ts'

const group = 'far.example.com'
const base = `/apis/${group}/v1`
/** Leads whoever asks for its discovery to the trap. */
const leading = 'lead.example.com'
const asAdmin = bearer(adminToken)
const sessionCookie = `__Host-${sessionCookiePrefix}443`

/** Why the request must not have come so; undefined when all is well. */
function wrongWith({ url = '', headers, rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase().replaceAll('_', '-'))
  if (!url.startsWith(`${base}/`)) return `the path ${url}`
  if (headers.authorization !== undefined || headers['proxy-authorization'] !== undefined) return 'a credential'
  // Other cookies are passed on, as by the reference.
  if (headers.cookie?.split(';').some((pair) => isSessionCookie(pair.trim())) === true) return 'a session'
  if (names.some((name) => name.startsWith('impersonate-'))) return 'impersonation'
  if (names.filter((name) => name === 'x-remote-user').length !== 1) return 'several users, or none'
  if (headers['x-remote-user'] !== 'admin') return `the user ${headers['x-remote-user']}`
  const groups = rawHeaders.filter((_, i) => rawHeaders[i - 1]?.toLowerCase() === 'x-remote-group')
  if (groups.some((each) => !['system:masters', 'system:authenticated'].includes(each))) return `groups ${groups}`
  return names.some((name) => name.startsWith('x-remote-extra-')) ? 'extras' : undefined
}

export class FarServer {
  readonly #server: Server
  readonly port: number

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  static async open(pair: { readonly certPem: string; readonly keyPem: string }, trapPort: number): Promise<FarServer> {
    const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) =>
      answer(request, response, trapPort),
    )
    server.on('upgrade', (request: IncomingMessage, socket) => {
      const status = wrongWith(request) === undefined ? '403 Forbidden' : "418 I'm a teapot"
      const line =
        request.url?.includes('redirect') === true ? `302 Found\r\nLocation: http://127.0.0.1:${trapPort}/` : status
      socket.end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, hookHost, resolve))
    return new FarServer(server)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function answer(request: IncomingMessage, response: ServerResponse, trapPort: number): void {
  const { url = '' } = request
  const json = (body: object): unknown =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const resource = { name: 'stolen', singularName: '', namespaced: true, kind: 'Stolen', verbs: ['get'] }
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1', resources: [resource] }
  if (url.startsWith(`/apis/${leading}`) || url.includes('redirect')) {
    response.writeHead(307, { location: `http://127.0.0.1:${trapPort}/` }).end()
  } else if (url === base || url.startsWith(`${base}?`)) json(list)
  else if (url.startsWith('/apis')) {
    if (url.startsWith(base)) response.writeHead(wrongWith(request) === undefined ? 403 : 418).end()
    else {
      const version = { groupVersion: 'apps/v1', version: 'v1' }
      json({
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [{ name: 'apps', versions: [version], preferredVersion: version }],
        items: [{ metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [{ resource: 'stolen' }] }] }],
      })
    }
  } else response.writeHead(url.startsWith('/openapi') ? 404 : 418).end()
}

export const aggregationObjects = (port: number): { readonly path: string; readonly body: object }[] => [
  {
    path: '/api/v1/namespaces/default/services',
    body: { metadata: { name: 'far' }, spec: { type: 'ExternalName', externalName: hookHost } },
  },
  ...[group, leading].map((name) => ({
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    body: {
      metadata: { name: `v1.${name}` },
      spec: {
        group: name,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'far', namespace: 'default', port },
      },
    },
  })),
]

/** What the far server answers when all is well. */
export const farThing: Attempt = { path: `${base}/things`, headers: asAdmin }

export function aggregationAttacks(): Attack[] {
  const headers: Record<string, Attempt['headers']> = {
    'a user': { 'x-remote-user': 'root' },
    'a user in other letters': { 'X-REMOTE-USER': 'root' },
    'a user with underscores': { x_remote_user: 'root' },
    'a group': { 'x-remote-group': 'system:nodes' },
    'a group with underscores': { 'x_remote-group': 'system:nodes' },
    'an extra': { 'x-remote-extra-scopes': 'all' },
    'an extra in percent signs': { 'x-remote-extra-%73copes': 'all' },
    'the session of the console': { cookie: `a=b; ${sessionCookie}=1` },
    'a credential for a proxy': { 'proxy-authorization': 'Basic eA==' },
    'headers that are dropped': { connection: 'x-remote-user, x-remote-group, x-remote-uid' },
    'headers that are dropped and sent': { connection: 'x-remote-user', 'x-remote-user': 'root' },
    'headers to trust': { 'x-forwarded-user': 'root', 'x-remote-user-extra': 'root' },
    'an impersonated user': { 'impersonate-user': 'jane' },
    'an impersonated extra alone': { 'impersonate-extra-a': 'b' },
    'impersonation with underscores': { impersonate_user: 'root' },
  }
  const paths = [
    `${base}/../../../api/v1/namespaces/default/secrets/s`,
    `${base}/..%2f..%2f..%2fapi/v1/namespaces/default/secrets/s`,
    `${base}/%2e%2e/%2e%2e/%2e%2e/api/v1/namespaces/default/secrets/s`,
    `${base}//things/../../../other`,
    `${base}/./things`,
    `/apis//${group}/v1/things`,
    `/apis/${group}/v1%2f..%2fv2/things`,
    `/apis/${group}%2fv1/things`,
    `/apis/apps%2f..%2f${group}/v1/things`,
    `/apis/${group}/v1/..;/..;/healthz`,
    `${base}/things/%00/x`,
    `${base}/things?x=%0d%0aX-Remote-User:%20root`,
    `https://${hookHost}${base}/things`,
  ]
  const refusals = [301, 307, 400, 403, 404]
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'eA==',
  }
  const service = (name: string, user: string, method = 'POST'): Attack => ({
    name: `${method} of the API service ${name}`,
    method,
    path: `/apis/apiregistration.k8s.io/v1/apiservices${method === 'POST' ? '' : `/${name}`}`,
    headers: bearer(user),
    body: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name },
      spec: {
        group: name.slice(name.indexOf('.') + 1),
        version: name.slice(0, name.indexOf('.')),
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
        service: { name: 'far', namespace: 'default' },
      },
    },
    refusals: [403, 409, 422],
  })
  return [
    ...Object.entries(headers).map(([name, more]) => ({
      name: `${name} for an aggregated server`,
      path: `${base}/things`,
      headers: { ...asAdmin, ...more },
      // Impersonation without a user is an error of the server, as in the reference.
      refusals: name === 'an impersonated extra alone' ? [500] : [400, 403],
    })),
    ...paths.flatMap((path) => {
      const attack = { name: `the path ${path} of an aggregated server`, path, refusals }
      const byUser = { ...attack, headers: bearer(userToken) }
      // A path that leads to the secret is the administrator's own to see.
      return path.includes('secrets/s') ? [byUser] : [byUser, { ...attack, headers: asAdmin }]
    }),
    // The client is told of the redirect, which it may follow itself.
    {
      name: 'an aggregated server that redirects',
      path: `${base}/redirect`,
      headers: asAdmin,
      refusals: [302, 307, 502, 503],
    },
    {
      name: 'an aggregated server that redirects an upgrade',
      path: `${base}/redirect`,
      headers: { ...asAdmin, ...upgrade },
      refusals: [302, 307, 400, 500, 502, 503],
    },
    {
      name: 'an upgrade with the identity of another',
      path: `${base}/things`,
      headers: {
        ...asAdmin,
        ...upgrade,
        'x-remote-user': 'root',
        cookie: `${sessionCookie}=1`,
        x_remote_group: 'root',
      },
      refusals: [403],
    },
    {
      name: 'an upgrade that drops its identity',
      path: `${base}/things`,
      headers: { ...asAdmin, ...upgrade, connection: 'Upgrade, X-Remote-User, X-Remote-Group' },
      refusals: [403],
    },
    {
      name: 'a resource of another group that an aggregated server claims',
      path: '/apis/apps/v1/namespaces/default/stolen',
      headers: asAdmin,
      refusals: [404],
      leaves: { path: '/apis/apps/v1', without: 'stolen' },
    },
    {
      name: 'a discovery that leads to the trap',
      path: `/apis/${leading}/v1`,
      headers: asAdmin,
      refusals: [307, 404, 502, 503],
    },
    ...['v1.', 'v1.apps', 'v1.rbac.authorization.k8s.io', 'v1.batch'].map((name) => service(name, adminToken)),
    ...['v1.', 'v2.apps', 'v1.evil.example.com'].map((name) => service(name, userToken)),
    ...['v1.', 'v1.apps'].map((name) => service(name, userToken, 'PUT')),
    {
      name: 'a user of an aggregated API without rights',
      path: `${base}/things`,
      headers: { ...bearer(userToken), 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
      refusals: [403],
    },
  ]
}
