/**
 * The paths that custom resources give for their columns: `.spec.x`, `['x']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `..name`,
 * `[?(@.type=="Ready")].status`. A path is compiled once and then finds values in one object after another. What is
 * not there is found as nothing, never as an error; so is all of a path that asks for something senseless on its way,
 * such as an index beyond the end of a list.
 */
import type { Steps } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'
import { isPrintable } from './golang/quote.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from './json.ts'

/** A text that is no path. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** All values that the path leads to, in order. Each element of the path is a step: it goes over what was found so far. */
export type JsonPath = (root: JsonValue) => Steps<readonly JsonValue[]>

type Values = readonly JsonValue[]
/** Undefined: the question makes no sense. */
type Step = (values: Values, work: Work) => Steps<Values | undefined>

const maxLength = 10_000
/** How many values a path may look at in one object. Recursive descents multiply what they find, in filters once more. */
const maxLooks = 500_000
const looksPerPause = 2000

class Work {
  #looks = 0
  #paused = 0

  /** False when it was too much. */
  spend(looks: number): boolean {
    this.#looks += looks
    return this.#looks <= maxLooks
  }

  isPause(): boolean {
    if (this.#looks - this.#paused < looksPerPause) return false
    this.#paused = this.#looks
    return true
  }
}

/** Throws a `JsonPathError`. */
export function compileJsonPath(text: string): JsonPath {
  if (text.length > maxLength) throw new JsonPathError('path is too long')
  const steps = new PathParser(text).parse()
  return function* (root) {
    return (yield* follow(steps, [root], new Work())) ?? nothing
  }
}

function* follow(steps: readonly Step[], values: Values, work: Work): Steps<Values | undefined> {
  let found: Values | undefined = values
  for (const step of steps) {
    found = yield* step(found, work)
    if (found === undefined) return undefined
  }
  return found
}

/** A step that looks at each value by itself. */
const eachOf = (look: (value: JsonValue) => Values | undefined): Step =>
  function* (values, work) {
    const found: JsonValue[] = []
    for (const value of values) {
      const more = look(value)
      if (more === undefined || !work.spend(1 + more.length)) return undefined
      for (const item of more) found.push(item)
      if (work.isPause()) yield
    }
    return found
  }

/** A step that selects items of lists. Undefined of an item: the question makes no sense. */
const select = (isMeant: (item: JsonValue, work: Work) => Steps<boolean | undefined>): Step =>
  function* (values, work) {
    const found: JsonValue[] = []
    for (const list of values) {
      if (list === null) continue
      if (!Array.isArray(list)) return undefined
      for (const item of list) {
        const is = yield* isMeant(item, work)
        if (is === undefined || !work.spend(1)) return undefined
        if (is) found.push(item)
        if (work.isPause()) yield
      }
    }
    return found
  }

const nothing: Values = []

const field = (name: string): Step =>
  eachOf((value) => {
    const found = isJsonObject(value) ? ownValue(value, name) : undefined
    return found === undefined ? nothing : [found]
  })

const childrenOf = (value: JsonValue): Values => {
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? membersOf(value) : nothing
}

const everyChild: Step = eachOf(childrenOf)

function membersOf(object: JsonObject): JsonValue[] {
  const members: JsonValue[] = []
  for (const key of Object.keys(object).sort()) {
    const member = object[key]
    if (member !== undefined) members.push(member)
  }
  return members
}

/** Each value and everything below it that holds something, in preorder. */
function* everyHolder(values: Values, work: Work): Steps<Values | undefined> {
  const found: JsonValue[] = []
  const open = values.toReversed()
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const children = childrenOf(each)
    if (!work.spend(1 + children.length)) return undefined
    if (work.isPause()) yield
    if (children.length === 0 && !(typeof each === 'string' && each !== '')) continue
    found.push(each)
    for (let i = children.length - 1; i >= 0; i--) open.push(children[i] as JsonValue)
  }
  return found
}

