/**
 * Where the longest turn of the event loop went: a sampling profile of a request, cut to the turn that took most processor time. A
 * sample that comes late was not the program's doing: others had the processor meanwhile.
 */
import { type Profiler, Session } from 'node:inspector'
import { threadClock } from '../../../src/lib/loop-monitor.ts'

/** Microseconds between two samples, and what one of them counts at most. */
const sampling = 250
const longestSample = 4 * sampling
const shown = 14

/** Runs `work` under the profiler and returns the functions of its longest turn, those that took most first. */
export async function profileLongestTurn(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: sampling })
  session.post('Profiler.start')
  const turns = new Turns()
  await work()
  turns.stop()
  const profile = await new Promise<Profiler.Profile>((resolve, reject) =>
    session.post('Profiler.stop', (error, result) => (error === null ? resolve(result.profile) : reject(error))),
  )
  session.disconnect()
  return describe(profile, turns.longest)
}

/** Microseconds of the clock, and milliseconds of processor time between them. */
interface Span {
  readonly from: number
  readonly to: number
  readonly cpu: number
}

const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

class Turns {
  longest: Span = { from: 0, to: 0, cpu: 0 }
  readonly #cpu = threadClock()
  #last = microseconds()
  #cpuLast = this.#cpu()
  readonly #timer = setInterval(() => this.#look(), 1)

  #look(): void {
    const now = microseconds()
    const cpuNow = this.#cpu()
    const cpu = cpuNow - this.#cpuLast
    if (cpu > this.longest.cpu) this.longest = { from: this.#last, to: now, cpu }
    this.#last = now
    this.#cpuLast = cpuNow
  }

  stop(): void {
    this.#look()
    clearInterval(this.#timer)
  }
}

function describe(profile: Profiler.Profile, { from, to, cpu }: Span): string[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const own = new Map<string, number>()
  const whole = new Map<string, number>()
  const add = (sums: Map<string, number>, name: string, time: number): unknown =>
    sums.set(name, (sums.get(name) ?? 0) + time)
  const nameOf = (id: number): string => {
    const frame = nodes.get(id)?.callFrame
    return `${frame?.functionName ?? ''}:${(frame?.lineNumber ?? 0) + 1}`
  }
  let at = profile.startTime
  for (const [i, id] of (profile.samples ?? []).entries()) {
    const passed = profile.timeDeltas?.[i] ?? 0
    at += passed
    const delta = Math.min(passed, longestSample)
    if (at < from || at > to) continue
    add(own, nameOf(id), delta)
    const seen = new Set<string>()
    for (let each: number | undefined = id; each !== undefined; each = parents.get(each)) seen.add(nameOf(each))
    for (const name of seen) add(whole, name, delta)
  }
  const lines = (title: string, sums: Map<string, number>, count: number): string[] => [
    title,
    ...[...sums]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, time]) => `${(time / 1000).toFixed(1).padStart(8)} ms ${name}`),
  ]
  return [
    `the longest turn: ${cpu.toFixed(0)} ms of processor time`,
    ...lines('  itself', own, shown),
    ...lines('  with what it called', whole, 2 * shown),
  ]
}
