// The types of `pilothouse-apiserver/testing`: its contract, which imports nothing, and the functions beside it, as one file.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './setup.mjs'

const formatHost = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' }

export function testingTypes() {
  const declarations = ['api', 'webhooks/api', 'tidy', 'testing'].map((name) => {
    const fileName = path.join(root, `src/testing/${name}.ts`)
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
      fileName,
      compilerOptions: { target: ts.ScriptTarget.ES2023, isolatedDeclarations: true, declaration: true },
    })
    if (diagnostics?.length) throw new Error(ts.formatDiagnostics(diagnostics, formatHost))
    return outputText.replaceAll(/^(import|export) .* from '.*';\n/gm, '')
  })
  return declarations.join('\n')
}
