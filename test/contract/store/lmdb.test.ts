// What only the lmdb store has to keep: its files, through crashes, damage, other owners, newer formats and long use.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { bytes, create, found, Recorder, replace, shown } from './fixtures.ts'
import { bundleChild } from './lmdb-child-bundle.ts'
import { type Acknowledged, isWhole } from './storm.ts'

const crashes = 24

let folder: string
let childBundle: string
beforeAll(async () => {
  childBundle = await bundleChild()
})
afterAll(() => rmSync(childBundle, { force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-lmdb-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Child {
  readonly process: ChildProcess
  readonly lines: string[]
  until(isTrue: () => boolean): Promise<void>
  kill(): Promise<void>
}

function startChild(): Child {
  const child = spawn(process.execPath, [childBundle, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop()!
    lines.push(...parts)
  })
  // 'close' comes after the last output was read.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) {
      if (child.exitCode !== null) throw new Error('the child ended by itself')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  return { process: child, lines, until, kill }
}

describe('a crash', () => {
  it(`loses no acknowledged write in ${crashes} kills in a write storm, tears none, and never takes the revision back`, async () => {
    const known: Known = { revision: 1, latest: new Map() }
    let acknowledged = 0
    for (let round = 0; round < crashes; round++) {
      const child = startChild()
      await child.until(() => child.lines.length > 20 + 200 * (round % 7))
      await child.kill()
      const writes = child.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Acknowledged)
      acknowledged += writes.length
      for (const write of writes) {
        known.revision = Math.max(known.revision, write.revision)
        if (write.revision > (known.latest.get(write.key)?.revision ?? 0)) known.latest.set(write.key, write)
      }
      const deletes = child.lines.filter((line) => line.startsWith('delete ')).map((line) => line.slice(7))
      const store = await openLmdbStore({ folder })
      await checkKnown(store, known, new Set(deletes))
      await store.close()
    }
    expect(acknowledged).toBeGreaterThan(crashes * 20)
  })

  /** What the store must have: the newest acknowledged write of each key, and what was found there in earlier rounds. */
  interface Known {
    revision: number
    readonly latest: Map<string, Acknowledged>
  }

  async function checkKnown(store: Store, known: Known, deletes: ReadonlySet<string>): Promise<void> {
    const state = found(await store.range('/storm/'))
    expect(state.revision).toBeGreaterThanOrEqual(known.revision)
    known.revision = state.revision
    const there = new Map(state.items.map((item) => [item.key, item]))
    for (const item of state.items) expect(isWhole(item.key, item.value)).toBe(true)
    for (const write of known.latest.values()) {
      const item = there.get(write.key)
      if (item === undefined) {
        // Deleted by this write, or by one that was durable and not yet acknowledged when the process was killed.
        if (write.value !== undefined) {
          expect(deletes).toContain(write.key)
          expect(await wasDeletedAfter(store, write, state.revision)).toBe(true)
        }
        known.latest.set(write.key, { key: write.key, revision: write.revision, value: undefined })
      } else {
        expect(item.revision).toBeGreaterThanOrEqual(write.revision)
        const value = Buffer.from(item.value).toString()
        if (item.revision === write.revision) expect(value).toBe(write.value)
        known.latest.set(write.key, { key: write.key, revision: item.revision, value })
      }
    }
  }

  async function wasDeletedAfter(store: Store, write: Acknowledged, revision: number): Promise<boolean> {
    const watch = new Recorder(store, write.key, write.revision)
    await watch.untilProgressOrEnd(revision)
    // The history of so long ago may be forgotten: then only the attempt tells.
    if (watch.end?.reason === 'compacted') return true
    watch.close()
    return watch.events.filter((event) => event.key === write.key).at(-1)?.type === 'delete'
  }
})

describe('opening', () => {
  const fileHash = (): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'data.mdb')))
      .digest('hex')

  async function filled(): Promise<void> {
    const store = await openLmdbStore({ folder })
    await Promise.all(Array.from({ length: 500 }, (_, i) => create(store, `/k${i}`, 'v'.repeat(i * 10))))
    await store.close()
  }

  it('keeps state, history and expiry over a restart', async () => {
    const first = await openLmdbStore({ folder })
    const a = await create(first, '/a', '1')
    const b = await replace(first, '/a', a, '2')
    await first.write({ type: 'create', key: '/short', value: bytes('x'), ttlSeconds: 1 })
    await first.close()
    const second = await openLmdbStore({ folder })
    expect(shown(await second.range('/', { revision: a }))).toEqual([`/a=1@${a}`])
    const watch = new Recorder(second, '/', a)
    await watch.untilEvents(3)
    expect(watch.events.map((event) => `${event.type} ${event.key}`)).toEqual(['put /a', 'put /short', 'delete /short'])
    expect(watch.events[0]!.revision).toBe(b)
    await second.close()
  })

  it.each([0, 1, 2, 3, 4, 6, 8, 12])(
    'remembers a compaction %d microtasks after a write and another',
    async (microtasks) => {
      const first = await openLmdbStore({ folder })
      let last = await create(first, '/a')
      for (let i = 0; i < 6; i++) last = await replace(first, '/a', last, `${i}`)
      const writing = replace(first, '/a', last, 'last')
      await first.compact(last - 3)
      last = await writing
      for (let i = 0; i < microtasks; i++) await Promise.resolve()
      expect(await first.compact(last)).toEqual({ status: 'ok' })
      await first.close()
      const second = await openLmdbStore({ folder })
      expect(await second.range('/', { revision: last - 1 })).toEqual({ status: 'compacted' })
      await second.close()
    },
  )

  it('remembers what was compacted', async () => {
    const first = await openLmdbStore({ folder })
    const a = await create(first, '/a', '1')
    const b = await replace(first, '/a', a, '2')
    await first.write({ type: 'delete', key: '/a', expectedRevision: b })
    await first.compact(b + 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await first.close()
    const second = await openLmdbStore({ folder })
    expect(await second.currentRevision()).toBe(b + 1)
    expect(await second.range('/', { revision: b })).toEqual({ status: 'compacted' })
    expect(await create(second, '/a', '3')).toBe(b + 2)
    await second.close()
  })

  it('refuses a folder that another process has, and takes it when that process is dead', async () => {
    const child = startChild()
    await child.until(() => child.lines.length > 0)
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${child.process.pid}`),
    })
    await child.kill()
    await (await openLmdbStore({ folder })).close()
  })

  it('refuses a folder that this process has', async () => {
    const store = await openLmdbStore({ folder })
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({ code: 'locked' })
    await create(store, '/a')
    await store.close()
    await (await openLmdbStore({ folder })).close()
  })

  it('refuses a newer format and leaves it alone', async () => {
    await filled()
    const root = open({ path: folder, overlappingSync: false })
    await root.openDB('meta', { encoding: 'json' }).put('format', 99)
    await root.close()
    const before = fileHash()
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({
      code: 'newer-format',
      message: expect.stringContaining('99'),
    })
    expect(fileHash()).toBe(before)
  })

  it.each<[string, (file: string) => void]>([
    ['is not LMDB at all', (file) => writeFileSync(file, 'garbage '.repeat(10_000))],
    ['is empty of meaning', (file) => writeFileSync(file, Buffer.alloc(64 * 1024))],
    ['is cut in the first page', (file) => truncateSync(file, 1000)],
    ['is cut in the middle', (file) => truncateSync(file, 128 * 1024)],
    ['has pages overwritten', (file) => writeFileSync(file, readFileSync(file).fill(0x5a, 8192))],
    ['has pages zeroed', (file) => writeFileSync(file, readFileSync(file).fill(0, 16_384))],
  ])('refuses a file that %s, and leaves it alone', async (_how, damage) => {
    await filled()
    damage(join(folder, 'data.mdb'))
    const before = fileHash()
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('damaged'),
    })
    expect(fileHash()).toBe(before)
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({ code: 'corrupt' })
  })
})

describe('a flipped byte', () => {
  const folderWith = (bytes: Buffer, i: number): string => {
    const made = join(folder, `flipped-${i}`)
    mkdirSync(made)
    writeFileSync(join(made, 'data.mdb'), bytes)
    return made
  }

  it('in a value or a change is never overlooked', async () => {
    const store = await openLmdbStore({ folder })
    await create(store, '/key-in-a-change', 'the-one-value')
    await store.close()
    const whole = readFileSync(join(folder, 'data.mdb'))
    for (const [i, text] of ['/key-in-a-change', 'the-one-value'].entries()) {
      const bytes = Buffer.from(whole)
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) bytes[at + 3] = 0x21
      await expect(openLmdbStore({ folder: folderWith(bytes, i) })).rejects.toMatchObject({ code: 'corrupt' })
    }
  })
})

describe('a damaged file', () => {
  // `npm run harness -- kills` does it with thousands.
  const copies = 40

  // In a process of its own: LMDB ends the process that reads what it did not expect.
  it(`is refused or whole, in ${copies} ways`, async () => {
    const store = await openLmdbStore({ folder, historyMs: 1 })
    const revisions = await Promise.all(
      Array.from({ length: 60 }, (_, i) => create(store, `/k${i}`, 'v'.repeat((i * i * 7) % 9000))),
    )
    await Promise.all(
      revisions.slice(0, 30).map((revision, i) => replace(store, `/k${i}`, revision, 'w'.repeat(i * 50))),
    )
    await store.compact(await store.currentRevision())
    await store.close()
    const args = [childBundle, folder, 'damage', '1', `${copies}`]
    const { status, signal, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    const lines = stdout.trim().split('\n')
    expect({ status, signal, last: lines.at(-1) }).toMatchObject({ status: 0, signal: null })
    expect(lines.filter((line) => !/: (?:refused|whole)$/.test(line))).toEqual([])
    const refused = lines.filter((line) => line.endsWith('refused')).length
    expect(lines.length).toBe(copies)
    expect(refused).toBeGreaterThan(copies / 10)
    expect(refused).toBeLessThan(copies)
  })
})

describe('a store of format 1', () => {
  interface OldChange {
    readonly revision: number
    readonly key: string
    /** Undefined for a deletion. */
    readonly value?: string
    readonly created: number
    readonly before: number
    readonly expiresAt?: number
  }

  const changes: readonly OldChange[] = [
    { revision: 2, key: '/a', value: 'one', created: 2, before: 0 },
    { revision: 3, key: '/b', value: 'gone', created: 3, before: 0 },
    { revision: 4, key: '/a', value: 'two', created: 2, before: 2 },
    { revision: 5, key: '/b', created: 3, before: 3 },
    { revision: 6, key: '/c', value: 'expires', created: 6, before: 0, expiresAt: 9e15 },
  ]

  /** As the first releases wrote it: records of 29 bytes and a key, bare values. */
  async function makeOldStore(): Promise<void> {
    const root = open({ path: folder, noSubdir: false, overlappingSync: false, maxDbs: 4 })
    const meta = root.openDB<number, string>('meta', { encoding: 'json' })
    const records = root.openDB<Buffer, number>('changes', { encoding: 'binary' })
    const values = root.openDB<Buffer, number>('values', { encoding: 'binary' })
    await root.batch(() => {
      for (const { revision, key, value, created, before, expiresAt = 0 } of changes) {
        const head = Buffer.alloc(29)
        head[0] = value === undefined ? 1 : 0
        for (const [i, number] of [created, before, expiresAt].entries()) head.writeDoubleLE(number, 1 + 8 * i)
        head.writeUInt32LE(value?.length ?? 0, 25)
        void records.put(revision, Buffer.concat([head, Buffer.from(key)]))
        if (value !== undefined) void values.put(revision, Buffer.from(value))
      }
      for (const [name, number] of Object.entries({ format: 1, compactRevision: 1, scrubbed: 1 }))
        void meta.put(name, number)
    })
    await root.close()
  }

  const edited = async (edit: (root: RootDatabase) => Promise<unknown>): Promise<void> => {
    const root = open({ path: folder, noSubdir: false, overlappingSync: false, maxDbs: 4 })
    await edit(root)
    await root.close()
  }

  it('is upgraded with its state, history and expiry, and goes on as one of today', async () => {
    await makeOldStore()
    const first = await openLmdbStore({ folder })
    expect(shown(await first.range('/'))).toEqual(['/a=two@4', '/c=expires@6'])
    expect(shown(await first.range('/', { revision: 4 }))).toEqual(['/a=two@4', '/b=gone@3'])
    expect(await first.currentRevision()).toBe(6)
    expect(await replace(first, '/a', 4, 'three')).toBe(7)
    await first.close()
    const again = await openLmdbStore({ folder })
    expect(shown(await again.range('/'))).toEqual(['/a=three@7', '/c=expires@6'])
    expect(shown(await again.range('/', { revision: 3 }))).toEqual(['/a=one@2', '/b=gone@3'])
    await again.close()
    await edited(async (root) => {
      const meta = root.openDB<number, string>('meta', { encoding: 'json' })
      expect([meta.get('format'), meta.get('plainUpTo')]).toEqual([2, 6])
    })
  })

  it('is guarded from then on: what is lost of it is found', async () => {
    await makeOldStore()
    await (await openLmdbStore({ folder })).close()
    await edited((root) => root.openDB<Buffer, number>('changes', { encoding: 'binary' }).remove(4))
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('is refused when a value is missing, and left alone', async () => {
    await makeOldStore()
    await edited((root) => root.openDB<Buffer, number>('values', { encoding: 'binary' }).remove(4))
    await expect(openLmdbStore({ folder })).rejects.toMatchObject({ code: 'corrupt' })
  })
})

describe('a full disk', () => {
  it('makes the store refuse all writes but deletes, and is reported in its health', async () => {
    const first = await openLmdbStore({ folder })
    const revision = await create(first, '/a', 'x')
    await first.close()
    const full = await openLmdbStore({ folder, reserveBytes: Number.MAX_SAFE_INTEGER })
    const refusal = { code: 'unavailable', message: expect.stringContaining('almost full') }
    await expect(create(full, '/b')).rejects.toMatchObject(refusal)
    await expect(replace(full, '/a', revision, 'y')).rejects.toMatchObject(refusal)
    await expect(full.health(AbortSignal.timeout(60_000))).rejects.toMatchObject(refusal)
    expect(shown(await full.range('/'))).toEqual([`/a=x@${revision}`])
    expect(await full.write({ type: 'delete', key: '/a', expectedRevision: revision })).toMatchObject({ ok: true })
    await full.close()
  })

  it('loses no acknowledged write even when it comes as a surprise', async () => {
    // A limit on the size of files stands for a disk that refuses. Whatever fails then is told to a writer: a rejection that
    // nobody handles would end the process.
    const script = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`
    const args = ['-c', script, process.execPath, childBundle, folder, 'fill']
    const { stdout, status } = spawnSync('bash', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, expect.stringContaining('"code":"unavailable"')])
    const written = stdout.split('\n').filter((line) => line.startsWith('/fill/'))
    expect(written.length).toBeGreaterThan(100)
    const store = await openLmdbStore({ folder })
    const items = new Map(found(await store.range('/fill/')).items.map((item) => [item.key, item]))
    for (const key of written) expect(isWhole(key, items.get(key)!.value)).toBe(true)
    await create(store, '/more')
    await store.close()
  })
})

