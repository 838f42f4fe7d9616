import { describe, expect, test } from 'vitest'
import { Normaliser } from './normaliser.ts'

const uid = '01234567-89ab-cdef-0123-456789abcdef'
const other = 'fedcba98-7654-3210-fedc-ba9876543210'

describe('a value', () => {
  test.each<[string, unknown, unknown]>([
    [
      'uids are numbered by first sight',
      [{ uid }, { uid: other }, { uid }],
      [{ uid: '<uid:1>' }, { uid: '<uid:2>' }, { uid: '<uid:1>' }],
    ],
    [
      'versions, too',
      { a: { resourceVersion: '12' }, b: { resourceVersion: '13' } },
      { a: { resourceVersion: '<rv:1>' }, b: { resourceVersion: '<rv:2>' } },
    ],
    ['"0" is no version of a run', { resourceVersion: '0' }, { resourceVersion: '0' }],
    ['times', { at: '2024-01-02T03:04:05Z' }, { at: '<time>' }],
    ['an empty continue token is none', { continue: '' }, {}],
    ['a continue token', { continue: 'abc' }, { continue: '<continue>' }],
    [
      'addresses',
      { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'None'] },
      { clusterIP: '<ip>', clusterIPs: ['<ip>', 'None'] },
    ],
    ['ports', { nodePort: 30001 }, { nodePort: '<nodePort>' }],
    ['long tokens', { token: 'x'.repeat(41) }, { token: '<token>' }],
    ['short ones', { token: 'x' }, { token: 'x' }],
    [
      'descriptions of columns',
      { columnDefinitions: [{ name: 'Name', description: 'words' }] },
      { columnDefinitions: [{ name: 'Name', description: '<prose>' }] },
    ],
    [
      'bookmarks have what bookmarks may have',
      {
        type: 'BOOKMARK',
        object: { kind: 'A', apiVersion: 'v1', spec: {}, metadata: { resourceVersion: '5', creationTimestamp: null } },
      },
      { type: 'BOOKMARK', object: { kind: 'A', apiVersion: 'v1', metadata: { resourceVersion: '<rv:1>' } } },
    ],
  ])('%s', (_, given, expected) => {
    expect(JSON.parse(JSON.stringify(new Normaliser().value(given)))).toEqual(expected)
  })

  test('keys are sorted', () => {
    expect(Object.keys(new Normaliser().value({ b: 1, a: 2 }) as object)).toEqual(['a', 'b'])
  })

  test('a generated name is known from then on', () => {
    const normaliser = new Normaliser()
    expect(normaliser.value({ generateName: 'a-', name: 'a-x7k2p' })).toEqual({
      generateName: 'a-',
      name: 'a-<random5>',
    })
    expect(normaliser.text('pods "a-x7k2p" not found')).toBe('pods "a-<random5>" not found')
  })

  test('descriptions count as prose in documents alone', () => {
    const normaliser = new Normaliser()
    expect(normaliser.value({ description: 'words' }, true)).toEqual({ description: '<prose>' })
    expect(normaliser.value({ description: 'words' })).toEqual({ description: 'words' })
  })
})

test('texts keep to the symbols of values', () => {
  const normaliser = new Normaliser()
  normaliser.value({ uid: other })
  normaliser.replace('127.0.0.1:4711', '<address>')
  expect(normaliser.text(`at 127.0.0.1:4711: ${uid} is not ${other}, resourceVersion: 77`)).toBe(
    'at <address>: <uid:2> is not <uid:1>, resourceVersion <rv>',
  )
})
