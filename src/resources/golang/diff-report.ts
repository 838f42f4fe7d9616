/**
 * What is different between two values, as the reference's messages tell it: a literal in a kind of Go, in which equal
 * parts are shortened and differing ones have a sign. Mirrors go-cmp: Diff, with its rules of what is left out.
 */

import { quote } from '../../api/go-quote.ts'
import { goTime } from '../../api/go-time.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { type GoMap, type GoStruct, type GoType, internalType } from '../../catalog/internal-types.ts'
import { readQuantity } from '../kinds/pods/go-syntax.ts'
import {
  addEllipsis,
  addTally,
  differing,
  ellipsis,
  nil,
  noTally,
  renderText,
  type Sign,
  sameText,
  type Tally,
  type TextList,
  type TextNode,
  type TextRecord,
  type TextWrap,
  textLength,
  wrap,
} from './diff-text.ts'
import {
  Comparison,
  type DiffNode,
  type DiffRecord,
  fieldOf,
  isNil,
  isZeroValue,
  type Slot,
  scalarOf,
  TooMuchToCompare,
} from './diff-tree.ts'
import { editScript } from './edit-script.ts'
import { selectorText } from './selector-text.ts'

/** The report about two values of the type; empty when they are the same, or when finding out would take too long. */
export function goDiff(type: string, before: unknown, after: unknown): string {
  try {
    const comparison = new Comparison()
    const slot = (json: unknown): Slot => ({ json: json as JsonValue | undefined })
    const root = comparison.tree(internalType(type), slot(before), slot(after))
    if (root.different === 0) return ''
    return renderText(new Report(comparison).node(root, start))
  } catch (error) {
    if (error instanceof TooMuchToCompare) return ''
    throw error
  }
}

/** `both`: what is the same; `-`, `+`: one of the values alone; undefined: the difference of the two. */
type Mode = undefined | 'both' | '-' | '+'

/** Whether a value shows its type: always, never, or where it is a struct, slice or map. */
type Typing = 'always' | 'never' | 'composite'

interface Options {
  readonly mode: Mode
  readonly typing: Typing
  /** How much may be told; a level deeper there is less room. */
  readonly level: number
  /** Values show themselves, not the text that they have of themselves. */
  readonly isPlain: boolean
}

const start: Options = { mode: undefined, typing: 'always', level: 0, isPlain: false }

const maxPreset = 6
/** Equal records that are shown around a difference. */
const context = 2
const limitBits = 16

const bound = (level: number): number => Math.min(Math.max(level, 0), limitBits)
/** 0, 4, 8, 16, … */
const valueLimit = (level: number): number => ((1 << bound(level)) >> 1) << 2

const recordNames = { struct: 'field', slice: 'element', map: 'entry' } as const

class Report {
  readonly #comparison: Comparison

  constructor(comparison: Comparison) {
    this.#comparison = comparison
  }

