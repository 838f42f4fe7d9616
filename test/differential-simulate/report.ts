/** What a run found, as text: scenario by scenario, then what is known, then the sums. */
import type { Place } from '../differential/compare.ts'
import { type Json, showPath } from '../differential/json.ts'
import type { ScenarioResult } from './differential-simulate.ts'
import { knownDifferences } from './known-differences.ts'

export const scenarioText = ({ name, places, objects, events }: ScenarioResult): string =>
  [
    `${places.length === 0 ? 'same     ' : 'different'} ${name}: ${objects} objects, ${events} events`,
    ...places.map(placeText),
  ].join('\n')

export function sumText(results: readonly ScenarioResult[]): string {
  const sum = (of: (result: ScenarioResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0)
  const known = knownDifferences.map(({ name, reason }) => ({
    name,
    reason,
    count: sum((each) => each.known[name] ?? 0),
  }))
  const met = known.filter(({ count }) => count > 0)
  return [
    ...(met.length === 0 ? [] : ['known differences:']),
    ...met.map(({ name, reason, count }) => `  ${count} × ${name}: ${reason}`),
    `${results.length} scenarios, ${sum(({ objects }) => objects)} objects, ${sum(({ events }) => events)} events: ` +
      `${sum(({ places }) => places.length)} unexplained differences in ${results.filter(({ places }) => places.length > 0).length} scenarios`,
  ].join('\n')
}

const placeText = ({ path, reference, server }: Place): string =>
  `  ${showPath(path)}\n    reference:  ${valueText(reference)}\n    simulation: ${valueText(server)}`

const longest = 700

const valueText = (value: Json | undefined): string =>
  value === undefined ? '(absent)' : JSON.stringify(value).slice(0, longest)
