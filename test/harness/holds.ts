/**
 * Holds of the event loop by single requests: for every list and map that a built-in kind has anywhere, and for the worst
 * bodies that are known, one request at a time. Each body grows until a turn takes longer than the bound or the body is as
 * large as a request may be: what is more than linear in some list fails early, what is slow for each item fails late.
 */
import { LoopMonitor } from '../../src/lib/loop-monitor.ts'
import { startTarget, type Target, type TargetRequest } from './fuzz/target.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'
import { type FieldCase, fieldCases } from './holds/field-bodies.ts'
import { worstRequests } from './holds/worst-requests.ts'
import { seededRandom } from './random.ts'

/** Milliseconds of processor time that one turn of the loop may take. */
const boundMs = 50
/** A hold counts only if it shows every time: the engine compiles and collects in between. */
const repeats = 3
const maxBodyBytes = 3 * 1024 * 1024
const counts = [2_000, 20_000, 200_000]

interface HoldCase {
  readonly name: string
  /** Undefined when the body would be too large. */
  request(count: number): TargetRequest | undefined
}

interface Measured {
  readonly name: string
  readonly hold: number
  readonly bytes: number
  readonly status: number
}

export const run: HarnessRun = async ({ seconds, seed, log }) => {
  const target = await startTarget()
  const monitor = new LoopMonitor()
  const end = Date.now() + seconds * 1000
  const results: Measured[] = []
  try {
    for (const each of cases(seed)) {
      if (Date.now() > end) break
      const measured = await grow(target, monitor, each)
      results.push(measured)
      if (measured.hold > boundMs) log(describe(measured))
    }
  } finally {
    monitor.stop()
    await target.close()
  }
  results.sort((a, b) => b.hold - a.hold)
  const failed = results.filter(({ hold }) => hold > boundMs)
  return { passed: results.length - failed.length, failed: failed.map(failure), figures: figuresOf(results) }
}

/** All of them, in an order that depends on the seed: a short run has some of each. */
function cases(seed: number): HoldCase[] {
  const named = process.env['HOLDS_ONLY'] ?? ''
  const random = seededRandom(seed)
  const all = [...worstRequests.map(worstCase), ...fieldCases().flatMap(fieldCase)]
  return all
    .filter(({ name }) => new RegExp(named).test(name))
    .map((each) => ({ each, place: random.below(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each)
}

const worstCase = ({ name, request }: (typeof worstRequests)[number]): HoldCase => ({ name, request })

function fieldCase(field: FieldCase): HoldCase[] {
  const { resource, name, body } = field
  const prefix = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const path = `${prefix}${resource.namespaced ? '/namespaces/default' : ''}/${resource.resource}?dryRun=All`
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const texts = { good: (i: number) => `a${i}`, bad: (i: number) => `Bad ${i}!` }
  return Object.entries(texts).map(([kind, text]) => ({
    name: `${name} (${kind})`,
    request: (count) => ({ method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body(count, text))) }),
  }))
}

async function grow(target: Target, monitor: LoopMonitor, { name, request }: HoldCase): Promise<Measured> {
  let worst: Measured = { name, hold: 0, bytes: 0, status: 0 }
  for (const count of counts) {
    const asked = request(count)
    if (asked === undefined || (asked.body?.length ?? 0) > maxBodyBytes) break
    const { hold, status } = await measure(target, monitor, asked)
    if (hold > worst.hold) worst = { name, hold, status, bytes: asked.body?.length ?? 0 }
    if (hold > boundMs) break
  }
  return worst
}

async function measure(
  target: Target,
  monitor: LoopMonitor,
  request: TargetRequest,
): Promise<Pick<Measured, 'hold' | 'status'>> {
  let hold = Number.POSITIVE_INFINITY
  let status = 0
  const headers = { ...request.headers, 'content-length': String(request.body?.length ?? 0) }
  for (let i = 0; i < repeats && hold > boundMs; i++) {
    monitor.reset()
    const answer = await target.send({ ...request, headers })
    hold = Math.min(hold, monitor.longestMs)
    status = answer.status
  }
  return { hold, status }
}

const describe = ({ name, hold, bytes, status }: Measured): string =>
  `${hold.toFixed(0)} ms of processor time: ${name}, ${bytes} bytes, answered ${status}`

const failure = (measured: Measured): HarnessFailure => ({ what: `a hold: ${describe(measured)}` })

function figuresOf(results: readonly Measured[]): Record<string, number | string> {
  const [first] = results
  return {
    'bodies that grew': results.length,
    'longest hold (processor time, ms)': Math.round(first?.hold ?? 0),
    'by the body': first === undefined ? '' : `${first.name}, ${first.bytes} bytes`,
  }
}
