/**
 * The answers of a scenario as a file: `conformance/AREA/NAME.json`, a list of steps. What a later release answers otherwise is in
 * `conformance/answers/1.N/AREA/NAME.json`: the steps that differ, by their number.
 *
 * Kept true: a step of which the specification decides carries that sentence (`specification`), and recording from a
 * reference never overwrites it.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonValue } from '../api/json.ts'

export interface RecordedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonValue
}

export interface ScenarioStep extends RecordedAnswer {
  /** `METHOD URL`, with what else was asked for behind it; `NOTE label` for what a scenario works out by itself. */
  readonly request: string
  /** Why the answer is another than the reference's: the sentence of the specification that stands above it. */
  readonly specification?: string
}

/** The recorded steps; none when the scenario was never recorded. */
export function readAnswers(file: string): readonly ScenarioStep[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly ScenarioStep[]) : []
}

export function writeAnswers(file: string, steps: readonly ScenarioStep[]): void {
  writeFileSync(file, `${print(steps as unknown as JsonValue, '')}\n`)
}

/** What a reference answered now, except where the specification decides. */
export function mergeRecording(
  recorded: readonly ScenarioStep[],
  known: readonly ScenarioStep[],
): readonly ScenarioStep[] {
  return recorded.map((step, i) => {
    const before = known[i]
    return before?.specification !== undefined && before.request === step.request ? before : step
  })
}

/** The steps of a later release that differ from those of the scenario's own. */
interface StepDelta {
  /** How many steps there are, where that differs. */
  readonly count?: number
  /** By number, counted from one. */
  readonly steps: Readonly<Record<string, ScenarioStep>>
}

/** The recorded steps at a later release. */
export function readAnswersAt(file: string, deltaFile: string): readonly ScenarioStep[] {
  const base = readAnswers(file)
  if (!existsSync(deltaFile)) return base
  const { count = base.length, steps } = JSON.parse(readFileSync(deltaFile, 'utf8')) as StepDelta
  return Array.from({ length: count }, (_, i) => steps[i + 1] ?? (base[i] as ScenarioStep))
}

/** Nothing is written, and what was there is removed, where no step differs. */
export function writeAnswersAt(file: string, deltaFile: string, recorded: readonly ScenarioStep[]): void {
  const base = readAnswers(file)
  const different = recorded.flatMap((step, i) =>
    JSON.stringify(step) === JSON.stringify(base[i]) ? [] : [[String(i + 1), step] as const],
  )
  if (different.length === 0 && recorded.length === base.length) {
    rmSync(deltaFile, { force: true })
    return
  }
  const delta: StepDelta = {
    ...(recorded.length === base.length ? {} : { count: recorded.length }),
    steps: Object.fromEntries(different),
  }
  mkdirSync(path.dirname(deltaFile), { recursive: true })
  writeFileSync(deltaFile, `${print(delta as unknown as JsonValue, '')}\n`)
}

const lineWidth = 120

/** JSON that a person can read: what fits on a line stands on one. */
function print(value: JsonValue, indent: string): string {
  const inline = JSON.stringify(value)
  if (value === null || typeof value !== 'object' || inline.length + indent.length <= lineWidth) return inline
  const deeper = `${indent} `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => deeper + print(item as JsonValue, deeper)).join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{\n${members.map(([key, member]) => `${deeper}${JSON.stringify(key)}: ${print(member as JsonValue, deeper)}`).join(',\n')}\n${indent}}`
}
