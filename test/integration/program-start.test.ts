/**
 * The program as it is shipped: what the first start on another build of Node compiles is kept for the next ones, safely, and stack traces name
 * the sources.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

describe('the compile cache', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-start-'))
  // Within the project, so that the program finds its dependencies.
  const dist = path.join(root, 'node_modules/.cache', `program-start-${process.pid}`)
  const caches = path.join(folder, 'cache')
  const own = path.join(caches, 'pilothouse')

  beforeAll(() => {
    // As on a build of Node for which nothing was compiled.
    cpSync(path.join(root, 'dist'), dist, { recursive: true, filter: (file) => !file.endsWith('.cache') })
  })
  beforeEach(() => rmSync(caches, { recursive: true, force: true }))
  afterAll(() => {
    for (const each of [folder, dist]) rmSync(each, { recursive: true, force: true })
  })

  const load = `
    const program = require(${JSON.stringify(path.join(dist, 'load.js'))})
    console.log(program.script.cachedDataRejected)`
  const serve = `${load}
    const { startServer } = require(${JSON.stringify(path.join(dist, 'testing.js'))})
    startServer({ tls: false }).then((server) => server.close())`

  /** Whether what was compiled before was taken: V8 says undefined where there was nothing. */
  async function start(
    environment: Readonly<Record<string, string>> = {},
    script = `${load}; program.keepCompiled()`,
  ): Promise<boolean> {
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: caches, ...environment }
    const { stdout, stderr } = await run(process.execPath, ['-e', script], { env })
    expect(stderr).toBe('')
    return stdout.trim() === 'false'
  }

  const file = (): string => {
    const names = readdirSync(own)
    expect(names).toEqual([expect.stringMatching(/^program-\w+-v[\d.]+-\w+-\w+\.cache$/)])
    return path.join(own, names[0] ?? '')
  }
  const mode = (name: string): string => (statSync(name).mode & 0o777).toString(8)

  it('is made by the first start and taken by the second, and is for its user alone', async () => {
    expect(await start({}, serve)).toBe(false)
    expect([mode(own), mode(file())]).toEqual(['700', '600'])
    expect(await start()).toBe(true)
  })

  it('is whole after starts at the same time', async () => {
    await Promise.all([start(), start(), start()])
    file()
    expect(await start()).toBe(true)
  })

  it('is made anew when it is damaged or cut, and when others may write it', async () => {
    await start()
    const good = readFileSync(file())
    const flipped = Buffer.from(good)
    for (let i = 200; i < flipped.length; i += 997) flipped[i] = (flipped[i] ?? 0) ^ 0x5a
    for (const content of [flipped, good.subarray(0, 100_000), Buffer.alloc(0)]) {
      writeFileSync(file(), content)
      expect(await start()).toBe(false)
      expect(await start()).toBe(true)
    }
    chmodSync(file(), 0o620)
    expect(await start()).toBe(false)
    expect([await start(), mode(file())]).toEqual([true, '600'])
  })

  it('is neither read nor written where others can', async () => {
    await start()
    chmodSync(own, 0o777)
    expect([await start(), await start()]).toEqual([false, false])
    if (process.geteuid?.() !== 0) return
    chmodSync(own, 0o700)
    chownSync(own, 65534, 65534)
    expect(await start()).toBe(false)
  })

  it('goes where Node is told to keep its own, or nowhere', async () => {
    expect(await start({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(false)
    expect(() => statSync(own)).toThrow('ENOENT')
    const elsewhere = path.join(folder, 'elsewhere')
    await start({ NODE_COMPILE_CACHE: elsewhere })
    expect(readdirSync(path.join(elsewhere, 'pilothouse'))).toHaveLength(1)
    expect(await start({ NODE_COMPILE_CACHE: elsewhere })).toBe(true)
    // A home that cannot be written to is no reason not to start.
    writeFileSync(path.join(folder, 'file'), '')
    expect(await start({ XDG_CACHE_HOME: path.join(folder, 'file') })).toBe(false)
  })

  it('keeps the newest files only', async () => {
    mkdirSync(own, { recursive: true, mode: 0o700 })
    for (let i = 0; i < 10; i++) writeFileSync(path.join(own, `program-old-${i}.cache`), '')
    await start()
    expect(readdirSync(own)).toHaveLength(6)
    expect(await start()).toBe(true)
  })
})

it('takes what the build compiled for this Node', async () => {
  const script = `console.log(require(${JSON.stringify(path.join(root, 'dist/load.js'))}).script.cachedDataRejected)`
  expect((await run(process.execPath, ['-e', script])).stdout).toBe('false\n')
})

/** Whoever uses the program may have source maps on, or make stacks themselves: both stay as they are. */
const ownStacks = `Error.prepareStackTrace = (error, frames) => [String(error), ...frames.map((frame) => '    at ' + frame)].join('\\n');
  const theirs = Error.prepareStackTrace; process.on('exit', () => { if (Error.prepareStackTrace !== theirs) console.log('program-') });`

it.each([
  ['testing.startServer', { entry: 'testing', start: 'startServer', flags: [], before: '' }],
  ['it, with source maps', { entry: 'testing', start: 'startServer', flags: ['--enable-source-maps'], before: '' }],
  ['it, where others make stacks', { entry: 'testing', start: 'startServer', flags: [], before: ownStacks }],
  ['createServer', { entry: 'index', start: 'createServer', flags: [], before: '' }],
])('names the sources in stack traces of %s', async (_, { entry, start, flags, before }) => {
  const script = `${before}
    const { ${start} } = require(${JSON.stringify(path.join(root, `dist/${entry}.js`))})
    ${start}({ flags: ['--no-such-flag'] }).catch((error) => console.log(error.stack))`
  const { stdout } = await run(process.execPath, [...flags, '-e', script])
  const [, file = '', line] = /\n.*\(pilothouse\/(.*):(\d+)\)/.exec(stdout) ?? []
  expect(file).toBe('src/config/flags.ts')
  expect(readFileSync(path.join(root, file), 'utf8').split('\n')[Number(line) - 1]).toContain('new ConfigError(')
  expect(stdout).not.toContain('program-')
})

describe('the console', () => {
  const script = `
    const { Session } = require('node:inspector/promises')
    const session = new Session()
    session.connect()
    // Modules of the program are functions that are named for their files, and run when they are first needed.
    const ran = async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      return result
        .flatMap(({ functions }) => functions)
        .filter(({ functionName, ranges }) => functionName.startsWith('src/console/') && ranges[0].count > 0)
        .map(({ functionName }) => functionName)
    }
    const main = async () => {
      await session.post('Profiler.enable')
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
      const { startServer } = require(${JSON.stringify(path.join(root, 'dist/testing.js'))})
      const server = await startServer({ tls: false })
      await fetch(new URL('/version', server.url))
      const atStart = await ran()
      await server.console()
      const withLink = await ran()
      await fetch(new URL('/console/', server.url))
      const withPage = await ran()
      await server.close()
      console.log(JSON.stringify({ atStart, withLink, withPage }))
    }
    main()`

  it('is not loaded before it is asked for, and of a link no more than its sessions', async () => {
    const { stdout } = await run(process.execPath, ['-e', script], { maxBuffer: 1 << 20 })
    const { atStart, withLink, withPage } = JSON.parse(stdout)
    expect(atStart).toEqual([])
    expect(withLink).toEqual(
      ['one-time-codes', 'sessions', 'session-authenticator'].map((name) => `src/console/${name}.ts`),
    )
    expect(withPage).toContain('src/console/console.ts')
  })
})
