// What is masked, and what must not be.

import { encode } from 'cborg'
import { expect, it } from 'vitest'
import { maskGenerated } from './generated-names.ts'
import type { Call } from './hook-server.ts'
import type { Json } from './json.ts'
import { type Mask, normalised, normalisedCalls, normalisedEvents } from './normalise.ts'

const mask: Mask = Object.assign((text: string) => text.replaceAll('d-1', '<name>'), { port: 40_001 })
const now = new Date().toISOString().replace(/\.\d+Z/, 'Z')
const answer = (body: Json, contentType = 'application/json') => ({
  status: 200,
  contentType,
  headers: {},
  warnings: [],
  body: Buffer.from(JSON.stringify(body)),
})
const bodyOf = (body: Json): Json => normalised(answer(body), mask).body

it.each<[string, Json, Json]>([
  ['versions', { metadata: { resourceVersion: '12' } }, { metadata: { resourceVersion: 'RV' } }],
  ['no version', { metadata: { resourceVersion: '0' } }, { metadata: { resourceVersion: '0' } }],
  ['uids', { uid: '0b7a4b0e-5a55-4b5c-8a5e-0a1b2c3d4e5f' }, { uid: 'UID' }],
  ['the present', { time: now }, { time: 'NOW' }],
  ['no other time', { time: '2024-01-01T00:00:00Z' }, { time: '2024-01-01T00:00:00Z' }],
  [
    'the present in Go, folded in YAML',
    { message: `time.Date(${new Date().getUTCFullYear()},\n  time.May, 6, 7, 8, 9, 0, time.UTC)` },
    { message: 'NOW' },
  ],
  [
    'bookmarks of chance',
    [
      { type: 'ADDED', object: {} },
      { type: 'BOOKMARK', object: { kind: 'Pod' } },
      { type: 'DELETED', object: {} },
    ],
    [
      { type: 'ADDED', object: {} },
      { type: 'DELETED', object: {} },
    ],
  ],
  [
    'a single event beside them',
    [
      { type: 'ADDED', object: {} },
      { type: 'BOOKMARK', object: {} },
    ],
    { type: 'ADDED', object: {} },
  ],
  [
    'no bookmark that ends the initial events',
    { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
  ],
  ['allocated ports', { nodePort: 30_001 }, { nodePort: 'NODEPORT' }],
  [
    'allocated ports in causes',
    { field: 'spec.ports[1].nodePort', message: 'Duplicate value: 30879' },
    { field: 'spec.ports[1].nodePort', message: 'Duplicate value: NODEPORT' },
  ],
  [
    'no other duplicates',
    { field: 'spec.ports[1].port', message: 'Duplicate value: 30879' },
    { field: 'spec.ports[1].port', message: 'Duplicate value: 30879' },
  ],
  ['folds around pointers', { message: 'a:\n  (0xc000123456)\n  b' }, { message: 'a: POINTER b' }],
  ['folds alone', { message: 'a:\n  b' }, { message: 'a:\n  b' }],
  [
    'allocated ports with their protocol',
    { message: 'duplicate nodePort: {TCP 31686}' },
    { message: 'duplicate nodePort: {TCP NODEPORT}' },
  ],
  ['allocated ports in Go', { message: 'map[nodePort:31686 port:80]' }, { message: 'map[nodePort:NODEPORT port:80]' }],
  ['no port that was asked for', { nodePort: 80, port: 30_001 }, { nodePort: 80, port: 30_001 }],
  ['the port of the hooks', { port: 40_001 }, { port: 'PORT' }],
  ['names of the execution', { name: 'd-1-x' }, { name: '<name>-x' }],
  ['generated names', { generateName: 'a-', name: 'a-bcdfg' }, { generateName: 'a-', name: 'a-RANDOM' }],
  [
    'generated names that are cut off',
    { generateName: 'a'.repeat(60), name: `${'a'.repeat(58)}bcdfg` },
    { generateName: 'a'.repeat(60), name: `${'a'.repeat(58)}RANDOM` },
  ],
  [
    'generated names that are cut off within a character',
    { generateName: `${'a'.repeat(57)}ä`, name: `${'a'.repeat(57)}\uFFFDbcdfg` },
    { generateName: `${'a'.repeat(57)}ä`, name: `${'a'.repeat(57)}\uFFFDRANDOM` },
  ],
  [
    'generated names with names of the execution',
    { generateName: `d-1${'a'.repeat(60)}`, name: `d-1${'a'.repeat(55)}bcdfg` },
    { generateName: `<name>${'a'.repeat(60)}`, name: `<name>${'a'.repeat(55)}RANDOM` },
  ],
  ['no name that only looks so', { generateName: 'a-', name: 'a-bcdfgh' }, { generateName: 'a-', name: 'a-bcdfgh' }],
  ['tokens of pages', { metadata: { continue: 'abc' } }, { metadata: { continue: 'TOKEN' } }],
  ['no page’s end', { metadata: { continue: '' } }, { metadata: { continue: '' } }],
  [
    'the oldest version, not the one asked for',
    { message: 'too old resource version: 1 (2345)' },
    { message: 'too old resource version: 1 (RV)' },
  ],
  [
    'the version that a precondition met',
    { message: 'ResourceVersion in precondition: ä, ResourceVersion in object meta: 77' },
    { message: 'ResourceVersion in precondition: ä, ResourceVersion in object meta: RV' },
  ],
  ['types of rules', { message: 'selfType123.a' }, { message: 'selfType.a' }],
])('masks %s', (_, body, expected) => {
  expect(bodyOf(body)).toEqual(expected)
})

it.each<[string, string, string, string]>([
  ['a name', 'a-', 'pods "a-bcdfg" is forbidden', 'pods "a-RANDOM" is forbidden'],
  ['every time', 'a-', 'a-bcdfg, a-24567', 'a-RANDOM, a-RANDOM'],
  ['a name that is cut off', 'a'.repeat(60), `"${'a'.repeat(58)}bcdfg"`, `"${'a'.repeat(58)}RANDOM"`],
  ['a name of this execution', `d-1${'a'.repeat(60)}`, `d-1${'a'.repeat(55)}bcdfg`, `<name>${'a'.repeat(55)}RANDOM`],
  ['a prefix that is no pattern', 'a.(', 'a.(bcdfg abcbcdfg', 'a.(RANDOM abcbcdfg'],
  [
    'half a character, as Go quotes it',
    `${'a'.repeat(57)}ä`,
    `${'a'.repeat(57)}\\xc3bcdfg`,
    `${'a'.repeat(57)}\\xc3RANDOM`,
  ],
  ['no longer name', 'a-', 'a-bcdfgh', 'a-bcdfgh'],
  ['no other letters', 'a-', 'a-aeiou', 'a-aeiou'],
  ['no other prefix', 'a-', 'b-bcdfg', 'b-bcdfg'],
  ['no number', '1', '1bcdfg 124567', '1RANDOM 124567'],
])('hides %s in the answers to a request with generateName', (_, generateName, message, expected) => {
  const masked = maskGenerated(generateName, mask)
  expect(normalised(answer({ message }), masked).body).toEqual({ message: expected })
  expect(masked.port).toBe(mask.port)
})

it('takes errors of several fields in any order, and no other list', () => {
  const status = (message: string, causes: Json): Json => ({ kind: 'Status', message, details: { causes } })
  const [a, b] = [
    { field: 'a', message: 'x' },
    { message: 'y', field: 'b' },
  ]
  expect(bodyOf(status('P is invalid: [b: y, .s.a: z, a: x]', []))).toEqual(
    bodyOf(status('P is invalid: [a: x, b: y, .s.a: z]', [])),
  )
  expect(bodyOf(status('P is invalid: [b: y, a: x]', [b, a]))).toEqual(
    bodyOf(status('P is invalid: [a: x, b: y]', [a, b])),
  )
  expect(bodyOf({ items: [a, b] })).not.toEqual(bodyOf({ items: [b, a] }))
})

it('keeps the layout and the headers that clients act on', () => {
  const { layout, headers } = normalised(
    { ...answer({}), headers: { 'retry-after': '1', date: 'x' }, body: Buffer.from('{\n  "a": 1\n}\n') },
    mask,
  )
  expect([layout, headers]).toEqual(['indented, newline', { 'retry-after': '1' }])
})

it('reads CBOR, whose strings are bytes, and sequences of it', () => {
  const item = Buffer.concat([
    Buffer.from('d9d9f7', 'hex'),
    encode(new Map([[Buffer.from('kind'), Buffer.from('Pod')]])),
  ])
  const read = (body: Buffer): Json => normalised({ ...answer({}, 'application/cbor'), body }, mask).body
  expect(read(item)).toEqual({ kind: 'Pod' })
  expect(read(Buffer.concat([item, item]))).toEqual([{ kind: 'Pod' }, { kind: 'Pod' }])
})

it('reads the messages of a WebSocket one by one', () => {
  const frames = ['{"type":"ADDED"}', '{"type":"DELETED"}'].map((text) => Buffer.from(text).toString('hex'))
  expect(normalised(answer(frames, 'websocket application/json'), mask).body).toEqual([
    { type: 'ADDED' },
    { type: 'DELETED' },
  ])
})

const call = (hook: string, body: Json): Call => ({
  hook,
  method: 'POST',
  path: `/${hook}`,
  headers: { host: 'x', accept: 'application/json' },
  body: JSON.stringify(body),
})

it('keeps the order of mutating webhooks, and of no others', () => {
  const [m0, m1, v0, v1] = ['m0', 'm1', 'v0', 'v1'].map((hook) => call(hook, {})) as [Call, Call, Call, Call]
  expect(normalisedCalls([m1, m0], mask)).not.toEqual(normalisedCalls([m0, m1], mask))
  expect(normalisedCalls([v1, v0], mask)).toEqual(normalisedCalls([v0, v1], mask))
  expect(normalisedCalls([call('sentinel', {}), call('c', {})], mask)).toEqual([])
})

it('takes the last event of a request, without its times and its client’s address', () => {
  const event = { stage: 'ResponseComplete', stageTimestamp: now, sourceIPs: ['::1'], verb: 'get' }
  const slow = { ...event, sourceIPs: ['127.0.0.1'], annotations: { 'apiserver.latency.k8s.io/total': '5s' } }
  const received = { stage: 'RequestReceived' }
  expect(normalisedEvents([received, event], mask)).toEqual(normalisedEvents([slow, received], mask))
  expect(normalisedEvents([{ ...event, verb: 'list' }], mask)).not.toEqual(normalisedEvents([event], mask))
})

it('keeps the order of webhooks, and not how many others there were', () => {
  const event = (first: number, second: number, last = 'b') => ({
    stage: 'ResponseComplete',
    annotations: {
      [`patch.webhook.admission.k8s.io/round_0_index_${second}`]: last,
      [`patch.webhook.admission.k8s.io/round_0_index_${first}`]: 'a',
      [`mutation.webhook.admission.k8s.io/round_1_index_${second}`]: 'c',
    },
  })
  const [own] = normalisedEvents([event(0, 1)], mask) as [{ annotations: object }]
  expect(Object.keys(own.annotations).sort()).toEqual([
    'mutation.webhook.admission.k8s.io/round_1_index_0',
    'patch.webhook.admission.k8s.io/round_0_index_0',
    'patch.webhook.admission.k8s.io/round_0_index_1',
  ])
  expect(normalisedEvents([event(9, 11)], mask)).toEqual([own])
  expect(normalisedEvents([event(11, 9)], mask)).not.toEqual([own])
  expect(normalisedEvents([event(9, 11, 'x')], mask)).not.toEqual([own])
})

it('leaves out what a server writes for itself', () => {
  const call = (username: string): Call => ({
    hook: 'm0',
    method: 'POST',
    path: '/m0',
    headers: {},
    body: JSON.stringify({ request: { userInfo: { username } } }),
  })
  expect(normalisedCalls([call('system:apiserver'), call('admin')], mask)).toHaveLength(1)
})

it('takes errors that differ in pointers alone for one', () => {
  const status = (errors: string) => answer({ kind: 'Status', message: `P "a" is invalid: [${errors}]` })
  const once = 'a.b: Invalid value: 1: no, spec: Invalid value: field.Path{parent:(*field.Path)(0xc000123456)}: no'
  const twice = `${once}, spec: Invalid value: field.Path{parent:(*field.Path)(0x643918d99ddf)}: no`
  const [first, second] = [once, twice].map((errors) => normalised(status(errors), mask).body)
  expect(first).toEqual(second)
})

it('masks allocated ports in Protobuf: of a service’s ports, and of its health checks', () => {
  // Field 3 is text, which tells that the rest is no text itself; the numbers are 32,337, 31,525 and 8080.
  const message = Buffer.from([0x1a, 0x01, 0x61, 0x28, 0xd1, 0xfc, 0x01, 0x60, 0xa5, 0xf6, 0x01, 0x08, 0x90, 0x3f])
  const envelope = Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, message.length]), message])
  const contentType = 'application/vnd.kubernetes.protobuf'
  const { body } = normalised({ status: 200, contentType, headers: {}, warnings: [], body: envelope }, mask)
  expect(JSON.stringify(body)).toContain('{"5":"NODEPORT"},{"12":"NODEPORT"},{"1":"8080"}')
})

