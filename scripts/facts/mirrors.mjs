// The lines in our comments that say which code of upstream a file mirrors: `Mirrors pkg/apis/batch/validation: ValidateJob,
// ValidateJobUpdate`. A name is a function, a type (with all its methods), or `Type.Method`. Lines about other projects have
// another form, and are no mirrors here.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const staging = [
  ...[
    'api',
    'apiextensions-apiserver',
    'apimachinery',
    'apiserver',
    'client-go',
    'component-base',
    'component-helpers',
  ],
  ...['kube-aggregator', 'pod-security-admission'],
]

/** `[{ file, folder, names }]`, from the sources below `root`/src. */
export function mirrorsIn(root) {
  return readdirSync(path.join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => {
      const file = path.join('src', name)
      return mirrorsOf(readFileSync(path.join(root, file), 'utf8')).map((mirror) => ({ file, ...mirror }))
    })
}

export function mirrorsOf(source) {
  const text = source.replace(/\n\s*(\*(?!\/)|\/\/) ?/g, ' ')
  return [...text.matchAll(/Mirrors ([\w./-]+): /g)].flatMap((found) => {
    const [whole, named] = found
    const folder = folderOf(named)
    const names = namesAtStart(text.slice(found.index + whole.length)).filter((name) => !name.endsWith('.go'))
    return folder === undefined || names.length === 0 ? [] : [{ folder, names }]
  })
}

/** The folder in a checkout; undefined for what is not of Kubernetes. */
function folderOf(named) {
  const name = named.replace(/\/[\w]+\.go$/, '')
  if (/^(pkg|plugin|cmd)\//.test(name)) return name
  if (name.startsWith('k8s.io/')) return `staging/src/${name}`
  return staging.includes(name.split('/')[0]) ? `staging/src/k8s.io/${name}` : undefined
}

/** The list that a text begins with: names in Go's camel case, separated by commas or `and`; one in small letters ends it. */
function namesAtStart(text) {
  const names = []
  let rest = text
  for (;;) {
    const found =
      /^\s*(?:and )?([A-Za-z_]\w*(?:\.[A-Za-z]\w*)?)(,? and(?= )|,(?= )|(?=\.|\s*\*\/|\s*$)|(?=[\s,;:)]))/.exec(rest)
    if (found === null) return names
    const [whole, name, separator] = found
    const isLast = separator === ''
    const endsThere = /^(\.|\s*\*\/|\s*$)/.test(rest.slice(whole.length))
    if (!/[A-Z]/.test(name) && isLast && !endsThere) return names
    names.push(name)
    if (isLast) return names
    rest = rest.slice(whole.length)
  }
}