interface Slice {
  readonly start: number
  /** Undefined: to the end of the list. */
  readonly end: number | undefined
  readonly isIndex: boolean
  readonly step: number
}

const slice = ({ start, end, isIndex, step }: Slice): Step =>
  eachOf((value) => {
    if (value === null) return nothing
    if (!Array.isArray(value)) return undefined
    const { length } = value
    const from = start < 0 ? start + length : start
    const last = end ?? length
    const to = last < 0 || (last === 0 && isIndex) ? last + length : last
    if (from === to) return nothing
    if (from < 0 || from >= length || to > length || from > to || step < 1) return undefined
    return value.slice(from, to).filter((_, i) => i % step === 0)
  })

const union = (parts: readonly (readonly Step[])[]): Step =>
  function* (values, work) {
    const found: JsonValue[] = []
    for (const steps of parts) {
      const more = yield* follow(steps, values, work)
      if (more === undefined) return undefined
      pushAll(found, more)
    }
    return found
  }

const constant = (value: JsonValue): Step =>
  function* (values) {
    return values.map(() => value)
  }

// biome-ignore lint/correctness/useYield: one step
const senseless: Step = function* () {
  return undefined
}

const exists = (steps: readonly Step[]): Step =>
  select(function* (item, work) {
    const found = yield* follow(steps, [item], work)
    return found !== undefined && found.length > 0
  })

interface Comparison {
  readonly left: readonly Step[]
  readonly operator: string
  readonly right: readonly Step[]
}

const filter = ({ left, operator, right }: Comparison): Step =>
  select(function* (item, work) {
    const lefts = yield* follow(left, [item], work)
    if (lefts?.length === 0) return false
    const rights = yield* follow(right, [item], work)
    if (rights?.length === 0) return false
    const [a, ...moreLefts] = lefts ?? []
    const [b, ...moreRights] = rights ?? []
    if (a === undefined || b === undefined || moreLefts.length + moreRights.length > 0) return undefined
    return compare(a, operator, b)
  })

/** Only values of one kind can be compared. */
function comparedKind(value: JsonValue): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'object' ? undefined : typeof value
}

function compare(a: JsonValue, operator: string, b: JsonValue): boolean | undefined {
  const kind = comparedKind(a)
  if (kind === undefined || kind !== comparedKind(b)) return undefined
  const [x, y] = [a as number, b as number]
  // biome-ignore lint/suspicious/noDoubleEquals: integers may be numbers or bigints
  if (operator === '==') return x == y
  // biome-ignore lint/suspicious/noDoubleEquals: the same
  if (operator === '!=') return x != y
  if (kind === 'boolean') return undefined
  switch (operator) {
    case '<':
      return x < y
    case '<=':
      return x <= y
    case '>':
      return x > y
    case '>=':
      return x >= y
    default:
      return undefined
  }
}

/** Characters that end a name. */
const terminator = /[\s.,[\]$@{}]/

class PathParser {
  readonly #text: string
  readonly #steps: Step[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Step[] {
    while (this.#at < this.#text.length) this.#next()
    return this.#steps
  }

  #next(): void {
    const char = this.#peek()
    if (this.#text.startsWith('[?(', this.#at)) this.#filter()
    else if (this.#text.startsWith('..', this.#at)) this.#recursive()
    else if (char === ' ' || char === '@' || char === '$') this.#at++
    else if (char === '[') this.#bracketed()
    else if (char === '"' || char === "'") this.#quoted(char)
    else if (char === '.') this.#field()
    else if (/[-+\p{Nd}]/u.test(char)) this.#number()
    else if (/[\p{L}_]/u.test(char)) this.#word()
    else if (char === '}') this.#plainText()
    else throw new JsonPathError(`unrecognized character in action: ${goCharacter(this.#text, this.#at)}`)
  }

  /** A path is what stands between braces: after a closing one comes text, up to the next path. */
  #plainText(): void {
    const opening = this.#text.indexOf('{', this.#at)
    this.#at = opening < 0 ? this.#text.length : opening + 1
  }

