import { expect, it } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import { objectPatch } from './object-patch.ts'

it.each<[string, JsonValue, JsonValue, object[]]>([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['a new member', { a: {} }, { a: { b: 1 } }, [{ op: 'add', path: '/a/b', value: 1 }]],
  ['a lost member', { a: { b: 1 } }, { a: {} }, [{ op: 'remove', path: '/a/b' }]],
  ['another value', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
  ['a list', { a: [1, 2] }, { a: [1] }, [{ op: 'replace', path: '/a', value: [1] }]],
  ['odd keys', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
  ['a value that became an object', { a: 1 }, { a: { b: 1 } }, [{ op: 'replace', path: '/a', value: { b: 1 } }]],
])('of %s', (_, from, to, steps) => expect(objectPatch(from, to)).toEqual(steps))
