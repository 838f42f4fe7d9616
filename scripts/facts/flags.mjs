// The flags of kube-apiserver. Their names can be read off the source; types, defaults and sections are what the program
// itself prints (`--help`), because options set each other's defaults while they are put together. Never the usage texts.
import { nameOf } from './go-packages.mjs'
import { statementsOf, walk } from './go-parser.mjs'

const folders = [
  'cmd/kube-apiserver/app/options',
  'pkg/controlplane/apiserver/options',
  'pkg/kubeapiserver/options',
  'plugin/pkg/admission/defaulttolerationseconds',
  'staging/src/k8s.io/apiserver/pkg/server/options',
  'staging/src/k8s.io/apiserver/pkg/util/feature',
  'staging/src/k8s.io/apiserver/pkg/util/compatibility',
  'staging/src/k8s.io/component-base/logs',
  'staging/src/k8s.io/component-base/logs/api/v1',
  'staging/src/k8s.io/component-base/metrics',
  'staging/src/k8s.io/component-base/compatibility',
  'staging/src/k8s.io/component-base/cli/globalflag',
]
const declares =
  /^(String|Bool|Int|Int32|Int64|Uint|Uint16|Float32|Float64|Duration|StringSlice|StringArray|StringToString|IP|)(Var)?P?$/
/** Options of other servers, which ask kube-apiserver. */
const foreign = /Delegating|RemoteKubeConfig|CoreAPI/

/** The names that the source declares, and those of them that `--help` must show; one with `%s` is there for each audit backend. */
export function flagNames(checkout) {
  const names = new Set()
  const hidden = new Set()
  for (const folder of folders) {
    for (const declared of checkout.package(folder)?.funcs ?? []) {
      if (foreign.test((declared.receiver?.type.to ?? declared.receiver?.type)?.name ?? '')) continue
      for (const tree of [...walk(statementsOf(declared) ?? []), ...packageCalls(checkout, folder)]) {
        for (const name of namesIn(checkout, declared.file, tree)) names.add(name)
        for (const name of hiddenIn(checkout, declared.file, tree)) hidden.add(name)
      }
    }
  }
  return { names, shown: [...names].filter((name) => !hidden.has(name)) }
}

function hiddenIn(checkout, file, { kind, of, args }) {
  if (kind !== 'call' || !/^Mark(Deprecated|Hidden)$/.test(of.name ?? '')) return []
  const [tree] = args
  if (tree.kind === 'call')
    return ['log', 'webhook'].map((each) => checkout.evaluate(file, tree.args[0]).replace('%s', each))
  return [checkout.evaluate(file, tree)]
}

/** Flags that are declared where a package's variables are. */
function packageCalls(checkout, folder) {
  return [...checkout.package(folder).vars.values()].flatMap(({ value }) => [...walk(value)])
}

function namesIn(checkout, file, { kind, of, args }) {
  if (kind !== 'call' || of.kind !== 'select' || !declares.test(of.name) || of.name === '') return []
  const tree = args[/Var/.test(of.name) ? 1 : 0]
  if (tree?.kind === 'call' && nameOf(tree.of) === 'fmt.Sprintf') {
    const text = checkout.evaluate(file, tree.args[0])
    return ['log', 'webhook'].map((backend) => text.replace('%s', backend))
  }
  const name = checkout.evaluate(file, tree)
  return typeof name === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)+$|^profiling$/.test(name) ? [name] : []
}

/** Lines `name type default` under `[section]`, from what `--help` prints. */
export function flagLines(help) {
  const lines = []
  let flag
  const finish = () => {
    if (flag !== undefined) lines.push(`${flag.name} ${flag.type} ${defaultIn(flag.text, flag.type)}`)
    flag = undefined
  }
  for (const line of help.split('\n')) {
    const section = /^(\S.*) flags:$/.exec(line)?.[1]
    const [, name, type, text] = /^ {2,6}(?:-\w, )?--([a-z0-9-]+)(?: (\S+))? {2,}(.*)$/.exec(line) ?? []
    if (section !== undefined || name !== undefined) finish()
    if (section !== undefined) lines.push(`[${section}]`)
    if (name !== undefined) flag = { name, type: type ?? 'bool', text }
    else if (flag !== undefined) flag.text += `\n${line.trim()}`
  }
  finish()
  return `${lines.join('\n')}\n`
}

/** The last words of a usage: `(default …)`; without them the zero value. */
function defaultIn(text, type) {
  const shown = /\(default (?:"([^"]*)"|([^()]*))\)\s*(?:\(DEPRECATED[\s\S]*)?$/.exec(text.trim())
  const [, quoted, plain] = shown ?? []
  if (quoted !== undefined || plain !== undefined) return (quoted ?? plain) || '""'
  return { bool: 'false', int: '0', float: '0', float32: '0', duration: '0s' }[type.replace(/\[.*/, '')] ?? '-'
}
