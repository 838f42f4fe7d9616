/** Requests that are no proper ones: bodies, headers, queries, methods and paths. */
import {
  accept,
  type CaseGenerator,
  can,
  collectionOf,
  isParent,
  objectPath,
  seedOf,
  toCase,
  writeQuery,
} from './building.ts'
import { contentTypes } from './case.ts'
import { pathOf } from './resources.ts'

/** Bodies, headers and methods that are no proper request. */
/** Tokens of JSON that are not whole. */
const partsOfTokens = ['t', 'fals', 'nu', '-', '0.', '1e', '1e-', '"\\', '"\\u00', '"a', '[', '{"a"', '{"a":1,']

export const malformed: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create')) return undefined
  const seed = seedOf(source)
  const text = JSON.stringify(seed)
  const cut = random.below(text.length)
  const value = text.indexOf(':', cut) + 1
  const body = random.pick([
    text.slice(0, cut),
    `${text.slice(0, value)}${random.pick(partsOfTokens)}${random.pick(['', ' ', text.slice(value)])}`,
    `${text.slice(0, cut)}${random.pick(['"', '{', ',', '\\', '\u0000', ']', '0', '\n'])}${text.slice(cut)}`,
    'null',
    '[]',
    '""',
    '0',
    '',
    '{}',
    '{"kind":null}',
    `[${text}]`,
    `${text}${text}`,
    `${text},`,
    '{"metadata":null}',
    '{"metadata":[]}',
    '{"apiVersion":1}',
    text.replace('"metadata":', '"metadata":{"name":"x"},"metadata":'),
    text.replace('"kind":', '"Kind":'),
    JSON.stringify({ ...seed, kind: 'Other' }),
    JSON.stringify({ ...seed, apiVersion: 'other/v1' }),
    JSON.stringify({ ...seed, apiVersion: '' }),
  ])
  const type = random.pick([
    contentTypes.json,
    contentTypes.json,
    contentTypes.yaml,
    contentTypes.protobuf,
    contentTypes.cbor,
    'text/plain',
    'application/x',
    '',
    'application/json; charset=utf-8',
    contentTypes.mergePatch,
  ])
  const method = random.pick(['POST', 'POST', 'PUT', 'PATCH', 'DELETE'])
  const path = method === 'POST' ? collectionOf(resource) : objectPath(resource, seed)
  return {
    ...toCase('malformed', source, []),
    steps: [{ method, path: `${path}${writeQuery(random)}`, text: body, headers: { 'content-type': type } }],
    cleanup: method === 'POST' ? [objectPath(resource, seed)] : [],
  }
}

const oddPaths = [
  '/',
  '/api',
  '/apis',
  '/api/',
  '/api/v2',
  '/apis/apps',
  '/apis/none',
  '/apis/apps/v9',
  '/version',
  '/version/',
  '/healthz/x',
  '/livez/ping',
  '/openapi',
  '/openapi/v2/x',
  '/metrics/x',
  '/debug',
  '/logs',
  '/swagger.json',
  '/.well-known/x',
  '/apis/apps/v1/',
  '/apis/apps//v1',
  '/api/v1/namespaces/none',
  '/api/v1/namespaces/none/',
  // Collections with a selector: other cases run in the same namespace.
  '/api/v1/namespaces//pods?labelSelector=differential%3D<name>',
  '/api/v1/watch/pods?labelSelector=differential%3D<name>',
  '/api/v1/watch/namespaces/<namespace>/pods/x?timeoutSeconds=1',
  '/api/v1/proxy/pods',
  '/api/v1/pods/x',
  '/api/v1/namespaces/<namespace>/pods/x/y/z',
  '/api/v1/namespaces/<namespace>/pods/%2e%2e',
  '/api/v1/namespaces/<namespace>/pods/a%2fb',
  '/api/v1/namespaces/<namespace>/pods/%00',
  '/api/v1/namespaces/a%20b/pods',
  '/api/v1/namespaces/<namespace>/pods?labelSelector=differential%3D<name>&x=%zz',
  '/api/v1/namespaces/<namespace>/pods;a=b?labelSelector=differential%3D<name>',
  '/API/v1',
  '/api/v1/namespaces/<namespace>/PODS',
  '/openid/v1/jwks',
  '/.well-known/openid-configuration',
]

