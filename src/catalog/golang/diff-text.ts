/**
 * Text that is a tree: what fits on a line is put on one, the rest is laid out with a sign and tabs in front of every
 * line, keys and comments aligned. Mirrors go-cmp, report_text.go.
 */

/** Whether a line is in both values (or says nothing about that), in the old one alone, or in the new one alone. */
export type Sign = '' | '-' | '+'

export type TextNode = string | TextWrap | TextList

export interface TextWrap {
  readonly prefix: string
  readonly value: TextNode
  readonly suffix: string
}

export interface TextRecord {
  readonly sign?: Sign
  readonly key?: string
  readonly value: TextNode
  readonly elidesComma?: boolean
  readonly comment?: string
  /** What the dots stand for. */
  readonly tally?: ElidedCounts
}

export type TextList = readonly TextRecord[]

export const ellipsis = '...'
export const nil = 'nil'

const maxColumns = 80

export const wrap = (prefix: string, value: TextNode, suffix = ''): TextWrap => ({ prefix, value, suffix })

const isLine = (node: TextNode): node is string => typeof node === 'string'
const isList = (node: TextNode): node is TextList => Array.isArray(node)

/** How many bytes it has on one line. */
export function textLength(node: TextNode): number {
  if (isLine(node)) return Buffer.byteLength(node)
  if (!isList(node)) return Buffer.byteLength(node.prefix) + textLength(node.value) + Buffer.byteLength(node.suffix)
  const length = ({ key = '', value }: TextRecord): number =>
    (key === '' ? 0 : Buffer.byteLength(key) + 2) + textLength(value)
  return node.reduce((sum, record) => sum + length(record), 0) + 2 * Math.max(0, node.length - 1)
}

export function sameText(a: TextNode, b: TextNode): boolean {
  if (isLine(a) || isLine(b)) return a === b
  if (isList(a) || isList(b)) {
    return isList(a) && isList(b) && a.length === b.length && a.every((record, i) => sameRecord(record, b[i]!))
  }
  return a.prefix === b.prefix && a.suffix === b.suffix && sameText(a.value, b.value)
}

const sameRecord = (a: TextRecord, b: TextRecord): boolean =>
  (a.sign ?? '') === (b.sign ?? '') &&
  (a.key ?? '') === (b.key ?? '') &&
  a.comment === b.comment &&
  sameText(a.value, b.value)

export function renderText(node: TextNode): string {
  return `${indent('', 0)}${expanded(compact(node, '').node, '', 0)}\n`
}

interface Compact {
  /** All of it on one line. */
  readonly line: string
  /** What may be on one line as a line. */
  readonly node: TextNode
}

function compact(node: TextNode, sign: Sign): Compact {
  if (isLine(node)) return { line: node, node }
  if (isList(node)) return compactList(node, sign)
  const inner = compact(node.value, sign)
  const line = `${node.prefix}${inner.line}${node.suffix}`
  return { line, node: isLine(inner.node) ? line : { ...node, value: inner.node } }
}

function compactList(list: TextList, sign: Sign): Compact {
  let isSingle = true
  const parts: string[] = []
  const records = list.map((record) => {
    const { sign: own = '', key = '', comment } = record
    const { line, node } = compact(record.value, own || sign)
    parts.push(key === '' ? line : `${key}: ${line}`)
    if (own !== '' || comment !== undefined || !isLine(node)) isSingle = false
    return { ...record, value: node }
  })
  const line = parts.join(', ')
  if (sign !== '' && Buffer.byteLength(line) > maxColumns) isSingle = false
  return { line, node: isSingle ? line : records }
}

const indent = (sign: Sign, depth: number): string => `${sign === '' ? ' ' : sign} ${'\t'.repeat(depth)}`

function expanded(node: TextNode, sign: Sign, depth: number): string {
  if (isLine(node)) return node
  if (!isList(node)) return `${node.prefix}${expanded(node.value, sign, depth)}${node.suffix}`
  const isPlain =
    node.length > 0 &&
    node.every(({ sign: own = '', key = '', value, comment }) => {
      return own === '' && key === '' && comment === undefined && isLine(value)
    })
  const lines = isPlain ? batches(node) : alignedLines(node, sign, depth + 1)
  const body = lines.map((line) => `\n${isPlain ? indent(sign, depth + 1) : ''}${line}`).join('')
  return `${body}\n${indent(sign, depth)}`
}

