/**
 * Kills, stops and pauses a server (and the etcd member behind it) at random moments while clients write, read and watch.
 * Invariants: every acknowledged write is there, reads are never older than what was acknowledged, revisions grow over
 * restarts, and every watch that continues from its last revision delivers each change exactly once, in order.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { HarnessContext, HarnessFailure, HarnessRun } from './harness.ts'
import { checkHistory, type FindingKind } from './kills/checker.ts'
import { keyName, listAnswered, runReader, type Scene, Watcher, Writer } from './kills/clients.ts'
import { History } from './kills/history.ts'
import { type Backend, Victim } from './kills/victim.ts'
import { type Random, seededRandom } from './random.ts'

const writerCount = 6
const keysPerWriter = 5
const readerCount = 2
const watcherCount = 4
/** Histories are checked and dropped after this time, so that a run of hours takes no more memory. */
const roundMs = 60_000
const settleMs = 30_000
/** Written when the attacks are over: a watcher that has it has everything. */
const lastKey = keyName(writerCount, 0)
const lastTries = 20

const findingKinds: readonly FindingKind[] = [
  'lost',
  'stale',
  'missed',
  'doubled',
  'disordered',
  'invented',
  'revision',
]

export const run: HarnessRun = async ({ seconds, seed, log }) => {
  const tally = new Tally(log)
  const random = seededRandom(seed)
  const backends: Backend[] = ['lmdb', 'etcd']
  const ms = Math.min(roundMs, (seconds * 1000) / backends.length)
  const end = Date.now() + seconds * 1000
  do {
    for (const backend of backends) await runRound({ backend, ms, random: random.fork(), tally })
  } while (Date.now() + ms * backends.length <= end)
  return tally
}

class Tally {
  passed = 0
  readonly failed: HarnessFailure[] = []
  readonly figures: Record<string, number> = {}
  readonly log: HarnessContext['log']

  constructor(log: HarnessContext['log']) {
    this.log = log
  }

  add(what: string, count = 1): void {
    this.figures[what] = (this.figures[what] ?? 0) + count
  }

  /** Checks the history of a round. */
  judge(backend: Backend, history: History): void {
    const { checks, findings } = checkHistory(history)
    this.passed += checks
    for (const { kind, detail } of findings) this.failed.push({ what: `${backend}: ${kind}`, detail })
    const attempts = [...history.attempts.values()].flat()
    for (const outcome of ['acknowledged', 'unknown', 'refused'] as const)
      this.add(`${backend}: writes ${outcome}`, attempts.filter((each) => each.outcome === outcome).length)
    this.add(`${backend}: reads checked`, history.reads.length)
    for (const { events, gaps } of history.watches) {
      this.add(`${backend}: watch events`, events.length)
      this.add(`${backend}: lists after 410`, gaps.length)
    }
    for (const kind of findingKinds)
      this.add(`${backend}: ${kind}`, findings.filter((finding) => finding.kind === kind).length)
  }
}

interface Round {
  readonly backend: Backend
  readonly ms: number
  readonly random: Random
  readonly tally: Tally
}

async function runRound(round: Round): Promise<void> {
  const victim = await Victim.open(round.backend)
  try {
    victim.start()
    await victim.ready()
    await attackWhileClientsRun(round, victim)
  } finally {
    await victim.close()
  }
}

async function attackWhileClientsRun(round: Round, victim: Victim): Promise<void> {
  const { backend, random, tally } = round
  const history = new History()
  const [writing, watching] = [new AbortController(), new AbortController()]
  const scene: Scene = { client: victim.client, history, signal: writing.signal }
  const writers = Array.from({ length: writerCount }, (_, writer) => {
    const keys = Array.from({ length: keysPerWriter }, (__, index) => keyName(writer, index))
    return new Writer(scene, random.fork(), keys)
  })
  const last = new Writer(scene, random.fork(), [lastKey])
  const from = await listAnswered(scene, 'live')
  const watchers = Array.from({ length: watcherCount }, () => new Watcher({ ...scene, signal: watching.signal }, from))
  const watches = Promise.all(watchers.map((watcher) => watcher.run()))
  const readers = Array.from({ length: readerCount }, () => runReader(scene, random.fork()))
  const clients = Promise.all([...writers.map((writer) => writer.run()), ...readers])
  try {
    await attackUntil(Date.now() + round.ms, round, { victim, scene })
  } catch (error) {
    tally.failed.push({ what: `${backend}: the server did not come back`, detail: String(error) })
    // Writers wait for an answer: a new process gives it.
    if (!victim.isAlive()) victim.start()
  }
  writing.abort()
  await clients
  for (let tries = 0; tries < lastTries && !(await last.write(lastKey)); tries++) await delay(100)
  await settled(watchers)
  watching.abort()
  await watches
  await listAnswered(scene, 'final')
  tally.judge(backend, history)
  for (const { resumed } of watchers) tally.add(`${backend}: watches opened`, resumed)
}

/** Every watcher has the last write, or its time is over: then the checker finds what it misses. */
async function settled(watchers: readonly Watcher[]): Promise<void> {
  const hasLast = (watcher: Watcher): boolean => watcher.hasSeen(lastKey)
  for (const end = Date.now() + settleMs; Date.now() < end && !watchers.every(hasLast); ) await delay(20)
}

interface Target {
  readonly victim: Victim
  readonly scene: Scene
}

async function attackUntil(end: number, round: Round, target: Target): Promise<void> {
  const { backend, random, tally } = round
  const attacks = backend === 'etcd' ? [...serverAttacks, killMember, killMember] : serverAttacks
  while (Date.now() < end) {
    await delay(100 + random.below(1500))
    const attack = random.pick(attacks)
    tally.add(`${backend}: ${await attack(target.victim, random)}`)
    await restart(round, target.victim)
    await target.victim.ready()
    await listAnswered(target.scene, 'restarted')
  }
}

/** Starts the server unless it lives; one start in four is killed before it is over. */
async function restart({ backend, random, tally }: Round, victim: Victim): Promise<void> {
  if (victim.isAlive()) return
  victim.start()
  if (!random.chance(0.25)) return
  await delay(random.below(1200))
  await victim.kill()
  tally.add(`${backend}: kills while it started`)
  victim.start()
}

/** Returns the name that it is counted by. */
type Attack = (victim: Victim, random: Random) => Promise<string>

const kill: Attack = async (victim) => {
  await victim.kill()
  return 'kills (SIGKILL)'
}

const pause: Attack = async (victim, random) => {
  await victim.pause(100 + random.below(1500))
  return 'pauses (SIGSTOP, SIGCONT)'
}

const terminate: Attack = async (victim) => {
  await victim.terminate()
  return 'shutdowns (SIGTERM)'
}

const killMember: Attack = async ({ etcd }, random) => {
  for (const member of etcd?.members ?? []) {
    await member.kill()
    await delay(random.below(1000))
    member.start()
    await member.ready()
  }
  return 'kills of the etcd member'
}

const serverAttacks: readonly Attack[] = [kill, kill, kill, kill, pause, terminate]
