import { describe, expect, it } from 'vitest'
import { FairTurns } from './fair-turns.ts'

const loop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('fair turns', () => {
  it('run at once what has nobody to wait for', () => {
    let runs = 0
    new FairTurns().begin('a')(() => runs++)
    expect(runs).toBe(1)
  })

  it('give every flow its share, and in a flow go on with the oldest answer', async () => {
    const turns = new FairTurns()
    const order: string[] = []
    const answers = ['many 1', 'many 2', 'many 3', 'one 1'].map((name) => ({
      name,
      run: turns.begin(name.split(' ')[0]!),
    }))
    for (let piece = 0; piece < 6; piece++) for (const { name, run } of answers) run(() => order.push(name))
    const first = order.length
    while (order.length < 24) await loop()
    const rest = order.slice(first)
    // Turn by turn, as long as both have some.
    expect(new Set(rest.slice(0, 2))).toEqual(new Set(['many 1', 'one 1']))
    expect(rest.indexOf('many 2')).toBeGreaterThan(rest.lastIndexOf('many 1'))
    expect(rest.indexOf('many 3')).toBeGreaterThan(rest.lastIndexOf('many 2'))
    expect(rest.lastIndexOf('one 1')).toBeLessThan(rest.indexOf('many 3'))
  })

  it('let the loop go round between a few pieces', async () => {
    const turns = new FairTurns()
    let runs = 0
    const run = turns.begin('a')
    for (let piece = 0; piece < 40; piece++) run(() => runs++)
    let rounds = 0
    while (runs < 40) {
      rounds++
      await loop()
    }
    expect(rounds).toBeGreaterThan(5)
  })
})
