/**
 * What a script for a shell does, and when: a pure function of the script and of what it can read. A script that waits for more input
 * is run again, from its beginning, when there is more: what it wrote before is then the beginning of what it writes.
 */
import { runScript, type ShellRun } from './shell-script.ts'
import { baseName, type CommandLife, endlessCommand, simpleLife } from './simple-command.ts'

/** What was written to a command so far. Times are milliseconds since its start. */
export interface CommandInput {
  readonly text: string
  /** When the character at this place came. */
  arrivedAt(place: number): number
  /** When it ended; undefined: there may be more. */
  readonly endedAt: number | undefined
}

export interface ScriptLife extends CommandLife {
  readonly writes: readonly { readonly ms: number; readonly text: string }[]
  /** It waits for more input. */
  readonly isReading: boolean
}

/** Of a script that has read nothing. */
const maxCommands = 300
/** Of one that has: it may be at it for as long as there is input. */
const maxReadingCommands = 3000
const readers = /\b(?:read|cat)\b/

/** Undefined: it is not understood. */
export function scriptLife(
  script: string,
  variables: ReadonlyMap<string, string>,
  input: CommandInput,
): ScriptLife | undefined {
  const loop = /^(.*?)\bwhile (?:true|:|\[ ?1 ?\])\s*;?\s*do\b/s.exec(script)
  if (loop !== null && !readers.test(script)) {
    const before = scriptLife((loop[1] ?? '').trim().replace(/;$/, ''), variables, input)
    return { ...endlessCommand(before?.output ?? ''), writes: before?.writes ?? [], isReading: false }
  }
  const run = new ScriptRun(variables, input)
  const exitCode = runScript(script, run)
  return exitCode === undefined ? undefined : run.life(exitCode)
}

class ScriptRun implements ShellRun {
  readonly variables: Map<string, string>
  readonly #input: CommandInput
  readonly #writes: { ms: number; text: string }[] = []
  #ms = 0
  /** Of the input that is read next. */
  #place = 0
  #commands = 0
  #hasExited = false
  #hasRead = false
  #isReading = false

  constructor(variables: ReadonlyMap<string, string>, input: CommandInput) {
    this.variables = new Map(variables)
    this.#input = input
  }

  life(exitCode: number): ScriptLife {
    const [ms, writes, isReading] = [this.#ms, this.#writes, this.#isReading]
    const output = writes.map(({ text }) => text).join('')
    return { ms: isReading ? Number.POSITIVE_INFINITY : ms, exitCode, output, writes, isReading }
  }

  isOver(): boolean {
    return this.#hasExited || this.#isReading || this.#ms === Number.POSITIVE_INFINITY
  }

  run(words: readonly string[]): number | undefined {
    if (++this.#commands > (this.#hasRead ? maxReadingCommands : maxCommands)) return this.#runOn()
    const name = baseName(words[0] ?? '')
    const args = words.slice(1)
    if (name === 'read') return this.#readLine(this.#input, args)
    if (name === 'cat' && args.every((word) => word === '-')) return this.#copy(this.#input)
    const next = simpleLife(words)
    if (next === undefined) return undefined
    this.#write(next.output)
    this.#ms += next.ms
    this.#hasExited = name === 'exit'
    return next.exitCode
  }

  /** A loop without an end, where its input has one. */
  #runOn(): number | undefined {
    if (!this.#hasRead) return undefined
    this.#ms = Number.POSITIVE_INFINITY
    return 0
  }

  #readLine(input: CommandInput, args: readonly string[]): number {
    this.#hasRead = true
    const { text, endedAt } = input
    const end = text.indexOf('\n', this.#place)
    if (end < 0 && endedAt === undefined) return this.#wait()
    const line = text.slice(this.#place, end < 0 ? undefined : end)
    this.#pass(input, end < 0 ? text.length : end + 1)
    if (end < 0) this.#ms = Math.max(this.#ms, endedAt ?? 0)
    const names = args.filter((word) => word !== '-r')
    this.#assign(names.length === 0 ? ['REPLY'] : names, line.trim())
    return end < 0 ? 1 : 0
  }

  /** A word each, and what is left to the last. */
  #assign([name = '', ...more]: readonly string[], line: string): void {
    const cut = more.length === 0 ? -1 : line.search(/\s/)
    this.variables.set(name, cut < 0 ? line : line.slice(0, cut))
    if (more.length > 0) this.#assign(more, cut < 0 ? '' : line.slice(cut).trimStart())
  }

  #copy(input: CommandInput): number {
    this.#hasRead = true
    const rest = input.text.slice(this.#place)
    this.#pass(input, input.text.length)
    this.#write(rest)
    if (input.endedAt === undefined) return this.#wait()
    this.#ms = Math.max(this.#ms, input.endedAt)
    return 0
  }

  #pass(input: CommandInput, place: number): void {
    if (place > this.#place) this.#ms = Math.max(this.#ms, input.arrivedAt(place - 1))
    this.#place = place
  }

  #wait(): number {
    this.#isReading = true
    return 0
  }

  #write(text: string): void {
    if (text !== '') this.#writes.push({ ms: this.#ms, text })
  }
}
