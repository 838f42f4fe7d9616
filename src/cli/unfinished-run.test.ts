import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { settleOrFail, UnfinishedRunError } from './unfinished-run.ts'

it('settles as the work does', async () => {
  const process = new EventEmitter()
  await expect(settleOrFail(Promise.resolve(3), { process })).resolves.toBe(3)
  await expect(settleOrFail(Promise.reject(new Error('no')), { process })).rejects.toThrow('no')
  await new Promise(setImmediate)
  expect(process.listenerCount('beforeExit')).toBe(0)
})

it('fails when the event loop stays empty before that', async () => {
  const process = new EventEmitter()
  const run = settleOrFail(new Promise<never>(() => {}), { process, rounds: 2 })
  for (let round = 0; round < 3; round++) process.emit('beforeExit')
  await expect(run).rejects.toBeInstanceOf(UnfinishedRunError)
  expect(process.listenerCount('beforeExit')).toBe(0)
})
