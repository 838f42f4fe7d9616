// A process of its own that opens an lmdb store and writes until it is killed. Each acknowledged write is a line on standard output, written
// at once, so that what the parent has read was acknowledged; and so is each delete before it is tried.
import { writeSync } from 'node:fs'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import type { StoreError } from '../../../src/store/store.ts'
import { provingValue, storm } from './storm.ts'

const store = await openLmdbStore({ folder: process.argv[2]!, historyMs: 50 })
writeSync(1, 'open\n')
if (process.argv[3] === 'fill') await fill()
await storm(store, {
  prefix: '/storm/',
  writers: 32,
  signal: new AbortController().signal,
  onAcknowledged: (write) => writeSync(1, `${JSON.stringify(write)}\n`),
  onDelete: (key) => writeSync(1, `delete ${key}\n`),
})

/** Creates keys until that fails, says how, and ends. */
async function fill(): Promise<never> {
  for (let i = 0; ; i++) {
    const key = `/fill/${i}`
    try {
      await store.write({ type: 'create', key, value: Buffer.from(provingValue(key, i)) })
      writeSync(1, `${key}\n`)
    } catch (error) {
      const health = await store.health(AbortSignal.timeout(1000)).catch((e: Error) => e.message)
      await store.close()
      writeSync(
        1,
        `${JSON.stringify({ code: (error as StoreError).code, message: (error as Error).message, health })}\n`,
      )
      process.exit(0)
    }
  }
}
