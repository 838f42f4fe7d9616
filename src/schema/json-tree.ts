/**
 * JSON as it was written: keys in order with their duplicates, numbers as text. The exact decoder walks this form when
 * the plain one would lose what an error message or a strict check needs.
 */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { keysOf, listKeys } from '../api/key-lists.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'

export type JsonNode = null | boolean | string | NumberNode | ObjectNode | JsonNode[]

export class NumberNode {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class ObjectNode {
  readonly keys: string[] = []
  readonly values: JsonNode[] = []
}

/** The tree of a plain value: no duplicates, numbers as they print. */
export function toTree(value: JsonValue): JsonNode {
  if (typeof value === 'number' || typeof value === 'bigint') return new NumberNode(numberText(value))
  if (Array.isArray(value)) return value.map(toTree)
  if (!isJsonObject(value)) return value
  const node = new ObjectNode()
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === undefined) continue
    node.keys.push(key)
    node.values.push(toTree(item))
  }
  return node
}

/** The same of a large value. */
export function* toTreeInSteps(value: JsonValue): Steps<JsonNode> {
  if (!isHeavy(value)) return toTree(value)
  let count = 0
  if (Array.isArray(value)) {
    const items: JsonNode[] = []
    for (const item of value) {
      if (++count % nodesPerStep === 0) yield
      items.push(isHeavy(item) ? yield* toTreeInSteps(item) : toTree(item))
    }
    return items
  }
  const node = new ObjectNode()
  for (const key of keysOf(value)) {
    if (++count % nodesPerStep === 0) yield
    const item = value[key]
    if (item === undefined) continue
    node.keys.push(key)
    node.values.push(isHeavy(item) ? yield* toTreeInSteps(item) : toTree(item))
  }
  return node
}

/** Whether a plain value would lose how a number is written: `3.0`, `1e2`, whole numbers that are too large. */
export function hasUnusualNumber(node: JsonNode): boolean {
  if (node instanceof NumberNode) return numberText(parseInt64(node.text) ?? Number(node.text)) !== node.text
  if (Array.isArray(node)) return node.some(hasUnusualNumber)
  return node instanceof ObjectNode && node.values.some(hasUnusualNumber)
}

const numberText = (value: number | bigint): string => (Object.is(value, -0) ? '-0' : String(value))

/** How a type error calls a value. */
export function describeNode(node: JsonNode): string {
  if (node === null) return 'null'
  if (typeof node === 'boolean') return 'bool'
  if (typeof node === 'string') return 'string'
  if (node instanceof NumberNode) return 'number'
  return Array.isArray(node) ? 'array' : 'object'
}

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

/** An integer literal that fits 64 bits: a number while that is exact, a bigint beyond. Undefined for anything else. */
export function parseInt64(text: string): number | bigint | undefined {
  if (!/^-?[0-9]+$/.test(text)) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value + 0
  const exact = BigInt(text)
  return exact < int64Min || exact > int64Max ? undefined : exact
}

/** The plain value of a tree, as untyped JSON is read: the last of two equal keys wins, whole numbers stay exact. */
export function fromTree(node: JsonNode): JsonValue {
  if (node instanceof NumberNode) return parseInt64(node.text) ?? Number(node.text)
  if (Array.isArray(node)) return node.map(fromTree)
  if (!(node instanceof ObjectNode)) return node
  const out: JsonObject = {}
  for (const [i, key] of node.keys.entries()) setKey(out, key, fromTree(node.values[i] ?? null))
  return out
}

/** Whether a node has no more than so many below it; counted no further. */
export function isLight(node: JsonNode, bound = stepNodes): boolean {
  return weighNode(node, bound) <= bound
}

const stepNodes = 1_000

function weighNode(node: JsonNode, bound: number): number {
  const inner = Array.isArray(node) ? node : node instanceof ObjectNode ? node.values : undefined
  if (inner === undefined) return 1
  if (inner.length > bound) return bound + 1
  let weight = 1
  for (const each of inner) {
    weight += weighNode(each, bound - weight)
    if (weight > bound) break
  }
  return weight
}

/** As `fromTree`, of a large text. */
export function* fromTreeInSteps(node: JsonNode): Steps<JsonValue> {
  if (isLight(node)) return fromTree(node)
  yield
  let count = 0
  if (Array.isArray(node)) {
    const items: JsonValue[] = []
    for (const item of node) {
      if (++count % nodesPerStep === 0) yield
      items.push(isContainer(item) ? yield* fromTreeInSteps(item) : fromTree(item))
    }
    return items
  }
  if (!(node instanceof ObjectNode)) return fromTree(node)
  const out: JsonObject = {}
  const keys: string[] = []
  for (let i = 0; i < node.keys.length; i++) {
    if (++count % nodesPerStep === 0) yield
    const key = node.keys[i] as string
    const item = node.values[i] ?? null
    if (!Object.hasOwn(out, key)) keys.push(key)
    setKey(out, key, isContainer(item) ? yield* fromTreeInSteps(item) : fromTree(item))
  }
  yield
  return listKeys(out, keys)
}

const nodesPerStep = 128

const isContainer = (node: JsonNode): boolean => Array.isArray(node) || node instanceof ObjectNode

/** The text of a number that no double is large enough for, anywhere in the tree. */
export function infiniteNumber(node: JsonNode): string | undefined {
  if (node instanceof NumberNode) return Number.isFinite(Number(node.text)) ? undefined : node.text
  const inner = Array.isArray(node) ? node : node instanceof ObjectNode ? node.values : []
  for (const each of inner) {
    const found = infiniteNumber(each)
    if (found !== undefined) return found
  }
  return undefined
}
