/** The test server's controls over HTTP, as tests in other languages use them; and the package as its users load it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import type { RunningServer } from '../../src/server/running-server.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'
import { openTestEndpoint, startWithTestEndpoint, type TestEndpoint } from '../../src/testing/test-endpoint.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Json = any

let server: RunningTestServer
let endpoint: TestEndpoint
beforeAll(async () => {
  server = await startTestServer()
  endpoint = await openTestEndpoint(server, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await endpoint.close()
  await server.close()
})

async function ask(method: string, target: string, body?: unknown, url = endpoint.url): Promise<Json> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${url}${target}`, { method, ...(body === undefined ? {} : { body: text }) })
  return { status: response.status, body: await response.json() }
}

const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n'

describe('the test endpoint', () => {
  it('says how to reach the server', async () => {
    const { body } = await ask('GET', '/')
    expect(body).toMatchObject({ url: server.url, token: server.token })
    expect(body.kubeconfig).toContain(`server: ${server.url}`)
  })

  it('applies, remembers, puts back and copies', async () => {
    await ask('POST', '/apply', manifest)
    expect((await ask('POST', '/snapshot', { name: 'one' })).body).toEqual({ name: 'one' })
    expect((await ask('POST', '/reset')).status).toBe(200)
    expect(await server.get('configmaps', 'one')).toBeUndefined()
    await ask('POST', '/restore', { to: 'one', watches: 'keep' })
    expect(await server.get('configmaps', 'one')).toBeDefined()
    const fork = (await ask('POST', '/fork')).body
    expect(fork.url).not.toBe(server.url)
    await ask('POST', '/reset', { to: 'one' }, fork.testEndpoint)
    await ask('POST', '/apply', manifest.replace('one', 'two'), fork.testEndpoint)
    expect(await server.get('configmaps', 'two')).toBeUndefined()
    expect((await ask('DELETE', '/', undefined, fork.testEndpoint)).status).toBe(200)
    expect(await ask('DELETE', '/')).toMatchObject({ status: 400, body: { error: /only a fork/ } })
    expect((await ask('POST', '/restore', { to: 'none' })).body.error).toBe('there is no snapshot "none"')
  })

  it('breaks requests, and tells of them', async () => {
    const { id } = (await ask('POST', '/faults', { resource: 'nodes', error: 503 })).body
    await using plain = await startTestServer({ tls: false })
    const other = await openTestEndpoint(plain, { host: '127.0.0.1', port: 0 })
    await ask('POST', '/faults', { resource: 'nodes', error: 503, times: 1 }, other.url)
    const { token, kubeconfig } = (await ask('POST', '/users', { name: 'eve', groups: ['system:masters'] }, other.url))
      .body
    expect(kubeconfig).toContain('name: eve')
    const use = () => fetch(`${plain.url}/api/v1/nodes`, { headers: { authorization: `Bearer ${token}` } })
    expect([(await use()).status, (await use()).status]).toEqual([503, 200])
    const sent = (await ask('GET', '/requests?user=eve&verb=list', undefined, other.url)).body
    expect(sent.map(({ status, faults }: Json) => [status, faults.length])).toEqual([
      [503, 1],
      [200, 0],
    ])
    expect((await ask('GET', '/faults', undefined, other.url)).body).toMatchObject([{ resource: 'nodes', hits: 1 }])
    await other.close()
    expect((await ask('DELETE', `/faults/${id}`)).body).toEqual({ hits: 0 })
    expect((await ask('DELETE', `/faults/${id}`)).status).toBe(404)
    expect((await ask('POST', '/faults', { eror: 1 })).body.error).toBe(
      'there is no field of a fault "eror": did you mean error?',
    )
  })

  it('moves the clock', async () => {
    const before = (await ask('GET', '/clock')).body.now
    const { now } = (await ask('POST', '/clock/advance', { ms: 60_000 })).body
    expect(now - before).toBeGreaterThanOrEqual(60_000)
    expect((await ask('POST', '/clock/advance', { ms: -1 })).status).toBe(400)
  })

  it('scripts simulated pods and nodes', async () => {
    await using cluster = await startTestServer({ simulate: { nodes: 1 } })
    const control = await openTestEndpoint(cluster, { host: '127.0.0.1', port: 0 })
    const tell = (method: string, target: string, body?: unknown) => ask(method, target, body, control.url)
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    })
    const phase = async (name: string) => (await cluster.get('pods', name))?.['status'].phase
    const { id } = (await tell('POST', '/pods/scripts', { pods: 'web-*', script: { exit: { exitCode: 3 } } })).body
    await tell('POST', '/apply', pod('web-1'))
    await tell('POST', '/settled')
    expect(await phase('web-1')).toBe('Failed')
    expect((await tell('DELETE', `/pods/scripts/${id}`)).status).toBe(200)
    expect((await tell('DELETE', `/pods/scripts/${id}`)).status).toBe(404)
    await tell('POST', '/apply', pod('web-2'))
    await tell('POST', '/settled')
    expect(await phase('web-2')).toBe('Succeeded')
    await tell('POST', '/nodes/fail', { name: 'node-1' })
    await tell('POST', '/clock/advance', { ms: 120_000 })
    const ready = async () => (await cluster.get('nodes', 'node-1'))?.['status'].conditions.at(-1)
    expect(await ready()).toMatchObject({ type: 'Ready', status: 'Unknown' })
    await tell('POST', '/nodes/return', { name: 'node-1' })
    await tell('POST', '/settled')
    expect(await ready()).toMatchObject({ type: 'Ready', status: 'True' })
    for (const [target, body, error] of [
      ['/pods/scripts', { pods: 'web-*' }, /needs "pods" and "script"/],
      ['/pods/scripts', { pods: 'web-*', script: { explode: true } }, /explode/],
      ['/nodes/fail', {}, /which node/],
      ['/nodes/pressure', { name: 'node-1', resource: 'patience' }, /memory, disk, pid/],
    ] as const) {
      expect(await tell('POST', target, body)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(error) },
      })
    }
    expect((await ask('POST', '/pods/scripts', { pods: '*', script: {} })).body.error).toMatch(/nothing is simulated/)
    await control.close()
  })

  it('is for nobody but tests on this machine', async () => {
    const page = await fetch(`${endpoint.url}/`, { headers: { origin: 'http://example.com' } })
    expect(page.status).toBe(403)
    expect((await ask('GET', '/nothing')).status).toBe(404)
  })
})

describe('the flag --test-endpoint', () => {
  const start = (...flags: string[]): Promise<RunningServer> => {
    const parsed = parseServerOptions(['--bind-address=127.0.0.1', ...flags])
    const options = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
    const credentials = temporaryCredentials(options, systemClock)
    return startWithTestEndpoint(options, { logger: silentLogger(), credentials, clock: systemClock })
  }

  it('serves both', async () => {
    const running = await start('--store=memory', '--test-endpoint=127.0.0.1:0')
    await running.ready
    expect(running.addresses).toHaveLength(1)
    await running.close()
  })

  it.each([
    [['--store=memory', '--test-endpoint=0.0.0.0:9999'], '--test-endpoint must be a loopback address and a port'],
    [['--store=memory', '--test-endpoint=9999'], '--test-endpoint must be a loopback address and a port'],
    [['--store=lmdb', '--test-endpoint=127.0.0.1:0'], '--test-endpoint needs --store=memory, not lmdb'],
  ])('is refused: %j', async (flags, message) => {
    await expect(start(...flags)).rejects.toThrow(message)
  })
})

describe('the module in a process of its own', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-module-'))
    await build({
      entryPoints: { testing: 'src/testing/testing.ts' },
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: ['lmdb', '@kubernetes/client-node'],
      outExtension: { '.js': '.mjs' },
      banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const run = async (script: string): Promise<string> => {
    const file = path.join(folder, `${Math.random()}.mjs`)
    writeFileSync(
      file,
      `import assert from 'node:assert/strict'\nimport { startServer, tidy } from './testing.mjs'\n${script}`,
    )
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 200_000 })
    return stdout
  }

  it('leaves nothing open: the process ends by itself', async () => {
    const output = await run(`
      const server = await startServer({ simulate: true })
      const agent = { headers: { authorization: 'Bearer ' + server.token } }
      await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } })
      server.kubeconfig().file()
      await (await server.fork()).close()
      await server.reset()
      await server.close()
      const open = () => process.getActiveResourcesInfo().filter((each) => !each.includes('Pipe') && !each.includes('TTY'))
      // What is closed may go a little later.
      for (let i = 0; i < 500 && open().length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 20))
      console.log(JSON.stringify(open()))
    `)
    expect(JSON.parse(output)).toEqual([])
  })
})
