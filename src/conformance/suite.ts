/**
 * The conformance suite: scenarios (`conformance/AREA/NAME.mjs`) that are played against a server, and the answers that
 * the reference gave to the same requests (`NAME.json` beside them).
 *
 * Kept true: scenarios run beside each other only as far as they say that they may: one that looks at the whole cluster
 * is `exclusive`, and has the server to itself.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { defaultRelease } from '../api/release-facts.ts'
import {
  mergeRecording,
  readAnswers,
  readAnswersAt,
  type ScenarioStep,
  writeAnswers,
  writeAnswersAt,
} from './answers.ts'
import type { Connection } from './connection.ts'
import { differences } from './differences.ts'
import { Scenario } from './scenario.ts'

export interface SuiteOptions {
  readonly folder: string
  readonly connection: Connection
  /** The minor number of the release whose answers are right. */
  readonly release: number
  /** Whether the server has the gates of the release's gated area: that is played, and nothing else. */
  readonly isGated: boolean
  /** Areas to run; all when there are none. */
  readonly areas: readonly string[]
  readonly focus?: RegExp
  /** How many scenarios run at a time. */
  readonly jobs: number
  /** Takes the answers of this server for right from now on. */
  readonly isRecording: boolean
  readonly onResult: (result: ScenarioResult) => void
}

export interface StepDifference {
  /** Counted from one. */
  readonly step: number
  readonly request: string
  readonly differences: readonly string[]
}

export interface ScenarioResult {
  readonly area: string
  /** `AREA/NAME`. */
  readonly name: string
  readonly steps: number
  readonly matched: number
  readonly seconds: number
  readonly different: readonly StepDifference[]
  /** Why the scenario did not reach its end. */
  readonly failure?: string
}

interface ScenarioModule {
  readonly default: (scenario: Scenario) => Promise<void>
  readonly exclusive?: boolean
}

interface Loaded {
  readonly name: string
  readonly module: ScenarioModule
}

/** Where the scenarios lie: in the package, seen from the sources and from what is built of them. */
export function suiteFolder(): string {
  if (import.meta.url.startsWith('embedded:')) {
    throw new Error(
      'the scenarios are not part of the executable: give the folder conformance of the package with --dir',
    )
  }
  const candidates = ['../conformance/', '../../conformance/'].map((each) =>
    fileURLToPath(new URL(each, import.meta.url)),
  )
  const found = candidates.find((folder) => existsSync(path.join(folder, 'README.md')))
  if (found === undefined) throw new Error(`the scenarios are missing: looked for ${candidates.join(' and ')}`)
  return found
}

export async function runSuite(options: SuiteOptions): Promise<readonly ScenarioResult[]> {
  const scenarios = await loadScenarios(options)
  const results: ScenarioResult[] = []
  const run = async (each: Loaded): Promise<void> => {
    const result = await runScenario(each, options)
    results.push(result)
    options.onResult(result)
  }
  const shared = scenarios.filter(({ module }) => module.exclusive !== true)
  const worker = async (): Promise<void> => {
    for (let next = shared.shift(); next !== undefined; next = shared.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: options.jobs }, worker))
  for (const each of scenarios.filter(({ module }) => module.exclusive === true)) await run(each)
  return results.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function loadScenarios({ folder, focus, ...choice }: SuiteOptions): Promise<readonly Loaded[]> {
  const names = scenarioNames(folder, choice).filter((name) => focus === undefined || focus.test(name))
  return Promise.all(names.map(async (name) => ({ name, module: await load(path.join(folder, `${name}.mjs`)) })))
}

const notAreas: ReadonlySet<string> = new Set(['support', 'answers'])

export function areasOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && !notAreas.has(entry.name)).map(({ name }) => name)
}

/** The release that an area came with: `v1.34` holds what is new there, `v1.34-gates` what is behind gates that are off. */
const releaseOf = (area: string): number => Number(/^v1\.(\d+)(-gates)?$/.exec(area)?.[1] ?? defaultRelease)

const isGatedArea = (area: string): boolean => area.endsWith('-gates')

interface SuiteChoice {
  /** In these areas; in all when there are none. */
  readonly areas?: readonly string[]
  readonly release?: number
  readonly isGated?: boolean
}

/** What is behind a gate changes from release to release: such an area is played at its own only. */
function isPlayed(area: string, { areas = [], release = defaultRelease, isGated = false }: SuiteChoice): boolean {
  if (areas.length > 0 && !areas.includes(area)) return false
  if (isGatedArea(area) !== isGated) return false
  return isGated ? releaseOf(area) === release : releaseOf(area) <= release
}

/** `AREA/NAME` of every scenario of a choice. */
export function scenarioNames(folder: string, choice: SuiteChoice): readonly string[] {
  return areasOf(folder)
    .filter((area) => isPlayed(area, choice))
    .flatMap((area) => {
      const files = readdirSync(path.join(folder, area)).filter((file) => file.endsWith('.mjs'))
      return files.toSorted().map((file) => `${area}/${path.basename(file, '.mjs')}`)
    })
}

async function load(file: string): Promise<ScenarioModule> {
  const moduleUrl = pathToFileURL(file).href
  return (await import(moduleUrl)) as ScenarioModule
}

async function runScenario({ name, module }: Loaded, options: SuiteOptions): Promise<ScenarioResult> {
  const scenario = new Scenario(name, options.connection)
  const started = performance.now()
  let failure: string | undefined
  try {
    await module.default(scenario)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  } finally {
    await scenario.end()
  }
  const actual = JSON.parse(JSON.stringify(scenario.steps)) as readonly ScenarioStep[]
  const answers = answersOf(name, options)
  if (options.isRecording && failure === undefined) answers.write(mergeRecording(actual, answers.read()))
  const expected = answers.read()
  const different = compareSteps(expected, actual)
  return {
    area: name.split('/')[0] ?? '',
    name,
    steps: Math.max(expected.length, actual.length),
    matched: Math.max(expected.length, actual.length) - different.length,
    seconds: (performance.now() - started) / 1000,
    different,
    ...(failure === undefined ? {} : { failure }),
  }
}

/** Where the answers of a scenario are kept: its own file, or beside it what a later release answers otherwise. */
function answersOf(name: string, { folder, release }: SuiteOptions) {
  const file = path.join(folder, `${name}.json`)
  if (release <= releaseOf(name.split('/')[0] ?? '')) {
    return { read: () => readAnswers(file), write: (steps: readonly ScenarioStep[]) => writeAnswers(file, steps) }
  }
  const delta = path.join(folder, 'answers', `1.${release}`, `${name}.json`)
  return {
    read: () => readAnswersAt(file, delta),
    write: (steps: readonly ScenarioStep[]) => writeAnswersAt(file, delta, steps),
  }
}

function compareSteps(expected: readonly ScenarioStep[], actual: readonly ScenarioStep[]): readonly StepDifference[] {
  const longer = expected.length >= actual.length ? expected : actual
  return longer.flatMap(({ request }, i) => {
    const found = compareStep(expected[i], actual[i])
    return found.length === 0 ? [] : [{ step: i + 1, request, differences: found }]
  })
}

function compareStep(expected: ScenarioStep | undefined, actual: ScenarioStep | undefined): readonly string[] {
  if (expected === undefined) return ['no answer is recorded for this step']
  if (actual === undefined) return ['the scenario did not get to this step']
  const { specification: _why, ...answer } = expected
  return differences(answer, actual)
}