  node(node: DiffNode, given: Options): TextNode {
    const level = given.mode === 'both' ? 1 : bound(given.level) < 3 ? 3 : given.level
    const options = { ...given, level }
    if (this.#isList(node, options)) return this.#list(node, options)
    if (node.depth === 0) return this.#leaf(node, options)
    const { type, target } = node
    if (target !== undefined) return wrap('&', this.node(target, options))
    return typed(type, this.#records(node, options), options)
  }

  #leaf({ type, x, y, different }: DiffNode, options: Options): TextNode {
    const { mode } = options
    if (mode === '-') return valueOrNothing(type, x, options)
    if (mode === '+') return valueOrNothing(type, y, options)
    const of = (with_: Options): [TextNode, TextNode] => [
      valueOrNothing(type, x, with_),
      valueOrNothing(type, y, with_),
    ]
    if (different === 0) {
      const [before, after] = of(options)
      return textLength(before) < textLength(after) ? before : after
    }
    const [before, after] = distinct((preset) => of({ ...preset, typing: 'never' }), options)
    const list: TextRecord[] = []
    if (x !== undefined) list.push({ sign: '-', value: before })
    if (y !== undefined) list.push({ sign: '+', value: after })
    return typed(type, list, { ...options, typing: 'always' })
  }

  #records({ type, records }: DiffNode, given: Options): TextWrap {
    const kind = type.kind as keyof typeof recordNames
    const inner: Options = { ...given, typing: kind === 'struct' ? 'composite' : 'never', level: given.level - 1 }
    const keyOf = (key: string): string => (kind === 'slice' ? '' : type.kind === 'map' ? mapKey(type, key) : key)
    if (given.mode !== undefined) return wrap('{', this.#oneSide({ type, records }, inner, keyOf, given), '}')
    return wrap('{', this.#bothSides(records, inner, { keyOf, name: recordNames[kind], level: given.level }), '}')
  }

  /** What one of the values has, or both. */
  #oneSide(
    { type, records }: Pick<DiffNode, 'type' | 'records'>,
    options: Options,
    keyOf: (key: string) => string,
    { level }: Options,
  ): TextList {
    const limit = options.mode === 'both' ? valueLimit(level) : (1 << bound(level)) << 1
    const list: TextRecord[] = []
    for (const { key, node } of records) {
      if (list.length === limit) {
        addEllipsis(list)
        break
      }
      if (isAbsent(node, options.mode) || (type.kind === 'struct' && isElided(node, options.mode))) continue
      list.push({ key: keyOf(key), value: this.node(node, options) })
    }
    return list
  }

  #bothSides(
    records: readonly DiffRecord[],
    options: Options,
    { keyOf, name, level }: { keyOf: (key: string) => string; name: string; level: number },
  ): TextList {
    const limit = (1 << bound(level)) << 1
    const list: TextRecord[] = []
    const groups = groupsOf(records, name)
    let rest = records
    let shown = 0
    let hidden = noTally(name)
    groups.forEach((group, i) => {
      if (shown >= limit) {
        hidden = addTally(hidden, group)
        return
      }
      const count = group.identical + differing(group)
      const part = rest.slice(0, count)
      rest = rest.slice(count)
      if (differing(group) === 0) {
        this.#equal(list, part, options, { keyOf, group, isFirst: i === 0, isLast: i === groups.length - 1 })
      } else {
        for (const record of part) this.#unequal(list, record, options, keyOf)
        shown += differing(group)
      }
    })
    if (hidden.identical + differing(hidden) > 0) addEllipsis(list, hidden)
    return list
  }

