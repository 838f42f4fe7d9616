/** The commands `convert` and `lint` as they are installed: built, started, fed, and asked for their exit codes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'built-'))

const run = (args: readonly string[], input: string) =>
  spawnSync(process.execPath, [join(folder, 'cli.js'), ...args], { input, encoding: 'utf8' })

const cronJob = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\nspec: {schedule: "* * * * *"}\n'

describe('the built command', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--outdir', folder], {
      cwd: root,
      stdio: 'ignore',
    })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('converts what comes in', () => {
    const { status, stdout, stderr } = run(['convert', '-f', '-', '-o', 'json'], cronJob)
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' } })
  })

  it.each([
    [['lint', '-f', '-'], 2],
    [['lint', '-f', '-', '--release', '1.24'], 0],
    [['convert', '-f', 'no-such-file.yaml'], 1],
  ])('%j ends with %i', (args, code) => {
    expect(run(args, cronJob).status).toBe(code)
  })
})
