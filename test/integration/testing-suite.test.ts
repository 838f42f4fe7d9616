/** The examples of the documentation, each run as it stands; and a suite as people write it, against the clock. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { CoreV1Api } from '@kubernetes/client-node'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
// @ts-expect-error a script
import { testingSources } from '../../scripts/package-types.mjs'
import { startServer, type TestServer, tidy } from '../../src/testing/testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => server.reset())
afterAll(() => server.close())

const sources = (testingSources as string[]).map((name) =>
  readFileSync(new URL(`../../src/testing/${name}.ts`, import.meta.url), 'utf8'),
)

/** What stands after `@example` in a comment, up to its end. */
const examples = sources.flatMap((text) =>
  [...text.matchAll(/@example\n([\s\S]*?)\n\s*\*\/\n\s*(.*)/g)].map(([, body = '', declared = '']) => ({
    of: declared.trim(),
    code: body.replaceAll(/^\s*\* ?/gm, ''),
  })),
)

describe('the examples', () => {
  it.each(examples)('of $of', async ({ code }) => {
    // Names are passed in; what is newer than the oldest Node is written out.
    const parameters = '{ server, startServer, tidy, assert, CoreV1Api }'
    const { code: plain } = transformSync(`export default async (${parameters}) => {{\n${code}\n}}`, {
      loader: 'ts',
      target: 'node20',
      format: 'cjs',
    })
    const module = { exports: {} as { default?: (given: object) => Promise<void> } }
    new Function('module', 'exports', plain)(module, module.exports)
    await module.exports.default?.({ server, startServer, tidy, assert, CoreV1Api })
  })

  it('are many', () => expect(examples.length).toBeGreaterThan(8))
})

describe('a suite of 200 small tests', () => {
  it('takes a few seconds, with the server put back before each', async () => {
    // The client connects anew for every request: over TLS this would measure handshakes.
    await using plain = await startServer({ tls: false })
    const core = await plain.client(CoreV1Api)
    const begin = performance.now()
    const used = process.cpuUsage()
    let resets = 0
    for (let i = 0; i < 200; i++) {
      const before = performance.now()
      await plain.reset()
      resets += performance.now() - before
      await core.createNamespacedConfigMap({
        namespace: 'default',
        body: { metadata: { name: 'same' }, data: { i: `${i}` } },
      })
      const found = await core.readNamespacedConfigMap({ namespace: 'default', name: 'same' })
      expect(found.data).toEqual({ i: `${i}` })
      await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'same' })
      expect((await core.listNamespacedConfigMap({ namespace: 'default' })).items).toEqual([])
      await core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'left-behind' } } })
    }
    const seconds = (performance.now() - begin) / 1000
    const { user, system } = process.cpuUsage(used)
    const cpu = (user + system) / 1e6
    process.stdout.write(
      `200 tests, 1000 requests: ${seconds.toFixed(2)} s (${cpu.toFixed(2)} s of a core), resets ${(resets / 1000).toFixed(2)} s\n`,
    )
    // Others may use this machine at the same time: what counts is what it takes of it, even of a slow one.
    expect(cpu).toBeLessThan(60)
  })

  it('puts thousands of objects back quickly', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({ metadata: { name: `c${i}` }, data: { i: `${i}` } }))
    for (const body of many) await server.call('POST', '/api/v1/namespaces/default/configmaps', body)
    const full = server.snapshot()
    const times: string[] = []
    for (const to of [undefined, full, undefined, full]) {
      const begin = performance.now()
      await (to === undefined ? server.reset() : server.restore(to))
      times.push((performance.now() - begin).toFixed(1))
      expect(await server.list('configmaps', 'default')).toHaveLength(to === undefined ? 0 : 1000)
    }
    process.stdout.write(`1000 objects away and back, twice: ${times.join(', ')} ms\n`)
  })
})
