/**
 * A process whose event loop is empty ends with code 0, whatever is still awaited: a start that waits for something that will never
 * come would end without a word. So while the command has not settled, an empty loop is kept going for a while, as what is
 * unreferenced (idle sockets, timers) may still bring it on, and is an error after that.
 */
import type { EventEmitter } from 'node:events'

const roundMs = 1_000
const maxRounds = 60

export class UnfinishedRunError extends Error {
  override readonly name = 'UnfinishedRunError'
}

/** Settles as the work does; rejects when the process would end before. */
export function settleOrFail<T>(
  work: Promise<T>,
  { process: events = process, rounds = maxRounds }: { process?: EventEmitter; rounds?: number } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let idleRounds = 0
    const onEmptyLoop = (): void => {
      if (++idleRounds > rounds) {
        settle()
        reject(new UnfinishedRunError('the program has nothing left to do and was not finished: please report this'))
      } else setTimeout(() => {}, roundMs)
    }
    const settle = (): void => void events.off('beforeExit', onEmptyLoop)
    events.on('beforeExit', onEmptyLoop)
    work.then(resolve, reject).finally(settle)
  })
}
