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
  const [steps, ...others] = new PathParser(text).parse()
  return function* (root) {
    const work = new Work()
    const found = yield* follow(steps, [root], work)
    for (const other of others) if ((yield* follow(other, [root], work)) === undefined) return nothing
    return found ?? nothing
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

/** A number or a boolean, for each value. */
const constant = (value: JsonValue): Step =>
  function* (values) {
    return values.map(() => value)
  }

/** A text is one, whatever was found before. */
const literal = (text: string): Step =>
  // biome-ignore lint/correctness/useYield: one step
  function* () {
    return [text]
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
const terminator = /[ \t\r\n.,[\]$@{}]/

/** A path is what stands between braces: after a closing one comes text, up to the next path. */
class PathParser {
  readonly #text: string
  #steps: Step[] = []
  #at = 0

  constructor(text: string) {
    this.#text = `${text}}`
  }

  /** The first path, with those behind it. */
  parse(): readonly [Step[], ...Step[][]] {
    const first = this.#action()
    const others: Step[][] = []
    for (;;) {
      const opening = this.#text.indexOf('{', this.#at)
      if (opening < 0) return [first, ...others]
      this.#at = opening + 1
      others.push(this.#action())
    }
  }

  #action(): Step[] {
    this.#steps = []
    while (this.#peek() !== '}') this.#next()
    this.#at++
    return this.#steps
  }

  #next(): void {
    const char = this.#peek()
    if (this.#text.startsWith('[?(', this.#at)) this.#filter()
    else if (this.#text.startsWith('..', this.#at)) this.#recursive()
    else if (char === '' || char === '\n' || char === '\r') throw new JsonPathError('unclosed action')
    else if (char === ' ' || char === '@' || char === '$') this.#at++
    else if (char === '[') this.#bracketed()
    else if (char === '"' || char === "'") this.#quoted(char)
    else if (char === '.') this.#field()
    else if (/[-+\p{Nd}]/u.test(char)) this.#number()
    else if (/[\p{L}_]/u.test(char)) this.#word()
    else throw new JsonPathError(`unrecognized character in action: ${goCharacter(char)}`)
  }

  #field(): void {
    this.#at++
    const name = this.#name()
    this.#steps.push(name === '*' ? everyChild : field(name.replace(/\\/g, '')))
  }

  #recursive(): void {
    if (this.#steps.at(-1) === everyHolder) throw new JsonPathError('invalid multiple recursive descent')
    this.#at += 2
    this.#steps.push(everyHolder)
    // What follows at once is a name, as it would be after one dot.
    if (/[\p{L}\p{Nd}_]/u.test(this.#peek())) this.#steps.push(field(this.#name().replace(/\\/g, '')))
  }

  /** Up to a character that ends it and is not escaped; also the closing brace may be. */
  #name(): string {
    const from = this.#at
    while (this.#at < this.#text.length && !terminator.test(this.#peek())) this.#at += this.#peek() === '\\' ? 2 : 1
    return this.#text.slice(from, this.#at)
  }

  /** Escapes are nothing special in a word. */
  #word(): void {
    const from = this.#at
    while (!terminator.test(this.#peek())) this.#at++
    const word = this.#text.slice(from, this.#at)
    this.#steps.push(word === 'true' || word === 'false' ? constant(word === 'true') : senseless)
  }

  #number(): void {
    const [text = ''] = /^[+-]?[\p{Nd}.]*/u.exec(this.#text.slice(this.#at)) ?? []
    if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`)
    this.#at += text.length
    this.#steps.push(constant(Number(text)))
  }

  #quoted(quote: string): void {
    let end = this.#text.indexOf(quote, this.#at + 1)
    while (end > 0 && this.#text.charAt(end - 1) === '\\') end = this.#text.indexOf(quote, end + 1)
    const text = this.#text.slice(this.#at + 1, end < 0 ? undefined : end)
    if (end < 0 || text.includes('\n')) throw new JsonPathError('unterminated quoted string')
    this.#at = end + 1
    const read = text.includes('\\') ? unquoted(text, quote) : text
    if (read === undefined) throw new JsonPathError(`unquote string ${quote}${text}${quote} error invalid syntax`)
    this.#steps.push(literal(read))
  }

  #bracketed(): void {
    const end = this.#text.indexOf(']', this.#at)
    const inner = this.#text.slice(this.#at + 1, end < 0 ? undefined : end)
    if (end < 0 || inner.includes('\n')) throw new JsonPathError('unterminated array')
    this.#at = end + 1
    const parts = inner.split(',')
    if (parts.length === 1) pushAll(this.#steps, bracketSteps(inner))
    else this.#steps.push(union(parts.map((part) => part.replace(/^ +| +$/g, '')).map((part) => stepsOf(`[${part}]`))))
  }

  #filter(): void {
    const from = this.#at + 3
    const end = filterEnd(this.#text, from)
    if (this.#text.charAt(end + 1) !== ']') throw new JsonPathError('unclosed array expect ]')
    const inner = this.#text.slice(from, end)
    this.#at = end + 2
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(inner) ?? []
    if (left === undefined || operator === undefined || right === undefined) this.#steps.push(exists(stepsOf(inner)))
    else this.#steps.push(filter({ left: stepsOf(left), operator, right: stepsOf(right) }))
  }

  /** The character at hand; none at the end. */
  #peek(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }
}

/** Of a part of a path: what comes behind a closing brace in it must be right, and is not followed. */
const stepsOf = (text: string): readonly Step[] => new PathParser(text).parse()[0]

const simpleEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  '\\': '\\',
}
const codeEscape = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/

/** Undefined where Go cannot read an escape. */
function unquoted(text: string, quote: string): string | undefined {
  const bytes: Buffer[] = []
  for (let at = 0; at < text.length; ) {
    const slash = text.indexOf('\\', at)
    bytes.push(Buffer.from(text.slice(at, slash < 0 ? undefined : slash)))
    if (slash < 0) break
    const char = text.charAt(slash + 1)
    const simple = char === quote ? quote : simpleEscapes[char]
    const [coded = '', hex, short, long, octal] = codeEscape.exec(text.slice(slash + 1, slash + 10)) ?? []
    if (simple !== undefined) bytes.push(Buffer.from(simple))
    else if (hex !== undefined) bytes.push(Buffer.of(Number.parseInt(hex, 16)))
    else if (octal !== undefined && Number.parseInt(octal, 8) < 256) bytes.push(Buffer.of(Number.parseInt(octal, 8)))
    else {
      const code = Number.parseInt(short ?? long ?? '', 16)
      if (!(code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000)) return undefined
      bytes.push(Buffer.from(String.fromCodePoint(code)))
    }
    at = slash + 1 + (simple === undefined ? coded.length : 1)
  }
  return Buffer.concat(bytes).toString()
}

/** `U+002A '*'`, as Go's `%#U` prints a character: without the character itself where it cannot be printed. */
function goCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return code === 0x20 || isPrintable(code) ? `${name} '${character}'` : name
}

/** The parenthesis that closes a filter: not one inside of the quoted text. */
function filterEnd(text: string, from: number): number {
  let quote = ''
  let closed = false
  for (let at = from; at < text.length && text.charAt(at) !== '\n'; at++) {
    const char = text.charAt(at)
    if (char === ')' && (quote !== '') === closed) return at
    if (char !== '"' && char !== "'") continue
    if (quote === '') quote = char
    else if (char === quote && text.charAt(at - 1) !== '\\') closed = true
  }
  throw new JsonPathError('unterminated filter')
}

function bracketSteps(text: string): readonly Step[] {
  const [, name] = /^'([^']*)'$/.exec(text) ?? []
  if (name !== undefined) return stepsOf(`.${name}`)
  const [, start, end, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text) ?? []
  if (start === undefined) throw new JsonPathError(`invalid array index ${text}`)
  const isIndex = end === undefined
  const from = placeOf(start) ?? 0
  const last = isIndex ? from + 1 : placeOf(end.slice(1))
  return [slice({ start: from, end: last, isIndex, step: placeOf(step?.slice(1) ?? '') ?? 1 })]
}

/** Undefined where none is given. */
function placeOf(text: string): number | undefined {
  if (text === '') return undefined
  if (text === '-' || !fitsInt64(BigInt(text))) throw new JsonPathError(`array index ${text} is not a number`)
  return Number(text)
}

const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value
