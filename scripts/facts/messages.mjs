// Texts that code of a release may tell a client, that the release before did not have, and of which some piece is nowhere in our
// sources: a rule that was overlooked mostly shows here first.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { scanGo } from './go-scanner.mjs'

const logs = new Set(['klog', 'logger', 'log', 'glog'])
const verb = /%(?:\[\d+\])?[-+# 0]*\d*(?:\.\d+)?[a-zA-Z]/

/** The report as text. `old` and `young`: `[folder, Checkout]` pairs of the packages to read. `home`: the root of this project. */
export function reportMessages(old, young, home) {
  const known = new Set(messagesIn(old).map(({ text }) => text))
  const ours = corpus(home)
  const missing = messagesIn(young).filter(({ text }) => !known.has(text) && !isSaid(text, ours))
  const byFile = new Map()
  for (const { file, text } of missing) byFile.set(file, (byFile.get(file) ?? new Set()).add(text))
  const parts = [...byFile].map(([file, texts]) => `${file}\n${[...texts].map((text) => `  ${text}\n`).join('')}`)
  return `New texts, of which some piece is nowhere in ours (${missing.length})\n\n${parts.join('\n')}`
}

function messagesIn(packages) {
  const found = []
  for (const [folder, checkout] of packages) {
    for (const entry of checkout.list(folder)) {
      if (!entry.isFile() || !/\.go$/.test(entry.name) || /_test\.go$|generated/.test(entry.name)) continue
      const file = `${folder}/${entry.name}`
      for (const text of textsOf(scanGo(checkout.read(file)))) found.push({ file, text })
    }
  }
  return found
}

/** String literals with words in them; what is logged is told to nobody, and tags of fields are none. */
function* textsOf(tokens) {
  let isLogged = false
  for (const [at, { kind, text, value }] of tokens.entries()) {
    if (kind === 'word' && logs.has(text) && tokens[at + 1]?.text === '.') isLogged = true
    if (text === ';') isLogged = false
    if (kind !== 'string' || isLogged || typeof value !== 'string') continue
    if (value.length >= 12 && /[a-z]{2} [a-z%"]/i.test(value) && !/^\w+:"/.test(value)) yield value
  }
}

const isSaid = (text, ours) =>
  text
    .split(verb)
    .map((piece) => piece.trim())
    .every((piece) => piece.length < 8 || ours.includes(piece))

function corpus(home) {
  const texts = ['src', 'facts'].flatMap((folder) =>
    readdirSync(path.join(home, folder), { recursive: true })
      .filter((name) => /\.(ts|txt|json|delta)$/.test(name) && !/\.test\.ts$/.test(name))
      .map((name) => readFileSync(path.join(home, folder, name), 'utf8')),
  )
  return texts.join('\n').replaceAll(/\\(["'`])/g, '$1')
}
