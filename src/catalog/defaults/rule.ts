/** What a defaulting rule is: a pure function that gives back its object, or a copy with more in it. */
import { copyObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { entriesOf } from '../../api/key-lists.ts'
import { mapInSteps } from '../../api/large-values.ts'
import type { StringMap } from '../../api/object.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'

export interface DefaultingContext {
  /** Whether a feature gate is on. */
  readonly enabled: (gate: string) => boolean
  /** The current time, in whole seconds, as the API writes it. */
  readonly now: () => string
}

export interface DefaultingRule {
  (object: JsonObject, context: DefaultingContext): JsonObject
  /** The same of an object that may be large. Absent: the rule never takes long. */
  readonly inSteps?: (object: JsonObject, context: DefaultingContext) => Steps<JsonObject>
}

/**
 * The rules of a type that are code. `before` run ahead of the plain ones from the catalogue's data, `after` behind them.
 */
export interface TypeRules {
  readonly before?: DefaultingRule
  readonly after?: DefaultingRule
}

/** A rule written against the type's own shape. Objects have that shape: they are decoded before they are defaulted. */
export function rule<T extends object>(apply: (object: T, context: DefaultingContext) => T): DefaultingRule {
  return apply as unknown as DefaultingRule
}

/** One that goes over maps, which may be large. */
export function ruleInSteps<T extends object>(
  apply: (object: T, context: DefaultingContext) => Steps<T>,
): DefaultingRule {
  const inSteps = apply as unknown as NonNullable<DefaultingRule['inSteps']>
  return Object.assign((object: JsonObject, context: DefaultingContext) => runToEnd(inSteps(object, context)), {
    inSteps,
  })
}

const keysPerStep = 256

/** As the spread of the maps into one. */
export function* unitedInSteps(maps: readonly (StringMap | undefined)[]): Steps<StringMap> {
  const united = new Map<string, string>()
  for (const map of maps) {
    let count = 0
    for (const [key, value] of entriesOf(map ?? {})) {
      if (++count % keysPerStep === 0) yield
      united.set(key, value)
    }
  }
  const keys = [...united.keys()]
  return (yield* mapInSteps(keys, (i) => united.get(keys[i] as string))) as StringMap
}

/** The object with the keys of `more` that it lacks; itself when it lacks none. */
export function fill<T extends object>(object: T, more: Partial<T>): T {
  let filled = object
  for (const key of Object.keys(more) as (keyof T)[]) {
    if (object[key] !== undefined && object[key] !== null) continue
    if (filled === object) filled = copyObject(object)
    setKey(filled as JsonObject, key as string, more[key] as JsonValue)
  }
  return filled
}

/** The same for maps, of which an empty one lacks as much. */
export function fillMaps<T extends object>(object: T, more: Partial<T>): T {
  const missing = Object.entries(more).filter(([key]) => Object.keys(object[key as keyof T] ?? {}).length === 0)
  if (missing.length === 0) return object
  return Object.assign(copyObject(object), Object.fromEntries(missing))
}
