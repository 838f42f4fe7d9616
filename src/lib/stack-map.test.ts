import { afterEach, expect, it } from 'vitest'
import { mapErrorsOf, useStackMap, withSourceLines } from './stack-map.ts'

afterEach(() => useStackMap(undefined))

const mapped = (stack: string): string => stack.replaceAll('stack-map.test.ts', 'the-source.ts')

it('leaves errors alone where nothing is to be mapped', () => {
  const error = new Error('a')
  const before = Object.getOwnPropertyDescriptor(error, 'stack')
  expect(withSourceLines(error)).toBe(error)
  expect(Object.getOwnPropertyDescriptor(error, 'stack')).toStrictEqual(before)
})

it('maps when the stack is read, and once', () => {
  let times = 0
  useStackMap((stack) => {
    times++
    return mapped(stack)
  })
  const error = withSourceLines(new Error('a'))
  expect(times).toBe(0)
  expect(error.stack).toMatch(/^Error: a\n.*the-source\.ts/)
  expect(error.stack).toMatch(/the-source\.ts/)
  expect(times).toBe(1)
})

it('maps what others made of the stack', () => {
  useStackMap(mapped)
  const error = new Error('a')
  error.stack = 'made by another: stack-map.test.ts'
  expect(withSourceLines(withSourceLines(error)).stack).toBe('made by another: the-source.ts')
})

it('lets others set the stack afterwards', () => {
  useStackMap(mapped)
  const error = withSourceLines(new Error('a'))
  error.stack = 'theirs: stack-map.test.ts'
  expect(error.stack).toBe('theirs: stack-map.test.ts')
})

it.each([
  ['a cause', (error: Error) => withSourceLines(new Error('outer', { cause: error }))],
  ['one of several', (error: Error) => withSourceLines(new AggregateError([error]))],
])('maps %s, too', (_, wrap) => {
  useStackMap(mapped)
  const error = new Error('a')
  wrap(error)
  expect(error.stack).toMatch(/the-source\.ts/)
})

it('bears circles, frozen errors and what is no error', () => {
  useStackMap(mapped)
  const circle = new Error('a')
  circle.cause = circle
  const frozen = Object.freeze(new Error('b'))
  for (const each of [circle, frozen, 'text', undefined, null]) expect(withSourceLines(each)).toBe(each)
})

class Room {
  #size = 3
  sync(): number {
    if (this.#size > 2) throw new Error('too large')
    return this.#size
  }
  async later(): Promise<number> {
    await Promise.resolve()
    return this.sync()
  }
  get size(): number {
    return this.#size
  }
}

it('maps what methods throw and reject with, and keeps the rest', async () => {
  useStackMap(mapped)
  mapErrorsOf(Room.prototype)
  const room = new Room()
  expect(room.size).toBe(3)
  expect(() => room.sync()).toThrow(expect.objectContaining({ stack: expect.stringContaining('the-source.ts') }))
  const error = await room.later().catch((reason: Error) => reason)
  expect(error).toMatchObject({ message: 'too large', stack: expect.stringContaining('the-source.ts') })
  expect((error as Error).stack).not.toMatch(/stack-map\.ts/)
})
