/**
 * The instructions of a regular expression, in typed arrays: the nodes are written from their ends to their beginnings,
 * so that each knows what follows it. Counted repetitions are written out, within the limits of the parser.
 */
import type { Steps } from '../in-turns.ts'
import { MAX_RUNE, type Ranges } from './char-class.ts'
import { BEGIN_TEXT, type RegexpNode } from './node.ts'

export const MATCH = 0
/** A choice: `out` before `arg`. */
export const ALT = 1
/** An empty match under the conditions of `arg`. */
export const ASSERT = 2
/** One character: `arg` itself. */
export const RUNE = 3
/** One character of the class `arg`. */
export const CLASS = 4
export const ANY_RUNE = 5

export interface RegexpProgram {
  readonly op: Uint8Array
  readonly out: Int32Array
  readonly arg: Int32Array
  readonly classes: readonly Ranges[]
  readonly start: number
  readonly length: number
  readonly hasAssertions: boolean
  /** It matches at the beginning of the text or nowhere. */
  readonly isAnchored: boolean
}

/** A node that is being written; what follows it begins at `next`. */
interface Frame {
  readonly node: RegexpNode
  readonly next: number
  /** Parts that have been written. */
  done: number
  /** Where what has been written begins. */
  entry: number
  /** Where the loop goes round. */
  loop: number
}

/** Instructions between two yields. */
const chunk = 8192

export function* compileRegexp(root: RegexpNode): Steps<RegexpProgram> {
  const writer = new Writer()
  const match = writer.add(MATCH, 0, 0)
  const frames: Frame[] = [frameOf(root, match)]
  let next = chunk
  let written = 0
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const inner = step(writer, frame, written)
    if (inner !== undefined) {
      frames.push(inner)
    } else {
      written = frame.entry
      frames.pop()
    }
    if (writer.length < next) continue
    next = writer.length + chunk
    yield
  }
  return writer.program(written)
}

const frameOf = (node: RegexpNode, next: number): Frame => ({ node, next, done: 0, entry: next, loop: -1 })

/** Goes on with a node, whose last part begins at `part`: the part that comes next, or undefined at its end. */
function step(writer: Writer, frame: Frame, part: number): Frame | undefined {
  const { node, next } = frame
  switch (node.op) {
    case 'empty':
      return undefined
    case 'rune':
      frame.entry = writer.add(RUNE, next, node.rune)
      return undefined
    case 'class':
      frame.entry = isAny(node.ranges)
        ? writer.add(ANY_RUNE, next, 0)
        : writer.add(CLASS, next, writer.classOf(node.ranges))
      return undefined
    case 'assert':
      frame.entry = writer.add(ASSERT, next, node.mask)
      return undefined
    case 'group':
      if (frame.done++ === 0) return frameOf(node.sub, next)
      frame.entry = part
      return undefined
    case 'concat':
      if (frame.done > 0) frame.entry = part
      return nextSub(frame, node.subs, frame.entry)
    case 'alternate':
      if (frame.done > 0) frame.entry = frame.done === 1 ? part : writer.add(ALT, part, frame.entry)
      return nextSub(frame, node.subs, next)
    case 'repeat':
      return repeatStep(writer, frame, part)
  }
}

/** Parts are written from the last to the first. */
function nextSub(frame: Frame, subs: readonly RegexpNode[], next: number): Frame | undefined {
  return frame.done === subs.length ? undefined : frameOf(subs[subs.length - ++frame.done]!, next)
}

function repeatStep(writer: Writer, frame: Frame, part: number): Frame | undefined {
  const node = frame.node as Extract<RegexpNode, { op: 'repeat' }>
  const { next } = frame
  const { sub, min, max, lazy } = node
  const copies = max < 0 ? Math.max(1, min) : max
  const isFirst = frame.done === 0
  if (!isFirst) {
    if (max < 0 && frame.done === 1) {
      writer.setChoice(frame.loop, { first: part, second: next, lazy })
      if (min > 0) frame.entry = part
      // A loop over what may be empty is entered or passed once: so an empty turn ends it as Go does.
      else frame.entry = sub.nullable ? writer.choice(part, next, lazy) : frame.loop
    } else frame.entry = max >= 0 && frame.done <= max - min ? writer.choice(part, next, lazy) : part
  }
  if (frame.done === copies) return undefined
  frame.done++
  if (isFirst && max < 0) {
    frame.loop = writer.add(ALT, 0, 0)
    return frameOf(sub, frame.loop)
  }
  return frameOf(sub, frame.entry)
}

const isAny = (ranges: Ranges): boolean => ranges.length === 2 && ranges[0] === 0 && ranges[1] === MAX_RUNE

class Writer {
  #op = new Uint8Array(16)
  #out = new Int32Array(16)
  #arg = new Int32Array(16)
  readonly #classes: Ranges[] = []
  readonly #ids = new Map<Ranges, number>()
  #length = 0
  #hasAssertions = false

  get length(): number {
    return this.#length
  }

  add(op: number, out: number, arg: number): number {
    if (this.#length === this.#op.length) this.#grow()
    const pc = this.#length++
    this.#op[pc] = op
    this.#out[pc] = out
    this.#arg[pc] = arg
    this.#hasAssertions ||= op === ASSERT
    return pc
  }

  choice(first: number, second: number, lazy: boolean): number {
    const pc = this.add(ALT, 0, 0)
    this.setChoice(pc, { first, second, lazy })
    return pc
  }

  setChoice(pc: number, { first, second, lazy }: { first: number; second: number; lazy: boolean }): void {
    this.#out[pc] = lazy ? second : first
    this.#arg[pc] = lazy ? first : second
  }

  classOf(ranges: Ranges): number {
    const known = this.#ids.get(ranges)
    if (known !== undefined) return known
    this.#ids.set(ranges, this.#classes.length)
    return this.#classes.push(ranges) - 1
  }

  #grow(): void {
    const length = 2 * this.#op.length
    const op = new Uint8Array(length)
    op.set(this.#op)
    this.#op = op
    this.#out = grown(this.#out, length)
    this.#arg = grown(this.#arg, length)
  }

  program(start: number): RegexpProgram {
    const length = this.#length
    return {
      op: this.#op.slice(0, length),
      out: this.#out.slice(0, length),
      arg: this.#arg.slice(0, length),
      classes: this.#classes,
      start,
      length,
      hasAssertions: this.#hasAssertions,
      isAnchored: this.#op[start] === ASSERT && (this.#arg[start]! & BEGIN_TEXT) !== 0,
    }
  }
}

function grown(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length)
  larger.set(array)
  return larger
}
