/** What a request may look like: paths, methods, parameters and bodies, and how each that is wrong is refused. */
import https from 'node:https'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
const core = '/api/v1/namespaces/default'
const configMaps = `${core}/configmaps`
const gadgets = '/apis/requests.example.com/v1/namespaces/default/gadgets'
const knobs = '/apis/requests.example.com/v1/knobs'

const definition = (plural: string, kind: string, scope: string): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.requests.example.com` },
  spec: {
    group: 'requests.example.com',
    scope,
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

beforeAll(async () => {
  server = await startTestServer()
  await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })
  await server.call('POST', configMaps, { metadata: { name: 'a' } })
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await server.call('POST', definitions, definition('gadgets', 'Gadget', 'Namespaced'))
  await server.call('POST', definitions, definition('knobs', 'Knob', 'Cluster'))
  for (const path of [gadgets, knobs]) {
    await vi.waitFor(async () => expect((await server.call('GET', path)).status).toBe(200), { timeout: 60_000 })
  }
})
afterAll(() => server.close())

interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** The status and what is said: of a Status its message, of text the text, else the kind. */
async function answerTo({ method = 'GET', path, body, headers }: Asked): Promise<readonly [number, string]> {
  const answer = await server.call(method, path, body, headers)
  const text = answer.body.toString()
  if (!text.startsWith('{')) return [answer.status, text]
  const { kind, message } = answer.json<Json>()
  return [answer.status, message ?? kind]
}

const noSuchPath = 'the server could not find the requested resource'
const noSuchMethod = 'the server does not allow this method on the requested resource'
const noSuchPage = '404 page not found\n'

describe('the type of a patch', () => {
  test.each([
    ['application/merge-patch+json', 200],
    ['application/merge-patch+json;charset=utf-8', 200],
    ['application/Merge-Patch+json', 415],
    ['application/merge-patch+JSON', 415],
    ['application/merge-patch+json ; charset=utf-8', 415],
    ['application/json', 415],
  ])('%s is %i', async (type, status) => {
    const headers = { 'content-type': type, 'content-length': '2' }
    const answer = await server.call('PATCH', `${configMaps}/a`, Buffer.from('{}'), headers)
    expect(answer.status, answer.body.toString()).toBe(status)
  })
})

test('a method that nobody has heard of is not allowed', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  socket.end(`FOO ${configMaps} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/)
  expect(answer).toContain(noSuchMethod)
})

