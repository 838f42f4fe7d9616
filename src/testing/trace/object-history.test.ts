import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import { differencesOf, objectHistories } from './object-history.ts'

describe('differences', () => {
  it.each<[JsonValue, JsonValue, object[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: 'a', before: 1, after: 2 }]],
    [{ a: { b: 1 } }, { a: {} }, [{ path: 'a.b', before: 1 }]],
    [{}, { a: { b: 1 } }, [{ path: 'a', after: { b: 1 } }]],
    [
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: 'a[1]', before: 2, after: 3 },
        { path: 'a[2]', after: 4 },
      ],
    ],
    [{ a: [1] }, { a: { b: 1 } }, [{ path: 'a', before: [1], after: { b: 1 } }]],
    [{ a: null }, { a: 0 }, [{ path: 'a', before: null, after: 0 }]],
  ])('of %j and %j', (before, after, expected) => expect(differencesOf(before, after)).toEqual(expected))
})

describe('histories', () => {
  const value = (size: number, manager = 'kubectl') =>
    Buffer.from(
      JSON.stringify({
        kind: 'Boat',
        metadata: {
          name: 'a',
          namespace: 'north',
          uid: 'u',
          ownerReferences: [{ uid: 'o' }],
          managedFields: [{ manager, time: '2026' }],
        },
        spec: { size },
      }),
    )
  const change = (revision: number, before?: Uint8Array, after?: Uint8Array) => ({
    ...{ time: revision, revision, key: '/registry/boats/north/a' },
    before,
    after,
  })

  it('tell what became of an object', () => {
    const [boat, ...rest] = objectHistories([
      change(2, undefined, value(1)),
      change(3, value(1), value(2, 'operator')),
      change(4, value(2), undefined),
    ])
    expect(rest).toEqual([])
    expect(boat).toMatchObject({
      title: 'Boat north/a',
      uid: 'u',
      owners: ['o'],
      isDeleted: true,
      object: { spec: { size: 2 } },
    })
    expect(boat?.versions).toEqual([
      { time: 2, revision: 2, what: 'created', manager: 'kubectl', differences: [] },
      {
        time: 3,
        revision: 3,
        what: 'changed',
        manager: 'operator',
        differences: [{ path: 'spec.size', before: 1, after: 2 }],
      },
      { time: 4, revision: 4, what: 'deleted', manager: 'kubectl', differences: [] },
    ])
  })

  it('leave out what is no object', () => {
    expect(objectHistories([change(2, undefined, Buffer.from('7')), change(3, undefined, Buffer.from('{'))])).toEqual(
      [],
    )
  })
})
