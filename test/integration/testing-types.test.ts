/** Every piece of code in the pages on testing, and every example of the API's own comments, compiled with `strict`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script
import { embeddingTypes, testingSources, testingTypes } from '../../scripts/package-types.mjs'
// @ts-expect-error a script
import { page, testingApi } from '../../scripts/testing-api.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const heading = `import assert from 'node:assert/strict'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { startServer, tidy, type TestServer } from 'pilothouse-apiserver/testing'
export async function piece(server: TestServer, unused: [typeof assert, typeof startServer, typeof tidy, CoreV1Api, V1ConfigMap, KubeConfig, typeof makeInformer]) {{
`

const blocks = (file: string, language: string): string[] =>
  [...read(file).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)

const examples = (testingSources as string[]).flatMap((name) =>
  [...read(`src/testing/${name}.ts`).matchAll(/@example\n([\s\S]*?)\n\s*\*\//g)].map(([, body = '']) =>
    body.replaceAll(/^\s*\* ?/gm, ''),
  ),
)

const wrapped = (code: string): string => `${heading}${code}\n}}`
const pieces = new Map<string, string>([
  ...blocks('docs/testing.md', '[jt]s').map((code, i): [string, string] => [
    `page-${i}.ts`,
    code.startsWith('import ') ? code : wrapped(code),
  ]),
  ...blocks('docs/embedding.md', 'ts').map((code, i): [string, string] => [`embedding-${i}.ts`, code]),
  ['harbour.ts', read('examples/embedding/harbour.ts')],
  ...blocks('README.md', 'ts').map((code, i): [string, string] => [`readme-${i}.ts`, code]),
  ...examples.map((code, i): [string, string] => [`example-${i}.ts`, wrapped(code)]),
])

/** One program for all: what is common is read once. */
function problems(): string[] {
  const folder = path.join(root, 'node_modules/.pieces')
  const virtual = new Map([...pieces].map(([name, text]) => [path.join(folder, name), text]))
  const types = path.join(folder, 'testing.d.ts')
  virtual.set(types, testingTypes() as string)
  const embedding = path.join(folder, 'index.d.ts')
  virtual.set(embedding, embeddingTypes() as string)
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    paths: { 'pilothouse-apiserver/testing': [types], 'pilothouse-apiserver': [embedding] },
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (file) => virtual.has(file) || fileExists(file)
  host.readFile = (file) => virtual.get(file) ?? readFile(file)
  host.getSourceFile = (file, version, ...rest) => {
    const text = virtual.get(file)
    return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version)
  }
  const program = ts.createProgram([...virtual.keys()], options, host)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const { file, start = 0 } = diagnostic
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line
    const code = file?.text.split('\n')[line] ?? ''
    return `${path.basename(file?.fileName ?? '')}: ${code}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`
  })
}

it('the reference of the testing API is that of its types: npm run testing-api', () => {
  expect(read(page as string)).toBe(testingApi())
})

describe('the code of the documentation', () => {
  it('is found', () => expect(pieces.size).toBeGreaterThan(20))
  it('compiles under strict', () => expect(problems()).toEqual([]))
})
