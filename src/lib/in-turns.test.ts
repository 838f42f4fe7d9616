import { describe, expect, it } from 'vitest'
import { inTurns, runToEnd, type Steps, TimeSlice, yieldToEventLoop } from './in-turns.ts'

function* counting(seen: number[], count: number, work: () => void = () => undefined): Generator<undefined, void> {
  for (let i = 0; i < count; i++) {
    seen.push(i)
    work()
    yield
  }
}

/** Keeps the thread for longer than a slice. */
function spin(): void {
  for (const slice = new TimeSlice(); !slice.isOver; );
}

describe('inTurns', () => {
  it('takes all steps', async () => {
    const seen: number[] = []
    await inTurns(counting(seen, 3))
    expect(seen).toEqual([0, 1, 2])
  })

  it('gives what the steps come to: as it is where that is soon, else behind a promise', async () => {
    function* sum(work: () => void): Steps<number> {
      let total = 0
      for (let i = 1; i <= 3; i++) {
        total += i
        work()
        yield
      }
      return total
    }
    expect(runToEnd(sum(() => undefined))).toBe(6)
    const later = inTurns(sum(spin))
    expect(later).toBeInstanceOf(Promise)
    expect(await later).toBe(6)
  })

  it('lets others have their turn while it goes on', async () => {
    const seen: number[] = []
    const order: string[] = []
    const rest = inTurns(counting(seen, 3, spin))
    expect(seen).toEqual([0])
    setTimeout(() => order.push(`another at ${seen.length}`), 0)
    await rest
    order.push('end')
    expect(seen).toEqual([0, 1, 2])
    expect(order).toEqual([expect.stringMatching(/^another at [12]$/), 'end'])
  })

  it('takes several in turn', async () => {
    const [a, b]: [number[], number[]] = [[], []]
    await Promise.all([inTurns(counting(a, 3, spin)), inTurns(counting(b, 3, spin))])
    expect([a, b]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ])
  })

  it('rejects with what a step throws', async () => {
    const failing = (function* () {
      spin()
      yield
      throw new Error('no')
    })()
    await expect(inTurns(failing)).rejects.toThrow('no')
  })
})

describe('yieldToEventLoop', () => {
  it('lets the loop go round when those who ask have had their time together', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    // The first to ask in a round goes on; how soon the next one asks depends on the machine.
    expect(yieldToEventLoop()).toBeUndefined()
    spin()
    let others = 0
    setImmediate(() => others++)
    const way = yieldToEventLoop()
    expect(way).toBeInstanceOf(Promise)
    await way
    expect(others).toBe(1)
    expect(yieldToEventLoop()).toBeUndefined()
  })
})
