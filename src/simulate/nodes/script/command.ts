/**
 * What the command of a container says of its life, where it is one of those that examples and tests are made of: `echo`,
 * `sleep`, `exit`, `true`, `false`, alone or in a list for a shell. Everything else is not understood, and says nothing.
 */
import type { Container, Pod } from '../pod-life/pod.ts'

export interface CommandLife {
  /** How long it runs; infinite: until it is ended. */
  readonly ms: number
  readonly exitCode: number
  readonly output: string
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash'])
const maxScriptLength = 10_000
const maxCommands = 100

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

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

function variablesOf({ metadata }: Pod, env: unknown): Variables {
  const variables = new Map([['HOSTNAME', metadata.name ?? '']])
  for (const each of Array.isArray(env) ? (env as { name?: string; value?: string }[]) : []) {
    if (each.name !== undefined && each.value !== undefined) variables.set(each.name, each.value)
  }
  return variables
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

/** A list of simple commands, with `&&`, `||`, `;` and line ends between them. */
function scriptLife(script: string, variables: Variables): CommandLife | undefined {
  const loop = /^(.*?)\bwhile (?:true|:|\[ ?1 ?\])\s*;?\s*do\b/s.exec(script)
  if (loop !== null) {
    const before = scriptLife((loop[1] ?? '').trim().replace(/;$/, ''), variables)
    return forever(before?.output ?? '')
  }
  const parts = script.split(/(&&|\|\||;|\n)/).map((part) => part.trim())
  if (parts.length > 2 * maxCommands) return undefined
  let life: CommandLife = { ms: 0, exitCode: 0, output: '' }
  for (let i = 0; i < parts.length; i += 2) {
    const operator = parts[i - 1]
    if ((operator === '&&' && life.exitCode !== 0) || (operator === '||' && life.exitCode === 0)) continue
    if (parts[i] === '') continue
    const words = shellWords(parts[i] ?? '', variables)
    if (words === undefined) return undefined
    const next = simpleLife(words)
    if (next === undefined) return undefined
    life = { ms: life.ms + next.ms, exitCode: next.exitCode, output: life.output + next.output }
    if (words[0] === 'exit' || life.ms === Number.POSITIVE_INFINITY) break
  }
  return life
}

/** The text without a last redirection to a device or a stream, such as `> /dev/null` or `2>&1`. */
function withoutRedirection(text: string): string {
  const at = text.lastIndexOf('>')
  const target = text.slice(at + 1).trim()
  if (at < 0 || !/^&?(?:\/dev\/\w+|\d)$/.test(target.replaceAll(' ', ''))) return text
  const before = text.slice(0, at)
  const command = before.endsWith('2') ? before.slice(0, -1) : before
  return /\s$/.test(command) ? command : text
}

/** Undefined for what only a shell could do. */
function shellWords(text: string, variables: Variables): string[] | undefined {
  const words: string[] = []
  const pattern = /\s*(?:'([^']*)'|"([^"`\\]*)"|([^\s'"`\\|&;<>(){}*?#]+))/gy
  let at = 0
  const plain = withoutRedirection(text)
  while (plain.slice(at).trim() !== '') {
    pattern.lastIndex = at
    const match = pattern.exec(plain)
    if (match === null) return undefined
    const [all, raw, quoted, bare] = match
    const joins = !/^\s/.test(all) && words.length > 0
    const word = raw ?? expand(quoted ?? bare ?? '', variables)
    if (joins) words.push(`${words.pop() ?? ''}${word}`)
    else words.push(word)
    at = pattern.lastIndex
  }
  return words
}

const expand = (text: string, variables: Variables): string =>
  text.replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables.get(name) ?? '')

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
