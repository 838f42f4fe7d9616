/** Plays scenarios in two clusters, side by side, and gathers the places where they came out differently. */
import { type Place, placesBetween } from '../differential/compare.ts'
import type { Json } from '../differential/json.ts'
import type { Cluster } from './cluster.ts'
import { explanationOf } from './known-differences.ts'
import { play } from './play.ts'
import type { Scenario } from './scenario.ts'
import type { Snapshot } from './snapshot.ts'

export interface ScenarioResult {
  readonly name: string
  readonly places: readonly Place[]
  /** By the name of their rule, how many places it explains. */
  readonly known: Readonly<Record<string, number>>
  readonly objects: number
  readonly events: number
}

interface Options {
  readonly reference: Cluster
  readonly simulation: Cluster
  readonly scenarios: readonly Scenario[]
  readonly concurrency: number
  readonly done: (result: ScenarioResult) => void
}

export async function runScenarios(options: Options): Promise<ScenarioResult[]> {
  const { scenarios, concurrency } = options
  const results: ScenarioResult[] = []
  const run = async (scenario: Scenario): Promise<void> => {
    const result = await compared(scenario, options)
    results.push(result)
    options.done(result)
  }
  const together = scenarios.filter(({ isAlone }) => isAlone !== true)
  const lane = async (): Promise<void> => {
    for (let next = together.shift(); next !== undefined; next = together.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  for (const scenario of scenarios.filter(({ isAlone }) => isAlone === true)) await run(scenario)
  return results
}

async function compared(scenario: Scenario, { reference, simulation }: Options): Promise<ScenarioResult> {
  const [theirs, ours] = await Promise.all([play(reference.client, scenario), play(simulation.client, scenario)])
  return resultOf(scenario, theirs, ours)
}

function resultOf({ name, hasSpread }: Scenario, theirs: Snapshot, ours: Snapshot): ScenarioResult {
  const compared = ({ objects, events, spread, answers }: Snapshot) =>
    ({ objects, events, answers, ...(hasSpread === true ? { spread } : {}) }) as Json
  const places: Place[] = []
  const known: Record<string, number> = {}
  for (const place of placesBetween(compared(theirs), compared(ours), [])) {
    const rule = explanationOf(place)
    if (rule === undefined) places.push(place)
    else known[rule.name] = (known[rule.name] ?? 0) + 1
  }
  return { name, places, known, objects: theirs.counts.objects, events: theirs.counts.events }
}
