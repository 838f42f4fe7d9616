/**
 * Every place where a rule of a kind finds something wrong is reached by a test that says what is found: the tables of the kinds, which
 * run here once more, and what is recorded of later releases.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it, test } from 'vitest'
import { errorSites, recordSites } from '../../test/support/error-sites.ts'
import { playArea } from '../../test/support/played-areas.ts'

const record = recordSites()
afterEach(() => void record.reached())
afterAll(() => record.end())

const isTable = (name: string): boolean =>
  /^(kinds|actions)\/.*\.test\.ts$/.test(name) ||
  /^(recorded-cases|unfilled-objects|single-rules|changed-rules|declared-rules|enforced-rules)\.test\.ts$/.test(name)
const ofKinds = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(isTable)
const shared = ['api/names.test.ts', 'api/label-selector-validation.test.ts', 'registry/object-meta.test.ts']
const tables = [...ofKinds.map((name) => `resources/${name}`), ...shared]

describe('the tables of the kinds', async () => {
  // Under another name, as a module runs once in a worker.
  for (const name of tables) await import(`${path.join(import.meta.dirname, '..', name)}?sites`)
})

describe('what is new in a release, and what is behind its gates, is told of as there', () => {
  test.each([
    { area: 'v1.34', release: 34 },
    { area: 'v1.35', release: 35 },
    { area: 'v1.35-gates', release: 35 },
    { area: 'v1.36', release: 36 },
    { area: 'v1.36-gates', release: 36 },
  ])('$area', async (each) => {
    const results = await playArea(each)
    expect(results.length).toBeGreaterThan(0)
    expect(results.filter(({ different, failure }) => different.length > 0 || failure !== undefined)).toEqual([])
  })
})

it('no place where an error is made is missed', () => {
  const places = ['resources', 'api/names.ts', 'api/label-selector-validation.ts', 'registry/object-meta.ts']
  const sites = errorSites(places)
  const reached = record.reached()
  const missed = sites.filter(({ at }) => !reached.has(at)).map(({ at, text }) => `${at} ${text}`)
  expect(sites.length).toBeGreaterThan(1000)
  expect(missed).toEqual([])
})
