/** The pieces of code in docs/testing.md that are no whole files, each run as it stands. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startServer, type TestServer, tidy } from '../../src/testing/testing.ts'

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
const pieces = page.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/```[jt]s\n(?!import )([\s\S]*?)```/g)].map(([, code = '']) => ({
    title: section.slice(0, section.indexOf('\n')),
    code,
  })),
)

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => server.reset())
afterAll(() => server.close())

const names = '{ server, startServer, tidy, assert, CoreV1Api, KubeConfig, makeInformer }'

it.each(pieces)('$title', async ({ code }) => {
  const source = `export default async (${names}) => {{\n${code}\n}}`
  // What is newer than the oldest Node is written out.
  const { code: plain } = transformSync(source, { loader: 'ts', target: 'node20', format: 'cjs' })
  const module = { exports: {} as { default?: (given: object) => Promise<void> } }
  new Function('module', 'exports', plain)(module, module.exports)
  await module.exports.default?.({ server, startServer, tidy, assert, CoreV1Api, KubeConfig, makeInformer })
})

it('has some of them', () => expect(pieces.length).toBeGreaterThan(5))
