/**
 * Two values of one Go type, compared part by part. Absent JSON is what it is in Go: a nil pointer, slice or map, or the
 * zero value. Mirrors go-cmp, compare.go and report_value.go.
 */

import { writingOf } from '../../api/given-writing.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { jsonText } from '../../api/json-text.ts'
import { Quantity } from '../../api/quantity.ts'
import {
  fieldJson,
  type GoField,
  type GoScalar,
  type GoStruct,
  type GoType,
  isNil,
  scalarOf,
} from '../internal-types.ts'
import { type Edit, editScript, type Similarity } from './edit-script.ts'

/** A value that may be absent; undefined where one of two lists or maps has no such element. */
export interface DiffSlot {
  readonly json: JsonValue | undefined
  /** Of a quantity or a time: how it was written, where that is not its canonical form. */
  readonly written?: string | undefined
  /** An amount of a resource, which decoding rounds to thousandths. */
  readonly isAmount?: boolean
}

export interface DiffNode {
  readonly type: GoType
  readonly x: DiffSlot | undefined
  readonly y: DiffSlot | undefined
  readonly parent: GoType['kind'] | undefined
  /** How many leaves are the same, and how many are not. */
  readonly same: number
  readonly different: number
  /** How many nodes lie below, and how deep. */
  readonly descendants: number
  readonly depth: number
  readonly records: readonly DiffRecord[]
  /** What a pointer points to. */
  readonly target: DiffNode | undefined
}

export interface DiffRecord {
  readonly key: string
  readonly node: DiffNode
}

/** Comparing takes longer than a request may take. */
export class TooMuchToCompare extends Error {}

/** Steps that a comparison may take: some milliseconds. A node that is made is one, a value that is counted a part of it. */
const maxSteps = 20_000
const countSteps = 0.2

export class DiffComparison {
  #steps = 0

  /** Throws TooMuchToCompare. */
  step(count = 1): void {
    this.#steps += count
    if (this.#steps > maxSteps) throw new TooMuchToCompare('too much to compare')
  }

  /** Throws TooMuchToCompare. */
  tree(type: GoType, x: DiffSlot | undefined, y: DiffSlot | undefined, parent?: GoType['kind']): DiffNode {
    this.step()
    const pair = { type, x, y, parent }
    if (x === undefined || y === undefined) return leaf(pair, x === y)
    if (isScalar(type)) return leaf(pair, equalScalars(type, x.json, y.json))
    if (type.kind === 'struct') return inner(pair, this.#fields(type, x, y))
    if (isNil(x.json) || isNil(y.json)) return leaf(pair, isNil(x.json) && isNil(y.json))
    if (type.kind === 'pointer') {
      const target = this.tree(type.to, x, y, 'pointer')
      return { ...inner(pair, [{ key: '', node: target }]), records: noRecords, target }
    }
    return inner(pair, type.kind === 'map' ? this.#entries(type.values, x, y) : this.#items(type.items, x, y))
  }

  #fields({ fields }: GoStruct, x: DiffSlot, y: DiffSlot): DiffRecord[] {
    return fields.map((field) => {
      const node = this.tree(field.type, fieldOf(field, x), fieldOf(field, y), 'struct')
      return { key: field.name, node }
    })
  }

  #entries(values: GoType, { json: x }: DiffSlot, { json: y }: DiffSlot): DiffRecord[] {
    const [before, after] = [x as JsonObject, y as JsonObject]
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    return keys.map((key) => ({
      key,
      node: this.tree(values, diffEntryOf(before, key), diffEntryOf(after, key), 'map'),
    }))
  }

  #items(items: GoType, { json: x }: DiffSlot, { json: y }: DiffSlot): DiffRecord[] {
    const [before, after] = [x as JsonValue[], y as JsonValue[]]
    const at = (list: JsonValue[], i: number): DiffSlot => ({ json: list[i] })
    const records: DiffRecord[] = []
    let [i, j] = [0, 0]
    for (const edit of this.#edits(items, before, after)) {
      const one = edit === 'inserted' ? undefined : at(before, i++)
      const other = edit === 'removed' ? undefined : at(after, j++)
      records.push({ key: '', node: this.tree(items, one, other, 'slice') })
    }
    return records
  }

