// One process of the mutation tester: the tests that are left, over the sources with all mutants in them. Its parent ends it when a mutant hangs.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { startVitest } from 'vitest/node'
import { withMutants } from './mutants.mjs'

const { root, sources, tests } = JSON.parse(readFileSync(process.env.MUTATE_STATE, 'utf8'))
const firstOf = new Map(sources.map(({ file, first }) => [path.join(root, file), first]))
const mutants = {
  name: 'mutants',
  enforce: 'pre',
  transform(code, id) {
    const first = firstOf.get(id)
    return first === undefined ? undefined : { code: withMutants(path.relative(root, id), code, first).text, map: null }
  },
}
const options = {
  config: false,
  root,
  include: tests,
  watch: false,
  isolate: false,
  maxWorkers: 1,
  runner: path.join(import.meta.dirname, 'runner.mjs'),
  testTimeout: 0,
  hookTimeout: 0,
  reporters: [{}],
  dangerouslyIgnoreUnhandledErrors: true,
  env: { PILOTHOUSE_CHECK_MEMOS: '1' },
}
const vitest = await startVitest('test', [], options, { plugins: [mutants] })
await vitest?.close()
process.exit(0)
