// `npm run newcomer -- [--node 20,22,24] [--only REGEX]`: what somebody does in their first hour, with nothing but the packed tarball: install
// it into an empty project, follow the README's tour and the first test of docs/testing.md, use it from jest, from node:test and by types, run the
// examples and the commands of the docs. On every version of Node that is supported; npm's package `node` gives those that this machine lacks. At
// the end the GitHub action, and the single executable, where there is no Node. Times are told, not judged.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureComponents } from '../../scripts/components.mjs'
import { freePort } from '../../scripts/free-port.mjs'
import { root, setup } from '../../scripts/setup.mjs'
import { action } from './action.mjs'
import { commands } from './commands.mjs'
import { executable } from './executable.mjs'
import { failingJest, stacks } from './failing.mjs'
import { manyServers, startTimes } from './figures.mjs'
import * as run from './run.mjs'
import { pageReader, writeSnippets } from './snippets.mjs'

const { values } = parseArgs({
  options: { node: { type: 'string', default: '20,22,24' }, only: { type: 'string', default: '' } },
})
/** Too old for us: it must say so. */
const tooOld = '18'

setup()
const [missing] = await ensureComponents(['kubectl'])
if (missing !== undefined) throw new Error(`there is no kubectl: ${missing.reason}`)
process.env.PATH = `${path.dirname(process.env.KUBECTL_BIN)}${path.delimiter}${process.env.PATH}`
const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-newcomer-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const tarball = pack()
const failures = []
/** Installed once: what is installed is the same for every Node. */
const bare = project('bare', [])
// The bundler of the tests is that of this project: of the newest one a platform may have no build yet.
const tools = project('tools', [
  ...firstTestPackages(),
  `vite@${lockedVersion('vite')}`,
  'typescript@5',
  '@types/node@20',
  'jest@30',
])
for (const version of values.node.split(',')) await everything(version)
await step(`Node ${tooOld}: says that it is too old`, () => {
  const { status, stderr } = spawnSync(nodeOf(tooOld), [program(bare)], { encoding: 'utf8' })
  if (status !== 1 || !/^Error: Pilothouse needs Node 20 or later; this is v18/.test(stderr)) throw new Error(stderr)
})
await step('from a git address', fromGit)
await step('the steps of the GitHub action', () => action(run, nodeOf('22'), tarball))
await step('the executable, without Node', () => executable(run))
process.stdout.write(failures.length === 0 ? 'newcomer: all went well\n' : `newcomer: failed: ${failures.join('; ')}\n`)
process.exitCode = failures.length === 0 ? 0 : 1

async function everything(version) {
  const node = nodeOf(version)
  const say = (what) => `Node ${version}: ${what}`
  const inBare = (name) => caseFolder(bare, `${name}-${version}`)
  await step(say('tests of what leans on Node'), () => leaningTests(node))
  const inTools = (name) => caseFolder(tools, `${name}-${version}`)
  await step(say('the tour of the README'), () => tour(node, inBare('tour')))
  await step(say('from npx to ready'), () => startTimes(run, node, inBare('npx')))
  await step(say('21 servers in one process'), () => manyServers(node, inBare('many')))
  await step(say('the commands of the docs'), () => commands(run, node, inBare('commands')))
  await step(say('stack traces'), () => stacks(run, node, inBare('stacks')))
  await step(say('node:test'), () => nodeTest(node, inBare('node-test')))
  await step(say('the first test of docs/testing.md'), () => firstTest(node, inTools('first')))
  await step(say('every piece of code in the pages'), () => snippets(node, inTools('snippets')))
  await step(say('types under strict'), () => types(node, inTools('types')))
  await step(say('jest by require'), () => jest(node, inTools('jest-cjs'), 'commonjs'))
  await step(say('jest as modules'), () => jest(node, inTools('jest-esm'), 'module'))
  for (const name of exampleNames()) {
    await step(say(`examples/${name}`), () => example(node, inTools(`example-${name}`), name))
  }
}

async function step(name, run) {
  if (!new RegExp(values.only).test(name)) return
  const began = Date.now()
  try {
    const figures = await run()
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    process.stdout.write(`ok   ${name} (${seconds} s)${typeof figures === 'string' ? `: ${figures}` : ''}\n`)
  } catch (error) {
    failures.push(name)
    process.stdout.write(`FAIL ${name}\n${error.message.replaceAll(/^/gm, '     ')}\n`)
  }
}

