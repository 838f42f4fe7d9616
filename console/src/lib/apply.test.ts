import { describe, expect, it } from 'vitest'
import { mergeSchema, type Schema } from '../api/openapi.ts'
import { editOf, removalPatch } from './apply.ts'

const root: Schema = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { finalizers: { type: 'array', 'x-kubernetes-list-type': 'set' } } },
    spec: {
      type: 'object',
      properties: {
        containers: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { args: { type: 'array' } } },
        },
        selector: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      },
    },
  },
}
const schema = mergeSchema({ root, resolve: (each) => each })
const id = { apiVersion: 'v1', kind: 'Thing' }
const thing = <Spec extends object>(spec: Spec, metadata: object = {}) => ({
  ...id,
  metadata: { name: 'a', ...metadata },
  spec,
})

describe('an edit', () => {
  const before = thing(
    {
      replicas: 1,
      paused: true,
      selector: { a: '1', b: '2' },
      containers: [
        { name: 'x', image: 'x:1', args: ['1'] },
        { name: 'y', image: 'y:1' },
      ],
    },
    { finalizers: ['f', 'g'] },
  )
  const change = (spec: object, metadata: object = {}) =>
    thing({ ...before.spec, ...spec }, { finalizers: ['f', 'g'], ...metadata })

  it.each([
    ['nothing', change({}), undefined, []],
    ['a number', change({ replicas: 2 }), { replicas: 2 }, []],
    ['a new field', change({ more: { deep: 1 } }), { more: { deep: 1 } }, []],
    ['part of an atomic map', change({ selector: { a: '9', b: '2' } }), { selector: { a: '9', b: '2' } }, []],
    [
      'a field of an item, which is named by its key',
      change({ containers: [{ name: 'x', image: 'x:2', args: ['1'] }, before.spec.containers[1]] }),
      { containers: [{ name: 'x', image: 'x:2' }] },
      [],
    ],
    [
      'a list without keys, which is one value',
      change({ containers: [{ name: 'x', image: 'x:1', args: ['1', '2'] }, before.spec.containers[1]] }),
      { containers: [{ name: 'x', args: ['1', '2'] }] },
      [],
    ],
    [
      'a new item in another order',
      change({ containers: [{ name: 'z' }, before.spec.containers[1], before.spec.containers[0]] }),
      { containers: [{ name: 'z' }] },
      [],
    ],
    [
      'an item that is gone',
      change({ containers: [before.spec.containers[0]] }),
      undefined,
      [['spec', 'containers', { name: 'y' }]],
    ],
  ])('of %s', (_, after, spec, removals) => {
    const edit = editOf({ before, after, schema })
    expect(edit.config?.spec).toEqual(spec)
    expect(edit.removals).toEqual(removals)
    if (edit.config !== undefined) expect(edit.config).toMatchObject({ ...id, metadata: { name: 'a' } })
  })

  it('lists fields that are gone, and elements of sets', () => {
    const { paused, ...rest } = before.spec
    const edit = editOf({ before, after: thing(rest, { finalizers: ['g', 'h'] }), schema })
    expect(edit.config).toEqual({ ...id, metadata: { name: 'a', finalizers: ['h'] } })
    expect(edit.removals).toEqual([
      ['metadata', 'finalizers', { '': 'f' }],
      ['spec', 'paused'],
    ])
    expect(removalPatch(before, edit.removals)).toEqual([
      { op: 'test', path: '/spec/paused', value: true },
      { op: 'remove', path: '/spec/paused' },
      { op: 'test', path: '/metadata/finalizers/0', value: 'f' },
      { op: 'remove', path: '/metadata/finalizers/0' },
    ])
  })

  it('keeps what the manager owns by earlier applies, and drops of it what is gone', () => {
    const owned = {
      'f:spec': { 'f:replicas': {}, 'f:paused': {}, 'f:containers': { 'k:{"name":"y"}': { '.': {}, 'f:image': {} } } },
    }
    const { paused, ...rest } = before.spec
    const after = thing(
      { ...rest, containers: [{ name: 'x', image: 'x:2', args: ['1'] }, before.spec.containers[1]] },
      { finalizers: ['f', 'g'] },
    )
    expect(editOf({ before, after, schema, owned }).config?.spec).toEqual({
      replicas: 1,
      containers: [
        { name: 'y', image: 'y:1' },
        { name: 'x', image: 'x:2' },
      ],
    })
    const only = editOf({ before, after: thing(rest, { finalizers: ['f', 'g'] }), schema, owned })
    expect(only.config?.spec).toEqual({ replicas: 1, containers: [{ name: 'y', image: 'y:1' }] })
  })

  it('removes items from the last to the first, and nothing that is gone already', () => {
    const removals = [['list', { name: 'a' }], ['list', { name: 'c' }], ['other']] as const
    const object = { list: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }
    expect(
      removalPatch(object, removals)
        .filter(({ op }) => op === 'remove')
        .map(({ path }) => path),
    ).toEqual(['/list/2', '/list/0'])
  })
})
