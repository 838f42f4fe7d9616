/**
 * What the command of a container says of its life, where it is one of those that examples and tests are made of: `echo`,
 * `sleep`, `exit`, `true`, `false`, `test`, alone or in a script for a shell (`shell-script.ts`). Everything else is not
 * understood, and says nothing.
 */
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { type CommandInput, type ScriptLife, scriptLife } from './script-life.ts'
import { baseName, type CommandLife, endlessCommand, simpleLife } from './simple-command.ts'

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash'])
const maxScriptLength = 10_000

/** Undefined: nothing is known. */
export function commandLife(pod: Pod, container: Container): CommandLife | undefined {
  const { command = [], args = [], image = '', stdin, tty, env } = container
  if (command.length === 0 && (baseName(image).startsWith('pause') || args[0] === 'pause')) return endlessCommand('')
  // A terminal without input stays open; without one there is nothing to read.
  const reader = stdin === true || tty === true ? containerReader(pod, container) : undefined
  return reader === undefined ? wordsLife([...command, ...args], variablesOf(pod, env)) : endlessCommand(reader.written)
}

/** Of a command that is run in a container, without input. */
export const execLife = (pod: Pod, { env }: Container, words: readonly string[]): CommandLife | undefined =>
  wordsLife(words, variablesOf(pod, env))

/** A command that reads what is written to it. */
export type Reader = {
  /** What it writes before it reads. */
  readonly written: string
} & (
  | { readonly kind: 'cat' | 'shell' }
  | { readonly kind: 'script'; life(input: CommandInput): ScriptLife | undefined }
)

const openInput: CommandInput = { text: '', arrivedAt: () => 0, endedAt: undefined }
const noInput: CommandInput = { ...openInput, endedAt: 0 }

/** Undefined: the command does not read. */
export function readerOf(pod: Pod, { env }: Container, words: readonly string[]): Reader | undefined {
  const kind = plainReader(words)
  if (kind !== undefined) return { kind, written: '' }
  const script = scriptIn(words)
  if (script === undefined) return undefined
  const variables = variablesOf(pod, env)
  const begun = scriptLife(script, variables, openInput)
  if (begun?.isReading !== true) return undefined
  return { kind: 'script', written: begun.output, life: (input) => scriptLife(script, variables, input) }
}

/** Of commands that do nothing but read, to the end of their input. */
function plainReader([first = '', ...args]: readonly string[]): 'cat' | 'shell' | undefined {
  const name = baseName(first)
  if (name === 'cat' && args.every((word) => word === '-')) return 'cat'
  return shells.has(name) && args.every((word) => /^-[il]+$/.test(word)) ? 'shell' : undefined
}

/** The same of a container's own command. On a terminal it is a shell unless it says otherwise, as in most images that are run so. */
export function containerReader(pod: Pod, container: Container): Reader | undefined {
  const words = [...(container.command ?? []), ...(container.args ?? [])]
  if (words.length === 0)
    return container.tty === true && container.stdin === true ? { kind: 'shell', written: '' } : undefined
  return readerOf(pod, container, words)
}

type Variables = ReadonlyMap<string, string>

interface Variable {
  readonly name?: string
  readonly value?: string
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } }
}

function variablesOf(pod: Pod, env: unknown): Variables {
  const variables = new Map([['HOSTNAME', pod.metadata.name ?? '']])
  for (const { name, value, valueFrom } of Array.isArray(env) ? (env as Variable[]) : []) {
    const path = valueFrom?.fieldRef?.fieldPath
    const found = value ?? (path === undefined ? undefined : fieldValue(pod, path))
    if (name !== undefined && found !== undefined) variables.set(name, found)
  }
  return variables
}

/** As the downward API names them. */
function fieldValue({ metadata, spec, status }: Pod, path: string): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? []
  if (key !== undefined) return (map === 'labels' ? metadata.labels : metadata.annotations)?.[key]
  switch (path) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace
    case 'metadata.uid':
      return metadata.uid
    case 'spec.nodeName':
      return spec.nodeName
    case 'status.podIP':
      return status?.podIP
    default:
      return undefined
  }
}

function wordsLife(words: readonly string[], variables: Variables): CommandLife | undefined {
  const script = scriptIn(words)
  if (script !== undefined) return scriptLife(script, variables, noInput)
  // Kubernetes itself replaces $(NAME) outside of shells.
  const expanded = words.map((word) => word.replace(/\$\((\w+)\)/g, (all, name: string) => variables.get(name) ?? all))
  return plainReader(expanded) !== undefined ? { ms: 0, exitCode: 0, output: '' } : simpleLife(expanded)
}

function scriptIn([first = '', second = '', script = '']: readonly string[]): string | undefined {
  const isScript = shells.has(baseName(first)) && /^-[a-z]*c$/.test(second) && script.length <= maxScriptLength
  // Which only bash expands.
  if (baseName(first) === 'bash' && /\{\w+\.\.\w+\}/.test(script)) return undefined
  return isScript && script !== '' ? script : undefined
}
