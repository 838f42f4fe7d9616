/** Where the longest turn of the event loop went: a sampling profile of a request, cut to that turn. */
import { type Profiler, Session } from 'node:inspector'

/** Microseconds between two samples. */
const sampling = 250
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

interface Span {
  readonly from: number
  readonly to: number
}

const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

class Turns {
  longest: Span = { from: 0, to: 0 }
  #last = microseconds()
  readonly #timer = setInterval(() => this.#look(), 1)

  #look(): void {
    const now = microseconds()
    if (now - this.#last > this.longest.to - this.longest.from) this.longest = { from: this.#last, to: now }
    this.#last = now
  }

  stop(): void {
    this.#look()
    clearInterval(this.#timer)
  }
}

function describe(profile: Profiler.Profile, { from, to }: Span): string[] {
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
    const delta = profile.timeDeltas?.[i] ?? 0
    at += delta
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
    `the longest turn: ${((to - from) / 1000).toFixed(0)} ms`,
    ...lines('  itself', own, shown),
    ...lines('  with what it called', whole, 2 * shown),
  ]
}