  #equal(
    list: TextRecord[],
    records: readonly DiffRecord[],
    options: Options,
    place: { keyOf: (key: string) => string; group: Tally; isFirst: boolean; isLast: boolean },
  ): void {
    const { length } = records
    const low = place.isFirst ? 0 : Math.min(context, length)
    let high = place.isLast ? 0 : Math.min(context, length - low)
    if (length - low - high === 1) high++
    const show = ({ key, node }: DiffRecord): void => {
      list.push({ key: place.keyOf(key), value: this.node(node, { ...options, mode: 'both' }) })
    }
    records.slice(0, low).forEach(show)
    if (length > low + high) addEllipsis(list, { ...place.group, identical: length - low - high })
    records.slice(length - high).forEach(show)
  }

  #unequal(list: TextRecord[], { key, node }: DiffRecord, options: Options, keyOf: (key: string) => string): void {
    const name = keyOf(key)
    if (this.#isList(node, options)) {
      list.push({ key: name, value: this.#list(node, options) })
      return
    }
    // A chain of single values is told as two.
    if (node.descendants !== node.depth) {
      list.push({ key: name, value: this.node(node, options) })
      return
    }
    const both = (preset: Options): [TextNode, TextNode] => [
      node.x === undefined ? '' : this.node(node, { ...preset, mode: '-' }),
      node.y === undefined ? '' : this.node(node, { ...preset, mode: '+' }),
    ]
    const [before, after] = distinct(both, options)
    if (node.x !== undefined) list.push({ sign: '-', key: name, value: before })
    if (node.y !== undefined) list.push({ sign: '+', key: name, value: after })
  }

  /** Long texts, and lists of numbers, are compared piece by piece. */
  #isList({ type, x, y, same, different }: DiffNode, { mode }: Options): boolean {
    if (mode !== undefined || different === 0 || x === undefined || y === undefined) return false
    if (type.kind === 'string') return isLong(textOf(x)) && isLong(textOf(y))
    if (type.kind !== 'slice' || !(type.items.kind === 'number' || type.items.kind === 'bool')) return false
    const [before, after] = [itemsOf(x).length, itemsOf(y).length]
    if (before === 0 || after === 0) return false
    return different > same || (before >= minLength && after >= minLength)
  }

  #list(node: DiffNode, options: Options): TextNode {
    const [x, y] = [node.x as Slot, node.y as Slot]
    if (node.type.kind !== 'string') {
      const show = (values: readonly JsonValue[]): string => values.map(String).join(', ')
      const items = node.type.kind === 'slice' ? node.type.items.name : ''
      const pieces = { chunk: 8, name: items, show, level: options.level }
      return typed(node.type, wrap('{', this.#pieces(itemsOf(x), itemsOf(y), pieces), '}'), options)
    }
    return this.#text(textOf(x), textOf(y), options)
  }

  #text(before: string, after: string, options: Options): TextNode {
    this.#comparison.step(before.length + after.length)
    const joined = before + after
    const lines = joined.split('\n')
    const isLined = lines.length > 4 && isPrintedText(joined) && lines.every((line) => Buffer.byteLength(line) <= 1024)
    if (isLined && this.#isBetterByLine(before, after)) return this.#lines(before, after, options)
    const show = (chars: readonly JsonValue[]): string => formatString(chars.join(''))
    const pieces = { chunk: 64, name: 'byte', show, level: options.level }
    const list = this.#pieces([...before], [...after], pieces)
    return wrap('strings.Join(', wrap('{', list, '}'), ', "")')
  }

  #isBetterByLine(before: string, after: string): boolean {
    const cost = (a: readonly string[], b: readonly string[]): number => {
      const edits = this.#edits(a, b)
      return edits.filter((edit) => edit !== 'same').length / edits.length
    }
    const byLine = cost(before.split('\n'), after.split('\n'))
    if (byLine < 4 * cost([...before], [...after])) return true
    return Buffer.byteLength(quote(before + after)) / Buffer.byteLength(before + after) > 1.1
  }

  #lines(before: string, after: string, options: Options): TextNode {
    const show = ([line = '']: readonly JsonValue[]): string => formatString(String(line))
    const pieces = { chunk: 1, name: 'line', show, level: options.level }
    const list = this.#pieces(before.split('\n'), after.split('\n'), pieces)
    const raw = this.#pieces(before.split('\n'), after.split('\n'), { ...pieces, show: ([line = '']) => String(line) })
    if (!isTripleQuotable(raw)) return wrap('strings.Join(', wrap('{', list, '}'), ', "\\n")')
    const body = raw.map((record) => ({ ...record, elidesComma: true }))
    if (body.at(-1)?.value === '' && (body.at(-1)?.sign ?? '') === '') body.pop()
    const quotes: TextRecord = { value: '"""', elidesComma: true }
    return wrap('(', [quotes, ...body, quotes], ')')
  }

  #edits(before: readonly JsonValue[], after: readonly JsonValue[]): ReturnType<typeof editScript> {
    this.#comparison.step(before.length + after.length)
    return editScript(before.length, after.length, (i, j) => {
      this.#comparison.step()
      return before[i] === after[j] ? { same: 1, different: 0 } : { same: 0, different: 2 }
    })
  }

  #pieces(
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    { chunk, name, show, level }: Pieces,
  ): TextRecord[] {
    const groups = pieceGroups(this.#edits(before, after), { before, after, chunk, name })
    const list: TextRecord[] = []
    const add = (values: readonly JsonValue[], sign: Sign): void => {
      for (let i = 0; i < values.length; i += chunk) list.push({ sign, value: show(values.slice(i, i + chunk)) })
    }
    const limit = (1 << bound(level)) << 2
    let [i, j, shown] = [0, 0, 0]
    let hidden = noTally(name)
    groups.forEach((group, at) => {
      if (shown >= limit) {
        hidden = addTally(hidden, group)
        return
      }
      if (differing(group) === 0) {
        const { identical } = group
        const low = at === 0 ? 0 : Math.min(chunk * context, identical)
        let high = at === groups.length - 1 ? 0 : Math.min(chunk * context, identical - low)
        if (identical - low - high <= chunk) high = identical - low
        add(before.slice(i, i + low), '')
        if (identical > low + high) addEllipsis(list, { ...group, identical: identical - low - high })
        add(before.slice(i + identical - high, i + identical), '')
        i += identical
        j += identical
        return
      }
      const length = list.length
      const [removed, inserted] = [widthOf(group, 'removed'), widthOf(group, 'inserted')]
      add(before.slice(i, i + removed), '-')
      add(after.slice(j, j + inserted), '+')
      i += removed
      j += inserted
      shown += list.length - length
    })
    if (hidden.identical + differing(hidden) > 0) addEllipsis(list, hidden)
    return list
  }
}

interface Pieces {
  readonly chunk: number
  readonly name: string
  readonly show: (values: readonly JsonValue[]) => string
  readonly level: number
}

