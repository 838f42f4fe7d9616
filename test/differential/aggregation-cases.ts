/** An aggregated API that the tool serves itself, behind a service that names loopback: what is passed on, and what comes back. */
import type { Random } from '../harness/random.ts'
import type { CaseGenerator } from './building.ts'
import { contentTypes, type Hook, type Step } from './case.ts'
import type { Json, JsonMap } from './json.ts'

const group = '<plain>.example.com'
const services = '/api/v1/namespaces/<namespace>/services'
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const base = `/apis/${group}/v1`

const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a', namespace: 'default' } }
const answers: readonly Hook[] = [
  { body: thing },
  { status: 201, body: thing, headers: { 'x-hook': 'a', 'cache-control': 'max-age=1' } },
  { status: 404, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 } },
  { status: 500, text: 'broken' },
  { status: 503, headers: { 'retry-after': '3' }, text: 'later' },
  { status: 302, headers: { location: '/elsewhere' } },
  { status: 307, headers: { location: `${base}/things/b?x=1` } },
  { status: 301, headers: { location: 'https://example.com/x' } },
  { status: 204 },
  { status: 304 },
  { status: 418, text: 'teapot', headers: { 'content-type': 'text/plain' } },
  { status: 200, text: '<a href="/x">x</a>', headers: { 'content-type': 'text/html' } },
  { status: 200, text: 'x', headers: { warning: '299 - "old"', 'www-authenticate': 'Basic' } },
  { status: 101, text: '' },
  { cut: true },
  { status: 200, headers: { 'content-type': contentTypes.protobuf }, text: 'k8s\u0000' },
]

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { 'x-remote-user': 'mallory', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b' },
  { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'http', forwarded: 'for=1.2.3.4' },
  { 'impersonate-user': 'alice', 'impersonate-group': 'dev' },
  { 'impersonate-user': 'alice', 'impersonate-extra-scopes': 'a', 'impersonate-uid': 'u' },
  { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  { 'accept-encoding': 'gzip' },
  { cookie: 'a=b', origin: 'https://example.com', referer: 'https://example.com/' },
  { 'content-type': 'text/plain', 'if-none-match': '"x"' },
  { 'x-custom': 'a, b', te: 'trailers' },
  { authorization: 'Bearer plaintoken' },
  { authorization: 'Bearer wrong' },
]

const paths = [
  '',
  '/',
  '/things',
  '/things?watch=1&timeoutSeconds=1',
  '/namespaces/default/things',
  '/namespaces/default/things/a',
  '/namespaces/default/things/a/status',
  '/namespaces/default/things/a%2Fb',
  '/namespaces/default/things/%C3%A4?x=%20&y=+&z',
  '/namespaces/default/things/a//b',
  '/namespaces/default/things/a/./b',
  '/things?labelSelector=a%3Db&a=1&a=2',
  '/none?x=;y',
]

const apiServiceTo = (backend: JsonMap): JsonMap => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, ...backend },
})

export const aggregation: CaseGenerator = ({ random }) => {
  const insecure = random.chance(0.4)
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: '<name>', namespace: '<namespace>' },
    spec: { type: 'ExternalName', externalName: '127.0.0.1' },
  }
  const apiService = apiServiceTo({
    service: { name: '<name>', namespace: '<namespace>', port: '<port>' },
    ...(insecure ? { insecureSkipTLSVerify: true } : { caBundle: '<ca>' }),
  })
  const requests = Array.from({ length: random.pick([1, 2, 3]) }, () => requestOf(random))
  const steps: Step[] = [
    { method: 'POST', path: services, body: service },
    { method: 'POST', path: apiServices, body: apiService, needed: true },
    { method: 'GET', path: `${base}/things`, until: 299 },
    ...(random.chance(0.1) ? [{ method: 'GET', path: `/apis/${group}` }] : []),
    ...requests,
  ]
  // Noticed once the answer is the hook's own.
  const noticed = steps.map((step) => (step.until === undefined ? step : { ...step, path: base, until: 200 }))
  return {
    family: 'aggregation',
    resource: 'apiservices apiregistration.k8s.io/v1',
    steps: noticed,
    cleanup: [`${apiServices}/v1.${group}`, `${services}/<name>`],
    hooks: { api: random.pick(answers) },
    audited: true,
  }
}

function requestOf(random: Random): Step {
  const method = random.pick(['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
  const body: { body?: Json; text?: string } =
    method === 'POST' || method === 'PUT' ? { body: thing } : method === 'PATCH' ? { body: { a: 1 } } : {}
  const patched = method === 'PATCH' ? { 'content-type': contentTypes.mergePatch } : {}
  return { method, path: `${base}${random.pick(paths)}`, headers: { ...patched, ...random.pick(oddHeaders) }, ...body }
}

/** APIServices that lead nowhere: what the server says of them, and what their group answers. */
export const unavailable: CaseGenerator = ({ random }) => {
  const service = random.pick<Json>([
    { name: 'none', namespace: '<namespace>', port: 443 },
    { name: '<name>', namespace: '<namespace>', port: 1 },
    { name: '<name>', namespace: 'none' },
    { name: '<name>', namespace: '<namespace>' },
  ])
  const spec = random.pick<Json>([
    { type: 'ExternalName', externalName: '127.0.0.1' },
    { clusterIP: 'None', ports: [{ port: 443 }] },
    { ports: [{ port: 8443 }] },
    { ports: [{ port: 1 }] },
  ])
  const apiService = apiServiceTo({ insecureSkipTLSVerify: true, service })
  return {
    family: 'unavailable',
    resource: 'apiservices apiregistration.k8s.io/v1',
    steps: [
      {
        method: 'POST',
        path: services,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name: '<name>' }, spec },
      },
      { method: 'POST', path: apiServices, body: apiService, needed: true },
      { method: 'GET', path: `${apiServices}/v1.${group}`, settle: true },
      { method: 'GET', path: `${base}/things` },
      { method: 'GET', path: `/apis/${group}` },
    ],
    cleanup: [`${apiServices}/v1.${group}`, `${services}/<name>`],
  }
}
