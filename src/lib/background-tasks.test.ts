import { expect, test } from 'vitest'
import { BackgroundTasks } from './background-tasks.ts'
import type { Pausable } from './clock.ts'

test('tasks are waited for, those that come meanwhile and those that fail included', async () => {
  const queues = new Set<Pausable>()
  const tasks = new BackgroundTasks({ queues })
  expect([...queues]).toEqual([tasks])
  expect(tasks.isIdle).toBe(true)
  let end = (): void => undefined
  const first = new Promise<void>((resolve) => {
    end = resolve
  })
  let second = false
  tasks.run(
    first.then(() => {
      tasks.run(
        Promise.resolve().then(() => {
          second = true
          throw new Error('in vain')
        }),
      )
    }),
  )
  expect(tasks.isIdle).toBe(false)
  const paused = tasks.pause()
  end()
  await paused
  expect([second, tasks.isIdle]).toEqual([true, true])
})