  /** What the tree of two values would count, without the tree. */
  #likeness(type: GoType, x: JsonValue | undefined, y: JsonValue | undefined): Similarity {
    const counts = { same: 0, different: 0 }
    this.#count(type, x, y, counts)
    return counts
  }

  #count(type: GoType, x: JsonValue | undefined, y: JsonValue | undefined, counts: Counts): void {
    this.step(countSteps)
    const count = (isSame: boolean): void => {
      if (isSame) counts.same++
      else counts.different++
    }
    if (isScalar(type)) count(equalScalars(type, x, y))
    else if (type.kind === 'struct') {
      for (const field of type.fields) {
        const [before, after] = [fieldJson(field, x), fieldJson(field, y)]
        if (before === undefined && after === undefined && field.key !== undefined && field.type.kind !== 'struct') {
          counts.same++
        } else this.#count(field.type, before, after, counts)
      }
    } else if (isNil(x) || isNil(y)) count(isNil(x) && isNil(y))
    else if (type.kind === 'pointer') this.#count(type.to, x, y, counts)
    else if (type.kind === 'map') this.#countEntries(type.values, x as JsonObject, y as JsonObject, counts)
    else this.#countItems(type.items, x as JsonValue[], y as JsonValue[], counts)
  }

  #countEntries(values: GoType, before: JsonObject, after: JsonObject, counts: Counts): void {
    for (const key of Object.keys(before)) {
      if (Object.hasOwn(after, key)) this.#count(values, before[key], after[key], counts)
      else counts.different++
    }
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) counts.different++
  }

  #countItems(items: GoType, before: readonly JsonValue[], after: readonly JsonValue[], counts: Counts): void {
    let [i, j] = [0, 0]
    for (const edit of this.#edits(items, before, after)) {
      if (edit === 'removed') i++
      else if (edit === 'inserted') j++
      if (edit === 'removed' || edit === 'inserted') counts.different++
      else this.#count(items, before[i++], after[j++], counts)
    }
  }

  #edits(items: GoType, before: readonly JsonValue[], after: readonly JsonValue[]): Edit[] {
    return editScript(before.length, after.length, (i, j) => this.#likeness(items, before[i], after[j]))
  }
}

interface Counts {
  same: number
  different: number
}

type Pair = Pick<DiffNode, 'type' | 'x' | 'y' | 'parent'>

// Nodes are literals that name all their keys: a spread costs many times as much.

function leaf({ type, x, y, parent }: Pair, isSame: boolean): DiffNode {
  const [same, different] = isSame ? [1, 0] : [0, 1]
  return { type, x, y, parent, same, different, descendants: 0, depth: 0, records: noRecords, target: undefined }
}

const noRecords: readonly DiffRecord[] = []

function inner({ type, x, y, parent }: Pair, records: readonly DiffRecord[]): DiffNode {
  let [same, different, descendants, depth] = [0, 0, 0, 0]
  for (const { node } of records) {
    same += node.same
    different += node.different
    descendants += node.descendants + 1
    depth = Math.max(depth, node.depth + 1)
  }
  return { type, x, y, parent, same, different, descendants, depth, records, target: undefined }
}

const isScalar = (type: GoType): type is GoScalar =>
  type.kind !== 'struct' && type.kind !== 'pointer' && type.kind !== 'slice' && type.kind !== 'map'

export const fieldOf = (field: GoField, { json }: DiffSlot): DiffSlot => ({
  json: fieldJson(field, json),
  written: isJsonObject(json) && field.key !== undefined ? writingOf(json, field.key) : undefined,
})

export const diffEntryOf = (map: JsonObject, key: string): DiffSlot | undefined =>
  Object.hasOwn(map, key) ? { json: map[key], written: writingOf(map, key), isAmount: true } : undefined

function equalScalars(type: GoType, x: JsonValue | undefined, y: JsonValue | undefined): boolean {
  const [a, b] = [scalarOf(type, x), scalarOf(type, y)]
  if (a === b) return true
  if (type.kind === 'quantity') return Quantity.parse(String(a)).compare(Quantity.parse(String(b))) === 0
  return type.kind === 'raw'
    ? jsonText(a ?? null) === jsonText(b ?? null)
    : String(a) === String(b) && typeof a !== 'string'
}

/** As reflect.Value.IsZero. */
export function isZeroValue(type: GoType, json: JsonValue | undefined): boolean {
  if (type.kind === 'struct')
    return type.fields.every((field) => isZeroValue(field.type, fieldOf(field, { json }).json))
  if (isNil(json)) return true
  if (!isScalar(type) || type.kind === 'quantity' || type.kind === 'time') return false
  return json === scalarOf(type, undefined)
}
