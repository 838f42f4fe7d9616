import { expect, it } from 'vitest'
import { SharedRead } from './shared-read.ts'

it('answers with a read that began after the question, and few of them', async () => {
  let reads = 0
  const finish: (() => void)[] = []
  const shared = new SharedRead(() => {
    const mine = ++reads
    return new Promise<number>((resolve, reject) =>
      finish.push(() => (mine === 2 ? reject(new Error('lost')) : resolve(mine))),
    )
  })
  const first = shared.get()
  const second = [shared.get(), shared.get()]
  expect(reads).toBe(1)
  finish[0]!()
  expect(await first).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(reads).toBe(2)
  const third = shared.get()
  finish[1]!()
  for (const answer of second) await expect(answer).rejects.toThrow('lost')
  await new Promise((resolve) => setImmediate(resolve))
  finish[2]!()
  expect(await third).toBe(3)
  expect(reads).toBe(3)
})
