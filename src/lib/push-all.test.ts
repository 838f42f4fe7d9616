import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushAll } from './push-all.ts'
import { duplicateFinder } from './repeats.ts'

describe('lists of strangers', () => {
  it('are appended, however long they are', () => {
    const list: number[] = [0]
    pushAll(list, new Array<number>(500_000).fill(1))
    expect(list).toHaveLength(500_001)
  })

  it('are nowhere spread onto the stack', () => {
    const root = path.join(import.meta.dirname, '..')
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^(cli|config|testing)\//.test(name),
    )
    const spreading = sources.filter((name) =>
      /\.(push|unshift)\(\.\.\./.test(readFileSync(path.join(root, name), 'utf8')),
    )
    expect(spreading).toEqual([])
  })

  it('tell which of their items repeat an earlier one', () => {
    const list = ['a', 'b', 'a', 'c', 'a']
    const isRepeated = duplicateFinder(list, (item) => item)
    expect(list.map((_, i) => isRepeated(i))).toEqual([false, false, true, false, true])
    expect(duplicateFinder(['a'], (item) => item)(0)).toBe(false)
  })
})
