import { describe, expect, it, test } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import {
  compareElements,
  decodeElement,
  encodeElement,
  fieldElement,
  formatElement,
  indexElement,
  keyElement,
  PathElementError,
  singleKeyElement,
  valueElement,
} from './path-element.ts'

describe('texts', () => {
  const cases: [string, ReturnType<typeof fieldElement>, string][] = [
    ['f:name', fieldElement('name'), '.name'],
    ['f:example.com/a', fieldElement('example.com/a'), '.example.com/a'],
    ['f:', fieldElement(''), '.'],
    ['f:__proto__', fieldElement('__proto__'), '.__proto__'],
    ['i:3', indexElement(3), '[3]'],
    ['v:"a\\"b"', valueElement('a"b'), '[="a\\"b"]'],
    ['v:1', valueElement(1), '[=1]'],
    ['v:1.5', valueElement(1.5), '[=1.5]'],
    ['v:true', valueElement(true), '[=true]'],
    ['v:null', valueElement(null), '[=null]'],
    ['v:9007199254740993', valueElement(9007199254740993n), '[=9007199254740993]'],
    ['v:"\\u003ca\\u0026b\\u003e"', valueElement('<a&b>'), '[="<a&b>"]'],
    ['k:{"name":"c"}', keyElement([{ name: 'name', value: 'c' }]), '[name="c"]'],
    [
      'k:{"containerPort":80,"protocol":"TCP"}',
      keyElement([
        { name: 'protocol', value: 'TCP' },
        { name: 'containerPort', value: 80 },
      ]),
      '[containerPort=80,protocol="TCP"]',
    ],
  ]
  it.each(cases)('%s', (encoded, element, formatted) => {
    expect(encodeElement(element)).toBe(encoded)
    expect(formatElement(element)).toBe(formatted)
    expect(compareElements(decodeElement(encoded)!, element)).toBe(0)
  })

  it('reads a key in any order and with spaces', () => {
    expect(encodeElement(decodeElement('k: {"b": 1, "a": "x"}')!)).toBe('k:{"a":"x","b":1}')
  })

  it('skips kinds that it does not know', () => {
    expect(decodeElement('z:future')).toBeUndefined()
  })

  it.each(['', 'f', 'data', 'i:x', 'k:[1]', 'k:{', 'v:', 'v:nope'])('refuses %j', (text) => {
    expect(() => decodeElement(text)).toThrow(PathElementError)
  })
})

test('fields come before keys before values before indices; numbers sort as numbers', () => {
  const port = (value: number) => keyElement([{ name: 'port', value }])
  const ordered = [
    fieldElement('a'),
    fieldElement('b'),
    port(9),
    port(80),
    port(443),
    keyElement([{ name: 'port', value: '443' }]),
    keyElement([
      { name: 'port', value: '443' },
      { name: 'x', value: 1 },
    ]),
    valueElement(2),
    valueElement(10),
    valueElement('10'),
    valueElement('2'),
    valueElement(false),
    valueElement(true),
    valueElement(null),
    indexElement(2),
    indexElement(10),
  ]
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) expect(Math.sign(compareElements(a, b))).toBe(Math.sign(i - j))
  }
})

