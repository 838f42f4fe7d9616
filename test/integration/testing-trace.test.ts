/** What a failing test leaves behind: one page, whatever the runner, with everything in it as text. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-trace-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hostile = '</script><img src=x onerror="document.title=1"><script>document.title=2</script>'

/** Three tests, the second of which fails. */
const suite = (imports: string) => `${imports}
let server
beforeAll(async () => { server = await startServer({ tls: false }) })
beforeEach(() => server.reset())
afterAll(() => server.close())
const configMap = (name, text) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } })
it('passes', async () => { await server.apply(configMap('a', 'first')) })
it('fails at <b>last</b>', async () => {
  const [owner] = await server.apply(configMap('owner', ${JSON.stringify(hostile)}))
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }]
  const owned = configMap('owned', 'one')
  await server.apply({ ...owned, metadata: { name: 'owned', ownerReferences } })
  await server.apply({ ...owned, metadata: { name: 'owned', ownerReferences }, data: { text: 'two' } })
  server.faults.add({ verb: 'list', error: 503 })
  const headers = { authorization: 'Bearer ' + server.token }
  await fetch(server.url + '/api/v1/secrets', { headers })
  await server.clock.advance(60000)
  await server.apply({
    apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, reason: 'Sunk', type: 'Warning', message: 'the boat is gone',
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'owned', namespace: 'default' },
  })
  throw new Error('on purpose: ' + ${JSON.stringify(hostile)})
})
it('passes again', async () => { await server.apply(configMap('b', 'last')) })
`

interface Traced {
  title: string
  errors: string[]
  entries: { kind: string; title: string; outcome?: string; facts?: { headers: Record<string, string> } }[]
  objects: { title: string; uid: string; owners: string[]; versions: { what: string; differences: object[] }[] }[]
  faults: { hits: number }[]
}

function traces(of: string): { file: string; data: Traced }[] {
  if (!existsSync(of)) return []
  return readdirSync(of).map((name) => {
    const file = path.join(of, name)
    const [, json = ''] = /id="trace">(.*)<\/script>/.exec(readFileSync(file, 'utf8')) ?? []
    return { file, data: JSON.parse(json) as Traced }
  })
}

/** A project with this package as it is built, and the runners of this one. */
function project(name: string, files: Record<string, string>): string {
  const at = path.join(folder, name)
  mkdirSync(path.join(at, 'node_modules'), { recursive: true })
  symlinkSync(root, path.join(at, 'node_modules/pilothouse-apiserver'))
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(at, file), text)
  return at
}

function check({ data }: { data: Traced }): void {
  expect(data.title).toContain('fails at <b>last</b>')
  const find = (title: string) => data.objects.find((object) => object.title === title)
  const [owner, owned] = [find('ConfigMap default/owner'), find('ConfigMap default/owned')]
  expect(owned?.owners).toEqual([owner?.uid])
  expect(owned?.versions.map(({ what }) => what)).toEqual(['created', 'changed'])
  expect(owned?.versions[1]?.differences).toEqual([{ path: 'data.text', before: 'one', after: 'two' }])
  expect(find('ConfigMap default/a')).toBeUndefined()
  const shown = data.entries.map(({ kind, title, outcome = '' }) => `${kind} ${title.slice(0, 60)} ${outcome}`.trim())
  expect(shown).toEqual(
    expect.arrayContaining([
      'request GET /api/v1/secrets 503',
      'clock 60000 ms pass',
      'event ConfigMap default/owned: the boat is gone Sunk',
      'change ConfigMap default/owner created',
      expect.stringMatching(/^fault fault-\d+ .*added$/),
      expect.stringMatching(/^call PATCH .*configmaps\/owned/),
    ]),
  )
  expect(data.faults).toMatchObject([{ hits: 1 }])
  expect(data.entries.find(({ kind }) => kind === 'request')?.facts?.headers['authorization']).toBe('…')
}

let page = ''

describe('a trace', () => {
  it('is left by vitest for the test that fails, and for no other', () => {
    const at = project('vitest', {
      'boats.test.mjs': suite(
        "import { startServer } from 'pilothouse-apiserver/testing'\nimport { afterAll, beforeAll, beforeEach, it } from 'vitest'",
      ),
    })
    symlinkSync(path.join(root, 'node_modules/vitest'), path.join(at, 'node_modules/vitest'))
    const env = { ...process.env, PILOTHOUSE_TRACE: 'traces', VITEST: undefined, VITEST_WORKER_ID: undefined }
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
    const ran = spawnSync(process.execPath, [vitest, 'run', '--root', at], { cwd: at, env, encoding: 'utf8' })
    const [trace, ...rest] = traces(path.join(at, 'traces'))
    expect(rest).toEqual([])
    if (trace === undefined) throw new Error(`${ran.stdout}\n${ran.stderr}`)
    check(trace)
    expect(trace.data.errors[0]).toContain(`on purpose: ${hostile}`)
    expect(ran.stdout + ran.stderr).toContain('pilothouse: the trace of "')
    page = trace.file
  })

  it('is left by other runners when they end with an error', () => {
    const at = project('node-test', {
      'boats.test.mjs': suite(
        "import { startServer } from 'pilothouse-apiserver/testing'\nimport { after as afterAll, before as beforeAll, beforeEach, it } from 'node:test'",
      ),
    })
    const env = { ...process.env, PILOTHOUSE_TRACE: 'traces', NODE_TEST_CONTEXT: undefined }
    spawnSync(process.execPath, ['boats.test.mjs'], { cwd: at, env, encoding: 'utf8' })
    const all = traces(path.join(at, 'traces'))
    const found = all.find(({ data }) => data.objects.some(({ title }) => title === 'ConfigMap default/owned'))
    expect(found?.data.title).toBe('boats.test.mjs')
  })

  it('is not left where nobody asks for it', () => {
    const at = project('quiet', { 'a.test.mjs': "throw new Error('on purpose')" })
    const env = { ...process.env, PILOTHOUSE_TRACE: '' }
    spawnSync(process.execPath, ['a.test.mjs'], { cwd: at, env })
    expect(readdirSync(at).sort()).toEqual(['a.test.mjs', 'node_modules'])
  })
})

const browser = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium'

describe('the page in a browser', () => {
  let dom = ''
  beforeAll(() => {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${path.join(folder, 'chromium')}`]
    dom = execFileSync(browser, [...flags, '--virtual-time-budget=2000', '--dump-dom', `file://${page}`], {
      encoding: 'utf8',
      // It complains of a desktop that is not there.
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  })

  it('shows the timeline', () => {
    expect(dom).toContain('GET /api/v1/secrets')
    expect(dom).toContain('60000 ms pass')
    expect(dom).toContain('fails at &lt;b&gt;last&lt;/b&gt;')
  })

  it('runs nothing that an object brings, and makes no markup of it', () => {
    const [, title = ''] = /<title>(.*?)<\/title>/.exec(dom) ?? []
    expect(title).toContain('fails at')
    expect(dom).toContain('&lt;img src=x')
    expect(dom).not.toMatch(/<img/)
  })
})
