/** What the arguments ask for: a server, a tool, the help text, the version, or a mistake in words. */
import path from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { servedMajor, servedMinor, servedRelease } from '../api/release.ts'
import { ConfigError } from '../config/config-error.ts'
import { parseFlags } from '../config/flags.ts'
import { nearestNames } from '../config/nearest-names.ts'
import { resolveServerOptions, type ServerOptions } from '../config/server-options.ts'
import { commandHelp } from './help.ts'
import { tools } from './tools.ts'

export type Command =
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'serve'; readonly options: ServerOptions }
  | { readonly kind: 'tool'; readonly name: string; readonly args: readonly string[] }

const commands = ['serve', 'help', 'version', ...Object.keys(tools)]

/** Throws a `ConfigError`. */
export function parseCommandLine(args: readonly string[]): Command {
  const [name = '', ...rest] = args
  // Tools have flags of their own.
  if (Object.hasOwn(tools, name)) return { kind: 'tool', name, args: rest }
  // Before its flags, which mean nothing to a server.
  if (name !== '' && !name.startsWith('-') && !commands.includes(name)) throw unknownCommand(name)
  const flags = parseFlags(args)
  const [command = 'serve', ...more] = flags.arguments
  if (!commands.includes(command)) throw unknownCommand(command)
  if (more.length > 0) throw new ConfigError(`"${command}" does not take any arguments, got ${JSON.stringify(more)}`)
  if (command === 'help' || flags.bool('help')) return { kind: 'print', text: commandHelp() }
  const version = flags.string('version')
  if (version === 'raw') return { kind: 'print', text: rawVersionText }
  if (command === 'version' || version === 'true') return { kind: 'print', text: versionText(invokedAs()) }
  return { kind: 'serve', options: resolveServerOptions(flags) }
}

/** A program of the reference's name says what that one would: other programs read it. */
const versionText = (name: string): string =>
  name === 'kube-apiserver'
    ? `Kubernetes ${servedRelease}\n`
    : `Pilothouse v${packageJson.version} (Kubernetes v${servedMajor}.${servedMinor})\n`

/** The name by which the program was called: that of the executable, or of the script that Node runs. */
function invokedAs(): string {
  const [, script = ''] = process.argv
  return path.basename(script === process.execPath ? process.argv0 : script)
}

/** As Go prints the struct. */
const rawVersionText = `version.Info{Major:"${servedMajor}", Minor:"${servedMinor}", GitVersion:"${servedRelease}+pilothouse-${packageJson.version}", GoVersion:"node-${process.version}", Compiler:"v8", Platform:"${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}"}\n`

function unknownCommand(command: string): ConfigError {
  const near = nearestNames(command, commands)
  const hint = near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`
  return new ConfigError(`unknown command ${JSON.stringify(command)}${hint}`)
}
