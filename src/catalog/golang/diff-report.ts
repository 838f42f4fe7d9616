/**
 * What is different between two values, as the reference's messages print it: a literal in a kind of Go, in which equal
 * parts are shortened and differing ones have a sign. Mirrors go-cmp: Diff, with its rules of what is left out.
 */

import { indentJson } from '../../api/golang/indent-json.ts'
import { quote } from '../../api/golang/quote.ts'
import type { JsonValue } from '../../api/json.ts'
import { servedMinor } from '../../api/release.ts'
import { hasChange } from '../../api/release-changes.ts'
import { internalType } from '../internal-types.ts'
import { groupsOf, pieceGroups, shownWidth } from './diff-groups.ts'
import { clampLevel, type DiffMode, type Options, valueLimit } from './diff-options.ts'
import { formatString, isPrintedText, isTripleQuotable } from './diff-string.ts'
import {
  addEllipsis,
  addTally,
  differing,
  type ElidedCounts,
  noTally,
  renderText,
  type Sign,
  sameText,
  type TextList,
  type TextNode,
  type TextRecord,
  type TextWrap,
  textLength,
  wrap,
} from './diff-text.ts'
import {
  DiffComparison,
  type DiffNode,
  type DiffRecord,
  type DiffSlot,
  isZeroValue,
  TooMuchToCompare,
} from './diff-tree.ts'
import { diffItemsOf, mapKey, valueOrNothing, withTypeName } from './diff-value.ts'
import { goDump } from './dump.ts'
import { editScript } from './edit-script.ts'
import { unifiedDiff } from './unified-diff.ts'

interface Change {
  readonly before: unknown
  readonly after: unknown
}

/** The report about two values of the type of a release; empty when they are the same, or when finding out would take too long. */
export function goDiff(type: string, { before, after }: Change, release: number = servedMinor): string {
  if (hasChange(release, 'unifiedDiffs')) {
    const text = (value: unknown): string => indentJson(goDump(type, value).jsonAt(release))
    return unifiedDiff(text(before), text(after))
  }
  try {
    const comparison = new DiffComparison()
    const slot = (json: unknown): DiffSlot => ({ json: json as JsonValue | undefined })
    const root = comparison.tree(internalType(type, release), slot(before), slot(after))
    if (root.different === 0) return ''
    return renderText(new Report(comparison).node(root, start))
  } catch (error) {
    if (error instanceof TooMuchToCompare) return ''
    throw error
  }
}

const start: Options = { mode: undefined, typing: 'always', level: 0, isPlain: false }

const maxPreset = 6
/** Equal records that are shown around a difference. */
const context = 2
const recordNames = { struct: 'field', slice: 'element', map: 'entry' } as const

class Report {
  readonly #comparison: DiffComparison

  constructor(comparison: DiffComparison) {
    this.#comparison = comparison
  }

  node(node: DiffNode, given: Options): TextNode {
    const level = given.mode === 'both' ? 1 : clampLevel(given.level) < 3 ? 3 : given.level
    const options = { ...given, level }
    if (this.#isList(node, options)) return this.#list(node, options)
    if (node.depth === 0) return this.#leaf(node, options)
    const { type, target } = node
    if (target !== undefined) return wrap('&', this.node(target, options))
    return withTypeName(type, this.#records(node, options), options)
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
    return withTypeName(type, list, { ...options, typing: 'always' })
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
    const limit = options.mode === 'both' ? valueLimit(level) : (1 << clampLevel(level)) << 1
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
    const limit = (1 << clampLevel(level)) << 1
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
    place: { keyOf: (key: string) => string; group: ElidedCounts; isFirst: boolean; isLast: boolean },
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
    // A chain of single values is reported as two.
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
    const [before, after] = [diffItemsOf(x).length, diffItemsOf(y).length]
    if (before === 0 || after === 0) return false
    return different > same || (before >= minLength && after >= minLength)
  }

  #list(node: DiffNode, options: Options): TextNode {
    const [x, y] = [node.x as DiffSlot, node.y as DiffSlot]
    if (node.type.kind !== 'string') {
      const show = (values: readonly JsonValue[]): string => values.map(String).join(', ')
      const items = node.type.kind === 'slice' ? node.type.items.name : ''
      const pieces = { chunk: 8, name: items, show, level: options.level }
      return withTypeName(node.type, wrap('{', this.#pieces(diffItemsOf(x), diffItemsOf(y), pieces), '}'), options)
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
    const limit = (1 << clampLevel(level)) << 2
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
      const [removed, inserted] = [shownWidth(group, 'removed'), shownWidth(group, 'inserted')]
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
const textOf = ({ json }: DiffSlot): string => (typeof json === 'string' ? json : '')

/** Makes the texts of two values distinct: with more and more of the values, as long as they look the same. */
function distinct(show: (options: Options) => [TextNode, TextNode], options: Options): [TextNode, TextNode] {
  let pair = show(options)
  for (let i = 0; i <= maxPreset && sameText(...pair); i++) {
    pair = show({ ...options, level: clampLevel(options.level) + 2 * i, isPlain: options.isPlain || i > 0 })
  }
  return pair
}

const isAbsent = ({ x, y }: DiffNode, mode: DiffMode): boolean =>
  (mode === '-' && x === undefined) || (mode === '+' && y === undefined)

function isElided({ type, x, y }: DiffNode, mode: DiffMode): boolean {
  const isZero = (slot: DiffSlot | undefined): boolean => slot !== undefined && isZeroValue(type, slot.json)
  return mode === 'both' ? isZero(x) || isZero(y) : isZero(mode === '-' ? x : y)
}
