import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { checksMemos, compileOnce, MemoError, memoCounts, memoize, memoizeWith, SideTable, Verdicts } from './memo.ts'

const countsOf = (name: string) => memoCounts().find((counts) => counts.name === name)

it('the tests run with the checker on', () => expect(checksMemos).toBe(true))

it('a pure function is memoized by identity, undefined included', () => {
  const seen: unknown[] = []
  const first = memoize('test-first', (list: readonly number[]) => {
    seen.push(list)
    return list[0]
  })
  const [one, none] = [[1], []]
  expect([first(one), first(one), first(none), first(none), first([1])]).toEqual([1, 1, undefined, undefined, 1])
  expect(countsOf('test-first')).toEqual({ name: 'test-first', hits: 2, misses: 3 })
  // The checker computes every hit again.
  expect(seen).toEqual([one, one, none, none, [1]])
})

it('a function that is not pure is found out at the first hit', () => {
  let calls = 0
  const impure = memoize('test-impure', () => ({ calls: ++calls }))
  const key = {}
  impure(key)
  expect(() => impure(key)).toThrow(MemoError)
  expect(() => impure(key)).toThrow('the memo test-impure is stale: it has {"calls":1}, and would now be {"calls":3}')
})

it('keys and values are frozen, so that a mutation throws where it happens', () => {
  const copy = memoize('test-frozen', (key: { items: number[] }) => ({ items: [...key.items] }))
  const key = { items: [1] }
  const value = copy(key)
  expect(() => key.items.push(2)).toThrow(TypeError)
  expect(() => value.items.push(2)).toThrow(TypeError)
})

it('of a further input the latest counts', () => {
  const times = memoizeWith('test-with', (list: readonly number[], factor: number) => list.map((item) => item * factor))
  const list = [1, 2]
  expect([times(list, 2), times(list, 2), times(list, 3), times(list, 2)]).toEqual([
    [2, 4],
    [2, 4],
    [3, 6],
    [2, 4],
  ])
  expect(countsOf('test-with')).toMatchObject({ hits: 1, misses: 3 })
})

it('what is compiled is made once and not compared', () => {
  const compile = compileOnce(
    'test-compile',
    ({ size }: { size: number }) =>
      () =>
        size,
  )
  const key = { size: 3 }
  expect(compile(key)).toBe(compile(key))
  expect(compile(key)()).toBe(3)
})

it('a verdict holds for its inputs alone, and is checked', () => {
  const verdicts = new Verdicts<object>('test-verdict')
  const [key, gate, other] = [{}, {}, {}]
  expect(verdicts.has(key, [gate], () => true)).toBe(false)
  verdicts.add(key, [gate])
  expect([verdicts.has(key, [gate], () => true), verdicts.has(key, [other], () => true)]).toEqual([true, false])
  expect(() => verdicts.has(key, [gate], () => false)).toThrow(MemoError)
})

it('a side table makes a value once', () => {
  const table = new SideTable<object, number[]>()
  const key = {}
  expect(table.getOrMake(key, () => [])).toBe(table.getOrMake(key, () => [1]))
  expect([table.has(key), table.delete(key), table.delete(key), table.get(key)]).toEqual([true, true, false, undefined])
})

it('nothing else is held by identity', () => {
  const source = path.join(import.meta.dirname, '..')
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      file !== path.join('lib', 'memo.ts') &&
      /\bnew Weak(Map|Set)\b/.test(readFileSync(path.join(source, file), 'utf8')),
  )
  expect(found).toEqual([])
})
