// Holds the prose of this repository against that of a Kubernetes checkout: `npm run provenance -- /path/to/kubernetes`.
//
// Ours is what people read: descriptions, comments, texts in the code, pages, recorded answers. Theirs is what people read as well:
// comments, descriptions in OpenAPI documents, help of metrics, usage of flags, descriptions of columns, pages. A sentence of five words
// or more that stands in both, or a run of eight words, is a finding. Messages that clients parse (errors, reasons, conditions) are
// the reference's on purpose: what is a plain string in its code is no finding.
import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './setup.mjs'

const shortestSentence = 5
const longestRun = 8

const [checkout] = process.argv.slice(2)
if (checkout === undefined || !existsSync(path.join(checkout, 'staging/src/k8s.io/api'))) {
  console.error('usage: npm run provenance -- /path/to/kubernetes, a checkout of its public source')
  process.exit(2)
}

/** Our sentences and runs of words, with where they stand; which of them are theirs, with where; which are messages. */
const ours = new Map()
const findings = new Map()
const messages = new Set()

// ---- ours ------------------------------------------------------------------------------------------------------------

function* ourProse() {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  for (const file of files) {
    if (file === '' || /^(LICENSE|package-lock\.json)$/.test(file)) continue
    const text = readFileSync(path.join(root, file), 'utf8')
    if (/\.(ts|mjs|cjs|js)$/.test(file)) yield* codeProse(file, text)
    else if (file.endsWith('.txt')) yield* lineProse(file, text, /^[^:]*: /)
    else if (file.endsWith('.json')) yield* jsonProse(file, text)
    else yield { place: file, text: text.replaceAll(/```[\s\S]*?```|^ {4}.*$/gm, '\n\n') }
  }
}

function* lineProse(file, text, key) {
  for (const [i, line] of text.split('\n').entries()) yield { place: `${file}:${i + 1}`, text: line.replace(key, '') }
}

function* jsonProse(file, text) {
  for (const [i, line] of text.split('\n').entries()) {
    for (const [, value] of line.matchAll(/"((?:[^"\\]|\\.)*)"/g))
      yield { place: `${file}:${i + 1}`, text: unescaped(value) }
  }
}

/** The comments and texts of a program. */
function* codeProse(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const literals = []
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || isTemplatePart(node) || ts.isRegularExpressionLiteral(node)) {
      literals.push(node)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  let code = text
  for (const node of literals) {
    const start = node.getStart(source)
    const place = `${file}:${lineAt(source, start)}`
    if (node.kind !== ts.SyntaxKind.RegularExpressionLiteral) {
      for (const line of node.text.split('\n')) for (const cell of line.split('|')) yield { place, text: cell }
    }
    code = code.slice(0, start) + code.slice(start, node.end).replaceAll(/[^\n]/g, ' ') + code.slice(node.end)
  }
  for (const { index, 0: comment } of code.matchAll(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|\/\/.*/gm)) {
    yield {
      place: `${file}:${lineAt(source, index)}`,
      text: comment.replaceAll(/^[ \t]*(?:\/\*+|\*+\/?|\/\/)|\*\/$/gm, ' '),
    }
  }
}

const isTemplatePart = (node) => ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)

const lineAt = (source, position) => source.getLineAndCharacterOfPosition(position).line + 1

function remember(place, text) {
  for (const key of keysOf(text)) {
    if (!ours.has(key)) ours.set(key, place)
  }
}

// ---- both ------------------------------------------------------------------------------------------------------------

/** Whole sentences, and runs of words. */
function* keysOf(text) {
  for (const sentence of text.split(/[.!?:;](?=\s|$)|\n\s*\n/)) {
    const words = wordsOf(sentence)
    if (words.length >= shortestSentence && words.length <= 60 && isProse(words)) yield `= ${words.join(' ')}`
    for (let i = 0; i + longestRun <= words.length; i++) {
      const run = words.slice(i, i + longestRun)
      if (isProse(run)) yield run.join(' ')
    }
  }
}

