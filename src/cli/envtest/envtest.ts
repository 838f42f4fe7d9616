/**
 * `pilothouse envtest`: a folder of programs for controller-runtime's envtest, and the environment that makes it use them. envtest starts and
 * stops an etcd and a kube-apiserver; here the first one only says that it is well, and the second keeps its objects in memory.
 */
import { ConfigError } from '../../config/config-error.ts'
import { runCommand, SignalRelay } from '../run-command.ts'
import type { Tool } from '../tool.ts'
import { makeAssets } from './assets.ts'

const usage = `Stands in for the programs of controller-runtime's envtest: no other binary is needed.

Usage:
  eval "$(pilothouse envtest)"; go test ./...
  pilothouse envtest [--assets DIR] [-p env|path] [-- COMMAND [ARGUMENTS]]

  -- COMMAND      run a command with the environment, instead of printing it
  -p env|path     print a line for the shell, or the folder alone
  --assets DIR    where the programs go, instead of the user's cache folder

KUBEBUILDER_ASSETS names a folder with kube-apiserver, etcd and, if it was found on the PATH, kubectl. Objects are kept in the memory of
kube-apiserver and are gone when it stops. With another etcd (TEST_ASSET_ETCD) they are kept there.
`

interface Request {
  readonly folder: string | undefined
  readonly form: 'env' | 'path'
  readonly command: readonly string[]
}

export const envtest: Tool = async (args, output) => {
  const [program, ...rest] = args
  // What the program etcd of the folder calls; its kube-apiserver is the server itself (see `main.ts`).
  if (program === 'etcd') return (await import('./etcd-stand-in.ts')).etcdStandIn(rest, output)
  if (args.includes('--help') || args.includes('-h')) {
    output.print(usage)
    return 0
  }
  const { folder, form, command } = readRequest(args)
  const { path, hasKubectl } = makeAssets(folder)
  if (command.length > 0) {
    const env = { ...process.env, ...environment(path) }
    return runCommand(command, { env, signals: new SignalRelay(), note: output.note })
  }
  if (form === 'path') output.print(path)
  else
    for (const [name, value] of Object.entries(environment(path)))
      output.print(`export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
  if (!hasKubectl && output.isTerminal) output.note('kubectl was not found on the PATH: tests that call it need one\n')
  return 0
}

/** Others that were set would be stronger than the folder. */
const environment = (path: string): Record<string, string> => ({ KUBEBUILDER_ASSETS: path })

function readRequest(args: readonly string[]): Request {
  const end = args.indexOf('--')
  const command = end < 0 ? [] : args.slice(end + 1)
  if (end >= 0 && command.length === 0) throw new ConfigError('which command? Use: pilothouse envtest -- COMMAND')
  let folder: string | undefined
  let form: Request['form'] = 'env'
  const given = (end < 0 ? args : args.slice(0, end)).flatMap((arg) => splitFlag(arg))
  for (let i = 0; i < given.length; i += 2) {
    const [flag, value] = [given[i] ?? '', given[i + 1]]
    if (flag !== '--assets' && flag !== '-p') throw new ConfigError(unknown(flag))
    if (value === undefined) throw new ConfigError(`${flag} needs a value`)
    if (flag === '--assets') folder = value
    else if (value === 'env' || value === 'path') form = value
    else throw new ConfigError(`-p must be env or path, not ${value}`)
  }
  return { folder, form, command }
}

const unknown = (flag: string): string => `${JSON.stringify(flag)} is not known: see pilothouse envtest --help`

function splitFlag(arg: string): string[] {
  const [, flag, value] = /^(--?\w+)=(.*)$/s.exec(arg) ?? []
  return flag === undefined || value === undefined ? [arg] : [flag, value]
}
