/**
 * What the server can be made to connect to: pods, nodes, services and endpoints that lead to its own machine or its neighbours by any
 * spelling or name, backends that redirect there, answers that grow. The trap listens on the loopback address and tells the secret to
 * whoever comes; the stage is a webhook, an API server and a backend that strangers run.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'
import { type Attack, type Attempt, adminToken, bearer, secretText } from './attack.ts'

const core = '/api/v1/namespaces/default'
const asAdmin = bearer(adminToken)
const refusals = [400, 403, 404, 406, 422, 500, 502, 503]

/** Where nobody may be proxied to: loopback, link-local, unspecified, in the spellings that parsers and resolvers take. */
const places = [
  '127.0.0.1',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '127.000.000.001',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:0:0:1',
  '::',
  '0.0.0.0',
  '0',
  '169.254.169.254',
  'fe80::1',
  '::ffff:169.254.169.254',
  'localhost',
  'LOCALHOST.',
  'localhost.localdomain',
  'ip6-localhost',
]

type Made = Required<Pick<Attempt, 'path'>> & Pick<Attempt, 'method'> & { readonly body: object }

const nameOf = (kind: string, i: number): string => `${kind}-${i}`

/** Objects that lead there, as far as the rules let them be. */
export const outgoingObjects: readonly Made[] = places.flatMap((place, i) => [
  {
    path: `${core}/pods`,
    body: { metadata: { name: nameOf('lead', i) }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
  {
    method: 'PATCH',
    path: `${core}/pods/${nameOf('lead', i)}/status`,
    body: { status: { phase: 'Running', podIP: place, podIPs: [{ ip: place }] } },
  },
  { path: '/api/v1/nodes', body: { metadata: { name: nameOf('lead', i) } } },
  {
    method: 'PATCH',
    path: `/api/v1/nodes/${nameOf('lead', i)}/status`,
    body: {
      status: { addresses: ['InternalIP', 'Hostname', 'ExternalIP'].map((type) => ({ type, address: place })) },
    },
  },
  {
    path: `${core}/services`,
    body: {
      metadata: { name: nameOf('lead', i) },
      spec: { type: 'ExternalName', externalName: place, ports: [{ name: 'p', port: 80 }] },
    },
  },
  {
    path: `${core}/services`,
    body: { metadata: { name: nameOf('points', i) }, spec: { ports: [{ name: 'p', port: 80 }] } },
  },
  {
    path: `${core}/endpoints`,
    body: {
      metadata: { name: nameOf('points', i) },
      subsets: [{ addresses: [{ ip: place }], ports: [{ name: 'p', port: 80 }] }],
    },
  },
])

/** Strangers are on other machines: an address of this one that is none of loopback, where there is one. */
export const hookHost =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

/** What strangers run. */
export class Stage {
  readonly #servers: Server[]
  /** How often the trap was reached. */
  #caught = 0
  readonly trapPort: number
  readonly hookPort: number

  private constructor(servers: Server[], ports: readonly number[]) {
    this.#servers = servers
    this.trapPort = ports[0] ?? 0
    this.hookPort = ports[1] ?? 0
  }

  static async open(certificate: { readonly certPem: string; readonly keyPem: string }): Promise<Stage> {
    let stage: Stage | undefined
    const trap = createServer((_, response) => {
      if (stage !== undefined) stage.#caught++
      response.end(secretText)
    })
    const hook = createSecureServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) =>
      answerHook(request.url ?? '', response, stage?.trapPort ?? 0),
    )
    const ports = await Promise.all([listen(trap, '127.0.0.1'), listen(hook, hookHost)])
    stage = new Stage([trap, hook], ports)
    return stage
  }

  get caught(): number {
    return this.#caught
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024))

function answerHook(url: string, response: ServerResponse, trapPort: number): void {
  if (url.startsWith('/redirect')) {
    response.writeHead(307, { location: `http://127.0.0.1:${trapPort}/` }).end()
  } else if (url.startsWith('/bomb')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
  } else if (url.startsWith('/endless')) {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && response.write('['.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  } else response.writeHead(418).end()
}

/** Webhooks that answer so, each for objects of its own label. */
export const hookObjects = (port: number, caPem: string): Made[] =>
  hooks.map((how) => ({
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    body: {
      metadata: { name: how },
      webhooks: [
        {
          name: `${how}.example.com`,
          clientConfig: { url: `https://${hookHost}:${port}/${how}`, caBundle: Buffer.from(caPem).toString('base64') },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { hook: how } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 5,
        },
      ],
    },
  }))

const hooks = ['redirect', 'bomb', 'endless'] as const

export function outgoingAttacks(trapPort: number): Attack[] {
  const proxied = places.flatMap((place, i) => [
    [`a pod at ${place}`, `${core}/pods/${nameOf('lead', i)}:${trapPort}/proxy/`],
    [`a pod at ${place}, with TLS`, `${core}/pods/https:${nameOf('lead', i)}:${trapPort}/proxy/`],
    [`a node at ${place}`, `/api/v1/nodes/${nameOf('lead', i)}:${trapPort}/proxy/`],
    [`the service ${place}`, `${core}/services/${nameOf('lead', i)}:80/proxy/`],
    [`endpoints at ${place}`, `${core}/services/${nameOf('points', i)}:80/proxy/`],
  ])
  const named = places
    .filter((place) => !place.includes(':'))
    .flatMap((place) => [
      [`the pod ${place}`, `${core}/pods/${place}:${trapPort}/proxy/`],
      [`the node ${place}`, `/api/v1/nodes/${place}:${trapPort}/proxy/`],
      [`the service ${place}`, `${core}/services/${place}:${trapPort}/proxy/`],
    ])
  const reaching: Attack[] = [...proxied, ...named].map(([name = '', path = '']) => ({
    name: `a proxy to ${name}`,
    path,
    headers: asAdmin,
    refusals,
  }))
  const logs = places.map((place, i) => ({
    name: `the log of a node at ${place}`,
    path: `/api/v1/nodes/${nameOf('lead', i)}:${trapPort}/proxy/logs/`,
    headers: asAdmin,
    refusals,
  }))
  const answered = hooks.map((how) => ({
    name: `a webhook whose answer is a ${how}`,
    method: 'POST',
    path: `${core}/configmaps`,
    headers: asAdmin,
    body: { metadata: { name: `behind-${how}`, labels: { hook: how } } },
    refusals: [400, 403, 500],
  }))
  return [...reaching, ...logs, ...answered]
}