const wordsOf = (text) => text.toLowerCase().match(/[a-z0-9]+(?:['.-][a-z0-9]+)*/g) ?? []

/** Not a list of names. */
const isProse = (words) => words.filter((word) => particles.has(word)).length * 5 >= words.length
const particles = new Set(
  'a an and are as be been by can from has have is it its may must not of on or than that the this to was were which will with'.split(
    ' ',
  ),
)

const unescaped = (text) => text.replaceAll(/\\(["\\nt])/g, (_, char) => ({ n: '\n', t: ' ' })[char] ?? char)

// ---- theirs ----------------------------------------------------------------------------------------------------------

/** Go sources without tests, OpenAPI documents and pages; what others wrote (`vendor`, `third_party`) is not theirs. */
function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!/^(vendor|third_party|testdata|\.git|_output|CHANGELOG)$/.test(entry.name)) yield* filesOf(file)
    } else if (/\.go$/.test(entry.name) ? !/_test\.go$/.test(entry.name) : /^swagger\.json$|\.md$/.test(entry.name)) {
      yield file
    }
  }
}

async function compare(file) {
  const text = await readText(file)
  const place = path.relative(checkout, file)
  if (file.endsWith('.go')) return compareGo(place, text)
  if (file.endsWith('.md')) return find(place, text)
  for (const [, value] of text.matchAll(/"description": "((?:[^"\\]|\\.)*)"/g)) find(place, unescaped(value))
}

async function readText(file) {
  const chunks = []
  for await (const chunk of createReadStream(file)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const goToken = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|\/\/.*|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)+'/gm

/** What stands before a text that people read: help, usage, descriptions, also of several lines put together. */
const readByPeople =
  /\b(?:Help|Description|description|Short|Long|Usage):\s*(?:"[^"\n]*"\s*\+\s*)*$|\b\w*VarP?\((?:[^()]|\([^()]*\))*$/

function compareGo(place, text) {
  for (const match of text.matchAll(goToken)) {
    const [token] = match
    if (token.startsWith('/')) find(place, token.replaceAll(/^[ \t]*(?:\/\*|\/\/)|\*\/$/gm, ' '))
    else if (token.startsWith('"') || token.startsWith('`')) {
      const value = unescaped(token.slice(1, -1))
      if (place.endsWith('types_swagger_doc_generated.go')) find(place, value)
      else if (readByPeople.test(text.slice(Math.max(0, match.index - 600), match.index))) find(place, value)
      else for (const key of keysOf(value)) if (ours.has(key)) messages.add(key)
    }
  }
}

function find(place, text) {
  for (const key of keysOf(text)) {
    if (ours.has(key) && !findings.has(key)) findings.set(key, place)
  }
}

// ---- the outcome -----------------------------------------------------------------------------------------------------

/** Words that clients look for, and what anybody would write. */
function readCommon() {
  const text = readFileSync(path.join(root, 'facts/common-phrases.txt'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => wordsOf(line).join(' '))
}

function report(common) {
  const left = [...findings].filter(([key]) => {
    const words = key.replace(/^= /, '')
    return !messages.has(key) && !common.some((phrase) => phrase.includes(words) || words.includes(phrase))
  })
  // The longest of each place.
  const byPlace = new Map(left.sort(([a], [b]) => a.length - b.length).map((each) => [ours.get(each[0]), each]))
  for (const [place, [key, theirs]] of byPlace)
    console.log(`${place}\n    ${key.replace(/^= /, '')}\n    as in ${theirs}`)
  console.log(`${ours.size} sentences and runs compared; ${byPlace.size} places have the same words as the checkout`)
  process.exitCode = byPlace.size === 0 ? 0 : 1
}

for (const { place, text } of ourProse()) remember(place, text)
for (const file of filesOf(checkout)) await compare(file)
report(readCommon())
