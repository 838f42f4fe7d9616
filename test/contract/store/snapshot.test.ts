// Snapshots of the lmdb store: taken beside a process that writes as fast as it can, damaged in every way, and restored.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import { restoreSnapshot, saveSnapshot } from '../../../src/store/lmdb/snapshot.ts'
import { checkSnapshot } from '../../../src/store/lmdb/snapshot-file.ts'
import type { Store } from '../../../src/store/store.ts'
import { create, found, Recorder, remove, replace } from './fixtures.ts'
import { bundleChild } from './lmdb-child-bundle.ts'
import { type Acknowledged, isWhole } from './storm.ts'

let childBundle: string
beforeAll(async () => {
  childBundle = await bundleChild()
})
afterAll(() => rmSync(childBundle, { force: true }))

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-snapshot-'))
  path = join(folder, 'file.snapshot')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const restore = (target: string, more: { replace?: boolean; bumpRevision?: number } = {}) =>
  restoreSnapshot({ path, folder: target, replace: false, bumpRevision: 0, unique: 'test', ...more })

async function withStore<T>(target: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openLmdbStore({ folder: target })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

const stateOf = (target: string) =>
  withStore(target, async (store) => {
    const { items, revision } = found(await store.range(''))
    return { items, revision }
  })

describe('a snapshot', () => {
  it('has every acknowledged write and none by half, while another process writes on', async () => {
    const source = join(folder, 'source')
    const writes: Acknowledged[] = []
    const child: ChildProcess = spawn(process.execPath, [childBundle, source], { stdio: ['ignore', 'pipe', 'inherit'] })
    let rest = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('{')) writes.push(JSON.parse(line) as Acknowledged)
    })
    try {
      for (let round = 0; round < 5; round++) {
        const before = writes.length
        while (writes.length < before + 300) await new Promise((resolve) => setTimeout(resolve, 5))
        const known = writes.at(-1)!.revision
        const saved = await saveSnapshot(source, path, 0)
        expect(saved.revision).toBeGreaterThanOrEqual(known)
        while (writes.at(-1)!.revision <= saved.revision) await new Promise((resolve) => setTimeout(resolve, 5))
        const target = join(folder, `restored-${round}`)
        await restore(target)
        const { items, revision } = await stateOf(target)
        expect(revision).toBe(saved.revision)
        for (const { key, value } of items) expect(isWhole(key, value)).toBe(true)
        expect(new Map(items.map((item) => [item.key, item.revision]))).toEqual(stateAt(writes, saved.revision))
      }
    } finally {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    }
  })

  it('keeps revisions, forgets history, and the store goes on from there', async () => {
    const source = join(folder, 'source')
    await withStore(source, async (store) => {
      const first = await create(store, '/a', 'one')
      await replace(store, '/a', first, 'two')
      await remove(store, '/b', await create(store, '/b', 'gone'))
    })
    const before = await stateOf(source)
    expect((await saveSnapshot(source, path, 0)).keys).toBe(1)
    const target = join(folder, 'target')
    await restore(target)
    expect(await stateOf(target)).toEqual(before)
    await withStore(target, async (store) => {
      expect(await store.range('', { revision: before.revision - 1 })).toEqual({ status: 'compacted' })
      const watch = new Recorder(store, '', before.revision)
      expect(await create(store, '/c')).toBe(before.revision + 1)
      await watch.untilEvents(1)
    })
  })

  it('can raise the revision', async () => {
    const source = join(folder, 'source')
    const revision = await withStore(source, (store) => create(store, '/a', 'one'))
    await saveSnapshot(source, path, 0)
    const target = join(folder, 'target')
    await restore(target, { bumpRevision: 1000 })
    const state = await stateOf(target)
    expect([state.revision, state.items.map((item) => item.revision)]).toEqual([revision + 1000, [revision]])
  })

  it('goes into a folder with something in it only when told so, and never into one in use', async () => {
    const source = join(folder, 'source')
    await withStore(source, (store) => create(store, '/a', 'one'))
    await saveSnapshot(source, path, 0)
    const target = join(folder, 'target')
    await withStore(target, (store) => create(store, '/other'))
    await expect(restore(target)).rejects.toThrow('is not empty')
    await withStore(target, () => expect(restore(target, { replace: true })).rejects.toThrow('is in use by process'))
    await restore(target, { replace: true })
    expect((await stateOf(target)).items.map(({ key }) => key)).toEqual(['/a'])
  })

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['cut within a value', (bytes) => bytes.subarray(0, bytes.length - 200), 'it is cut short'],
    ['cut by one byte', (bytes) => bytes.subarray(0, bytes.length - 1), 'it is cut short'],
    ['one byte changed', (bytes) => bytes.fill(0x41, bytes.length - 300, bytes.length - 299), 'its checksum is wrong'],
    ['one byte more', (bytes) => Buffer.concat([bytes, Buffer.from('x')]), 'something follows its end'],
    ['of a newer format', (bytes) => bytes.fill(9, 16, 17), 'format 9'],
    ['empty', () => Buffer.alloc(0), 'it is no snapshot'],
    ['something else', () => Buffer.from('{"kind":"List","apiVersion":"v1"}'), 'it is no snapshot'],
  ])('is refused when it is damaged: %s', async (_, damage, message) => {
    const source = join(folder, 'source')
    await withStore(source, (store) => create(store, '/a', 'x'.repeat(1000)))
    await saveSnapshot(source, path, 0)
    writeFileSync(path, damage(readFileSync(path)))
    await expect(checkSnapshot(path)).rejects.toThrow(message)
    await expect(restore(join(folder, 'target'))).rejects.toThrow(message)
  })
})