const minLength = 32
const isLong = (text: string): boolean => Buffer.byteLength(text) >= minLength
const textOf = ({ json }: Slot): string => (typeof json === 'string' ? json : '')
const itemsOf = ({ json }: Slot): readonly JsonValue[] => (Array.isArray(json) ? json : [])

const widthOf = (group: Tally, side: 'removed' | 'inserted'): number => group.identical + group[side] + group.modified

/** Tells two values apart: with more and more of them, as long as they look the same. */
function distinct(show: (options: Options) => [TextNode, TextNode], options: Options): [TextNode, TextNode] {
  let pair = show(options)
  for (let i = 0; i <= maxPreset && sameText(...pair); i++) {
    pair = show({ ...options, level: bound(options.level) + 2 * i, isPlain: options.isPlain || i > 0 })
  }
  return pair
}

const isAbsent = ({ x, y }: DiffNode, mode: Mode): boolean =>
  (mode === '-' && x === undefined) || (mode === '+' && y === undefined)

function isElided({ type, x, y }: DiffNode, mode: Mode): boolean {
  const isZero = (slot: Slot | undefined): boolean => slot !== undefined && isZeroValue(type, slot.json)
  return mode === 'both' ? isZero(x) || isZero(y) : isZero(mode === '-' ? x : y)
}

/** Runs of equal and of unequal records. */
function groupsOf(records: readonly DiffRecord[], name: string): Tally[] {
  const groups: Tally[] = []
  let wasEqual: boolean | undefined
  for (const { node } of records) {
    const isEqual = node.different === 0
    if (isEqual !== wasEqual) groups.push(noTally(name))
    wasEqual = isEqual
    const what = isEqual
      ? 'identical'
      : node.y === undefined
        ? 'removed'
        : node.x === undefined
          ? 'inserted'
          : 'modified'
    const last = groups.pop() ?? noTally(name)
    groups.push({ ...last, [what]: last[what] + 1 })
  }
  return groups
}

interface PieceLists {
  readonly before: readonly JsonValue[]
  readonly after: readonly JsonValue[]
  readonly chunk: number
  readonly name: string
}

function pieceGroups(edits: ReturnType<typeof editScript>, lists: PieceLists): Tally[] {
  const { name, chunk } = lists
  const groups: Tally[] = []
  let wasEqual: boolean | undefined
  for (const edit of edits) {
    const isEqual = edit === 'same'
    if (isEqual !== wasEqual) groups.push(noTally(name))
    wasEqual = isEqual
    const what = isEqual ? 'identical' : edit
    const last = groups.pop() ?? noTally(name)
    groups.push({ ...last, [what]: last[what] + 1 })
  }
  return withoutEqualEdges(joinClose(groups, Math.floor(chunk / 4)), lists)
}

/** Differences with little between them are one. */
function joinClose(groups: readonly Tally[], window: number): Tally[] {
  const out: Tally[] = []
  for (const group of groups) {
    const [before, between] = [out.at(-2), out.at(-1)]
    if (before !== undefined && between !== undefined && differing(group) > 0) {
      const removes = before.removed > 0 || group.removed > 0
      const inserts = before.inserted > 0 || group.inserted > 0
      if (removes && inserts && between.identical <= window) {
        out.splice(-2, 2, addTally(addTally(before, between), group))
        continue
      }
    }
    out.push(group)
  }
  return out
}

/** What is equal at the edges of a difference belongs to its neighbours. */
function withoutEqualEdges(groups: readonly Tally[], { before, after, name }: PieceLists): Tally[] {
  const out = groups.map((group) => ({ ...group }))
  let [i, j, leading, trailing] = [0, 0, 0, 0]
  out.forEach((group, at) => {
    if (differing(group) === 0) {
      i += group.identical
      j += group.identical
      return
    }
    let [removed, inserted] = [widthOf(group, 'removed'), widthOf(group, 'inserted')]
    const most = Math.min(removed, inserted)
    let [low, high] = [0, 0]
    while (low < most && before[i + low] === after[j + low]) low++
    while (high < most && before[i + removed - 1 - high] === after[j + inserted - 1 - high]) high++
    if (low + high > 0) {
      const [previous, next] = [out[at - 1], out[at + 1]]
      if (previous === undefined) leading += low
      else previous.identical += low
      if (next === undefined) trailing += high
      else next.identical += high
      i += low
      j += low
      removed -= low + high
      inserted -= low + high
      out[at] = { ...noTally(name), removed, inserted }
    }
    i += removed
    j += inserted
  })
  if (leading > 0) out.unshift({ ...noTally(name), identical: leading })
  if (trailing > 0) out.push({ ...noTally(name), identical: trailing })
  return out
}

