/**
 * Fills the disk of a server, to its reserve and to the last byte, and kills it there. Invariants: it stays alive and serves
 * reads and deletes, refuses other writes in words that name the disk, starts again that way, takes writes once there is
 * room, and loses nothing that was acknowledged.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { hasSmallDisk, SmallDisk } from '../../support/small-disk.ts'
import type { Random } from '../random.ts'
import { collection, keyName, listAnswered, type Scene, Writer } from './clients.ts'
import { History } from './history.ts'
import { ServerProcess } from './server-process.ts'
import type { Tally } from './tally.ts'

const diskMegabytes = 96
const writerCount = 6
const patienceMs = 30_000

interface Setting {
  readonly disk: SmallDisk
  readonly server: ServerProcess
  readonly scene: Scene
  readonly tally: Tally
  readonly random: Random
}

export async function fillDisk({ ms, random, tally }: { ms: number; random: Random; tally: Tally }): Promise<void> {
  if (!hasSmallDisk('full disks')) return
  const disk = await SmallDisk.mount(diskMegabytes)
  const server = new ServerProcess({
    folder: disk.outside,
    seenFolder: disk.folder,
    port: await freePort(),
    flags: ['--store=lmdb'],
    wrapper: disk.wrapper,
  })
  const ending = new AbortController()
  const history = new History()
  const scene: Scene = { client: server.client, history, signal: ending.signal, believesRefusals: () => true }
  const end = Date.now() + ms
  try {
    server.start()
    await server.ready()
    const writers = Array.from({ length: writerCount }, (_, i) => new Writer(scene, random.fork(), keysOf(i)))
    const writing = Promise.all(writers.map((writer) => writer.run()))
    do await fillOnce({ disk, server, scene, tally, random })
    while (Date.now() < end)
    ending.abort()
    await writing
    await listAnswered(scene, 'final')
    tally.judge('full-disk', history)
  } finally {
    ending.abort()
    await server.close()
    disk.close()
  }
}

const keysOf = (writer: number): string[] => Array.from({ length: 5 }, (_, index) => keyName(writer, index))

async function fillOnce(setting: Setting): Promise<void> {
  const { disk, server, tally, random } = setting
  await delay(random.below(1000))
  const left = random.pick([0, 0, 1_000_000, 4_000_000])
  const doomed = await create(setting, 'doomed')
  tally.check(doomed === 201, `full-disk: a write while there is room is answered ${doomed}`)
  disk.leave(left)
  tally.add('full-disk: disks filled')
  const refusal = await untilRefused(setting)
  tally.check(refusal !== undefined, 'full-disk: the server has ended', server.output)
  if (refusal === undefined) {
    server.start()
    await server.answers()
    await checkRoom(setting, left)
    return
  }
  tally.check(
    /disk|No space left|Input\/output error/.test(refusal),
    'full-disk: a refusal does not name the disk',
    refusal,
  )
  // The disk was full before the server could see it coming: it waits for its probes to have it started again.
  const hasFailed = refusal.includes('until it is started again')
  if (hasFailed && server.isAlive()) {
    const { status } = await server.client.call('GET', '/livez')
    // No answer: the process has ended meanwhile.
    const isTold = status === 500 || status === 0
    tally.check(isTold, `full-disk: /livez is answered ${status} by a store that cannot write`, server.output)
    tally.add('full-disk: surprises')
  }
  if (hasFailed || random.chance(0.6)) {
    if (server.isAlive()) await server.kill()
    tally.add('full-disk: kills (SIGKILL)')
    server.start()
    await server.answers()
  }
  await checkRoom(setting, left)
}

/** What it does without room, and with room again. */
async function checkRoom(setting: Setting, left: number): Promise<void> {
  await checkMode(setting, left)
  setting.disk.empty()
  await untilTaken(setting)
  await setting.server.ready()
  await listAnswered(setting.scene, 'restarted')
}

async function create({ server }: Setting, name: string): Promise<number> {
  return (await server.client.call('POST', collection, { metadata: { name }, data: { value: 'x' } })).status
}

/** Returns in which words; undefined when the process has ended. */
async function untilRefused({ server }: Setting): Promise<string | undefined> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(50)) {
    const { status, body } = await server.client.call('POST', collection, { metadata: { generateName: 'probe-' } })
    if (status >= 500) return String(body?.message)
    if (!server.isAlive()) return undefined
  }
  throw new Error(
    `a full disk refuses no write; the server is ${server.isAlive() ? 'alive' : 'gone'}:\n${server.output}`,
  )
}

/** Alive, not ready, reads and deletes. */
async function checkMode({ server, tally }: Setting, left: number): Promise<void> {
  const where = `full-disk, ${left} bytes free`
  const livez = await server.client.call('GET', '/livez')
  tally.check(livez.status === 200, `${where}: /livez is answered ${livez.status}`, String(livez.body))
  const readyz = await server.client.call('GET', '/readyz?verbose')
  tally.check(readyz.status === 500, `${where}: /readyz is answered ${readyz.status}`, String(readyz.body))
  const read = await server.client.call('GET', `${collection}/doomed`)
  tally.check(read.status === 200, `${where}: a read is answered ${read.status}`, JSON.stringify(read.body))
  const deleted = await server.client.call('DELETE', `${collection}/doomed`)
  tally.check(deleted.status === 200, `${where}: a delete is answered ${deleted.status}`, JSON.stringify(deleted.body))
}

async function untilTaken(setting: Setting): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(50)) {
    const status = await create(setting, `room-${Date.now()}`)
    if (status === 201) return
  }
  throw new Error('no write is taken although there is room again')
}
