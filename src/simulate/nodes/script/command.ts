/**
 * What the command of a container says of its life, where it is one of those that examples and tests are made of: `echo`,
 * `sleep`, `exit`, `true`, `false`, `test`, alone or in a script for a shell (`shell-script.ts`). Everything else is not
 * understood, and says nothing.
 */
import type { Container, Pod } from '../pod-life/pod.ts'
import { runScript, testCode } from './shell-script.ts'

export interface CommandLife {
  /** How long it runs; infinite: until it is ended. */
  readonly ms: number
  readonly exitCode: number
  readonly output: string
}

export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash'])
const maxScriptLength = 10_000
const maxCommands = 100

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Undefined: nothing is known. */
export function commandLife(
  pod: Pod,
  { command = [], args = [], image = '', env }: Container,
): CommandLife | undefined {
  const words = [...command, ...args]
  if (command.length === 0 && (baseName(image).startsWith('pause') || args[0] === 'pause')) return forever('')
  return wordsLife(words, variablesOf(pod, env))
}

/** Of a command that is run in a container. */
export const execLife = (pod: Pod, { env }: Container, words: readonly string[]): CommandLife | undefined =>
  wordsLife(words, variablesOf(pod, env))

const forever = (output: string): CommandLife => ({ ms: Number.POSITIVE_INFINITY, exitCode: 0, output })

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
  const [first = '', second, script] = words
  if (shells.has(baseName(first)) && second !== undefined && /^-[a-z]*c$/.test(second) && script !== undefined) {
    return script.length > maxScriptLength ? undefined : scriptLife(script, variables)
  }
  // Kubernetes itself replaces $(NAME) outside of shells.
  const expanded = words.map((word) => word.replace(/\$\((\w+)\)/g, (all, name: string) => variables.get(name) ?? all))
  return simpleLife(expanded)
}

function scriptLife(script: string, variables: Variables): CommandLife | undefined {
  const loop = /^(.*?)\bwhile (?:true|:|\[ ?1 ?\])\s*;?\s*do\b/s.exec(script)
  if (loop !== null) {
    const before = scriptLife((loop[1] ?? '').trim().replace(/;$/, ''), variables)
    return forever(before?.output ?? '')
  }
  let life: CommandLife = { ms: 0, exitCode: 0, output: '' }
  let commands = 0
  let hasExited = false
  const exitCode = runScript(script, {
    variables: new Map(variables),
    isOver: () => hasExited || life.ms === Number.POSITIVE_INFINITY,
    run(words) {
      if (++commands > maxCommands) return undefined
      const next = simpleLife(words)
      if (next === undefined) return undefined
      life = { ms: life.ms + next.ms, exitCode: next.exitCode, output: life.output + next.output }
      hasExited = words[0] === 'exit'
      return next.exitCode
    },
  })
  return exitCode === undefined ? undefined : { ...life, exitCode }
}

const units: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

function simpleLife([name = '', ...args]: readonly string[]): CommandLife | undefined {
  const ended = (exitCode: number, output = ''): CommandLife => ({ ms: 0, exitCode, output })
  switch (baseName(name)) {
    case 'true':
    case ':':
    case 'sync':
    case 'trap':
    case 'set':
      return ended(0)
    case 'false':
      return ended(1)
    case 'exit': {
      const code = Number(args[0] ?? 0)
      return Number.isInteger(code) ? ended(code & 255) : undefined
    }
    case 'test':
    case '[': {
      const isClosed = name !== '[' || args.at(-1) === ']'
      const code = isClosed ? testCode(name === '[' ? args.slice(0, -1) : args) : undefined
      return code === undefined ? undefined : ended(code)
    }
    case 'echo':
      return ended(0, args[0] === '-n' ? args.slice(1).join(' ') : `${args.join(' ')}\n`)
    case 'sleep':
      return sleepLife(args[0] ?? '')
    case 'tail':
      return args[0] === '-f' && args[1] === '/dev/null' ? forever('') : undefined
    default:
      return undefined
  }
}

function sleepLife(text: string): CommandLife | undefined {
  if (text === 'infinity' || text === 'inf') return forever('')
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text)
  if (match === null) return undefined
  return { ms: Number(match[1]) * (units[match[2] ?? ''] ?? 1) * 1000, exitCode: 0, output: '' }
}
