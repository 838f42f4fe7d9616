/**
 * Holds of the event loop by single requests: for every list and map that a built-in kind has anywhere, and for the worst
 * bodies that are known, one request at a time. Each body grows until a turn takes longer than the bound or the body is as
 * large as a request may be: what is more than linear in some list fails early, what is slow for each item fails late.
 */
import path from 'node:path'
import type { JsonObject } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'
import { LoopMonitor } from '../../src/lib/loop-monitor.ts'
import { startTarget, type Target, type TargetRequest } from './fuzz/target.ts'
import type { HarnessFailure, HarnessRun } from './harness.ts'
import { bulkScenarios } from './holds/bulk-scenarios.ts'
import { configuredScenarios } from './holds/configured-scenarios.ts'
import { encodedRequests } from './holds/encoded-requests.ts'
import { extensionScenarios } from './holds/extension-scenarios.ts'
import { type FieldCase, fieldCases, type TextOf } from './holds/field-bodies.ts'
import { longTextScenarios } from './holds/long-texts.ts'
import { profileLongestTurn } from './holds/longest-turn.ts'
import { objectScenarios } from './holds/object-scenarios.ts'
import { Caller, type Scenario } from './holds/scenario.ts'
import { type HoldsOfLife, liveOnce, liveThrough, longCases, smallObjects } from './holds/valid-objects.ts'
import { validPods } from './holds/valid-pods.ts'
import { viewScenarios } from './holds/view-scenarios.ts'
import { existing, worstRequests } from './holds/worst-requests.ts'
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
  /** What took so long. */
  readonly asked?: TargetRequest
}

export const run: HarnessRun = async ({ seconds, seed, part, log }) => {
  const monitor = new LoopMonitor()
  const measuring: Measuring = { monitor, end: Date.now() + seconds * 1000, log, results: [] }
  try {
    if (part === undefined || part === 'requests') await measureRequests(measuring, seed)
    if (part === undefined || part === 'objects') await measureObjects(measuring, seed)
    if (part === undefined || part === 'scenarios') await measureScenarios(measuring)
  } finally {
    monitor.stop()
  }
  const results = measuring.results.toSorted((a, b) => b.hold - a.hold)
  const failed = results.filter(({ hold }) => hold > boundMs)
  return { passed: results.length - failed.length, failed: failed.map(failure), figures: figuresOf(results) }
}

interface Measuring {
  readonly monitor: LoopMonitor
  /** Milliseconds since the epoch. */
  readonly end: number
  readonly log: (line: string) => void
  readonly results: Measured[]
}

async function measureRequests({ monitor, end, log, results }: Measuring, seed: number): Promise<void> {
  const target = await startTarget()
  try {
    await new Caller(target).call({
      path: path.posix.dirname(existing),
      body: { metadata: { name: path.posix.basename(existing) } },
    })
    // Whose status is written.
    for (const call of smallObjects()) await new Caller(target).call({ ...call, mayFail: true })
    for (const [i, each] of cases(seed).entries()) {
      if (i < from()) continue
      if (Date.now() > end) {
        log(`the time is over: HOLDS_FROM=${i} goes on`)
        break
      }
      const measured = await grow(target, monitor, each)
      results.push(measured)
      // Who picks some wants to know all of them.
      if (measured.hold > boundMs || process.env['HOLDS_ONLY'] !== undefined) log(describe(measured))
      if (measured.hold <= boundMs) continue
      const { asked } = measured
      if (isProfiled() && asked !== undefined)
        for (const line of await profileLongestTurn(() => target.send(asked))) log(line)
    }
  } finally {
    await target.close()
  }
}

/** Objects that are taken; those that are not are listed, as they measure nothing. */
async function measureObjects({ monitor, end, log, results }: Measuring, seed: number): Promise<void> {
  const target = await startTarget()
  const isLong = (holds: HoldsOfLife): boolean => Object.values(holds).some((hold) => hold > boundMs)
  const measure = async (_: string, step: () => Promise<unknown>): Promise<number> => {
    monitor.reset()
    await step()
    return monitor.longestMs
  }
  try {
    const server = new Caller(target)
    for (const [i, long] of shuffled(longCases(), seed).entries()) {
      if (i < from()) continue
      if (Date.now() > end) {
        log(`the time is over: HOLDS_FROM=${i} goes on`)
        break
      }
      const { count, holds, refusal } = await liveThrough(server, long, { measure, isLong })
      if (holds === undefined) {
        log(`${i} not taken: ${long.name}: ${refusal ?? ''}`)
        continue
      }
      const each = Object.entries(holds).map(([verb, hold]) => `${verb} ${hold.toFixed(0)}`)
      log(`${i} ${isLong(holds) ? 'OVER ' : ''}${long.name}, ${count} items: ${each.join(', ')}`)
      for (const [verb, hold] of Object.entries(holds))
        results.push({ name: `${long.name}, ${count} items, ${verb}`, hold, bytes: 0, status: 200 })
      if (!isProfiled() || !isLong(holds)) continue
      await liveOnce(server, long, count, async (verb, step) => {
        if ((holds[verb] ?? 0) <= boundMs) await step()
        else for (const line of [verb, ...(await profileLongestTurn(step))]) log(line)
        return 0
      })
    }
  } finally {
    await target.close()
  }
}

