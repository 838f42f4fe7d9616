// What a test that fails leaves to look at: stack traces that name the files of our sources, whoever makes stacks in the process, and the page
// of PILOTHOUSE_TRACE.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const script = `
import { createServer } from 'pilothouse-apiserver'
import { startServer } from 'pilothouse-apiserver/testing'
const show = (error) => console.log(error)
await startServer({ flags: ['--no-such-flag'] }).catch(show)
await createServer({ flags: ['--no-such-flag'] }).catch(show)
const server = await startServer()
await server.call('GET', '/api/v1/namespaces/none').catch(show)
await server.get('nonsense', 'x').catch(show)
await server.restore('none').catch(show)
await server.close()
`

/** As Node itself would, and a program of the user that does it instead. */
const ways = [[], ['--enable-source-maps'], ['--import', './own-stacks.mjs']]
const ownStacks = `
const prepare = (error, frames) => [String(error), ...frames.map((frame) => '    at ' + frame)].join('\\n')
Error.prepareStackTrace = prepare
process.on('exit', () => { if (Error.prepareStackTrace !== prepare) console.log('program- took over') })
`

export function stacks(run, node, folder) {
  writeFileSync(path.join(folder, 'fails.mjs'), script)
  writeFileSync(path.join(folder, 'own-stacks.mjs'), ownStacks)
  for (const flags of ways) {
    const { stdout } = run.must(node, [...flags, 'fails.mjs'], { cwd: folder, env: run.environment(node, folder) })
    const named = stdout.match(/\(pilothouse\/src\/[\w/-]+\.ts:\d+\)/g) ?? []
    if (named.length < 8 || !stdout.includes('fails.mjs:8')) throw new Error(`${flags} shows\n${stdout}`)
    if (/program-/.test(stdout)) throw new Error(`${flags} shows the built file:\n${stdout}`)
  }
}

/** What jest says of a test of `server` that fails, and the page that is left. */
export function failingJest(run, node, { folder, args, start }) {
  writeFileSync(
    path.join(folder, 'fails.test.js'),
    `${start}
let server
beforeAll(async () => { server = await startServer() })
afterAll(() => server.close())
test('passes', async () => { await server.namespace('first') })
test('fails', async () => {
  await server.namespace('shop')
  await server.call('GET', '/api/v1/namespaces/none')
})
`,
  )
  const env = run.environment(node, folder, { PILOTHOUSE_TRACE: 'traces' })
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: folder, env, encoding: 'utf8' })
  const said = `${stdout}${stderr}`
  if (status !== 1) throw new Error(`jest ends with ${status}: ${said}`)
  for (const wanted of ['pilothouse/src/testing/', "await server.call('GET', '/api/v1/namespaces/none')"])
    if (!said.includes(wanted)) throw new Error(`jest does not show ${wanted}:\n${said}`)
  if (said.includes('program-')) throw new Error(`jest shows the built file:\n${said}`)
  const traces = path.join(folder, 'traces')
  const pages = existsSync(traces) ? readdirSync(traces) : []
  if (pages.length !== 1) throw new Error(`${pages.length} pages are left: ${pages.join(', ')}`)
  const page = readFileSync(path.join(traces, pages[0]), 'utf8')
  for (const wanted of ['shop', 'fails', 'namespaces/none'])
    if (!page.includes(wanted)) throw new Error(`the page has no ${wanted}`)
}