it('does not grow without bound when a constant number of keys changes', async () => {
  const store = await openLmdbStore({ folder })
  const revisions = new Map<string, number>()
  const churn = async (writes: number): Promise<void> => {
    for (let i = 0; i < writes; i += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, j) => {
          const key = `/churn/${(i + j) % 200}`
          const revision = revisions.get(key)
          const value = 'v'.repeat(500 + ((i * 31 + j * 97) % 4000))
          revisions.set(
            key,
            revision === undefined ? await create(store, key, value) : await replace(store, key, revision, value),
          )
        }),
      )
      await store.compact((await store.currentRevision()) - 500)
    }
  }
  await churn(4000)
  const early = await store.size()
  await churn(16_000)
  expect(await store.size()).toBeLessThan(early * 1.5)
  await store.close()
})

describe.runIf(process.platform === 'linux')('the map of the file', () => {
  const mapsOf = (pid: number | 'self') =>
    readFileSync(`/proc/${pid}/maps`, 'utf8').match(new RegExp(`^.*${folder}/data\\.mdb$`, 'gm')) ?? []

  it('is one, however much the file grows', async () => {
    const store = await openLmdbStore({ folder })
    const value = 'v'.repeat(100_000)
    await Promise.all(Array.from({ length: 40 }, (_, i) => create(store, `/grown/${i}`, value)))
    await store.range('/grown/')
    expect(mapsOf('self')).toHaveLength(1)
    await store.close()
    expect(mapsOf('self')).toEqual([])
  })

  it('grows with it where addresses are few', async () => {
    const megabytes = 32 * 1024
    const limited = `ulimit -v ${megabytes * 1024} && exec "$0" "$1" "$2"`
    const child = spawn('sh', ['-c', limited, process.execPath, childBundle, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    const wrote = await new Promise<boolean>((resolve) => {
      child.stdout.once('data', () => resolve(true))
      void closed.then(() => resolve(false))
    })
    child.kill('SIGKILL')
    await closed
    expect(wrote).toBe(true)
  })
})