describe('what is no element', () => {
  it.each([
    ['', 'key must be 2 characters long:'],
    ['f', 'key must be 2 characters long:'],
    ['data', 'missing colon: data'],
    ['i:x', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['i:', 'strconv.Atoi: parsing "": invalid syntax'],
    ['i:1.5', 'strconv.Atoi: parsing "1.5": invalid syntax'],
    ['k:[1]', 'expect { or n, but found ['],
    ['k:null', 'expect { or n, but found n'],
    ['k:1', 'expect { or n, but found 1'],
    ['k:{', 'invalid JSON in path element: {'],
    ['v:', 'invalid JSON in path element: '],
    ['v:nope', 'invalid JSON in path element: nope'],
  ])('%j', (text, message) => {
    expect(() => decodeElement(text)).toThrow(new PathElementError(message))
  })
})

describe('the parts of a key', () => {
  const key = (parts: Record<string, JsonValue>) =>
    keyElement(Object.entries(parts).map(([name, value]) => ({ name, value })))

  it.each<[string, Record<string, JsonValue>, string, string]>([
    ['in order', { a: 1, b: 2 }, 'k:{"a":1,"b":2}', '[a=1,b=2]'],
    ['out of order', { b: 2, a: 1 }, 'k:{"a":1,"b":2}', '[a=1,b=2]'],
    ['out of order behind some in order', { b: 2, c: 3, a: 1 }, 'k:{"a":1,"b":2,"c":3}', '[a=1,b=2,c=3]'],
    ['that are texts to escape', { a: '<&>' }, 'k:{"a":"\\u003c\\u0026\\u003e"}', '[a="<&>"]'],
    ['that are lines to escape', { a: '\u2028\u2029' }, 'k:{"a":"\\u2028\\u2029"}', '[a="\\u2028\\u2029"]'],
    ['that are lists', { a: ['x', 1] }, 'k:{"a":["x",1]}', '[a=["x",1]]'],
    ['that are maps', { a: { b: 'x', c: null } }, 'k:{"a":{"b":"x","c":null}}', '[a=b="x"c=null]'],
    ['that are null', { a: null }, 'k:{"a":null}', '[a=null]'],
    ['that are large integers', { a: 2n ** 60n }, 'k:{"a":1152921504606846976}', '[a=1152921504606846976]'],
  ])('%s', (_, parts, encoded, formatted) => {
    expect([encodeElement(key(parts)), formatElement(key(parts))]).toEqual([encoded, formatted])
  })

  it.each([
    ['k:{"a":9007199254740993}', 9007199254740993n],
    ['k:{"a":-9007199254740993}', -9007199254740993n],
    ['k:{"a":1234567890123456}', 1234567890123456],
    ['k:{"a":"1234567890123456789"}', '1234567890123456789'],
    ['k:{"a":1234567890123456.5}', 1234567890123456.5],
  ])('of %s are exact', (text, value) => {
    expect(decodeElement(text)?.parts).toEqual([{ name: 'a', value }])
  })

  it('have an order of their own: numbers, texts, booleans, others by their text, null', () => {
    const values: JsonValue[] = [-1, 2, 10, 2n ** 60n, 'a', 'b', false, true, ['a'], ['b'], { a: 1 }, null]
    const elements = values.map((value) => key({ a: value }))
    for (const [i, a] of elements.entries()) {
      for (const [j, b] of elements.entries()) {
        const order = Math.sign(compareElements(a, b))
        expect(order + Math.sign(compareElements(b, a))).toBe(0)
        if (i !== 10 && j !== 10) expect([i, j, order]).toEqual([i, j, Math.sign(i - j)])
      }
    }
    const longer = key({ a: 1, b: 1 })
    expect([compareElements(key({ a: 1 }), longer), compareElements(longer, key({ a: 1 }))].map(Math.sign)).toEqual([
      -1, 1,
    ])
    expect(Math.sign(compareElements(key({ b: 0 }), key({ a: 1 })))).toBe(1)
  })
})

describe('elements that were made before', () => {
  it('are the same objects', () => {
    const one = () => [
      fieldElement('same'),
      keyElement([{ name: 'n', value: 'same' }]),
      singleKeyElement('n', 'same'),
      singleKeyElement('n', 7),
      valueElement('same'),
      decodeElement('v:"same"'),
    ]
    // All may be forgotten between two looks, but not between two others.
    const looks = [one(), one(), one()] as const
    const isSame = looks[0].map((_, i) => looks[0][i] === looks[1][i] || looks[1][i] === looks[2][i])
    expect(isSame).toEqual(isSame.map(() => true))
    expect(compareElements(singleKeyElement('n', 'same'), keyElement([{ name: 'n', value: 'same' }]))).toBe(0)
    expect(encodeElement(singleKeyElement('n', 7))).toBe('k:{"n":7}')
  })

  it('are right however many there are', () => {
    for (let i = 0; i < 5_000; i++) expect(fieldElement(`f${i}`).text).toBe(`f${i}`)
    for (let i = 0; i < 600; i++) expect(singleKeyElement(`k${i}`, 'x').text).toBe(`{"k${i}":"x"}`)
    expect([fieldElement('f0').text, singleKeyElement('k0', 'y').text]).toEqual(['f0', '{"k0":"y"}'])
    const long = 'x'.repeat(500)
    expect([fieldElement(long).text, fieldElement(long) === fieldElement(long.slice(0, 128))]).toEqual([long, false])
  })
})
