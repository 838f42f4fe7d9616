import { describe, expect, test } from 'vitest'
import { followPath, type PathStep } from './field-path.ts'

interface Tree {
  readonly [name: string]: Tree
}

const tree: Tree = { spec: { name: {}, map: {} } }
const step: PathStep<Tree> = (from, name) => {
  if (Object.hasOwn(from, name)) return { to: from[name] as Tree, isField: true }
  return from === tree['spec']?.['map'] ? { to: {}, isField: false } : undefined
}

describe('paths', () => {
  test.each([
    ['.spec.name', 'spec.name'],
    [".spec.map['a.b']", 'spec.map[a.b]'],
    [String.raw`.spec.map['it\'s']`, "spec.map[it's]"],
    ["['spec'].name", 'spec.name'],
  ])('%s', (path, text) => {
    expect(followPath(path, tree, step)).toMatchObject({ text })
  })

  test.each([
    ['spec', 'expected [ or . but got: spec'],
    ['.', 'unexpected end of JSON path'],
    ['.none', 'does not refer to a valid field'],
    ['.spec[0]', 'expected single quoted string but got 0'],
    [".spec['name'", 'unexpected end of JSON path'],
    [String.raw`.spec['\q']`, String.raw`invalid string literal: invalid escape char \q`],
  ])('%s is refused', (path, problem) => {
    expect(followPath(path, tree, step)).toEqual({ problem })
  })

  test('brackets can be forbidden', () => {
    expect(followPath(".spec['name']", tree, step, { brackets: false })).toEqual({
      problem: 'array notation is not allowed',
    })
  })
})
