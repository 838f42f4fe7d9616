/**
 * Kills, stops and pauses servers (and the etcd members behind them) at random moments while clients write, read and watch;
 * moves their clocks, fills etcd's quota and the disk, runs earlier builds in turns, damages the files of a killed server.
 * Invariants: every acknowledged write is there, reads are never older than what was acknowledged, revisions grow over
 * restarts, every watch that continues from its last revision delivers each change exactly once, in order, writes are
 * acknowledged again once the attack is over, and a damaged store is refused with a remedy or serves what was acknowledged.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { HarnessRun } from './harness.ts'
import { attack, type Field } from './kills/attacks.ts'
import { keyName, listAnswered, runReader, type Scene, Watcher, Writer } from './kills/clients.ts'
import { type Backend, Deployment } from './kills/deployment.ts'
import { fillDisk } from './kills/full-disk.ts'
import { History } from './kills/history.ts'
import { olderBuild } from './kills/older-build.ts'
import { Tally } from './kills/tally.ts'
import { tearPages } from './kills/torn-pages.ts'
import { type Random, seededRandom } from './random.ts'

const writerCount = 6
const keysPerWriter = 5
const readerCount = 2
const watcherCount = 4
/** Histories are checked and dropped after this time, so that a run of hours takes no more memory. */
const roundMs = 60_000
const settleMs = 60_000
/** Once an attack is over, a write is acknowledged within this time. */
const recoveryMs = 60_000
/** An etcd that does not answer in time is another matter. */
const refusedOwn = /"code":4\d\d.*cannot be written/
/** One round in so many begins with the older build. */
const olderShare = 0.3

interface Round {
  readonly ms: number
  readonly random: Random
  readonly tally: Tally
  readonly olderProgram: string | undefined
}

const parts: Readonly<Record<string, (round: Round) => Promise<void>>> = {
  lmdb: (round) => attackBackend('lmdb', round),
  'lmdb-workers': (round) => attackBackend('lmdb-workers', { ...round, olderProgram: undefined }),
  etcd: (round) => attackBackend('etcd', round),
  'torn-pages': tearPages,
  'full-disk': fillDisk,
}

export const run: HarnessRun = async ({ seconds, seed, part, log }) => {
  const tally = new Tally(log)
  const random = seededRandom(seed)
  const names = part === undefined ? Object.keys(parts) : [part]
  const olderProgram = olderBuild(log)
  const ms = Math.min(roundMs, (seconds * 1000) / names.length)
  const end = Date.now() + seconds * 1000
  do {
    for (const name of names) {
      const runPart = parts[name]
      if (runPart === undefined) throw new Error(`kills has no part ${name}; it has ${Object.keys(parts).join(', ')}`)
      await runPart({ ms, random: random.fork(), tally, olderProgram }).catch((error: Error) =>
        tally.fail(`${name}: the round broke off`, error.stack ?? String(error)),
      )
    }
    log(tally.summary())
  } while (Date.now() + (ms * names.length) / 2 <= end)
  return tally
}

async function attackBackend(backend: Backend, round: Round): Promise<void> {
  const deployment = await Deployment.open(backend)
  try {
    if (round.olderProgram !== undefined && round.random.chance(olderShare))
      for (const server of deployment.servers) server.program = round.olderProgram
    await deployment.start()
    if (deployment.servers.every(({ program }) => program !== round.olderProgram))
      for (const { output } of deployment.servers)
        round.tally.check(!refusedOwn.test(output), `${backend}: a first start refuses an own object`, output)
    await attackWhileClientsRun(backend, round, deployment)
  } finally {
    await deployment.close()
  }
}

async function attackWhileClientsRun(backend: Backend, round: Round, deployment: Deployment): Promise<void> {
  const { random, tally } = round
  const history = new History()
  const [writing, watching] = [new AbortController(), new AbortController()]
  // Checked when the answer is there; it may still be of the process before.
  let wasOlder = false
  const believesRefusals = (): boolean => {
    wasOlder ||= deployment.servers.some(({ program }) => program === round.olderProgram)
    return !wasOlder
  }
  const scene: Scene = { client: deployment.client, history, signal: writing.signal, believesRefusals }
  const writers = Array.from({ length: writerCount }, (_, writer) => {
    const keys = Array.from({ length: keysPerWriter }, (__, index) => keyName(writer, index))
    return new Writer(scene, random.fork(), keys)
  })
  const probe = new Writer(scene, random.fork(), [keyName(writerCount, 0)])
  const from = await listAnswered(scene, 'live')
  const watchers = Array.from({ length: watcherCount }, () => new Watcher({ ...scene, signal: watching.signal }, from))
  const watches = Promise.all(watchers.map((watcher) => watcher.run()))
  const readers = Array.from({ length: readerCount }, () => runReader(scene, random.fork()))
  const clients = Promise.all([...writers.map((writer) => writer.run()), ...readers])
  try {
    await Promise.race([
      attackUntil(Date.now() + round.ms, { backend, round, deployment, probe, scene }),
      failed(clients),
    ])
  } catch (error) {
    tally.fail(`${backend}: the servers did not come back`, (error as Error).stack ?? String(error))
    // Writers wait for an answer: a new process gives it.
    for (const server of deployment.servers) if (!server.isAlive()) server.start()
  }
  writing.abort()
  await clients
  await probe.putUntilAcknowledged(recoveryMs)
  await settled(watchers, await listAnswered(scene, 'final'))
  watching.abort()
  await watches
  await listAnswered(scene, 'final')
  tally.judge(backend, history)
  for (const { resumed } of watchers) tally.add(`${backend}: watches opened`, resumed)
}

/** Never resolves. */
async function failed(work: Promise<unknown>): Promise<never> {
  await work
  return new Promise(() => undefined)
}

/** Every watcher has seen the revision of the last list, or its time is over: then the checker finds what it misses. */
async function settled(watchers: readonly Watcher[], revision: number): Promise<void> {
  const isThere = (watcher: Watcher): boolean => watcher.hasSeen(revision)
  for (const end = Date.now() + settleMs; Date.now() < end && !watchers.every(isThere); ) await delay(20)
}

interface Siege {
  readonly backend: Backend
  readonly round: Round
  readonly deployment: Deployment
  readonly probe: Writer
  readonly scene: Scene
}

async function attackUntil(end: number, siege: Siege): Promise<void> {
  const { backend, round, deployment, probe, scene } = siege
  const { random, tally, olderProgram } = round
  const count = (what: string): void => tally.add(`${backend}: ${what}`)
  const field: Field = { deployment, random, olderProgram, count }
  while (Date.now() < end) {
    await delay(100 + random.below(1000))
    await attack(backend, field)
    await restart(field)
    await listAnswered(scene, 'restarted')
    const value = await probe.putUntilAcknowledged(recoveryMs)
    tally.check(value !== undefined, `${backend}: no write is acknowledged after an attack`)
  }
}

/** Starts what does not live; one start in four is killed before it is over. */
async function restart({ deployment, random, count }: Field): Promise<void> {
  const dead = deployment.servers.filter((server) => !server.isAlive())
  for (const server of dead) server.start()
  if (dead.length > 0 && random.chance(0.25)) {
    await delay(random.below(1200))
    await dead[0]?.kill()
    count('kills (SIGKILL)')
    count('kills while it started')
    dead[0]?.start()
  }
  await deployment.ready()
}
