/**
 * Whatever narrows a request and cannot be read refuses it: no unreadable option makes a request do more than it would
 * with that option valid.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
const path = '/api/v1/namespaces/default/configmaps'
const kept = { metadata: { name: 'kept', labels: { app: 'kept' }, finalizers: ['example.com/held'] }, data: { a: '1' } }

beforeAll(async () => {
  server = await startTestServer()
  expect((await server.call('POST', path, kept)).status).toBe(201)
})
afterAll(() => server.close())

/** The one object, as it is now: its version tells whether anything happened to it. */
async function version(): Promise<string> {
  const items = (await server.call('GET', path)).json().items as {
    metadata: { name: string; resourceVersion: string }
  }[]
  return items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).join(' ')
}

/** Percent-encoded, and never readable: a broken escape, a semicolon, or bytes that are not UTF-8. */
const unreadable = fc
  .tuple(
    fc.string({ maxLength: 6 }).map(encodeURIComponent),
    fc.constantFrom('%ff', '%zz', '%', '%4', ';', '%c3%28', '%ed%a0%80', '%f5', '%00%ff'),
    fc.string({ maxLength: 6 }).map(encodeURIComponent),
  )
  .map((parts) => parts.join(''))
  // `%4` with a digit behind it is an escape.
  .filter((text) => text.includes(';') || !isReadable(text))

function isReadable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

async function holds(property: (value: string) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(unreadable, property), { numRuns: 25 })
}

const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 600
const outcome = (answer: Answer): string =>
  isRefused(answer) ? 'refused' : `${answer.status} ${answer.body.toString()}`

const selective = ['labelSelector', 'fieldSelector', 'continue', 'limit', 'resourceVersion', 'resourceVersionMatch']

test.each([...selective, 'timeoutSeconds', 'timeout', 'sendInitialEvents'])('list with an unreadable %s', (name) =>
  holds(async (value) => {
    expect(await server.call('GET', `${path}?${name}=${value}`).then(outcome)).toBe('refused')
  }),
)

test.each([...selective, 'dryRun', 'propagationPolicy', 'gracePeriodSeconds', 'timeout'])(
  'deletecollection with an unreadable %s',
  (name) =>
    holds(async (value) => {
      const before = await version()
      expect(await server.call('DELETE', `${path}?${name}=${value}`).then(outcome)).toBe('refused')
      expect(await version()).toBe(before)
    }),
)

test.each(['metadata.name', 'metadata.namespace'])('a field selector of %s with an unreadable value', (field) =>
  holds(async (value) => {
    const before = await version()
    const answer = await server.call('DELETE', `${path}?fieldSelector=${field}%3D${value}`)
    expect(isRefused(answer) || answer.json().items.length === 0).toBe(true)
    expect(await version()).toBe(before)
  }),
)

interface Write {
  readonly verb: string
  readonly method: string
  readonly target: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

const writes: readonly Write[] = [
  { verb: 'create', method: 'POST', target: path, body: { metadata: { generateName: 'new-' } } },
  { verb: 'update', method: 'PUT', target: `${path}/kept`, body: { ...kept, data: { a: '2' } } },
  {
    verb: 'patch',
    method: 'PATCH',
    target: `${path}/kept`,
    body: { data: { a: '2' } },
    headers: { 'content-type': 'application/merge-patch+json' },
  },
  { verb: 'delete', method: 'DELETE', target: `${path}/kept` },
]

const writeOptions = ['dryRun', 'fieldValidation', 'timeout']
const unreadableWrites = writes.flatMap((write) =>
  writeOptions
    .filter((name) => write.verb !== 'delete' || name !== 'fieldValidation')
    .map((name) => ({ ...write, name })),
)

test.each(unreadableWrites)('$verb with an unreadable $name', ({ name, method, target, body, headers }) =>
  holds(async (value) => {
    const before = await version()
    expect(await server.call(method, `${target}?${name}=${value}`, body, headers).then(outcome)).toBe('refused')
    expect(await version()).toBe(before)
  }),
)

/** As DeleteOptions in a body: every value is of a type or a content that the field cannot have. */
const badOptions: readonly (readonly [field: string, ...values: unknown[]])[] = [
  ['dryRun', 'All', {}, 1, true, ['x'], [1], [{}], [['All']], [null]],
  [
    'preconditions',
    'x',
    [],
    5,
    false,
    { uid: 5 },
    { uid: {} },
    { uid: 'x' },
    { resourceVersion: 5 },
    { resourceVersion: 'x' },
  ],
  ['propagationPolicy', 'x', {}, [], 5, true],
  ['gracePeriodSeconds', 'x', {}, [], 1.5, true, 1e30],
  ['orphanDependents', 'x', {}, [], 5],
  ['kind', 'x', 5, {}],
  ['apiVersion', 'a/b/c', 5, []],
]

test.each(badOptions.flatMap(([field, ...values]) => values.map((value) => [field, value] as const)))(
  'a body of delete options whose %s is %j',
  async (field, value) => {
    const before = await version()
    for (const type of ['application/json', 'application/yaml']) {
      for (const target of [path, `${path}/kept`]) {
        const answer = await server.call('DELETE', target, { [field]: value }, { 'content-type': type })
        expect(outcome(answer)).toBe('refused')
      }
    }
    expect(await version()).toBe(before)
  },
)

test('an impersonated name that is not UTF-8 is still somebody else', async () => {
  for (const name of ['\xff', 'a\xff', '\xc3\x28']) {
    const answer = await server.call('GET', path, undefined, { 'impersonate-user': name })
    expect(answer.status).toBe(403)
  }
  const withExtra = { 'impersonate-user': 'u', 'impersonate-extra-%ff': 'x' }
  expect((await server.call('GET', path, undefined, withExtra)).status).toBe(403)
})

test.each(['\xff', ';;;', 'application/json;as=Table;v=v1;g=\xff', 'application/json;as=X'])(
  'a media type %j that cannot be served',
  async (accept) => {
    const before = await version()
    expect((await server.call('DELETE', path, undefined, { accept })).status).toBe(406)
    expect(await version()).toBe(before)
  },
)
