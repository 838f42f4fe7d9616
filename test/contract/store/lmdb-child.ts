// A process of its own that opens an lmdb store and writes until it is killed. Each acknowledged write is a line on standard output, written
// at once, so that what the parent has read was acknowledged.
import { writeSync } from 'node:fs'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import { storm } from './storm.ts'

const store = await openLmdbStore({ folder: process.argv[2]!, historyMs: 50 })
writeSync(1, 'open\n')
await storm(store, {
  prefix: '/storm/',
  writers: 32,
  signal: new AbortController().signal,
  onAcknowledged: (write) => writeSync(1, `${JSON.stringify(write)}\n`),
})
