import { describe, expect, it } from 'vitest'
import { kindsOf } from '../api/discovery.ts'
import { warningsOf } from '../api/http.ts'
import { resolve } from '../api/openapi.ts'
import { jsonLines } from './json-lines.ts'
import { matchKeys, nameOf } from './keys.ts'
import { referencesOf } from './relations.ts'
import { href, parseAddress } from './router.ts'
import { fieldSelectorError, labelSelectorError, selectorText, selects } from './selectors.ts'
import { age, bytes, duration } from './time.ts'
import { scrollFor, windowOf } from './virtual.ts'
import { setAt, without } from './without.ts'

describe('selectors', () => {
  it.each(['', 'a=b', 'a==b', 'a!=b', 'a', '!a', 'a in (b,c)', 'a notin (b), c=d', 'x.y/z=1'])(
    '“%s” is fine',
    (text) => {
      expect(labelSelectorError(text)).toBeUndefined()
    },
  )
  it.each(['=b', 'a b', 'a in b', '<b>=1', 'a=b=c d', 'a=<b>', 'a in (<b>)'])('“%s” is not', (text) => {
    expect(labelSelectorError(text)).toBeDefined()
  })
  it.each([
    ['status.phase=Running', true],
    ['metadata.name!=a', true],
    ['a', false],
    ['a>1', false],
  ])('field selector “%s”: %s', (text, fine) => {
    expect(fieldSelectorError(text) === undefined).toBe(fine)
  })
  it.each([
    [{ matchLabels: { a: '1' } }, true, 'a=1'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, true, 'a in (1,2)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false, 'a notin (1)'],
    [{ matchExpressions: [{ key: 'b', operator: 'DoesNotExist' }] }, true, '!b'],
    [{ matchExpressions: [{ key: 'b', operator: 'Exists' }] }, false, 'b'],
    [{ matchLabels: { constructor: '1' } }, false, 'constructor=1'],
  ])('%j selects: %s', (selector, wanted, text) => {
    expect(selects(selector, { a: '1' })).toBe(wanted)
    expect(selectorText(selector)).toBe(text)
  })
})

describe('the rows in sight', () => {
  it.each([
    [{ top: 0, height: 280, rowHeight: 28, count: 100 }, [0, 18]],
    [{ top: 2800, height: 280, rowHeight: 28, count: 1000 }, [92, 118]],
    [{ top: 5000, height: 280, rowHeight: 28, count: 3 }, [2, 3]],
    [{ top: 0, height: 280, rowHeight: 28, count: 0 }, [0, 0]],
  ])('of %j', (viewport, wanted) => {
    expect(windowOf(viewport)).toEqual(wanted)
  })
  it('are scrolled to as far as is needed', () => {
    const viewport = { top: 280, height: 280, rowHeight: 28, count: 100 }
    expect([0, 12, 30].map((index) => scrollFor(index, viewport, 28))).toEqual([0, undefined, 616])
  })
})

describe('addresses', () => {
  it('keep names with any characters', () => {
    const name = 'system:node/<b>?&#%'
    const { path, query } = parseAddress(href(['o', name], { q: 'a=b&c' }))
    expect({ path, query }).toEqual({ path: ['o', name], query: { q: 'a=b&c' } })
  })
  it('have texts in the fragment, but never a code', () => {
    expect(parseAddress('/console/a?b=c#text=x%0Ay&code=secret')).toEqual({
      path: ['a'],
      query: { b: 'c' },
      texts: { text: 'x\ny' },
    })
  })
  it('that are malformed do not throw', () => {
    expect(parseAddress('/console/o/%zz').path).toEqual(['o', '%zz'])
  })
})

describe('keys', () => {
  const all = [
    { keys: 'g p', title: '', run: () => {} },
    { keys: 'j', title: '', run: () => {} },
  ]
  it.each([
    ['g', { pending: true }],
    ['g p', { run: all[0], pending: false }],
    ['j', { run: all[1], pending: false }],
    ['x', { pending: false }],
  ])('%s', (pressed, wanted) => {
    expect(matchKeys(pressed, all)).toEqual(wanted)
  })
  it('Control and Command are one', () => {
    const press = { altKey: false, key: 'K', ctrlKey: false, metaKey: false }
    expect([nameOf({ ...press, ctrlKey: true }), nameOf({ ...press, metaKey: true }), nameOf(press)]).toEqual([
      'mod+k',
      'mod+k',
      'K',
    ])
  })
})

it('lines of JSON may be split anywhere, within characters too', async () => {
  const encoded = new TextEncoder().encode('{"a":"é"}\n{"a":2}\n\n{"a":3}')
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of encoded) controller.enqueue(new Uint8Array([byte]))
      controller.close()
    },
  })
  const found: unknown[] = []
  for await (const lines of jsonLines(stream)) for (const line of lines) found.push(line)
  expect(found).toEqual([{ a: 'é' }, { a: 2 }, { a: 3 }])
})