/** The value with its type in front of it, where it shows that. */
function typed({ kind, name }: GoType, text: TextNode, { typing, mode }: Options): TextNode {
  if (typing === 'never') return text
  if (typing === 'composite') {
    const isComposite = ['struct', 'slice', 'map', 'quantity', 'time'].includes(kind)
    if (!isComposite || text === nil || mode === 'both') return text
  }
  const isWrapped =
    typeof text === 'object' && 'prefix' in text && /^[({]/.test(text.prefix) && /[)}]$/.test(text.suffix)
  const shown = kind === 'pointer' ? `(${name})` : name
  return wrap(shown, isWrapped ? text : wrap('(', text, ')'))
}

const valueOrNothing = (type: GoType, slot: Slot | undefined, options: Options): TextNode =>
  slot === undefined ? '' : value(type, slot.json, options)

/** One value by itself. Mirrors go-cmp: FormatValue. */
function value(type: GoType, json: JsonValue | undefined, options: Options): TextNode {
  if (!options.isPlain) {
    const own = ownText(type, json)
    if (own !== undefined) return stringText('s', own, options)
  }
  switch (type.kind) {
    case 'pointer':
      return isNil(json) ? typed(type, nil, options) : wrap('&', value(type.to, json, options))
    case 'struct':
      return typed(type, wrap('{', structFields(type, json, options), '}'), options)
    case 'slice':
      if (isNil(json)) return typed(type, nil, options)
      return typed(type, wrap('{', items(type.items, itemsOf({ json }), options), '}'), options)
    case 'map':
      if (!isJsonObject(json)) return typed(type, nil, options)
      return typed(type, wrap('{', entries(type, json, options), '}'), options)
    case 'quantity':
      return typed(type, quantity(String(scalarOf(type, json)), options), options)
    case 'string':
      return typed(type, stringText('', String(scalarOf(type, json)), options), options)
    default:
      return typed(type, String(scalarOf(type, json)), options)
  }
}

/** The text that a type has of itself; pointers have it in more cases than values. */
function ownText(type: GoType, json: JsonValue | undefined): string | undefined {
  if (hasOwnText(type)) return String(scalarOf(type, json))
  if (type.name === 'time.Time' || type.name === 'v1.Time') return isNil(json) ? zeroTime : goTime(String(json))
  if (type.kind !== 'pointer' || isNil(json)) return undefined
  switch (type.to.name) {
    case 'resource.Quantity':
    case 'intstr.IntOrString':
      return String(json)
    case 'v1.Time':
      return goTime(String(json))
    case 'v1.LabelSelector':
      return selectorText(json as JsonObject)
    default:
      return undefined
  }
}

/** A named text whose text it is. */
const hasOwnText = ({ name }: GoType): boolean => name === 'core.ResourceName'

const zeroTime = '0001-01-01 00:00:00 +0000 UTC'

function structFields({ fields }: GoStruct, json: JsonValue | undefined, options: Options): TextList {
  const inner: Options = { ...options, typing: 'composite', level: options.level - 1 }
  const present = fields
    .map((field) => ({ field, json: fieldOf(field, { json }).json }))
    .filter((each) => !isZeroValue(each.field.type, each.json))
  return limited(present, options, (each) => ({
    key: each.field.name,
    value: value(each.field.type, each.json, inner),
  }))
}

const items = (type: GoType, list: readonly JsonValue[], options: Options): TextList =>
  limited(list, options, (item) => ({
    value: value(type, item, { ...options, typing: 'never', level: options.level - 1 }),
  }))

const mapKey = ({ keys }: GoMap, key: string): string => (hasOwnText(keys) ? 's' : '') + formatString(key)

const entries = (type: GoMap, map: JsonObject, options: Options): TextList =>
  limited(Object.keys(map).sort(), options, (key) => ({
    key: mapKey(type, key),
    value: value(type.values, map[key], { ...options, typing: 'never', level: options.level - 1 }),
  }))

function limited<T>(values: readonly T[], { level }: Options, show: (value: T) => TextRecord): TextList {
  const list = values.slice(0, valueLimit(level)).map(show)
  if (values.length > list.length) addEllipsis(list)
  return list
}