  #field(): void {
    this.#at++
    const name = this.#name()
    this.#steps.push(name === '*' ? everyChild : field(name.replace(/\\/g, '')))
  }

  #recursive(): void {
    this.#at += 2
    this.#steps.push(everyHolder)
    // What follows at once is a name, as it would be after one dot.
    if (/[\p{L}\p{Nd}_]/u.test(this.#peek())) this.#steps.push(field(this.#name().replace(/\\/g, '')))
  }

  /** Up to a character that ends it and is not escaped. */
  #name(): string {
    const from = this.#at
    while (this.#at < this.#text.length && !terminator.test(this.#peek())) this.#at += this.#peek() === '\\' ? 2 : 1
    this.#at = Math.min(this.#at, this.#text.length)
    return this.#text.slice(from, this.#at)
  }

  #word(): void {
    const word = this.#name()
    this.#steps.push(word === 'true' || word === 'false' ? constant(word === 'true') : senseless)
  }

  #number(): void {
    const [text = ''] = /^[+-]?[\d.]*/.exec(this.#text.slice(this.#at)) ?? []
    if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`)
    this.#at += text.length
    this.#steps.push(constant(Number(text)))
  }

  #quoted(quote: string): void {
    let end = this.#text.indexOf(quote, this.#at + 1)
    while (end > 0 && this.#text.charAt(end - 1) === '\\') end = this.#text.indexOf(quote, end + 1)
    if (end < 0) throw new JsonPathError('unterminated quoted string')
    const text = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    this.#steps.push(constant(text.replace(/\\(.)/gs, '$1')))
  }

  #bracketed(): void {
    const end = this.#text.indexOf(']', this.#at)
    if (end < 0) throw new JsonPathError('unterminated array')
    const inner = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    const parts = inner.split(',')
    if (parts.length === 1) pushAll(this.#steps, bracketSteps(inner))
    else this.#steps.push(union(parts.map((part) => bracketSteps(part.replace(/^ +| +$/g, '')))))
  }

  #filter(): void {
    const from = this.#at + 3
    const end = filterEnd(this.#text, from)
    if (this.#text.charAt(end + 1) !== ']') throw new JsonPathError('unclosed array expect ]')
    const inner = this.#text.slice(from, end)
    this.#at = end + 2
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(inner) ?? []
    if (left === undefined || operator === undefined || right === undefined) {
      this.#steps.push(exists(new PathParser(inner).parse()))
    } else {
      const compared = { left: new PathParser(left).parse(), operator, right: new PathParser(right).parse() }
      this.#steps.push(filter(compared))
    }
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }
}

/** `U+002A '*'`, as Go's `%#U` prints a character: without the character itself where it cannot be printed. */
function goCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const character = String.fromCodePoint(code)
  return code === 0x20 || isPrintable(code) ? `${name} '${character}'` : name
}

/** The parenthesis that closes a filter: not one inside of the quoted text. */
function filterEnd(text: string, from: number): number {
  let quote = ''
  let closed = false
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === ')' && (quote !== '') === closed) return at
    if (char !== '"' && char !== "'") continue
    if (quote === '') quote = char
    else if (char === quote && text.charAt(at - 1) !== '\\') closed = true
  }
  throw new JsonPathError('unterminated filter')
}

function bracketSteps(text: string): Step[] {
  const [, name] = /^'([^']*)'$/.exec(text) ?? []
  if (name !== undefined) return new PathParser(`.${name}`).parse()
  const [, start, end, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text) ?? []
  if (start === undefined || [start, end, step].some((part) => part?.endsWith('-'))) {
    throw new JsonPathError(`invalid array index ${text}`)
  }
  const isIndex = end === undefined
  const last = isIndex ? Number(start) + 1 : end === ':' ? undefined : Number(end.slice(1))
  const every = step === undefined || step === ':' ? 1 : Number(step.slice(1))
  return [slice({ start: Number(start), end: last, isIndex, step: every })]
}