it.each([
  [90_000, '90s'],
  [125_000, '2m5s'],
  [3 * 3_600_000, '3h'],
  [50 * 3_600_000, '2d2h'],
  [-5, '0s'],
])('%i ms are %s', (ms, wanted) => {
  expect(age(ms)).toBe(wanted)
})

it('sizes and durations are short', () => {
  expect([bytes(10), bytes(2048), bytes(50 * 2 ** 20), duration(0.05), duration(3.14), duration(1500)]).toEqual([
    '10 B',
    '2.0 KiB',
    '50 MiB',
    '50 µs',
    '3.1 ms',
    '1.5 s',
  ])
})

it('warnings are read from their header', () => {
  expect(warningsOf('299 - "a \\"b\\"", 299 - "c, d"')).toEqual(['a "b"', 'c, d'])
  expect(warningsOf(null)).toEqual([])
})

it('a reference in a schema may have words of its own', () => {
  const schemas = { Target: { type: 'object', description: 'theirs' } }
  const schema = { allOf: [{ $ref: '#/components/schemas/Target' }], description: 'ours' }
  expect(resolve(schema, schemas)).toEqual({ type: 'object', description: 'ours' })
})

it('the first version that a group names is the preferred one of a resource', () => {
  const resources = [{ resource: 'things', scope: 'Namespaced', verbs: ['list'], responseKind: { kind: 'Thing' } }]
  const found = kindsOf({
    items: [
      {
        metadata: { name: 'g' },
        versions: [
          { version: 'v2', resources },
          { version: 'v1', resources },
        ],
      },
    ],
  })
  expect(found.map(({ version, preferred }) => [version, preferred])).toEqual([
    ['v2', true],
    ['v1', false],
  ])
})

it('fields are taken away with what is empty then', () => {
  expect(without({ a: { b: 1 }, c: [{ d: 1, e: 2 }] }, ['a', 'b'])).toEqual({ c: [{ d: 1, e: 2 }] })
  expect(without({ c: [{ d: 1, e: 2 }] }, ['c', 0, 'd'])).toEqual({ c: [{ e: 2 }] })
  expect(setAt({ a: [{ b: 1 }] }, ['a', 0, 'b'], 2)).toEqual({ a: [{ b: 2 }] })
})

it('a pod refers to what it mounts, reads and runs on, each once', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'n' },
    spec: {
      nodeName: 'node-1',
      volumes: [
        { configMap: { name: 'c' } },
        { persistentVolumeClaim: { claimName: 'p' } },
        { configMap: { name: 'c' } },
      ],
      containers: [{ env: [{ valueFrom: { secretKeyRef: { name: 's' } } }], envFrom: 'not a list' }],
    },
  }
  expect(referencesOf(pod).map(({ relation, kind, name }) => `${relation} ${kind} ${name}`)).toEqual([
    'runs on Node node-1',
    'mounts ConfigMap c',
    'mounts PersistentVolumeClaim p',
    'reads Secret s',
  ])
})