/** As many values on a line as there is room for. */
function batches(list: TextList): string[] {
  const lines: string[] = []
  let batch = ''
  for (const { value } of list) {
    const line = value as string
    if (Buffer.byteLength(batch) + Buffer.byteLength(line) + 2 > maxColumns && batch !== '') {
      lines.push(batch.trimEnd())
      batch = ''
    }
    batch += `${line}, `
  }
  return [...lines, batch.trimEnd()]
}

function alignedLines(list: TextList, sign: Sign, depth: number): string[] {
  const keyPadding = alignment(list, ({ key = '', value }) => (key === '' || !isLine(value) ? undefined : key))
  const valuePadding = alignment(list, ({ value, comment }) =>
    !isLine(value) || value === ellipsis || comment === undefined ? undefined : value,
  )
  return list.map(({ sign: own = '', key = '', value, elidesComma = false, comment }, i) => {
    const lead = own || sign
    const name = key === '' ? '' : `${key}: `
    const text = `${expanded(value, lead, depth)}${elidesComma ? '' : ','}`
    const note = comment === undefined ? '' : ` // ${comment}`
    return `${indent(lead, depth)}${name}${' '.repeat(keyPadding[i] ?? 0)}${text}${' '.repeat(valuePadding[i] ?? 0)}${note}`
  })
}

/** How much is missing to the longest of its neighbours; records without a text part neighbours. */
function alignment(list: TextList, textOf: (record: TextRecord) => string | undefined): number[] {
  const lengths = list.map((record) => {
    const text = textOf(record)
    return text === undefined ? undefined : [...text].length
  })
  const padding: number[] = []
  for (let start = 0; start < list.length; ) {
    let end = start
    while (end < list.length && lengths[end] !== undefined) end++
    const group = lengths.slice(start, end) as number[]
    const longest = Math.max(0, ...group)
    for (const length of group) padding.push(longest - length)
    if (end < list.length) padding.push(0)
    start = end + 1
  }
  return padding
}

/** What of a list is not shown. */
export interface ElidedCounts {
  readonly name: string
  readonly identical: number
  readonly removed: number
  readonly inserted: number
  readonly modified: number
}

export const noTally = (name: string): ElidedCounts => ({ name, identical: 0, removed: 0, inserted: 0, modified: 0 })

export const addTally = (a: ElidedCounts, b: ElidedCounts): ElidedCounts => ({
  name: a.name,
  identical: a.identical + b.identical,
  removed: a.removed + b.removed,
  inserted: a.inserted + b.inserted,
  modified: a.modified + b.modified,
})

export const differing = ({ removed, inserted, modified }: ElidedCounts): number => removed + inserted + modified

const tallied = ['identical', 'removed', 'inserted', 'modified'] as const

/** `3 identical and 1 removed fields`; undefined when there is nothing to report. */
function tallyText(tally: ElidedCounts): string | undefined {
  const parts = tallied.filter((what) => tally[what] > 0).map((what) => `${tally[what]} ${what}`)
  if (parts.length === 0) return undefined
  const sum = tally.identical + differing(tally)
  const name = sum > 1 ? `${tally.name}s`.replace(/ys$/, 'ies') : tally.name
  const counts = parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
  return `${counts} ${name}`
}

/** The dots that stand for what is not shown; two in a row are one. */
export function addEllipsis(list: TextRecord[], tally?: ElidedCounts): void {
  const last = list.at(-1)
  const isRepeated = last?.value === ellipsis
  if (isRepeated) list.pop()
  const whole = isRepeated && last.tally !== undefined && tally !== undefined ? addTally(last.tally, tally) : tally
  const shownTally = whole ?? (isRepeated ? last.tally : undefined)
  const comment = shownTally && tallyText(shownTally)
  list.push({
    value: ellipsis,
    elidesComma: true,
    ...(comment === undefined || shownTally === undefined ? {} : { comment, tally: shownTally }),
  })
}