describe('paths and methods', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['GET', `/${configMaps}`, 404, noSuchPage],
    ['GET', '/apis//v1/pods', 404, noSuchPage],
    ['GET', '/api/v1/%zz', 400, '400 Bad Request'],
    ['GET', '/api/v1/pods/a/status', 404, noSuchPath],
    ['GET', `${core}/nodes/a/status`, 404, noSuchPath],
    ['GET', `${core}/pods/a/log/more`, 404, noSuchPath],
    ['GET', '/api/v1/bindings', 404, noSuchPath],
    ['GET', '/api/v1/namespaces/default', 200, 'Namespace'],
    ['GET', `${core}/namespaces`, 404, noSuchPath],
    ['GET', `${core}/namespaces/kube-system`, 404, noSuchPath],
    ['GET', `${core}/namespaces/default`, 404, noSuchPath],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews/a', 404, noSuchPath],
    ['GET', '/api/v1/proxy/nodes/a', 404, noSuchPath],
    ['GET', '/api/v1/watch/componentstatuses', 404, noSuchPath],
    ['POST', '/api/v1/watch/configmaps', 405, noSuchMethod],
    ['DELETE', `/api/v1/watch/namespaces/default/configmaps/a`, 405, noSuchMethod],
    ['POST', '/api', 405, noSuchMethod],
    ['POST', '/apis/apps', 200, 'APIGroup'],
    ['POST', '/apis/apps/v1', 405, noSuchMethod],
    ['POST', '/apis/requests.example.com/v1', 200, 'APIResourceList'],
    ['GET', '/openapi/v3/', 404, ''],
    ['HEAD', `${configMaps}/a`, 405, ''],
    ['HEAD', `${core}/pods/a/proxy`, 404, ''],
    ['HEAD', `${configMaps}/a/b/c`, 404, ''],
    ['OPTIONS', `${core}/pods/a/exec`, 405, noSuchMethod],
    ['GET', '/api/v1/namespaces//configmaps/a', 400, 'Namespace parameter required.'],
    ['DELETE', '/api/v1/namespaces//configmaps', 400, 'Namespace parameter required.'],
    ['GET', '/api/v1/namespaces//nodes', 404, noSuchPath],
    ['GET', '/api/v1/nodes//status', 400, 'name must be provided'],
    ['GET', `${configMaps}/%2e`, 400, `Name parameter invalid: ".": may not be '.'`],
    ['GET', `${configMaps}/a%25?resourceVersion=x`, 400, `Name parameter invalid: "a%": may not contain '%'`],
    ['DELETE', `${gadgets}/a%25`, 400, `Name parameter invalid: "a%": may not contain '%'`],
    ['GET', '/version/more', 404, noSuchPath],
    ['POST', '/openid/v1/jwks', 405, noSuchMethod],
    ['POST', '/apis/apiregistration.k8s.io', 405, noSuchMethod],
    [
      'GET',
      '/api/v1/watch',
      500,
      'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
    ],
    // Custom resources are served by the verb.
    ['HEAD', gadgets, 200, ''],
    ['PUT', gadgets, 400, 'name must be provided'],
    ['PATCH', gadgets, 400, 'name must be provided'],
    ['OPTIONS', `${gadgets}/a`, 405, ' is not supported on resources of kind "gadgets.requests.example.com"'],
    ['POST', `${gadgets}/a/status`, 405, 'create is not supported on resources of kind "gadgets.requests.example.com"'],
    ['GET', `${gadgets}/a/status/more`, 404, 'gadgets.requests.example.com "a" not found'],
    ['GET', '/apis/requests.example.com/v1/gadgets/a', 404, noSuchPage],
    ['PUT', '/apis/requests.example.com/v1/gadgets', 404, noSuchPage],
    ['GET', '/apis/requests.example.com/v1/namespaces/default/knobs', 404, noSuchPage],
  ]

  test.each(cases)('%s %s: %i', async (method, path, status, said) => {
    expect(await answerTo({ method, path })).toEqual([status, said])
  })

  test('a method that there is not is reported before a media type that there is not', async () => {
    const headers = { accept: 'text/plain' }
    expect(await answerTo({ method: 'PUT', path: configMaps, headers })).toEqual([405, noSuchMethod])
  })

  test('what an action answers can be seen as its metadata only', async () => {
    const view = (kind: string) => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` })
    const ask = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} }
    expect(await answerTo({ ...ask, headers: view('PartialObjectMetadata') })).toEqual([201, 'PartialObjectMetadata'])
    expect(await answerTo({ ...ask, headers: view('Table') })).toEqual([
      406,
      expect.stringContaining('only the following media types are accepted'),
    ])
    expect(await answerTo({ ...ask, headers: view('PartialObjectMetadataList') })).toEqual([
      406,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*authentication.SelfSubjectReview)',
    ])
  })

  test('the whole address may stand where the path does', async () => {
    const { hostname, port } = new URL(server.url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { host: hostname, port, path: 'https://any.example.com/livez', rejectUnauthorized: false }
      https.get(options, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
    expect(status).toBe(200)
  })

  test('a create may name a custom object in its path, and makes the one of its body', async () => {
    const body = { apiVersion: 'requests.example.com/v1', kind: 'Gadget', metadata: { name: 'made' } }
    expect((await server.call('POST', `${gadgets}/other`, body)).status).toBe(201)
    expect((await server.call('GET', `${gadgets}/made`)).status).toBe(200)
  })
})

describe('parameters', () => {
  const listInvalid = 'ListOptions.meta.k8s.io "" is invalid: '
  const deleteInvalid = 'DeleteOptions.meta.k8s.io "" is invalid: '
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['GET', `${configMaps}?limit=`, 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['GET', `${configMaps}?limit=x&labelSelector=%2C`, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'GET',
      `${configMaps}?resourceVersionMatch=Exact&labelSelector=%2C`,
      400,
      "found ',', expected: !, identifier, or 'end of string'",
    ],
    [
      'GET',
      `${configMaps}?resourceVersionMatch=Exact&fieldSelector=nosuch%3D1`,
      422,
      `${listInvalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    ['DELETE', `${configMaps}?resourceVersion=1`, 410, 'The resourceVersion for the provided list is too old.'],
    [
      'GET',
      '/apis/apps/v1/namespaces/default/deployments/a/scale?resourceVersion=x',
      500,
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      'GET',
      '/api/v1/watch/configmaps?sendInitialEvents=true',
      422,
      `${listInvalid}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    ],
    [
      'GET',
      `/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db`,
      400,
      "fieldSelector metadata.name doesn't match requested name",
    ],
    ['GET', `${configMaps}/a?export=0`, 200, 'ConfigMap'],
    ['POST', `${core}/pods/a/exec?dryRun=All`, 400, 'dryRun is not supported'],
    [
      'GET',
      `${core}/pods/a/log?tailLines=x&sinceTime=now`,
      400,
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
    ['GET', `${core}/pods/a/log?stream=`, 422, 'PodLogOptions "a" is invalid: stream: Forbidden: may not be specified'],
    ['GET', `${configMaps}/a?export=1`, 400, 'the export parameter, deprecated since v1.14, is no longer supported'],
    [
      'GET',
      `${configMaps}?resourceVersion=18446744073709551616`,
      400,
      'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
    [
      'DELETE',
      `${configMaps}/a?propagationPolicy=X&dryRun=x`,
      422,
      `${deleteInvalid}[propagationPolicy: Unsupported value: "X": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: []string{"x"}: supported values: "All"]`,
    ],
  ]

  test.each(cases)('%s %s: %i', async (method, path, status, said) => {
    expect(await answerTo({ method, path })).toEqual([status, said])
  })

  test.each(['uid=other', 'resourceVersion=5'])('DELETE with %s has a precondition', async (query) => {
    const answer = await server.call('DELETE', `${configMaps}/a?${query}`)
    expect(answer.status).toBe(409)
    expect(answer.json<Json>().message).toMatch(/in the precondition \((other|5)\) does not match/)
  })

  test('a watch that ends before it begins is empty or shows what there was', async () => {
    expect((await server.call('GET', `${configMaps}?watch=true&timeoutSeconds=-1`)).status).toBe(200)
  })

  const invalidToken = 'invalid continue token: continue key is not valid'
  const tokens: readonly (readonly [string, string])[] = [
    ['[]', ': json: cannot unmarshal array into Go value of type storage.continueToken'],
    ['null', ': server does not recognize this encoded version '],
    ['{"v":1}', ': json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [
      '{"v":"meta.k8s.io/v1","rv":1.5}',
      ': json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    ],
    ['{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}', ': ../a'],
    ['{"v":"meta.k8s.io/v1","rv":5,"start":"a/"}', ': a/'],
  ]

  test.each(tokens)('the continue token of %s', async (text, said) => {
    const token = Buffer.from(text).toString('base64url')
    expect(await answerTo({ path: `${configMaps}?continue=${token}` })).toEqual([400, invalidToken + said])
  })
})

describe('pages', () => {
  const page = async (query: string): Promise<Json> =>
    (await server.call('GET', `/api/v1/namespaces/paged/configmaps?${query}`)).json()
  const names = ({ items }: Json): string[] => items.map(({ metadata }: Json) => metadata.name)

  beforeAll(async () => {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'paged' } })
    for (const name of ['a', 'b', 'c']) {
      const labels = name === 'c' ? {} : { set: 'one' }
      await server.call('POST', '/api/v1/namespaces/paged/configmaps', { metadata: { name, labels } })
    }
  })

  test.each(['labelSelector=set%3Done', 'labelSelector=set', 'fieldSelector=metadata.name!%3Dc'])(
    'of %s go on while there is anything that was not looked at',
    async (selector) => {
      const first = await page(`${selector}&limit=2`)
      expect(names(first)).toEqual(['a', 'b'])
      const { continue: token, remainingItemCount } = first.metadata
      expect(token).not.toBe('')
      expect(remainingItemCount).toBeUndefined()
      const second = await page(`${selector}&limit=2&continue=${encodeURIComponent(token)}`)
      expect(names(second)).toEqual([])
      expect(second.metadata.continue).toBe('')
    },
  )

  test('of one name are one, which goes on from nowhere', async () => {
    const only = await page('fieldSelector=metadata.name%3Da&limit=1')
    expect(names(only)).toEqual(['a'])
    expect(only.metadata.continue ?? '').toBe('')
    const nonsense = `${configMaps}?fieldSelector=metadata.name%3Da&limit=1&continue=nonsense`
    expect((await answerTo({ path: nonsense }))[0]).toBe(400)
  })

  test('of deleted objects tell how many are left', async () => {
    const path = '/api/v1/namespaces/paged/configmaps?limit=1&dryRun=All'
    const { metadata } = (await server.call('DELETE', path)).json<Json>()
    expect(metadata.remainingItemCount).toBe(2)
  })
})

describe('what is negotiated', () => {
  const unknownView = { accept: 'application/json;as=NoSuchView;g=meta.k8s.io;v=v1' }
  const supported = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

  test.each([`${configMaps}/missing`, `${configMaps}?watch=true`])('GET %s as no view', async (path) => {
    const said = `only the following media types are accepted: ${supported}`
    expect(await answerTo({ path, headers: unknownView })).toEqual([406, said])
  })

  test('the type of a new object is looked at before the parameters', async () => {
    const asked = {
      method: 'POST',
      path: `${configMaps}?dryRun=x`,
      body: {},
      headers: { 'content-type': 'text/plain' },
    }
    expect((await answerTo(asked))[0]).toBe(415)
  })
})

// The key of an object is made where the object is: everything that is looked at before has its say.
describe('a name that no object can have', () => {
  const pod = `${core}/pods/%2e%2e`
  const invalid = `Name parameter invalid: "..": may not be '..'`
  const unacceptable = { accept: 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1' }
  const merge = { 'content-type': 'application/merge-patch+json' }
  test.each<[string, Asked, number, string | RegExp]>([
    ['get', { path: pod }, 400, invalid],
    ['delete', { method: 'DELETE', path: pod }, 400, invalid],
    ['scale', { path: `${core}/replicationcontrollers/%2e%2e/scale` }, 400, invalid],
    ['proxy', { path: `${pod}/proxy/a` }, 400, invalid],
    ['log', { path: `${pod}/log` }, 400, invalid],
    ['patch', { method: 'PATCH', path: pod, body: '{', headers: merge }, 400, invalid],
    ['another', { path: `${core}/configmaps/a%25b` }, 400, `Name parameter invalid: "a%b": may not contain '%'`],
    ['how to answer', { method: 'PUT', path: pod, body: {}, headers: unacceptable }, 406, /^only the following media/],
    ['options', { method: 'DELETE', path: `${pod}?dryRun=x` }, 422, /dryRun: Unsupported value/],
    ['options of logs', { path: `${pod}/log?tailLines=-1` }, 422, /tailLines: Invalid value: -1/],
    ['the body', { method: 'PUT', path: pod, body: '{' }, 400, /json parse error/],
    [
      'the name in it',
      { method: 'PUT', path: pod, body: { metadata: { name: 'z' } } },
      400,
      /name of the object \(z\)/,
    ],
    [
      'an eviction',
      { method: 'POST', path: `${pod}/eviction`, body: { metadata: { name: 'z' } } },
      400,
      /^name in URL/,
    ],
  ])('%s', async (_, asked, status, said) => {
    const [code, message] = await answerTo(asked)
    expect(code).toBe(status)
    if (typeof said === 'string') expect(message).toBe(said)
    else expect(message).toMatch(said)
  })

  test('is watched for in vain', async () => {
    const { status } = await server.call('GET', `/api/v1/watch/namespaces/default/pods/%2e%2e?timeoutSeconds=1`)
    expect(status).toBe(200)
  })
})

test('a version that is none is refused by the storage of events, which have no cache', async () => {
  const said = 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax'
  expect(await answerTo({ path: `${configMaps}/a?resourceVersion=-1` })).toEqual([500, said])
  const events = [400, `invalid resource version: ${said}`]
  expect(await answerTo({ path: `${core}/events/a?resourceVersion=-1` })).toEqual(events)
})

test('a watch whose time is over before it begins sends nothing', async () => {
  const { status, body } = await server.call('GET', `${configMaps}?watch=1&timeoutSeconds=-1`)
  expect([status, body.length]).toEqual([200, 0])
})

test('the type of a patch is looked at before how to answer', async () => {
  const headers = {
    'content-type': 'application/strategic-merge-patch+json',
    accept: 'application/json;as=No;g=a;v=v1',
  }
  expect((await answerTo({ method: 'PATCH', path: `${gadgets}/a`, body: {}, headers }))[0]).toBe(415)
})

test('a method that there is not is refused before a query that cannot be read', async () => {
  expect((await server.call('HEAD', `${configMaps}/a?;`)).status).toBe(405)
  expect((await server.call('GET', `${configMaps}/a?;`)).status).toBe(400)
})

test('a version that is no text is shown as Go shows it', async () => {
  const body = { kind: 'ConfigMap', apiVersion: '\u0000', metadata: { name: 'z' } }
  const [status, message] = await answerTo({ method: 'POST', path: configMaps, body })
  expect([status, message]).toEqual([400, expect.stringContaining('ConfigMap in version "\\x00" cannot be handled')])
})

describe('bodies', () => {
  test('of an update: the namespace is looked at before the name', async () => {
    const body = { metadata: { name: 'b', namespace: 'other' } }
    const said = 'the namespace of the provided object does not match the namespace sent on the request'
    expect(await answerTo({ method: 'PUT', path: `${configMaps}/missing`, body })).toEqual([400, said])
  })

  const scheme = 'in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
  const cases: readonly (readonly [string, number, RegExp | string])[] = [
    ['{"kind":"Status"}', 500, 'converting (v1.Status) to (v1.DeleteOptions): unknown conversion'],
    ['{"kind":"Pod"}', 500, `no kind "Pod" is registered for version "meta.k8s.io/v1" ${scheme}`],
    ['[]', 500, /^couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value/],
    ['null', 404, 'configmaps "missing" not found'],
  ]

  test('of a delete: YAML is JSON in other words', async () => {
    const headers = { 'content-type': 'application/yaml' }
    const asked = { method: 'DELETE', path: `${configMaps}/missing`, body: '- a', headers }
    expect((await answerTo(asked))[1]).toMatch(
      /^couldn't get version\/kind; json parse error: json: cannot unmarshal array/,
    )
  })

  test.each(cases)('of a delete: %s', async (body, status, said) => {
    const asked = { method: 'DELETE', path: `${configMaps}/missing`, body: Buffer.from(body) }
    const [code, message] = await answerTo(asked)
    expect(code).toBe(status)
    if (typeof said === 'string') expect(message).toBe(said)
    else expect(message).toMatch(said)
  })
})

describe('what the route refuses', () => {
  const endpoints = `${core}/endpoints/missing`

  test('a patch of another type is refused before the resource is said to be deprecated', async () => {
    const { status, headers } = await server.call('PATCH', endpoints, '{}', {
      'content-type': 'application/json',
      'content-length': '2',
    })
    expect([status, headers['warning']]).toEqual([415, undefined])
    const found = await server.call('PATCH', endpoints, '{}', { 'content-type': 'application/merge-patch+json' })
    expect([found.status, found.headers['warning']]).toEqual([404, expect.stringContaining('deprecated')])
  })

  test('a write of undeclared length whose answer cannot be produced is 415', async () => {
    const headers = { accept: 'text/html' }
    expect(await answerTo({ method: 'PUT', path: `${configMaps}/a`, body: {}, headers })).toEqual([
      415,
      expect.stringMatching(/^415: Unsupported Media Type\n\nAvailable representations: application\/json/),
    ])
    const sized = { ...headers, 'content-length': '2' }
    expect((await answerTo({ method: 'PUT', path: `${configMaps}/a`, body: {}, headers: sized }))[0]).toBe(406)
  })
})

describe('kinds in the reference’s words', () => {
  test.each([
    [`${configMaps}`, { kind: 'A\n', apiVersion: 'v1' }, /no kind "A\\n" is registered for version "v1"/],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      { kind: 'Status', apiVersion: 'v1' },
      /converting \(v1\.Status\) to \(core\.Event\)/,
    ],
  ])('%s %j', async (path, body, said) => {
    const [status, message] = await answerTo({ method: 'POST', path, body })
    expect(status).toBe(400)
    expect(message).toMatch(said)
  })
})

test('a status update keeps the generation of a daemon set’s template', async () => {
  const path = '/apis/apps/v1/namespaces/default/daemonsets'
  const labels = { app: 'a' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
  await server.call('POST', path, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } })
  const answer = await server.call('PUT', `${path}/d/status`, { metadata: { name: 'd' } })
  expect(answer.json().metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' })
})

test('the deletion of a collection of jobs warns once, whether or not there are any', async () => {
  const { headers } = await server.call('DELETE', '/apis/batch/v1/namespaces/default/jobs')
  expect([headers['warning']].flat()).toEqual([expect.stringContaining('child pods are preserved by default')])
})

describe('the owner of replicas still has them after a scale that changes nothing', () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } }
  test.each([
    ['v1', 'ReplicationController', { app: 'a' }],
    ['apps/v1', 'ReplicaSet', { matchLabels: { app: 'a' } }],
    ['apps/v1', 'Deployment', { matchLabels: { app: 'a' } }],
    ['apps/v1', 'StatefulSet', { matchLabels: { app: 'a' } }],
  ])('%s %s', async (apiVersion, kind, selector) => {
    const prefix = apiVersion === 'v1' ? '/api' : '/apis'
    const all = `${prefix}/${apiVersion}/namespaces/default/${kind.toLowerCase()}s`
    const object = { apiVersion, kind, metadata: { name: 'scaled' }, spec: { selector, template } }
    await server.call('POST', `${all}?fieldManager=maker`, object)
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect((await server.call('PATCH', `${all}/scaled/scale?fieldManager=scaler`, {}, headers)).status).toBe(200)
    const { metadata } = (await server.call('GET', `${all}/scaled`)).json()
    const owners: Json[] = metadata.managedFields.filter(({ fieldsV1 }: Json) => 'f:replicas' in fieldsV1['f:spec'])
    expect(owners.map(({ manager }) => manager)).toEqual(['maker'])
  })
})
