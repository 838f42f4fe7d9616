// What changed between two checkouts in code that no facts tell of, for a person: functions of validation, strategies,
// defaults, conversions, admission, authorization and so on, beside the files of ours that mirror them.
import { Checkout } from './go-packages.mjs'
import { reportMessages } from './messages.mjs'
import { mirrorsIn } from './mirrors.mjs'

const roots = [
  ...[
    'pkg/api',
    'pkg/apis',
    'pkg/capabilities',
    'pkg/controlplane',
    'pkg/kubeapiserver',
    'pkg/printers/internalversion',
  ],
  ...['pkg/registry', 'pkg/serviceaccount', 'plugin/pkg'],
  'staging/src/k8s.io/apiextensions-apiserver/pkg',
  'staging/src/k8s.io/apimachinery/pkg',
  'staging/src/k8s.io/apiserver/pkg',
  'staging/src/k8s.io/component-helpers/resource',
  'staging/src/k8s.io/kube-aggregator/pkg',
  'staging/src/k8s.io/pod-security-admission',
]
const skipped = /\/(testing|testdata|test|client|fuzzer|applyconfiguration|examples|generated|mock\w*|install)(\/|$)/

/** The report as text. `home`: the root of this project. */
export function reportChanges(before, after, home) {
  const checkouts = [before, after].map((folder) => new Checkout(folder))
  const [old, young] = checkouts.map(functionsOf)
  const changes = [...new Set([...old.keys(), ...young.keys()])]
    .filter((key) => old.get(key)?.text !== young.get(key)?.text)
    .sort()
    .map((key) => change(key, old.get(key), young.get(key)))
  const owners = ownersOf(mirrorsIn(home), [old, young])
  const mirrored = new Map()
  const bare = []
  for (const each of changes) {
    const files = owners.get(`${each.folder}: ${each.name}`) ?? new Set()
    if (files.size === 0) bare.push(each)
    for (const file of files) mirrored.set(file, [...(mirrored.get(file) ?? []), each])
  }
  return `${render(mirrored, bare)}\n${reportMessages(...checkouts.map(packagesOf), home)}`
}

/**
 * By function: the files that mirror it. A file that names a function also mirrors what that calls in its own package, up to
 * functions that some file names itself.
 */
function ownersOf(mirrors, sources) {
  const owners = new Map()
  const named = []
  for (const functions of sources) {
    for (const key of functions.keys()) {
      const [folder, name] = key.split(': ')
      for (const mirror of mirrors) {
        if (mirror.folder !== folder || !mirror.names.some((each) => each === name || each === name.split('.')[0]))
          continue
        owners.set(key, (owners.get(key) ?? new Set()).add(mirror.file))
        named.push(key)
      }
    }
  }
  const explicit = new Set(named)
  for (const functions of sources) {
    const queue = [...explicit].filter((key) => functions.has(key))
    const seen = new Set()
    for (const key of queue) {
      for (const called of functions.get(key).calls) {
        if (explicit.has(called) || !functions.has(called)) continue
        const known = owners.get(called) ?? new Set()
        const more = [...owners.get(key)].filter((file) => !known.has(file))
        if (more.length === 0 && seen.has(called)) continue
        seen.add(called)
        owners.set(called, new Set([...known, ...more]))
        queue.push(called)
      }
    }
  }
  return owners
}

/** By `folder: name`: the tokens of each function, comments left out. */
function functionsOf(checkout) {
  const made = new Map()
  for (const [folder] of packagesOf(checkout)) addFunctions(made, checkout, folder)
  return made
}

const packagesOf = (checkout) =>
  roots.flatMap((root) => [...foldersBelow(checkout, root)].map((folder) => [folder, checkout]))

function* foldersBelow(checkout, folder) {
  if (skipped.test(folder)) return
  yield folder
  for (const entry of checkout.list(folder)) {
    if (entry.isDirectory()) yield* foldersBelow(checkout, `${folder}/${entry.name}`)
  }
}

function addFunctions(made, checkout, folder) {
  for (const { name, receiver, tokens, file } of checkout.package(folder)?.funcs ?? []) {
    if (/\/(zz_)?generated/.test(file.path) || tokens.length === 0) continue
    const owner = (receiver?.type.to ?? receiver?.type)?.name
    const full = owner === undefined ? name : `${owner}.${name}`
    const lines = tokens.at(-1).line - tokens[0].line + 1
    const calls = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => `${folder}: ${text}`)
    made.set(`${folder}: ${full}`, { text: tokens.map(({ text }) => text).join(' '), lines, calls: new Set(calls) })
  }
  checkout.forget(folder)
}

function change(key, old, young) {
  const [folder, name] = key.split(': ')
  const what = old === undefined ? 'new' : young === undefined ? 'gone' : 'changed'
  return { folder, name, what, lines: (young ?? old).lines }
}

const line = ({ folder, name, what, lines }) => `  ${what.padEnd(7)} ${folder}: ${name} (${lines} lines)\n`

function render(mirrored, bare) {
  const ours = [...mirrored.keys()].sort().map((file) => `${file}\n${mirrored.get(file).map(line).join('')}`)
  const byFolder = new Map()
  for (const each of bare) byFolder.set(each.folder, [...(byFolder.get(each.folder) ?? []), each])
  const rest = [...byFolder.keys()].sort().map((folder) => {
    const list = byFolder.get(folder).map(({ name, what }) => (what === 'changed' ? name : `${name} (${what})`))
    return `${folder}\n  ${list.join(', ')}\n`
  })
  const count = [...mirrored.values()].flat().length
  return `Changed, and mirrored (${count} in ${mirrored.size} files)\n\n${ours.join('\n')}\nChanged, and mirrored by nothing (${bare.length} in ${byFolder.size} packages)\n\n${rest.join('\n')}`
}
