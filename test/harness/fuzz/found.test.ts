/** What the fuzz has found once stays mended: its shrunk inputs, one a file named by target and digest, run again. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { judge, pureTargets } from './pure/pure-fuzz.ts'

const folder = path.join(import.meta.dirname, 'found')
const files = existsSync(folder) ? readdirSync(folder) : []

test.each(files)('%s', (file) => {
  const name = file.slice(0, file.lastIndexOf('.')).replaceAll('-', ' ')
  const target = pureTargets.find((each) => each.name === name)
  if (target === undefined) throw new Error(`there is no target ${name}`)
  expect(judge(target, readFileSync(path.join(folder, file))).failure).toBeUndefined()
})

test('every seed of every target is taken', () => {
  for (const target of pureTargets) {
    for (const seed of target.seeds)
      expect([target.name, judge(target, seed).failure]).toEqual([target.name, undefined])
  }
})
