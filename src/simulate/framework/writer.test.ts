import { describe, expect, it } from 'vitest'
import { nextTurn } from '../../lib/in-turns.ts'
import { WritePacer } from './writer.ts'

describe('the pace of writes', () => {
  const inATurn = 16

  it('lets so many begin in a turn of the event loop, however many ask at once, in their order', async () => {
    const pace = new WritePacer()
    const begun: number[] = []
    const write = async (i: number): Promise<void> => {
      await pace.next()
      begun.push(i)
    }
    const all = Array.from({ length: 100 }, (_, i) => write(i))
    const counts: number[] = []
    while (begun.length < 100) {
      await nextTurn()
      counts.push(begun.length)
    }
    await Promise.all(all)
    expect(begun).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(pace.writes).toBe(100)
    let before = 0
    for (const count of counts) {
      expect(count - before).toBeLessThanOrEqual(2 * inATurn)
      before = count
    }
  })

  it('does not keep few from beginning at once', async () => {
    const pace = new WritePacer()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < inATurn; i++) expect(pace.next()).toBeUndefined()
      expect(pace.next()).toBeInstanceOf(Promise)
      for (let i = 0; i < 3; i++) await nextTurn()
    }
  })
})