const scenarios = (): Scenario[] =>
  [
    ...objectScenarios,
    ...viewScenarios,
    ...extensionScenarios,
    ...bulkScenarios,
    ...configuredScenarios,
    ...longTextScenarios,
  ].filter(({ name }) => only().test(name))

async function measureScenarios(measuring: Measuring): Promise<void> {
  const all = scenarios()
  for (const flags of new Set(all.map((scenario) => scenario.flags))) {
    const target = await startTarget(flags)
    try {
      for (const scenario of all.filter((each) => each.flags === flags))
        if (Date.now() < measuring.end) await play(target, scenario, measuring)
    } finally {
      await target.close()
    }
  }
}

/** What happens once only (`act` does nothing when it is tried again) counts as it was. */
async function play(
  target: Target,
  { name, prepare, act }: Scenario,
  { monitor, log, results }: Measuring,
): Promise<void> {
  const server = new Caller(target)
  await prepare?.(server)
  let hold = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < repeats && hold > boundMs; attempt++) {
    monitor.reset()
    await act(server, attempt)
    const { longestMs } = monitor
    if (longestMs > 1) hold = Math.min(hold, longestMs)
  }
  const measured = { name, hold: Number.isFinite(hold) ? hold : 0, bytes: 0, status: 0 }
  results.push(measured)
  log(`${measured.hold.toFixed(0).padStart(5)} ms: ${name}`)
  if (isProfiled() && measured.hold > boundMs)
    for (const line of await profileLongestTurn(() => act(server, repeats))) log(line)
}

/** All of them, in an order that depends on the seed: a short run has some of each. */
const cases = (seed: number): HoldCase[] => shuffled(allCases(), seed)

function shuffled<T extends { readonly name: string }>(all: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  return all
    .filter(({ name }) => only().test(name))
    .map((each) => ({ each, place: random.below(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each)
}

export const allCases = (): HoldCase[] => [
  ...[...worstRequests, ...encodedRequests, ...validPods].map(worstCase),
  ...fieldCases().flatMap(fieldCase),
]

/** `HOLDS_PROFILE=1`: what is over the bound once more, under the profiler. */
const isProfiled = (): boolean => process.env['HOLDS_PROFILE'] !== undefined

/** `HOLDS_FROM`: the place in the order of the seed to go on at, for a run in several parts. */
const from = (): number => Number(process.env['HOLDS_FROM'] ?? 0)

const only = (): RegExp => new RegExp(process.env['HOLDS_ONLY'] ?? '')

const worstCase = ({ name, request }: (typeof worstRequests)[number]): HoldCase => ({ name, request })

const textsOfItems = { good: (i: number) => `a${i}`, bad: (i: number) => `Bad ${i}!` }
/** What rules read on and on, each in its way. */
const partsOfText = {
  'one text of letters': () => 'abcdefghijklm',
  'one text of digits': () => '0123456789012',
  'one text of characters that are escaped': () => '"\u200b\n',
  'one text of many parts': (i: number) => `a.b-${i}/`,
  'one text of other separators': (i: number) => `::%41, ${i}=`,
}

function fieldCase(field: FieldCase): HoldCase[] {
  const { resource, name, body } = field
  const prefix = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const path = `${prefix}${resource.namespaced ? '/namespaces/default' : ''}/${resource.resource}`
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const texts: Readonly<Record<string, TextOf>> = field.isText ? partsOfText : textsOfItems
  const small = smallObjects().find((each) => each.path === path)?.body as KubeObject | undefined
  return Object.entries(texts).flatMap(([kind, text]) => {
    const create: HoldCase = {
      name: `${name} (${kind})`,
      request: (count) => ({ method: 'POST', path: `${path}?dryRun=All`, headers, body: bytesOf(body(count, text)) }),
    }
    if (!field.isOfStatus || small === undefined) return create
    // A create drops the status of most kinds before its rules.
    const { metadata } = small
    const update: HoldCase = {
      name: `${name} (${kind}), by the status endpoint`,
      request: (count) => ({
        method: 'PUT',
        path: `${path}/${metadata.name}/status?dryRun=All`,
        headers,
        body: bytesOf({ ...body(count, text), metadata: { name: metadata.name as string } }),
      }),
    }
    return [create, update]
  })
}

const bytesOf = (body: JsonObject): Buffer => Buffer.from(JSON.stringify(body))

async function grow(target: Target, monitor: LoopMonitor, { name, request }: HoldCase): Promise<Measured> {
  let worst: Measured = { name, hold: 0, bytes: 0, status: 0 }
  for (const count of counts) {
    const made = request(count)
    if (made === undefined || (made.body?.length ?? 0) > maxBodyBytes) break
    const asked = { ...made, headers: { ...made.headers, 'content-length': String(made.body?.length ?? 0) } }
    const { hold, status } = await measure(target, monitor, asked)
    if (hold > worst.hold) worst = { name, hold, status, bytes: asked.body?.length ?? 0, asked }
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
  for (let i = 0; i < repeats && hold > boundMs; i++) {
    monitor.reset()
    const answer = await target.send(request)
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
