/** The whole conformance suite against the built server on its default store, a test for each scenario. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ScenarioStep } from '../../src/conformance/answers.ts'
import { describeStepFailure, hasPassed } from '../../src/conformance/report.ts'
import { type ScenarioResult, scenarioNames, suiteFolder } from '../../src/conformance/suite.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = suiteFolder()
const names = scenarioNames(folder, {})
let results: ReadonlyMap<string, ScenarioResult>

beforeAll(async () => {
  const { scenarios } = JSON.parse(await runConformance()) as { readonly scenarios: readonly ScenarioResult[] }
  results = new Map(scenarios.map((each) => [each.name, each]))
})

/** Prints a report of all scenarios, whatever came of them. */
async function runConformance(): Promise<string> {
  const script = path.join(root, 'scripts', 'conformance.mjs')
  const child = spawn(process.execPath, [script, '-o', 'json'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  if (!stdout.startsWith('{')) throw new Error(`the suite gave no report:\n${stdout}${stderr}`)
  return stdout
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test.each(names)('%s', (name) => {
  const result = results.get(name)
  if (result === undefined) throw new Error('the scenario did not run')
  if (!hasPassed(result)) throw new Error(describeStepFailure(result, true))
})

describe('the recorded answers', () => {
  test.each(names)('of %s are there, and name no run', (name) => {
    const text = readFileSync(path.join(folder, `${name}.json`), 'utf8')
    const steps = JSON.parse(text) as readonly ScenarioStep[]
    expect(steps.length).toBeGreaterThan(0)
    expect(text).not.toMatch(/"uid": ?"[0-9a-f]{8}-|"resourceVersion": ?"[1-9]\d+"/)
  })
})