it('sorts the causes of a Status and the rules of a review in Protobuf, and nothing else', () => {
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  const text = (number: number, value: string): Buffer => field(number, Buffer.from(value))
  const cause = (path: string): Buffer => field(4, text(3, path))
  const body = (kind: string, ...causes: Buffer[]): Json => {
    const type = field(1, Buffer.concat([text(1, 'v1'), text(2, kind)]))
    const list = field(kind === 'SelfSubjectRulesReview' ? 3 : 5, Buffer.concat(causes))
    const envelope = Buffer.concat([Buffer.from('k8s\0'), type, field(2, list)])
    const contentType = 'application/vnd.kubernetes.protobuf'
    return normalised({ status: 422, contentType, headers: {}, warnings: [], body: envelope }, mask).body
  }
  expect(body('Status', cause('a'), cause('b'))).toEqual(body('Status', cause('b'), cause('a')))
  expect(body('Status', cause('a'), cause('b'))).not.toEqual(body('Status', cause('b'), cause('b')))
  const review = 'SelfSubjectRulesReview'
  expect(body(review, cause('a'), cause('b'))).toEqual(body(review, cause('b'), cause('a')))
  expect(body(review, cause('a'), cause('b'))).not.toEqual(body(review, cause('b'), cause('b')))
  expect(body('Pod', cause('a'), cause('b'))).not.toEqual(body('Pod', cause('b'), cause('a')))
})