function pack() {
  const { stdout } = must('npm', ['pack', '--ignore-scripts', '--pack-destination', work], root)
  return path.join(work, stdout.trim().split('\n').at(-1))
}

/** The program of a version: this very one, or the one that npm has. */
function nodeOf(version) {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath
  const folder = path.join(root, '.components', `node-${version}`)
  const node = path.join(folder, 'node_modules', '.bin', 'node')
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true })
    must('npm', ['install', '--prefix', folder, '--no-save', `node@${version}`], folder)
  }
  return node
}

/** Of the sources: what a new release of Node may change. */
function leaningTests(node) {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  must(node, [vitest, 'run', '--project', 'unit', 'src/engine', 'src/http'], root)
}

/** An empty project with the tarball and what else is named. */
function project(name, packages) {
  const folder = path.join(work, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, private: true }))
  must('npm', ['install', '--no-audit', '--no-fund', '--save-dev', tarball, ...packages], folder)
  return folder
}

/** `prepare` builds what is installed. What is committed counts. */
function fromGit() {
  if (!existsSync(path.join(root, '.git'))) return 'NOT TESTED: this is no clone'
  const clone = path.join(work, 'clone')
  must('git', ['clone', '--quiet', root, clone], work)
  const folder = path.join(work, 'from-git')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'from-git', private: true }))
  must('npm', ['install', '--no-audit', '--no-fund', '--save-dev', `git+file://${clone}`], folder)
  const { stdout } = must('npx', ['--no-install', 'pilothouse', 'version'], folder)
  if (!stdout.startsWith('Pilothouse v')) throw new Error(stdout)
  nodeTest(process.execPath, folder)
}

/** Within a project, whose packages it finds. */
function caseFolder(of, name) {
  const folder = path.join(of, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, private: true }))
  return folder
}

function installed(folder, file) {
  const own = existsSync(path.join(folder, 'node_modules')) ? folder : path.dirname(folder)
  return path.join(own, 'node_modules', 'pilothouse-apiserver', file)
}

/** A program of the packages of a case's project. */
function tool(folder, file) {
  return path.join(path.dirname(folder), 'node_modules', file)
}

function program(folder) {
  return installed(folder, 'dist/cli.js')
}

/** As the page says, but for the package itself. */
function firstTestPackages() {
  const page = readFileSync(path.join(root, 'docs/testing.md'), 'utf8')
  const [, packages] = /^npm install --save-dev (.*)$/m.exec(page)
  return packages.split(' ').filter((name) => name !== 'pilothouse-apiserver')
}

function lockedVersion(name) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  return packages[`node_modules/${name}`].version
}

