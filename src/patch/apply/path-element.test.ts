import { describe, expect, it, test } from 'vitest'
import {
  compareElements,
  decodeElement,
  encodeElement,
  fieldElement,
  formatElement,
  indexElement,
  keyElement,
  PathElementError,
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
