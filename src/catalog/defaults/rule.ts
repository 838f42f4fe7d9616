/** What a defaulting rule is: a pure function that gives back its object, or a copy with more in it. */
import { copyObject, type JsonObject } from '../../api/json.ts'

export interface DefaultingContext {
  /** Whether a feature gate is on. */
  readonly enabled: (gate: string) => boolean
  /** The current time, in whole seconds, as the API writes it. */
  readonly now: () => string
}

export type DefaultingRule = (object: JsonObject, context: DefaultingContext) => JsonObject

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

/** The object with the keys of `more` that it lacks; itself when it lacks none. */
export function fill<T extends object>(object: T, more: Partial<T>): T {
  let filled = object
  for (const key of Object.keys(more) as (keyof T)[]) {
    if (object[key] !== undefined && object[key] !== null) continue
    if (filled === object) filled = copyObject(object)
    filled[key] = more[key] as T[keyof T]
  }
  return filled
}

/** The same for maps, of which an empty one lacks as much. */
export function fillMaps<T extends object>(object: T, more: Partial<T>): T {
  const missing = Object.entries(more).filter(([key]) => Object.keys(object[key as keyof T] ?? {}).length === 0)
  if (missing.length === 0) return object
  return Object.assign(copyObject(object), Object.fromEntries(missing))
}
