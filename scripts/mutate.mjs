// A small mutation tester: npm run mutate -- FILE… -- TEST… changes one operator, literal or statement at a time in a copy of the sources, runs
// the unit tests named and lists the mutants that they let live. Runs for minutes: nice -n 19. `--sample N` takes every so-manieth mutant.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { root, setup } from './setup.mjs'

const args = process.argv.slice(2)
const cut = args.lastIndexOf('--')
const tests = cut < 0 ? [] : args.slice(cut + 1)
const given = cut < 0 ? args : args.slice(0, cut)
const at = given.indexOf('--sample')
const most = at < 0 ? Infinity : Number(given[at + 1])
const files = at < 0 ? given : given.toSpliced(at, 2)
if (files.length === 0 || tests.length === 0 || !(most > 0)) {
  process.stderr.write('usage: npm run mutate -- FILE… [--sample N] -- TEST…\n')
  process.exit(1)
}

setup({ build: false })

/** What is looked for on a line of code, and what takes its place. */
const operators = [
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' < ', ' <= '],
  [' <= ', ' < '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' ?? ', ' && '],
  [' + ', ' - '],
  ['true', 'false'],
  ['false', 'true'],
]

/** A statement that is a call and nothing else, or that throws. */
const statement = /^\s+(?:await |throw |void )?[\w#.?]+\(.*\)$|^\s+if \(.*\) (?:throw|return) .*$/

function mutantsOf(file) {
  const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
  const mutants = []
  lines.forEach((line, i) => {
    if (/^\s*(?:\/\/|\/?\*|import |export (?:type|interface)|readonly )/.test(line)) return
    const add = (text) =>
      mutants.push({ file, line: i + 1, before: line.trim(), after: text.trim(), text: withLine(lines, i, text) })
    for (const [from, to] of operators) {
      for (let k = line.indexOf(from); k >= 0; k = line.indexOf(from, k + 1))
        add(line.slice(0, k) + to + line.slice(k + from.length))
    }
    if (statement.test(line)) add('')
  })
  return mutants
}

const withLine = (lines, i, text) => lines.with(i, text).join('\n')

const copy = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-mutants-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
for (const name of ['src', 'facts', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'ARCHITECTURE.md']) {
  cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
}
symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))

// One worker loads the sources once, and those that have no mutant are transformed once: a run takes two seconds instead of ten.
const cache = ['--maxWorkers', '1', '--experimental.fsModuleCache', '--experimental.fsModuleCachePath=cache']

const passes = (timeout) => {
  const run = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--bail', '1', ...cache, ...tests]
  return spawnSync(process.execPath, run, { cwd: copy, timeout, stdio: 'ignore' }).status === 0
}

const start = Date.now()
if (!passes()) {
  process.stderr.write('the tests fail without a mutant\n')
  process.exit(1)
}
/** A mutant that waits for ever counts as killed. */
const patience = 5 * (Date.now() - start) + 10_000
const all = files.flatMap(mutantsOf)
const step = Math.max(1, Math.ceil(all.length / most))
const chosen = all.filter((_, i) => i % step === 0)
let killed = 0
for (const { file, line, before, after, text } of chosen) {
  const place = path.join(copy, file)
  const original = readFileSync(place)
  writeFileSync(place, text)
  if (passes(patience)) process.stdout.write(`lives: ${file}:${line}\n  - ${before}\n  + ${after}\n`)
  else killed++
  writeFileSync(place, original)
}
process.stdout.write(
  `${killed} of ${chosen.length} mutants killed (${Math.round((100 * killed) / Math.max(1, chosen.length))} %), of ${all.length} that there are\n`,
)
