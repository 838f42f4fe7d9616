import { describe, expect, it } from 'vitest'
import { type ObjectHolder, RecentObjects } from './recent-objects.ts'

function setUp(maxBytes: number) {
  const held = new Set<string>()
  const recent = new RecentObjects(maxBytes)
  const add = (name: string, length: number, key = name): void => {
    const holder: ObjectHolder = { key, size: length, forget: () => held.delete(name) }
    held.add(name)
    recent.add(holder)
  }
  return { recent, add, held: () => [...held] }
}

describe('RecentObjects', () => {
  it('gives up the oldest when the bound is passed', () => {
    const { add, held } = setUp(10)
    add('a', 4)
    add('b', 4)
    add('c', 2)
    expect(held()).toEqual(['a', 'b', 'c'])
    add('d', 1)
    expect(held()).toEqual(['b', 'c', 'd'])
  })

  it('holds one state of an object', () => {
    const { add, held } = setUp(10)
    add('a1', 4, 'a')
    add('b', 4)
    add('a2', 6, 'a')
    expect(held()).toEqual(['b', 'a2'])
    add('c', 1)
    expect(held()).toEqual(['a2', 'c'])
  })

  it('holds the states that were replaced last where changes are followed', () => {
    const { recent, add, held } = setUp(10)
    recent.grow({ maxBytes: 100, maxReplaced: 2 })
    for (let i = 1; i <= 4; i++) add(`a${i}`, 4, 'a')
    expect(held()).toEqual(['a2', 'a3', 'a4'])
    add('b', 95)
    expect(held()).toEqual(['a2', 'a3', 'a4', 'b'])
    add('c', 2)
    expect(held()).toEqual(['a2', 'a3', 'b', 'c'])
  })

  it('gives up what is too large at once', () => {
    const { add, held } = setUp(10)
    add('a', 4)
    add('b', 11)
    expect(held()).toEqual([])
    add('c', 10)
    expect(held()).toEqual(['c'])
  })
})