const amountType: GoType = { kind: 'struct', name: 'resource.int64Amount', fields: [] }

/** Structs inside, of which only the parts that are not zero are shown. */
function quantity(canonical: string, options: Options): TextNode {
  const { value: digits, scale, isExact, isCanonical, format } = readQuantity(canonical)
  const inner: Options = { ...options, typing: 'composite', level: options.level - 1 }
  const amount: TextRecord[] = []
  if (digits !== 0n) amount.push({ key: 'value', value: String(digits) })
  if (scale !== 0) amount.push({ key: 'scale', value: String(scale) })
  const list: TextRecord[] = []
  if (amount.length > 0) {
    const shown = limited(amount, inner, (record) => record)
    list.push({ key: 'i', value: typed(amountType, wrap('{', shown, '}'), inner) })
  }
  if (!isExact) list.push({ key: 'd', value: `s${quote(canonical)}` })
  if (isCanonical) list.push({ key: 's', value: stringText('', canonical, inner) })
  list.push({ key: 'Format', value: stringText('', format, inner) })
  return wrap(
    '{',
    limited(list, options, (record) => record),
    '}',
  )
}

/** A text on one line, of which only so much is shown; several lines of one value alone stand below each other. */
function stringText(prefix: string, text: string, { level, mode }: Options): TextNode {
  const maxBytes = (1 << bound(level)) << 5
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length >= 4 && (mode === '-' || mode === '+') && lines.every((line) => isRawLine(line, prefix, maxBytes))) {
    return tripleQuoted(prefix, lines, { maxLines: (1 << bound(level)) << 2, sign: mode })
  }
  const bytes = Buffer.from(text)
  if (bytes.length > maxBytes + ellipsis.length) {
    return `${prefix}${formatString(bytes.subarray(0, maxBytes).toString())}${ellipsis}`
  }
  return prefix + formatString(text)
}

const isRawLine = (line: string, prefix: string, maxBytes: number): boolean => {
  const bare = line.replace(/^\r|\r$/g, '')
  const start = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare
  if (start.startsWith('"""') || bare.startsWith('...')) return false
  return isPrintable(bare.replaceAll('\t', '')) && Buffer.byteLength(bare) <= maxBytes
}

function tripleQuoted(
  prefix: string,
  lines: readonly string[],
  { maxLines, sign }: { maxLines: number; sign: Sign },
): TextNode {
  const record = (text: string): TextRecord => ({ sign, value: text, elidesComma: true })
  const isCut = lines.length > maxLines
  const shown = lines.slice(0, isCut ? maxLines - 1 : lines.length).map((line) => record(line.replace(/^\r|\r$/g, '')))
  const cut = { ...record(ellipsis), comment: `${lines.length - maxLines + 1} elided lines` }
  const quotes = record(`${prefix}"""`)
  return wrap('(', [quotes, ...shown, ...(isCut ? [cut] : []), quotes], ')')
}

/** Lines that are told apart by their signs alone must not look the same, nor like the frame. */
function isTripleQuotable(list: TextList): boolean {
  let [removed, inserted] = [new Set<string>(), new Set<string>()]
  for (const { sign = '', value: line, comment } of list) {
    if (comment === undefined && typeof line === 'string') {
      const isPlain = !line.startsWith('"""') && !line.startsWith('...') && isPrintable(line.replaceAll('\t', ''))
      const bare = line.replace(/\s/g, '')
      if (!isPlain || (sign === '-' && inserted.has(bare)) || (sign === '+' && removed.has(bare))) return false
      if (sign === '-') removed.add(bare)
      if (sign === '+') inserted.add(bare)
    }
    if (sign === '') [removed, inserted] = [new Set<string>(), new Set<string>()]
  }
  return true
}

/** Go quotes what cannot be printed. */
const isPrintable = (text: string): boolean =>
  quote(text).length === text.length + 2 || !/\\[^\\"]/.test(quote(text).replaceAll('\\\\', ''))

const isPrintedText = (text: string): boolean => isPrintable(text.replace(/\s/g, ''))

/** In double quotes where nothing needs an escape, else in backticks where that is possible. */
function formatString(text: string): string {
  const quoted = quote(text)
  if (Buffer.byteLength(quoted) === Buffer.byteLength(text) + 2) return quoted
  const isRaw = !text.includes('`') && !text.includes('\n') && isPrintable(text.replaceAll('\t', ''))
  return isRaw ? `\`${text}\`` : quoted
}