/** The revision of every key that the acknowledged writes up to a revision left. */
function stateAt(writes: readonly Acknowledged[], revision: number): Map<string, number> {
  const state = new Map<string, number>()
  for (const write of [...writes].sort((a, b) => a.revision - b.revision)) {
    if (write.revision > revision) break
    if (write.value === undefined) state.delete(write.key)
    else state.set(write.key, write.revision)
  }
  return state
}

describe('a command that is killed', () => {
  const keys = 200
  let store: string
  let state: string[]

  /** In few words, which compare quickly. */
  const contentOf = async (target: string): Promise<string[]> => {
    const { items } = await stateOf(target)
    return items.map(({ key, revision, value }) => {
      const digest = createHash('sha256').update(value).digest('hex')
      return `${key}@${revision} ${digest}`
    })
  }

  beforeEach(async () => {
    store = join(folder, 'store')
    await withStore(store, (opened) =>
      Promise.all(Array.from({ length: keys }, (_, i) => create(opened, `/k${i}`, 'v'.repeat(20_000)))),
    )
    state = await contentOf(store)
  })

  /** Kills it so many milliseconds after it began; whether it had ended by itself. */
  async function killed(args: readonly string[], signal: NodeJS.Signals, ms: number): Promise<boolean> {
    const child = spawn(process.execPath, [childBundle, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await new Promise((resolve) => setTimeout(resolve, ms))
    child.kill(signal)
    await ended
    return child.exitCode === 0
  }

  /** From the first moments to beyond the end, whatever the machine's pace. */
  async function killedAllAlong(
    args: readonly string[],
    signal: NodeJS.Signals,
    check: () => Promise<void>,
  ): Promise<void> {
    for (let ms = 1, hasEnded = false; !hasEnded && ms < 10_000; ms *= 20) {
      hasEnded = await killed(args, signal, ms)
      await check()
    }
  }

  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGKILL']
  const left = (in_: string, pattern: RegExp): string[] => readdirSync(in_).filter((name) => pattern.test(name))

  it.each(signals)('save, by %s: the file is there as a whole or not at all', async (signal) => {
    await killedAllAlong([store, 'save', path], signal, async () => {
      if (existsSync(path)) expect(await checkSnapshot(path)).toMatchObject({ keys })
      if (signal === 'SIGTERM') expect(left(folder, /\.part$/)).toEqual([])
      rmSync(path, { force: true })
    })
    // What nobody could remove at once, the next save does.
    await saveSnapshot(store, path, 0)
    expect(readdirSync(folder).sort()).toEqual(['file.snapshot', 'store'])
    expect(await contentOf(store)).toEqual(state)
  })

  it.each(signals)('restore, by %s: the store is the old one or the new one', async (signal) => {
    const other = join(folder, 'other')
    await saveSnapshot(store, path, 0)
    await withStore(other, (opened) => create(opened, '/old', 'x'))
    const old = await contentOf(other)
    await killedAllAlong([other, 'restore', path], signal, async () => {
      if (signal === 'SIGTERM') expect(left(other, /^(?:restore|owner)/)).toEqual([])
      const now = await contentOf(other)
      expect(now).toEqual(now.length === 1 ? old : state)
      expect(left(other, /^(?:restore|owner)/)).toEqual([])
    })
  })
})
