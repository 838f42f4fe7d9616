/**
 * The paths that custom resources give for their columns: `.spec.x`, `['a.b']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `..name`,
 * `[?(@.type=="Ready")].status`. A path is compiled once and then finds values in one object after another. What is
 * not there is found as nothing, never as an error.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from './json.ts'

/** A text that is no path. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** All values that the path leads to, in order. */
export type JsonPath = (root: JsonValue) => JsonValue[]

type Step = (value: JsonValue) => JsonValue[]

const maxLength = 10_000
/** A recursive path over a deep object must end. */
const maxFound = 100_000

/** Throws a `JsonPathError`. */
export function compileJsonPath(text: string): JsonPath {
  if (text.length > maxLength) throw new JsonPathError('path is too long')
  const steps = new PathParser(text).parse()
  return (root) => follow(steps, root)
}

function follow(steps: readonly Step[], root: JsonValue): JsonValue[] {
  let found: JsonValue[] = [root]
  for (const step of steps) {
    found = found.length === 1 ? step(found[0] as JsonValue) : found.flatMap(step)
    if (found.length > maxFound) return []
  }
  return found
}

const field =
  (name: string): Step =>
  (value) => {
    const found = isJsonObject(value) ? ownValue(value, name) : undefined
    return found === undefined ? [] : [found]
  }

const everyChild: Step = (value) => {
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? childrenOf(value) : []
}

function childrenOf(object: JsonObject): JsonValue[] {
  const children: JsonValue[] = []
  for (const key of Object.keys(object).sort()) {
    const child = object[key]
    if (child !== undefined) children.push(child)
  }
  return children
}

/** The value and everything below it. */
const everyDescendant: Step = (value) => {
  const found: JsonValue[] = [value]
  for (let i = 0; i < found.length && found.length <= maxFound; i++) found.push(...everyChild(found[i] as JsonValue))
  return found
}

interface Slice {
  readonly start?: number
  readonly end?: number
  readonly step: number
}

function slice({ start = 0, end, step }: Slice): Step {
  return (value) => {
    if (!Array.isArray(value)) return []
    const from = start < 0 ? start + value.length : start
    const to = end === undefined ? value.length : end < 0 ? end + value.length : end
    if (from < 0 || to < 0 || from > to) return []
    return value.slice(from, to).filter((_, i) => i % step === 0)
  }
}

const index = (position: number): Step =>
  slice(position === -1 ? { start: -1, step: 1 } : { start: position, end: position + 1, step: 1 })

const union =
  (steps: readonly Step[]): Step =>
  (value) =>
    steps.flatMap((step) => step(value))

type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>'
type Operand = (item: JsonValue) => JsonValue[]

const filter =
  (left: Operand, operator?: Operator, right?: Operand): Step =>
  (value) => {
    if (!Array.isArray(value)) return []
    return value.filter((item) => {
      const [a] = left(item)
      if (operator === undefined || right === undefined) return a !== undefined
      const [b] = right(item)
      return a !== undefined && b !== undefined && compare(a, operator, b)
    })
  }

function compare(a: JsonValue, operator: Operator, b: JsonValue): boolean {
  const sameType = typeof a === typeof b && typeof a !== 'object'
  if (operator === '==') return sameType && a === b
  if (operator === '!=') return sameType && a !== b
  if (!sameType || typeof a === 'boolean') return false
  const [x, y] = [a as number, b as number]
  if (operator === '<') return x < y
  if (operator === '<=') return x <= y
  return operator === '>' ? x > y : x >= y
}

class PathParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Step[] {
    const steps = this.#steps('')
    if (this.#at < this.#text.length) throw this.#unexpected()
    return steps
  }

