/**
 * The folder of KUBEBUILDER_ASSETS: small scripts under the names that envtest looks for, which call this very program. They are written
 * beside and moved into place, so that tests in several processes can make the same folder at once.
 */
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { ConfigError } from '../../config/config-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { ownCommand } from '../own-command.ts'

export interface Assets {
  readonly path: string
  readonly hasKubectl: boolean
}

export function makeAssets(folder = path.join(cacheFolder(), `envtest-${packageJson.version}`)): Assets {
  if (process.platform === 'win32') throw new ConfigError('envtest starts programs that are no scripts on Windows')
  const target = path.resolve(folder)
  mkdirSync(target, { recursive: true, mode: 0o755 })
  refuseForeign(target)
  for (const name of ['etcd', 'kube-apiserver'])
    writeScript(path.join(target, name), [...ownCommand(), 'envtest', name])
  const kubectl = onPath('kubectl', target)
  if (kubectl !== undefined) writeScript(path.join(target, 'kubectl'), [kubectl])
  return { path: target, hasKubectl: kubectl !== undefined }
}

/** What lies there is run by tests. */
function refuseForeign(folder: string): void {
  const { uid, mode } = statSync(folder)
  if (uid === process.geteuid?.() && (mode & 0o022) === 0) return
  throw new ConfigError(`${folder} can be written to by others; choose a folder of your own with --assets`)
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME: given = '' } = process.env
  return path.join(path.isAbsolute(given) ? given : path.join(homedir(), '.cache'), 'pilothouse')
}

function writeScript(file: string, command: readonly string[]): void {
  const quoted = command.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')
  const text = `#!/bin/sh\nexec ${quoted} "$@"\n`
  if (readIfThere(file) === text) return
  const draft = `${file}.${systemClock.uuid()}`
  writeFileSync(draft, text, { mode: 0o755 })
  chmodSync(draft, 0o755)
  renameSync(draft, file)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Not the one that this made. */
function onPath(name: string, besides: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((each) => each !== '')
  return folders
    .filter((each) => path.resolve(each) !== besides)
    .map((each) => path.resolve(each, name))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
