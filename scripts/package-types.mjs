// The types of the package: its contracts, which import nothing but each other, and the functions beside them, as one file for each
// entry point.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './setup.mjs'

const formatHost = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' }

const subjects = ['objects', 'start-options', 'server', 'users', 'calls', 'requests', 'faults', 'watches', 'simulation']

/** The sources of the testing API, in the order of the documentation. */
export const testingSources = [...subjects.map((name) => `api/${name}`), 'webhooks/api', 'tidy', 'testing']

export const testingTypes = () => typesOf('src/testing', testingSources)

export const embeddingTypes = () =>
  `${typesOf('src/embedding', ['api'])}
/** Starts a server in this process. Resolves when it is ready; rejects, and says why, when the options are no good. */
export declare function createServer(options?: CreateServerOptions): Promise<EmbeddedServer>;
`

function typesOf(folder, names) {
  const declarations = names.map((name) => {
    const fileName = path.join(root, folder, `${name}.ts`)
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
      fileName,
      compilerOptions: { target: ts.ScriptTarget.ES2023, isolatedDeclarations: true, declaration: true },
    })
    if (diagnostics?.length) throw new Error(ts.formatDiagnostics(diagnostics, formatHost))
    return outputText.replaceAll(/^(import|export) .* from '.*';\n/gm, '')
  })
  return declarations.join('\n')
}
