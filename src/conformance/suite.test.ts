import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scenarioNames } from './suite.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'suite-'))
  for (const area of ['kinds', 'v1.34', 'v1.35', 'v1.35-gates', 'answers']) {
    mkdirSync(path.join(folder, area))
    writeFileSync(path.join(folder, area, 'a.mjs'), '')
    writeFileSync(path.join(folder, area, 'a.json'), '[]')
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['the default release', {}, ['kinds/a']],
  ['a later release has its own and those before it', { release: 35 }, ['kinds/a', 'v1.34/a', 'v1.35/a']],
  ['some areas', { release: 35, areas: ['v1.34'] }, ['v1.34/a']],
  ['what is behind gates is played alone', { release: 35, isGated: true }, ['v1.35-gates/a']],
  ['and at its own release', { release: 36, isGated: true }, []],
])('%s', (_what, choice, names) => {
  expect(scenarioNames(folder, choice)).toEqual(names)
})
