import { expect, test } from 'vitest'
import type { Pausable } from './clock.ts'
import { Errands } from './errands.ts'

test('errands are waited for, those that come meanwhile and those that fail included', async () => {
  const queues = new Set<Pausable>()
  const errands = new Errands({ queues })
  expect([...queues]).toEqual([errands])
  expect(errands.isIdle).toBe(true)
  let end = (): void => undefined
  const first = new Promise<void>((resolve) => {
    end = resolve
  })
  let second = false
  errands.run(
    first.then(() => {
      errands.run(
        Promise.resolve().then(() => {
          second = true
          throw new Error('in vain')
        }),
      )
    }),
  )
  expect(errands.isIdle).toBe(false)
  const paused = errands.pause()
  end()
  await paused
  expect([second, errands.isIdle]).toEqual([true, true])
})
