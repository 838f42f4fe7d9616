/** What came of a run of the suite: as text, JSON or JUnit. */
import { escapeXml } from '../lib/escape-xml.ts'
import type { ScenarioResult } from './suite.ts'

export const reportFormats = ['text', 'json', 'junit'] as const
export type ReportFormat = (typeof reportFormats)[number]

export function hasPassed({ matched, steps, failure }: ScenarioResult): boolean {
  return matched === steps && failure === undefined
}

export function report(results: readonly ScenarioResult[], format: ReportFormat): string {
  switch (format) {
    case 'text':
      return summary(results)
    case 'json':
      return `${JSON.stringify({ ...totals(results), scenarios: results }, undefined, 2)}\n`
    case 'junit':
      return junit(results)
  }
}

function totals(results: readonly ScenarioResult[]): { readonly steps: number; readonly matched: number } {
  const sum = (count: (result: ScenarioResult) => number): number => results.reduce((all, each) => all + count(each), 0)
  return { steps: sum(({ steps }) => steps), matched: sum(({ matched }) => matched) }
}

function summary(results: readonly ScenarioResult[]): string {
  const areas = [...new Set(results.map(({ area }) => area))]
  const lines = areas.map((area) => {
    const { matched, steps } = totals(results.filter((each) => each.area === area))
    return `${area.padEnd(10)} ${matched} of ${steps} steps match\n`
  })
  const { matched, steps } = totals(results)
  return `${lines.join('')}${matched} of ${steps} steps match\n`
}

const shownDifferences = 4

/** One scenario that did not pass. `isVerbose`: all differences of each step. */
export function describeStepFailure(result: ScenarioResult, isVerbose: boolean): string {
  const lines = result.different.flatMap(({ step, request, differences }) => {
    const shown = isVerbose ? differences : differences.slice(0, shownDifferences)
    const left = differences.length - shown.length
    return [
      `  step ${step} ${request}`,
      ...shown.map((line) => `    ${line}`),
      ...(left === 0 ? [] : [`    and ${left} more`]),
    ]
  })
  const stopped = result.failure === undefined ? [] : [`  the scenario stopped: ${result.failure}`]
  return `${[`${result.name}: ${result.matched} of ${result.steps} steps match`, ...lines, ...stopped].join('\n')}\n`
}

function junit(results: readonly ScenarioResult[]): string {
  const cases = results.map((each) => {
    const start = `    <testcase classname="${escapeXml(each.area)}" name="${escapeXml(each.name)}" time="${each.seconds.toFixed(3)}"`
    if (hasPassed(each)) return `${start}/>\n`
    const message = `${each.matched} of ${each.steps} steps match`
    return `${start}>\n      <failure message="${message}">${escapeXml(describeStepFailure(each, true))}</failure>\n    </testcase>\n`
  })
  const failures = results.filter((each) => !hasPassed(each)).length
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="conformance" tests="${results.length}" failures="${failures}">
${cases.join('')}  </testsuite>
</testsuites>
`
}
