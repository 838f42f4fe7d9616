// One round of the attacks of `npm run harness -- ways-in`.
import { expect, it } from 'vitest'
import { run } from '../harness/ways-in.ts'

it('lets nobody in', async () => {
  const { passed, failed } = await run({ seconds: 1, seed: 1, log: () => {} })
  expect(failed).toEqual([])
  expect(passed).toBeGreaterThan(820)
})
