// A process of its own that opens an lmdb store and writes until it is killed. Each acknowledged write is a line on standard output, written
// at once, so that what the parent has read was acknowledged; and so is each delete before it is tried.
//
//   lmdb-child FOLDER                      the storm
//   lmdb-child FOLDER fill                 creates keys until the disk refuses
//   lmdb-child FOLDER damage SEED COUNT    opens so many damaged copies of the file; a line for each before it is opened and after
//   lmdb-child FOLDER save FILE            saves a snapshot
//   lmdb-child FOLDER restore FILE         restores it over what is there
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import { restoreSnapshot, saveSnapshot } from '../../../src/store/lmdb/snapshot.ts'
import { type Store, StoreError } from '../../../src/store/store.ts'
import { seededRandom } from '../../harness/random.ts'
import { damaged } from './page-damage.ts'
import { provingValue, storm } from './storm.ts'

const [folder = '', mode, argument = '', count] = process.argv.slice(2)
if (mode === 'damage') await openDamaged(Number(argument), Number(count))
if (mode === 'save' || mode === 'restore') await moveSnapshot(argument)
const store = await openLmdbStore({ folder, historyMs: 50 })
writeSync(1, 'open\n')
if (mode === 'fill') await fill()
await storm(store, {
  prefix: '/storm/',
  writers: 32,
  signal: new AbortController().signal,
  onAcknowledged: (write) => writeSync(1, `${JSON.stringify(write)}\n`),
  onDelete: (key) => writeSync(1, `delete ${key}\n`),
})

/** Several writers create keys until one fails; it says how, and all end. */
async function fill(): Promise<never> {
  await Promise.all([0, 1, 2, 3].map((first) => fillFrom(first)))
  process.exit(1)
}

async function fillFrom(first: number): Promise<never> {
  for (let i = first; ; i += 4) {
    const key = `/fill/${i}`
    try {
      await store.write({ type: 'create', key, value: Buffer.from(provingValue(key, i)) })
      writeSync(1, `${key}\n`)
    } catch (error) {
      const health = await store.health(AbortSignal.timeout(1000)).catch((e: Error) => e.message)
      const { code, message } = error as StoreError
      // What the package rejects late would end the process here.
      await new Promise((resolve) => setTimeout(resolve, 300))
      await store.close()
      writeSync(1, `${JSON.stringify({ code, message, health })}\n`)
      process.exit(0)
    }
  }
}

async function moveSnapshot(path: string): Promise<never> {
  writeSync(1, 'begin\n')
  if (mode === 'save') await saveSnapshot(folder, path, 0)
  else await restoreSnapshot({ path, folder, replace: true, bumpRevision: 0, unique: `${process.pid}` })
  writeSync(1, 'end\n')
  process.exit(0)
}

/** Whatever is opened must hold what the whole file held, also after writes and another start. */
async function openDamaged(from: number, copies: number): Promise<never> {
  const whole = readFileSync(join(folder, 'data.mdb'))
  const expected = await contentOf(folder)
  for (let i = 0; i < copies; i++) {
    const { how, bytes } = damaged(whole, seededRandom(from + i))
    const copy = join(folder, 'damaged')
    mkdirSync(copy)
    writeFileSync(join(copy, 'data.mdb'), bytes)
    writeSync(1, `seed ${from + i}, ${how}: `)
    writeSync(1, `${await outcomeOf(copy, expected)}\n`)
    rmSync(copy, { recursive: true })
  }
  process.exit(0)
}

async function outcomeOf(copy: string, expected: string): Promise<string> {
  try {
    if ((await contentOf(copy)) !== expected) return 'WRONG'
    await writeMuch(copy)
    return (await contentOf(copy)) === expected ? 'whole' : 'WRONG after writes'
  } catch (error) {
    const isRefusal = error instanceof StoreError && error.code === 'corrupt' && error.message.includes('snapshot')
    return isRefusal ? 'refused' : `FAILED: ${String(error)}`
  }
}

/** Everything but what `writeMuch` writes, of the store's own reading. */
async function contentOf(of: string): Promise<string> {
  const opened = await openLmdbStore({ folder: of })
  try {
    const read = await opened.range('/')
    if (read.status !== 'ok') throw new Error(read.status)
    const kept = read.items.filter(({ key }) => !key.startsWith('/more/'))
    return kept.map(({ key, value, revision }) => `${key}@${revision}=${Buffer.from(value).toString()}`).join('\n')
  } finally {
    await opened.close()
  }
}

/** Enough for free pages to be used again. */
async function writeMuch(to: string): Promise<void> {
  const opened = await openLmdbStore({ folder: to, historyMs: 1 })
  try {
    for (let group = 0; group < 2; group++) {
      const keys = Array.from({ length: 20 }, (_, i) => `/more/${group}-${i}`)
      await Promise.all(keys.map((key) => create(opened, key)))
      await opened.compact(await opened.currentRevision())
    }
  } finally {
    await opened.close()
  }
}

async function create(to: Store, key: string): Promise<void> {
  const made = await to.write({ type: 'create', key, value: Buffer.from('v'.repeat(500 + key.length * 200)) })
  if (!made.ok) throw new Error(`${key} is there`)
}
