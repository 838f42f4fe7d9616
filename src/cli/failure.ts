/**
 * Failures as the user of a command hears of them. What goes wrong outside of the program (flags, files, folders, ports, other servers) is
 * one line with its cause and what helps; a bug, which the runtime or an assertion reports, shows its stack.
 */
import { AssertionError } from 'node:assert'
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isFault } from '../lib/fault.ts'

/** The system says no, to a file or a folder for example. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error

/** `args`: what the command was given, to name the flag that a path came by. */
export function describeFailure(error: unknown, args: readonly string[] = []): string {
  if (!(error instanceof Error)) return String(error)
  const isBug = !isSystemError(error) && (isFault(error) || error instanceof AssertionError)
  if (isBug) return error.stack ?? error.message
  return withRemedy(oneLine(error.message), args)
}

/** As Node words errors of the system, at the end of whatever was said before. */
const systemMessage = /^(?:(.*): )?(E[A-Z]+): [^,]*, (\w+) '([^']+)'(?: -> '([^']+)')?$/

function withRemedy(message: string, args: readonly string[]): string {
  const [, before, code = '', call = '', from = '', to] = systemMessage.exec(message) ?? []
  const remedy = remedies[code]
  if (remedy === undefined) return message
  const path = to ?? from
  const flag = before?.startsWith('--') ? undefined : flagOf(path, args)
  const place = before?.endsWith(path) ? [flag, before] : [before, flag, path]
  return [...place, `${remedy(path)} (${code}, ${call})`].filter((part) => part !== undefined).join(': ')
}

function flagOf(path: string, args: readonly string[]): string | undefined {
  for (const [i, arg] of args.entries()) {
    if (!arg.startsWith('--')) continue
    const equals = arg.indexOf('=')
    const name = equals < 0 ? arg : arg.slice(0, equals)
    const value = equals < 0 ? args[i + 1] : arg.slice(equals + 1)
    if (value !== undefined && resolve(value) === resolve(path)) return name
  }
  return undefined
}

const remedies: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `permission denied${ownersOf(path)}; run as its owner, or choose another place`,
  EPERM: (path) => `not permitted${ownersOf(path)}; run as its owner, or choose another place`,
  EROFS: () => 'the file system is read-only; choose a place that can be written to',
  ENOSPC: () => 'the disk is full; make room, or choose another disk',
  EDQUOT: () => 'the disk quota is used up; make room, or choose another disk',
  ENOENT: () => 'there is no such file or folder; check the path',
  ENOTDIR: () => 'a part of this path is a file, not a folder; choose another path',
  EISDIR: () => 'this is a folder, not a file; name a file',
  EEXIST: () => 'this is there already; move it away, or choose another path',
  ENAMETOOLONG: () => 'this path is too long; choose a shorter one',
  ELOOP: () => 'this path leads in circles through symbolic links; check them',
  EMFILE: () => 'this process has too many files open; raise the limit (ulimit -n)',
  ENFILE: () => 'this machine has too many files open; end other programs',
}

/** Whose the nearest thing on the path is that can be seen, where the system has owners. */
function ownersOf(path: string): string {
  const own = process.geteuid?.()
  for (let each = path; own !== undefined; each = dirname(each)) {
    try {
      const { uid, mode } = statSync(each)
      const rights = (mode & 0o777).toString(8).padStart(3, '0')
      return `: ${each === path ? 'it' : each} belongs to user ${uid} (mode ${rights}), this process runs as user ${own}`
    } catch {
      if (each === dirname(each)) return ''
    }
  }
  return ''
}

/** Parsers of YAML show the place under their message. So do expressions, as the reference words it: that stays. */
function oneLine(message: string): string {
  if (message.includes('\n | ')) return message
  return message
    .replace(/:?\n\n[\s\S]*\n\s*\^+\s*$/, '')
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
}
