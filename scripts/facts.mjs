// Makes facts/ from a checkout of Kubernetes, in Node alone (facts/README.md says what each file means).
//
//   npm run facts -- DIR --release v1.N.P         writes what can be read off the source
//   npm run facts -- DIR --release v1.N.P --later writes facts/releases/1.N.delta: a release that is served beside the default one,
//                                                 as its difference from what is there
//   npm run facts -- --check DIR [LATER...]       compares it with what is there, and looks for what our `Mirrors` lines name, also in
//                                                 checkouts of later releases; exits with 1 where something differs
//   npm run facts -- --flags PROGRAM              writes facts/flags.txt from what `PROGRAM --help` prints
//   npm run facts -- --changes OLD NEW            the functions that changed between two checkouts, and what mirrors them
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { reportChanges } from './facts/changes.mjs'
import { makeFacts } from './facts/facts-files.mjs'
import { flagLines, flagNames } from './facts/flags.mjs'
import { Checkout } from './facts/go-packages.mjs'
import { mirrorsIn } from './facts/mirrors.mjs'
import { releaseDelta } from './facts/release-delta.mjs'
import { root } from './setup.mjs'

const facts = path.join(root, 'facts')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean' },
    changes: { type: 'boolean' },
    flags: { type: 'string' },
    later: { type: 'boolean' },
    release: { type: 'string' },
  },
})

/** The program's own, which no options declare. */
const always = new Set(['help', 'version', 'v', 'vmodule'])

const [folder, ...others] = positionals
if (values.flags !== undefined) writeFlags(values.flags)
else if (folder === undefined) usage()
else if (values.changes)
  others[0] === undefined ? usage() : process.stdout.write(reportChanges(folder, others[0], root))
else if (values.later) values.check ? checkLater(folder) : writeLater(folder)
else if (values.check) check(folder, others)
else write(folder)

function usage() {
  process.stderr.write(
    'usage: npm run facts -- DIR --release TAG [--later] | --check DIR [LATER...] | --flags PROGRAM | --changes OLD NEW\n',
  )
  process.exit(2)
}

function write(checkout) {
  const made = makeFacts(checkout, values.release ?? tagOf(checkout))
  rmSync(path.join(facts, 'types'), { recursive: true, force: true })
  mkdirSync(path.join(facts, 'types'), { recursive: true })
  for (const [name, text] of made) writeFileSync(path.join(facts, name), text)
  const strays = flagDifferences(checkout)
  process.stdout.write(`${made.size} files written. \`npm run catalog\` makes the catalogue from them.\n`)
  if (strays.length > 0) process.stdout.write(`facts/flags.txt is of another release:\n${strays.join('')}`)
}

function writeLater(checkout) {
  const { file, text } = laterFacts(checkout)
  writeFileSync(file, text)
  process.stdout.write(
    `${path.relative(root, file)}: ${text.split('\n').length} lines. \`npm run catalog\` takes it in.\n`,
  )
}

function checkLater(checkout) {
  const { file, text } = laterFacts(checkout)
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === text
  process.stdout.write(`${path.relative(root, file)} ${isSame ? 'is' : 'is not'} as the source has it\n`)
  process.exitCode = isSame ? 0 : 1
}

function laterFacts(checkout) {
  const release = values.release ?? tagOf(checkout)
  const made = makeFacts(checkout, release)
  made.delete('release.txt')
  const names = new Set([...made.keys(), ...readdirSync(path.join(facts, 'types')).map((name) => `types/${name}`)])
  const base = new Map(
    [...names].flatMap((name) => {
      const file = path.join(facts, name)
      return existsSync(file) ? [[name, readFileSync(file, 'utf8')]] : []
    }),
  )
  const file = path.join(facts, 'releases', `${/1\.\d+/.exec(release)[0]}.delta`)
  return { file, text: releaseDelta(base, made, release) }
}

function check(checkout, later) {
  const made = makeFacts(checkout, values.release ?? readFileSync(path.join(facts, 'release.txt'), 'utf8').trim())
  const differences = [...made].flatMap(([name, text]) => lineDifferences(name, text))
  differences.push(...flagDifferences(checkout), ...brokenMirrors([checkout, ...later]))
  for (const line of differences) process.stdout.write(line)
  process.stdout.write(differences.length === 0 ? `${made.size} files are as the source has them\n` : '')
  process.exitCode = differences.length === 0 ? 0 : 1
}

function lineDifferences(name, text) {
  const file = path.join(facts, name)
  const old = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (old === text) return []
  const [before, after] = [old, text].map((each) => new Set(each.split('\n')))
  const gone = [...before].filter((line) => !after.has(line)).map((line) => `${name}: - ${line}\n`)
  const come = [...after].filter((line) => !before.has(line)).map((line) => `${name}: + ${line}\n`)
  return gone.length + come.length === 0 ? [`${name}: the order differs\n`] : [...gone, ...come]
}

function flagDifferences(checkout) {
  const { names, shown } = flagNames(new Checkout(checkout))
  const text = readFileSync(path.join(facts, 'flags.txt'), 'utf8')
  const listed = new Set(text.split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [line.split(' ')[0]] : [])))
  const gone = [...listed]
    .filter((name) => !names.has(name) && !always.has(name))
    .map((name) => `flags.txt: - ${name}\n`)
  return [...gone, ...shown.filter((name) => !listed.has(name)).map((name) => `flags.txt: + ${name}\n`)]
}

/** Lines in our comments that name what none of the checkouts has: some rules came with a later release. */
function brokenMirrors(folders) {
  const checkouts = folders.map((folder) => new Checkout(folder))
  return mirrorsIn(root).flatMap(({ file, folder: home, names }) => {
    const found = checkouts.map((checkout) => checkout.package(home)).filter((each) => each !== undefined)
    if (found.length === 0) return [`${file}: there is no ${home}\n`]
    const known = new Set(found.flatMap(({ types, funcs }) => [...types.keys(), ...funcs.flatMap(functionNames)]))
    return names.filter((name) => !known.has(name)).map((name) => `${file}: there is no ${home}: ${name}\n`)
  })
}

function functionNames({ name, receiver }) {
  const owner = (receiver?.type.to ?? receiver?.type)?.name
  return owner === undefined ? [name] : [name, `${owner}.${name}`]
}

function writeFlags(program) {
  const text = flagLines(execFileSync(program, ['--help'], { encoding: 'utf8', maxBuffer: 16 << 20 }))
  writeFileSync(path.join(facts, 'flags.txt'), text)
}

function tagOf(checkout) {
  try {
    return execFileSync('git', ['-C', checkout, 'describe', '--tags', '--exact-match'], { encoding: 'utf8' }).trim()
  } catch {
    throw new Error('the checkout does not say its release: --release v1.N.P')
  }
}