it('masks the numbers of free type variables, which come in the order of a Go map', () => {
  const found = (type: string): Json =>
    normalised(
      {
        status: 422,
        contentType: 'application/json',
        headers: {},
        warnings: [],
        body: Buffer.from(JSON.stringify({ message: `found 'optional_type(${type})'` })),
      },
      mask,
    ).body
  expect(found('_var4')).toEqual(found('_var5'))
  expect(found('_var4')).not.toEqual(found('dyn'))
})

it('leaves out the groups that other cases make, in Protobuf, too', () => {
  const field = (number: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.of(number * 8 + 2, content.length), content])
  const index = (...groups: string[]): Json => {
    const kind = field(1, Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('APIGroupList'))]))
    const list = groups.map((name) => field(1, field(1, Buffer.from(name))))
    const body = Buffer.concat([Buffer.from('k8s\u0000'), kind, field(2, Buffer.concat(list))])
    return normalised(
      { status: 200, contentType: 'application/vnd.kubernetes.protobuf', headers: {}, warnings: [], body },
      mask,
    ).body
  }
  expect(index('apps', 'a1.example.com', 'batch')).toEqual(index('apps', 'batch'))
  expect(index('apps', 'batch')).not.toEqual(index('apps', 'policy'))
})

it('leaves out the groups that other cases make, in YAML, too', () => {
  const index = (...groups: string[]): Json =>
    normalised(
      {
        status: 200,
        contentType: 'application/yaml',
        headers: {},
        warnings: [],
        body: Buffer.from(
          `apiVersion: v1\ngroups:\n${groups.map((name) => `- name: ${name}\n  versions:\n  - version: v1\n`).join('')}kind: APIGroupList\n`,
        ),
      },
      mask,
    ).body
  expect(index('apps', 'a1.example.com')).toEqual(index('apps'))
  expect(index('apps', 'batch')).not.toEqual(index('apps'))
})
