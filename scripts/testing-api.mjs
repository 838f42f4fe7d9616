// `npm run testing-api`: writes docs/testing-api.md, the reference of `pilothouse-apiserver/testing`, from its types and their comments.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { testingTypes } from './package-types.mjs'
import { root } from './setup.mjs'

export const page = 'docs/testing-api.md'

/** The page as it should be. */
export function testingApi() {
  const source = ts.createSourceFile('testing.d.ts', testingTypes(), ts.ScriptTarget.ES2023, true)
  const declared = source.statements.filter((node) => nameOf(node) !== undefined)
  const names = declared.map(nameOf)
  const index = names.map((name) => `[${name}](#${name.toLowerCase()})`).join(', ')
  return `# The testing API

Everything that \`import { startServer, tidy } from 'pilothouse-apiserver/testing'\` offers, made from its types by
\`npm run testing-api\`. [Testing with Pilothouse](testing.md) says what it is for.

${index}

${declared.map((node) => section(node, source)).join('\n')}`
}

function nameOf(node) {
  const isShown = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isFunctionDeclaration(node)
  return isShown ? node.name?.text : undefined
}

function section(node, source) {
  const { text, examples } = comment(node)
  const isInterface = ts.isInterfaceDeclaration(node)
  const head = fenced(isInterface ? heading(node, source) : textOf(node, source))
  const parts = [`## ${nameOf(node)}\n`, text === '' ? '' : `${text}\n`, head, isInterface ? members(node, source) : '']
  return [...parts, ...examples.map(fenced)].filter((part) => part !== '').join('\n')
}

/** An interface up to its brace. */
const heading = (node, source) => textOf(node, source).split('{')[0].trim()

const members = (node, source) => `${node.members.map((member) => item(member, source)).join('\n')}\n`

function item(member, source) {
  const { text, examples } = comment(member)
  const head = `- \`${textOf(member, source).replaceAll(/\s*\n\s*/g, ' ')}\``
  const shown = examples.map((example) => `\n\n${fenced(example).replaceAll(/^(?=.)/gm, '  ')}`).join('')
  return `${head}${text === '' ? '' : `  \n  ${text}`}${shown}`
}

/** Without comments and what every declaration begins with. */
function textOf(node, source) {
  const text = source.text.slice(node.getStart(source), node.end)
  return text
    .replace(/^export (declare )?/, '')
    .replace(/;$/, '')
    .replaceAll(/^ {4}/gm, '')
}

const fenced = (text) => `\`\`\`ts\n${text}\n\`\`\`\n`

function comment(node) {
  const [doc] = node.jsDoc?.slice(-1) ?? []
  const text = (ts.getTextOfJSDocComment(doc?.comment) ?? '').replaceAll(/\s*\n\s*/g, ' ').trim()
  const examples = (doc?.tags ?? []).filter(({ tagName }) => tagName.text === 'example').map(exampleOf)
  return { text, examples }
}

/** As it stands in the comment: indentation is part of it. */
const exampleOf = (tag) =>
  tag
    .getText()
    .replace(/^@example\s*\n/, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .trimEnd()

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path.join(root, page), testingApi())