/** Every command of the tour, and what it prints but for ages. */
async function tour(node, folder) {
  const page = readFileSync(installed(folder, 'README.md'), 'utf8')
  const [, crd] = /```yaml\n(apiVersion: apiextensions[\s\S]*?)```/.exec(page)
  writeFileSync(path.join(folder, 'boat.yaml'), crd)
  const port = await freePort()
  const server = spawn(
    node,
    [program(folder), `--secure-port=${port}`, '--bind-address=127.0.0.1', '--logging-format=text'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  try {
    const said = await run.untilReady(server)
    if (/warning/i.test(said)) throw new Error(`it complains: ${said}`)
    const env = run.environment(node, folder, { KUBECONFIG: path.join(folder, 'pilothouse-data/admin.kubeconfig') })
    for (const { command, expected } of commandsOf(page)) {
      const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
      const told = withoutAges(`${stdout}${stderr}`.trim())
      if (told !== withoutAges(expected)) throw new Error(`${command}\nprints\n${told}\ninstead of\n${expected}`)
    }
  } finally {
    server.kill()
  }
}

/** The lines after `$ ` in indented blocks, each with the lines below it. */
function commandsOf(page) {
  const commands = []
  let last
  for (const line of page.replaceAll(/```[\s\S]*?```/g, '').split('\n')) {
    const [, text] = /^ {4}(.*)$/.exec(line) ?? []
    if (text?.startsWith('$ ')) {
      last = { command: text.slice(2), lines: [] }
      commands.push(last)
    } else if (text === undefined) last = undefined
    else last?.lines.push(text)
  }
  return commands
    .filter(({ command }) => !command.startsWith('export '))
    .map(({ command, lines }) => ({ command, expected: lines.join('\n') }))
}

function withoutAges(text) {
  return text
    .replaceAll(/\b\d+s\b/g, 'AGE')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ $/gm, '')
}

function firstTestOf(folder) {
  const page = readFileSync(installed(folder, 'docs/testing.md'), 'utf8')
  return /`colours\.test\.ts`:\n\n```ts\n([\s\S]*?)```/.exec(page)[1]
}

function firstTest(node, folder) {
  writeFileSync(path.join(folder, 'colours.test.ts'), firstTestOf(folder))
  runs(node, folder, [tool(folder, 'vitest/vitest.mjs'), 'run', '--root', '.'])
}

function snippets(node, folder) {
  const pieces = writeSnippets(
    folder,
    pageReader((file) => installed(folder, file)),
  )
  runs(node, folder, [tool(folder, 'vitest/vitest.mjs'), 'run', '--root', '.'])
  return `${pieces} pieces`
}

/** Without the types of what vitest itself needs. */
function types(node, folder) {
  writeFileSync(path.join(folder, 'colours.test.ts'), firstTestOf(folder))
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext']
  runs(node, folder, [tool(folder, 'typescript/bin/tsc'), ...options, 'colours.test.ts'])
}

function jest(node, folder, type) {
  const isModule = type === 'module'
  const file = path.join(folder, 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), type }))
  const start = isModule
    ? `import { CoreV1Api } from '@kubernetes/client-node'\nimport { startServer } from 'pilothouse-apiserver/testing'`
    : `const { startServer } = require('pilothouse-apiserver/testing')\nconst CoreV1Api = 'CoreV1Api'`
  writeFileSync(
    path.join(folder, 'colours.test.js'),
    `${start}
let server
beforeAll(async () => { server = await startServer() })
afterAll(() => server.close())
test('keeps a colour', async () => {
  const core = await server.client(CoreV1Api)
  const body = { metadata: { name: 'settings' }, data: { colour: 'blue' } }
  await core.createNamespacedConfigMap({ namespace: 'default', body })
  expect((await server.get('configmaps', 'settings')).data).toStrictEqual({ colour: 'blue' })
})
`,
  )
  const args = [
    ...(isModule ? ['--experimental-vm-modules'] : []),
    tool(folder, 'jest/bin/jest.js'),
    '--rootDir=.',
    '--testTimeout=300000',
  ]
  runs(node, folder, [...args, 'colours'])
  failingJest(run, node, { folder, args: [...args, 'fails'], start })
}

function nodeTest(node, folder) {
  const body = `
test('keeps a colour', async () => {
  const server = await startServer()
  await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { colour: 'blue' } })
  assert.deepEqual((await server.get('configmaps', 'a')).data, { colour: 'blue' })
  await server.close()
})
`
  const imports = `import assert from 'node:assert'\nimport test from 'node:test'\nimport { startServer } from 'pilothouse-apiserver/testing'\n`
  const requires = `const assert = require('node:assert')\nconst test = require('node:test')\nconst { startServer } = require('pilothouse-apiserver/testing')\n`
  writeFileSync(path.join(folder, 'a.test.mjs'), imports + body)
  writeFileSync(path.join(folder, 'b.test.cjs'), requires + body)
  runs(node, folder, ['--test', 'a.test.mjs', 'b.test.cjs'])
}

function exampleNames() {
  return readdirSync(path.join(root, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

function example(node, folder, name) {
  cpSync(installed(folder, `examples/${name}`), folder, {
    recursive: true,
    filter: (file) => path.basename(file) !== 'package.json',
  })
  runs(node, folder, [tool(folder, 'vitest/vitest.mjs'), 'run', '--root', '.'])
}

function runs(node, folder, args) {
  run.must(node, args, { cwd: folder, env: run.environment(node, folder) })
}

function must(command, args, cwd) {
  return run.must(command, args, { cwd })
}
