/**
 * A small part of the shell's grammar: lists with `;`, `&&`, `||` and `!`, `if … elif … else … fi`, `while`, `until` and `for`, braces, and words
 * with quotes, variables, `$(expr …)` and `$((…))`. What is not understood makes the whole script so: nothing is guessed.
 *
 * Bounds: the caller bounds the script's length; blocks are nested at most `maxDepth` deep, and loops
 * go round at most `maxRounds` times in all.
 */
import { pushAll } from '../../../lib/push-all.ts'

export interface ShellRun {
  readonly variables: Map<string, string>
  /** Runs a simple command; undefined: it is not understood. */
  run(words: readonly string[]): number | undefined
  /** True when nothing more is run. */
  isOver(): boolean
}

/** Thrown by what is not understood, and caught here. */
class NotUnderstood extends Error {}

const maxDepth = 50
/** Of all loops of a script together. */
const maxRounds = 1000
/** Quoted and bare text, and operators. `$(…)` and `$((…))` nest no further. */
const tokenPattern =
  /[ \t\r]*(?:(&&|\|\||;;?|\n|[{}!](?=\s|$))|((?:'[^']*'|"(?:\$\(\(?[^()`]*\)\)?|[^"`\\])*"|\$\(\(?[^()`]*\)\)?|[^\s'"`\\|&;<>(){}*?#]|\$\{\w+\}|\{\w+\.\.\w+\}|\[(?=\s)|\d?>\s*(?:\/dev\/\w+|&\d))+))/gy

interface Token {
  readonly text: string
  readonly isOperator: boolean
}

/** The exit code; undefined: it is not understood. */
export function runScript(script: string, run: ShellRun): number | undefined {
  try {
    const parser = new ShellParser(tokensOf(script), run)
    return parser.script()
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined
    throw error
  }
}

function tokensOf(script: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (script.slice(at).trim() !== '') {
    tokenPattern.lastIndex = at
    const match = tokenPattern.exec(script)
    if (match === null) throw new NotUnderstood()
    tokens.push({ text: match[1] ?? match[2] ?? '', isOperator: match[1] !== undefined })
    at = tokenPattern.lastIndex
  }
  return tokens
}

const blockEnds: ReadonlySet<string> = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', '}'])

/** Parses and runs in one go; `isOn` is false in branches that are not taken. */
class ShellParser {
  readonly #tokens: readonly Token[]
  readonly #run: ShellRun
  #at = 0
  #depth = 0
  #rounds = 0
  #code = 0

  constructor(tokens: readonly Token[], run: ShellRun) {
    this.#tokens = tokens
    this.#run = run
  }

  script(): number {
    this.#list(true)
    if (this.#at < this.#tokens.length) throw new NotUnderstood()
    return this.#code
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]?.text
  }

  #expect(text: string): void {
    if (this.#peek() !== text) throw new NotUnderstood()
    this.#at++
  }

  #list(isOn: boolean): void {
    if (++this.#depth > maxDepth) throw new NotUnderstood()
    for (let next = this.#peek(); next !== undefined && !blockEnds.has(next); next = this.#peek()) {
      if (next === ';' || next === '\n') this.#at++
      else this.#andOr(isOn)
    }
    this.#depth--
  }

  #andOr(isOn: boolean): void {
    this.#command(isOn)
    for (let next = this.#peek(); next === '&&' || next === '||'; next = this.#peek()) {
      this.#at++
      while (this.#peek() === '\n') this.#at++
      this.#command(isOn && (next === '&&') === (this.#code === 0))
    }
  }

  #command(given: boolean): void {
    const isOn = given && !this.#run.isOver()
    switch (this.#peek()) {
      case '!':
        this.#at++
        this.#command(isOn)
        if (isOn) this.#code = this.#code === 0 ? 1 : 0
        return
      case '{':
        this.#at++
        this.#list(isOn)
        this.#expect('}')
        return
      case 'if':
        this.#if(isOn)
        return
      case 'for':
        this.#for(isOn)
        return
      case 'while':
      case 'until':
        this.#loop(isOn)
        return
      default:
        this.#simple(isOn)
    }
  }

  #if(isOn: boolean): void {
    let isLeft = isOn
    do {
      this.#at++
      this.#list(isLeft)
      const isTaken = isLeft && this.#code === 0
      this.#expect('then')
      this.#list(isTaken)
      if (isTaken) isLeft = false
    } while (this.#peek() === 'elif')
    if (this.#peek() === 'else') {
      this.#at++
      this.#list(isLeft)
    } else if (isLeft && !this.#run.isOver()) this.#code = 0
    this.#expect('fi')
  }

  #loop(isOn: boolean): void {
    const wanted = this.#peek() === 'while'
    const begin = this.#at
    let last = 0
    for (;;) {
      this.#countRound()
      this.#at = begin + 1
      this.#list(isOn)
      const isTaken = isOn && !this.#run.isOver() && (this.#code === 0) === wanted
      this.#body(this.#at, isTaken)
      if (isTaken) last = this.#code
      if (!isTaken || this.#run.isOver()) break
    }
    if (isOn && !this.#run.isOver()) this.#code = last
  }

  #for(isOn: boolean): void {
    this.#at++
    const name = this.#word()
    this.#expect('in')
    const words: string[] = []
    while (this.#tokens[this.#at]?.isOperator === false) pushAll(words, this.#expand(this.#word()))
    while (this.#peek() === ';' || this.#peek() === '\n') this.#at++
    const begin = this.#at
    for (const word of isOn ? words : []) {
      this.#countRound()
      this.#run.variables.set(name, word)
      this.#body(begin, !this.#run.isOver())
    }
    if (!isOn || words.length === 0) this.#body(begin, false)
    if (isOn && words.length === 0) this.#code = 0
  }

  #countRound(): void {
    if (++this.#rounds > maxRounds) throw new NotUnderstood()
  }

  #body(begin: number, isOn: boolean): void {
    this.#at = begin
    this.#expect('do')
    this.#list(isOn)
    this.#expect('done')
  }

  #word(): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined || token.isOperator) throw new NotUnderstood()
    return token.text
  }

  #simple(isOn: boolean): void {
    const words: string[] = []
    for (let next = this.#tokens[this.#at]; next !== undefined && !next.isOperator; next = this.#tokens[this.#at]) {
      if (words.length === 0 && blockEnds.has(next.text)) break
      this.#at++
      // Where output goes is of no account.
      if (/^\d?>/.test(next.text)) continue
      if (isOn) pushAll(words, this.#expand(next.text))
      else words.push(next.text)
    }
    if (words.length === 0) throw new NotUnderstood()
    if (!isOn) return
    const assigned = words.length === 1 ? /^([A-Za-z_]\w*)=(.*)$/s.exec(words[0] ?? '') : null
    const code = assigned === null ? this.#run.run(words) : 0
    if (assigned !== null) this.#run.variables.set(assigned[1] ?? '', assigned[2] ?? '')
    if (code === undefined) throw new NotUnderstood()
    this.#code = code
  }

  /** A word, or more where an unquoted value has spaces; none where it is empty. */
  #expand(raw: string): string[] {
    let isQuoted = false
    let text = ''
    for (const [part] of raw.matchAll(/'[^']*'|"[^"]*"|[^'"]+/g)) {
      if (part.startsWith("'")) text += part.slice(1, -1)
      else if (part.startsWith('"')) text += this.#values(part.slice(1, -1))
      else text += this.#values(part)
      isQuoted ||= part.startsWith("'") || part.startsWith('"')
    }
    if (isQuoted || !raw.includes('$')) return [text]
    return text.split(/\s+/).filter((word) => word !== '')
  }

  #values(text: string): string {
    return text.replace(
      /\$\(\(([^()]*)\)\)|\$\(([^()]*)\)|\$\{(\w+)\}|\$(\w+)|\$/g,
      (_, sum?: string, command?: string, braced?: string, name?: string) => {
        if (sum !== undefined) return String(this.#sum(sum))
        if (command !== undefined) return this.#substituted(this.#words(command))
        const variable = braced ?? name
        if (variable === undefined) throw new NotUnderstood()
        return this.#run.variables.get(variable) ?? ''
      },
    )
  }

  /** Variables need no `$` there, and are 0 where they are not set. */
  #sum(text: string): number {
    const words = this.#words(text.replaceAll(/([-+*/%])/g, ' $1 '))
    return arithmetic(words.map((word) => (/^[A-Za-z_]\w*$/.test(word) ? this.#run.variables.get(word) || '0' : word)))
  }

  #words(text: string): string[] {
    return this.#values(text)
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.replaceAll(/^(['"])(.*)\1$/g, '$2'))
  }

  #substituted([name, ...args]: readonly string[]): string {
    if (name === 'expr') return String(arithmetic(args))
    if (name === 'echo') return args.join(' ')
    if (name === 'hostname') return this.#run.variables.get('HOSTNAME') ?? ''
    throw new NotUnderstood()
  }
}

/** Two whole numbers and an operator, or one number. */
function arithmetic(words: readonly string[]): number {
  const [left = '', operator, right = ''] = words
  if (words.length === 1 && /^-?\d+$/.test(left)) return Number(left)
  if (words.length !== 3 || !/^-?\d+$/.test(left) || !/^-?\d+$/.test(right)) throw new NotUnderstood()
  const [a, b] = [Number(left), Number(right)]
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
    case '\\*':
      return a * b
    case '/':
      if (b !== 0) return Math.trunc(a / b)
      break
    case '%':
      if (b !== 0) return a % b
      break
    default:
  }
  throw new NotUnderstood()
}

/** `test` or `[ … ]` on texts and numbers: 0 or 1; undefined: it asks for something else, such as a file. */
export function testCode(words: readonly string[]): number | undefined {
  const [first = '', operator = '', second = ''] = words
  const code = (isTrue: boolean): number => (isTrue ? 0 : 1)
  if (first === '!') {
    const inner = testCode(words.slice(1))
    return inner === undefined ? undefined : code(inner !== 0)
  }
  if (words.length === 0) return 1
  if (words.length === 1) return code(first !== '')
  if (words.length === 2 && first === '-z') return code(operator === '')
  if (words.length === 2 && first === '-n') return code(operator !== '')
  if (words.length !== 3) return undefined
  if (operator === '=' || operator === '==') return code(first === second)
  if (operator === '!=') return code(first !== second)
  const compare = comparisons.get(operator)
  if (compare === undefined || !/^-?\d+$/.test(first) || !/^-?\d+$/.test(second)) return undefined
  return code(compare(Number(first), Number(second)))
}

const comparisons: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ['-eq', (a, b) => a === b],
  ['-ne', (a, b) => a !== b],
  ['-lt', (a, b) => a < b],
  ['-le', (a, b) => a <= b],
  ['-gt', (a, b) => a > b],
  ['-ge', (a, b) => a >= b],
])
