/** Deep equality of heavy values (`large-values.ts`), in steps. */
import type { Steps } from '../lib/in-turns.ts'
import { copyWritings } from './given-writing.ts'
import {
  equalJson,
  equalSemantic,
  isOmitted,
  isSemanticallyEmpty,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  shareEqual,
  withoutOmitted,
} from './json.ts'
import { keysOf } from './key-lists.ts'
import { isHeavy, mapInSteps } from './large-values.ts'

/** Members to a step. */
const perStep = 256

type Value = JsonValue | undefined

/** As `equalJson`. */
export const equalInSteps = (a: Value, b: Value): Steps<boolean> => compareInSteps(a, b, asGiven)

/** The same of two values as their JSON shows them: what it omits is absent. */
export const equalShownInSteps = (a: Value, b: Value): Steps<boolean> => compareInSteps(a, b, asShown)

/** As `equalSemantic`. */
export const equalSemanticInSteps = (a: Value, b: Value): Steps<boolean> => compareInSteps(a, b, asDecoded)

interface View {
  readonly isAbsent: (member: Value) => boolean
  readonly areEqual: (a: Value, b: Value) => boolean
}

const asGiven: View = { isAbsent: (member) => member === undefined, areEqual: equalJson }
const shown = (value: Value): Value => (value === undefined ? undefined : withoutOmitted(value))
const asShown: View = {
  isAbsent: (member) => member === undefined || isOmitted(member),
  areEqual: (a, b) => equalJson(shown(a), shown(b)),
}
const asDecoded: View = { isAbsent: isSemanticallyEmpty, areEqual: equalSemantic }

function* compareInSteps(a: Value, b: Value, view: View): Steps<boolean> {
  if (a === b) return true
  if (!isHeavy(a) && !isHeavy(b)) return view.areEqual(a, b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && (yield* equalLists(a, b, view))
  return !Array.isArray(b) && (yield* equalMaps(a, b, view))
}

function* equalLists(a: JsonArray, b: JsonArray, view: View): Steps<boolean> {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (i % perStep === 0) yield
    if (!(yield* compareInSteps(a[i], b[i], view))) return false
  }
  return true
}

function* equalMaps(a: JsonObject, b: JsonObject, view: View): Steps<boolean> {
  let count = 0
  let present = 0
  for (const key of keysOf(a)) {
    if (++count % perStep === 0) yield
    const value = a[key]
    if (view.isAbsent(value)) continue
    present++
    const other = ownValue(b, key)
    if (view.isAbsent(other) || !(yield* compareInSteps(value, other, view))) return false
  }
  for (const key of keysOf(b)) {
    if (++count % perStep === 0) yield
    if (!view.isAbsent(b[key])) present--
  }
  return present === 0
}

const isContainer = (value: Value): value is JsonObject | JsonArray => typeof value === 'object' && value !== null

/** As `shareEqual`. */
export function shareEqualInSteps<T extends JsonValue>(value: T, baseline: Value): Steps<T>
export function* shareEqualInSteps(value: JsonValue, baseline: Value): Steps<JsonValue> {
  if (value === baseline || !isContainer(value) || !isContainer(baseline)) return value
  // One that is heavy is gone over whatever the other is.
  if (!isHeavy(value) && !isHeavy(baseline)) return shareEqual(value, baseline)
  if (Array.isArray(value)) return Array.isArray(baseline) ? yield* shareListInSteps(value, baseline) : value
  return Array.isArray(baseline) ? value : yield* shareMapInSteps(value, baseline)
}

function* shareListInSteps(value: JsonArray, baseline: JsonArray): Steps<JsonArray> {
  const out: JsonArray = []
  let isGiven = true
  let isBaseline = value.length === baseline.length
  for (let i = 0; i < value.length; i++) {
    if (i % perStep === 0) yield
    const shared = yield* shareEqualInSteps(value[i] as JsonValue, baseline[i])
    isGiven &&= shared === value[i]
    isBaseline &&= shared === baseline[i]
    out.push(shared)
  }
  return isBaseline ? baseline : isGiven ? value : out
}

function* shareMapInSteps(value: JsonObject, baseline: JsonObject): Steps<JsonObject> {
  const keys = keysOf(value)
  const order = keysOf(baseline)
  const members: Value[] = []
  let isGiven = true
  let isBaseline = keys.length === order.length
  for (let i = 0; i < keys.length; i++) {
    if (i % perStep === 0) yield
    const key = keys[i] as string
    const member = value[key]
    const before = ownValue(baseline, key)
    const shared = member === undefined ? undefined : yield* shareEqualInSteps(member, before)
    // Raw JSON keeps the order of its keys; everything else comes in the order of its type.
    isBaseline &&= key === order[i] && shared !== undefined && shared === before
    isGiven &&= shared === member
    members.push(shared)
  }
  if (isBaseline) return baseline
  if (isGiven) return value
  const out = yield* mapInSteps(keys, (i) => members[i])
  copyWritings(out, value)
  return out
}