  /** Steps up to the end, or to a character that ends an operand. */
  #steps(stop: string): Step[] {
    const steps: Step[] = []
    if (this.#peek() === '$' || this.#peek() === '@') this.#at++
    while (this.#at < this.#text.length && !stop.includes(this.#peek())) {
      const char = this.#peek()
      if (char === '.') steps.push(...this.#dotted())
      else if (char === '[') steps.push(this.#bracketed())
      else if (steps.length === 0 && /[\w-]/.test(char)) steps.push(field(this.#name()))
      else throw this.#unexpected()
    }
    return steps
  }

  #dotted(): Step[] {
    this.#at++
    const next = this.#peek()
    if (next === '.') {
      this.#at++
      if (this.#peek() === '[') return [everyDescendant]
      return [everyDescendant, this.#nameOrStar()]
    }
    // `.` alone is the object itself, and `.[0]` is `[0]`.
    return next === '' || next === '[' ? [] : [this.#nameOrStar()]
  }

  #nameOrStar(): Step {
    if (this.#peek() === '*') {
      this.#at++
      return everyChild
    }
    return field(this.#name())
  }

  #name(): string {
    let name = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#peek()
      if (char === '\\') {
        this.#at++
        name += this.#peek()
      } else if (/[\s.[\]()=!<>{}|,'"]/.test(char)) {
        break
      } else {
        name += char
      }
    }
    if (name === '') throw this.#unexpected()
    return name
  }

  #bracketed(): Step {
    this.#at++
    if (this.#text.startsWith('?(', this.#at)) return this.#filter()
    const end = this.#closingBracket()
    const parts = splitOutsideQuotes(this.#text.slice(this.#at, end))
    this.#at = end + 1
    const steps = parts.map((part) => bracketStep(part.trim()))
    return steps.length === 1 ? (steps[0] as Step) : union(steps)
  }

  #closingBracket(): number {
    let quote = ''
    for (let at = this.#at; at < this.#text.length; at++) {
      const char = this.#text.charAt(at)
      if (quote !== '' && char === '\\') at++
      else if (quote !== '') quote = char === quote ? '' : quote
      else if (char === "'" || char === '"') quote = char
      else if (char === ']') return at
    }
    throw new JsonPathError('unterminated array')
  }

  #filter(): Step {
    this.#at += 2
    const left = this.#operand()
    const [operator] = /^(==|!=|<=|>=|<|>)/.exec(this.#text.slice(this.#at)) ?? []
    let right: Operand | undefined
    if (operator !== undefined) {
      this.#at += operator.length
      right = this.#operand()
    }
    if (!this.#text.startsWith(')]', this.#at)) throw new JsonPathError('unterminated filter')
    this.#at += 2
    return filter(left, operator as Operator | undefined, right)
  }

  #operand(): Operand {
    this.#space()
    const char = this.#peek()
    let operand: Operand
    if (char === '@' || char === '$' || char === '.') {
      const steps = this.#steps(' )=!<>')
      operand = (item) => follow(steps, item)
    } else {
      const value = this.#literal()
      operand = () => [value]
    }
    this.#space()
    return operand
  }

  #literal(): JsonValue {
    const rest = this.#text.slice(this.#at)
    const [text] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)=!<>]+)/s.exec(rest) ?? []
    if (text === undefined) throw this.#unexpected()
    this.#at += text.length
    if (text.startsWith('"') || text.startsWith("'")) return unquote(text)
    if (text === 'true' || text === 'false') return text === 'true'
    if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text)
    throw new JsonPathError(`unrecognized value ${text}`)
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }

  #space(): void {
    while (/\s/.test(this.#peek())) this.#at++
  }

  #unexpected(): JsonPathError {
    return new JsonPathError(`unrecognized character in path: ${JSON.stringify(this.#peek())}`)
  }
}

function bracketStep(text: string): Step {
  if (text === '*') return everyChild
  if (/^(['"]).*\1$/s.test(text)) return field(unquote(text))
  if (/^-?\d+$/.test(text)) return index(Number(text))
  const [, start, end, step] = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(text) ?? []
  if (start === undefined || end === undefined) throw new JsonPathError(`invalid array index ${text}`)
  const every = step === undefined || step === '' ? 1 : Number(step)
  if (every < 1) throw new JsonPathError('step must be > 0')
  return slice({
    ...(start === '' ? {} : { start: Number(start) }),
    ...(end === '' ? {} : { end: Number(end) }),
    step: every,
  })
}

const unquote = (text: string): string => text.slice(1, -1).replace(/\\(.)/gs, '$1')

function splitOutsideQuotes(text: string): string[] {
  return text.match(/(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,])+/gs) ?? ['']
}