export const paths: CaseGenerator = (source) => {
  const { random } = source
  const method = random.pick([
    'GET',
    'GET',
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  ])
  const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const step = { method, path: random.pick(oddPaths), headers: accept(random), ...(withBody ? { body: {} } : {}) }
  return { family: 'paths', resource: '', steps: [step], cleanup: [] }
}

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/*' },
  { accept: 'APPLICATION/JSON' },
  { accept: 'application/json;q=0' },
  { accept: 'application/json;q=x' },
  { accept: 'application/json; charset=utf-8' },
  { accept: 'application/yaml, application/json' },
  { accept: 'application/json;pretty=1' },
  { accept: 'application/json;pretty=0' },
  { accept: 'application/json;as=Table' },
  { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' },
  { accept: 'application/json;as=Other;g=meta.k8s.io;v=v1' },
  { accept: 'application/json;profile=x' },
  { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  { accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList' },
  { accept: 'a' },
  { accept: '' },
  { accept: ',' },
  { accept: 'image/png, */*;q=0.1' },
  { accept: 'application/yaml;pretty=1' },
  { 'content-type': 'application/json;charset=latin1' },
  { 'content-type': 'application/JSON' },
  { 'content-type': 'application' },
  { 'content-type': 'a/b/c' },
  { 'content-type': 'application/json, application/yaml' },
  { 'content-encoding': 'gzip' },
  { 'accept-encoding': 'identity' },
  { 'user-agent': 'Mozilla/5.0' },
  { 'user-agent': '' },
  { 'user-agent': 'curl/8' },
  { origin: 'https://example.com' },
  { 'if-none-match': '"x"', 'if-modified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' },
  { range: 'bytes=0-1' },
  { 'x-http-method-override': 'DELETE' },
  { 'audit-id': 'x'.repeat(100) },
  { expect: '100-continue' },
]

const oddQueries = [
  'pretty',
  'pretty=',
  'pretty=true&pretty=false',
  'pretty=1',
  'x=y',
  'timeout=1s',
  'timeout=x',
  'timeout=-1s',
  'timeout=0',
  'timeout=1h',
  'timeoutSeconds=1',
  'dryRun=All',
  'dryRun=x',
  'fieldManager=a',
  'fieldManager=a&fieldManager=b',
  'fieldValidation=x',
  'fieldValidation=Strict&fieldValidation=Warn',
  'limit=1&limit=2',
  'limit=9223372036854775808',
  'limit=1e3',
  'resourceVersion=-1',
  'resourceVersion=18446744073709551616',
  'resourceVersion=01',
  'labelSelector=a&labelSelector=b',
  'labelSelector=%00',
  'labelSelector=a%3D%27b%27',
  'fieldSelector=metadata.name',
  'fieldSelector=metadata.name%3Da,metadata.name%3Db',
  'fieldSelector=metadata.name%3Da%5C,b',
  'fieldSelector=%2C',
  'allowWatchBookmarks=x',
  'watch=x',
  'watch=false',
  'gracePeriodSeconds=1.5',
  'propagationPolicy=',
  'orphanDependents=x',
  'ignoreStoreReadErrorWithClusterBreakingPotential=true',
  'shardSelector=x',
  'a=%',
  '&&',
  ';',
]

/** Proper requests with a header or a query that is not. */
export const headersAndQueries: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'get', 'list', 'delete')) return undefined
  const seed = seedOf(source)
  const at = objectPath(resource, seed)
  const collection = collectionOf(resource)
  const selector = 'labelSelector=differential%3D<name>'
  const headers = random.chance(0.6) ? random.pick(oddHeaders) : {}
  const query = random.chance(0.6) ? random.pick(oddQueries) : 'pretty=true'
  const step = random.pick([
    { method: 'POST', path: `${collection}?${query}`, body: seed },
    { method: 'GET', path: `${at}?${query}` },
    { method: 'GET', path: `${collection}?${query}&${selector}` },
    { method: 'PUT', path: `${at}?${query}`, body: seed },
    { method: 'DELETE', path: `${at}?${query}` },
    { method: 'HEAD', path: `${at}?${query}` },
    { method: 'OPTIONS', path: at },
    { method: 'GET', path: `${pathOf(resource.groupVersion)}?${query}` },
  ])
  const made = { method: 'POST', path: collection, body: seed }
  return toCase('headers', source, [made, { ...step, headers }])
}

/** Discovery and OpenAPI of what both servers have, and of nothing else: indexes name what other cases make, too. */
export const documents: CaseGenerator = ({ random, resources }) => {
  const { groupVersion } = random.pick(resources)
  const path = pathOf(groupVersion)
  const [group] = path.split(/\/(?=v\d[^/]*$)/)
  const wanted = random.pick([path, path, `${group}`, `/openapi/v3${path}`, `/openapi/v3${path}`, '/api'])
  const headers =
    wanted === '/api' || wanted === path
      ? {
          accept: random.pick([
            'application/json',
            'application/json',
            contentTypes.yaml,
            contentTypes.protobuf,
            contentTypes.cbor,
            'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
          ]),
        }
      : {}
  return { family: 'documents', resource: groupVersion, steps: [{ method: 'GET', path: wanted, headers }], cleanup: [] }
}
