// Every piece of TypeScript in the pages that is no whole file, as it stands in the package, run by the project's vitest. docs/testing-api.md is
// made from types, and its examples are compiled by other tests; docs/console-api.md has types alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
}

/** `before` and `after` are what a page takes for granted. */
const pages = [
  { file: 'README.md' },
  { file: 'docs/testing.md', before: 'const server = shared; await server.reset()' },
  {
    file: 'docs/simulation.md',
    before: `const deployment = ${JSON.stringify(deployment)}; const server = await startServer({ simulate: true }); closing.push(server)`,
  },
  { file: 'docs/embedding.md', after: 'await server.close()' },
]

const head = `import assert from 'node:assert/strict'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { createServer } from 'pilothouse-apiserver'
import { startServer, tidy, type TestServer } from 'pilothouse-apiserver/testing'
import { afterAll, beforeAll, it } from 'vitest'
let shared: TestServer
const closing: TestServer[] = []
beforeAll(async () => { shared = await startServer(); closing.push(shared) })
afterAll(async () => { for (const server of closing) await server.close() })
`

/** `read` gives a page of the installed package. Returns how many pieces there were. */
export function writeSnippets(folder, read) {
  const tests = pages.flatMap(({ file, before = '', after = '' }) => {
    const pieces = [...read(file).matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(([, code]) => code)
    // A file of tests is the first test, which is run as it is.
    const parts = pieces.filter((code) => !code.includes("from 'vitest'"))
    if (parts.length === 0) throw new Error(`${file} has no pieces of code`)
    return parts.map((code, i) => {
      const body = code.replaceAll(/^import .*\n/gm, '')
      return `it('${file}, ${i + 1}', async () => {\n${before}\n{\n${body}\n${after}\n}\n}, 120_000)\n`
    })
  })
  writeFileSync(path.join(folder, 'snippets.test.ts'), head + tests.join(''))
  mkdirSync(path.join(folder, 'manifests'))
  writeFileSync(path.join(folder, 'manifests/web.json'), JSON.stringify(deployment))
  return tests.length
}

export const pageReader = (installed) => (file) => readFileSync(installed(file), 'utf8')
