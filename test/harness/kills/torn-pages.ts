/**
 * Damages the file of a killed server: cuts it, flips bits, tears and swaps pages. A server that is started on it refuses,
 * naming a remedy, or has every acknowledged write, also after it wrote on and was killed once more. It never crashes.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { damaged } from '../../contract/store/page-damage.ts'
import { freePort } from '../../support/free-port.ts'
import type { Random } from '../random.ts'
import { collection, keyName, Writer } from './clients.ts'
import { History } from './history.ts'
import { ServerProcess } from './server-process.ts'
import type { Tally } from './tally.ts'

const writerCount = 6
const writingMs = 2000
const moreKeys = 30
const remedy = /restore a snapshot/

interface Setting {
  readonly folder: string
  readonly port: number
  readonly history: History
  readonly random: Random
  readonly tally: Tally
}

export async function tearPages({ ms, random, tally }: { ms: number; random: Random; tally: Tally }): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-torn-'))
  const setting: Setting = { folder, port: await freePort(), history: new History(), random, tally }
  const end = Date.now() + ms
  try {
    await writeAndKill(setting)
    do await tear(setting)
    while (Date.now() < end)
    tally.judge('torn-pages', setting.history)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const serverIn = ({ port }: Setting, folder: string): ServerProcess =>
  new ServerProcess({ folder, port, flags: ['--store=lmdb'] })

async function writeAndKill(setting: Setting): Promise<void> {
  const server = serverIn(setting, path.join(setting.folder, 'whole'))
  const end = new AbortController()
  try {
    server.start()
    await server.ready()
    const scene = { client: server.client, history: setting.history, signal: end.signal, believesRefusals: () => true }
    const writers = Array.from({ length: writerCount }, (_, i) => {
      const keys = Array.from({ length: 5 }, (__, index) => keyName(i, index))
      return new Writer(scene, setting.random.fork(), keys)
    })
    const writing = Promise.all(writers.map((writer) => writer.run()))
    await delay(writingMs)
    end.abort()
    await writing
    await server.kill()
  } finally {
    await server.close()
  }
}

/** One damaged copy. */
async function tear(setting: Setting): Promise<void> {
  const { folder, random, tally } = setting
  const copy = path.join(folder, 'torn')
  cpSync(path.join(folder, 'whole'), copy, { recursive: true })
  const file = path.join(copy, 'data', 'store', 'data.mdb')
  const { how, bytes } = damaged(readFileSync(file), random)
  writeFileSync(file, bytes)
  const server = serverIn(setting, copy)
  try {
    tally.add('torn-pages: files damaged')
    tally.add(`torn-pages: ${await startTorn(setting, server, how)}`)
  } finally {
    await server.close()
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Returns how it ended. */
async function startTorn(setting: Setting, server: ServerProcess, how: string): Promise<string> {
  const { tally } = setting
  server.start()
  const ending = await server.readyOrEnded()
  if (ending !== undefined) {
    const { signal, code, output } = ending
    const isRefusal = signal === null && code !== 0 && remedy.test(output) && !/is ready on/.test(output)
    tally.check(isRefusal, `torn-pages: ${how}: the server ends with ${signal ?? code} and names no remedy`, output)
    return 'refused'
  }
  const before = await contentOf(server)
  record(setting, before)
  for (let i = 0; i < moreKeys; i++) {
    const body = { metadata: { name: `more-${i}` }, data: { value: 'v'.repeat(i * 300) } }
    const { status } = await server.client.call('POST', collection, body)
    tally.check(status === 201, `torn-pages: ${how}: a write is answered ${status}`, server.output)
  }
  await server.kill()
  server.start()
  await server.ready()
  const after = await contentOf(server)
  record(setting, after)
  const hasMore = Array.from({ length: moreKeys }, (_, i) => after.get(`more-${i}`)?.length === i * 300).every(Boolean)
  tally.check(hasMore, `torn-pages: ${how}: what was written afterwards is not there`)
  return 'served whole'
}

async function contentOf(server: ServerProcess): Promise<ReadonlyMap<string, string>> {
  const { status, body } = await server.client.call('GET', collection)
  if (status !== 200) throw new Error(`the list is answered ${status}`)
  const items = body.items as { metadata: { name: string }; data?: { value?: string } }[]
  return new Map(items.map(({ metadata, data }) => [metadata.name, data?.value ?? '']))
}

function record({ history }: Setting, content: ReadonlyMap<string, string>): void {
  for (const key of history.attempts.keys()) history.beginRead(key, 'final')(content.get(key))
}
