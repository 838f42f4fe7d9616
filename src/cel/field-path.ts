/**
 * The fast way along fields of declared objects: `self.spec.replicas` walks the JSON itself and makes one value at the
 * end. Anything else that a chain may hold takes the general way.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { Evaluate } from './compiled.ts'
import type { DeclaredType } from './declared-type.ts'
import { DeclaredObject } from './json-values.ts'
import type { Qualifier } from './qualifiers.ts'
import { noSuchKey, qualify } from './qualify.ts'
import type { Type } from './types.ts'
import type { Value } from './values.ts'
import { CelError, Optional } from './values.ts'

/** Undefined where the chain has more than plain fields. */
export function compileFieldPath(type: Type, qualifiers: readonly Qualifier[], read: Evaluate): Evaluate | undefined {
  if (type.kind !== 'struct') return undefined
  const keys: string[] = []
  for (const { key, optional, test } of qualifiers) {
    if (typeof key !== 'string' || optional || test) return undefined
    keys.push(key)
  }
  const path = new FieldPath(keys)
  return (e) => {
    const root = read(e)
    if (root instanceof DeclaredObject) return path.from(e, root)
    if (root instanceof CelError) return root
    if (root instanceof Optional) return path.inOptional(e, root)
    return path.slowly(e, root)
  }
}

/** What is known of one declared type: the names in JSON along the path, and the type at its end. */
interface Steps {
  readonly names: readonly string[]
  readonly last: DeclaredType
}

class FieldPath {
  readonly #keys: readonly string[]
  /** Nearly always one type comes by. */
  #type: DeclaredType | undefined
  #steps: Steps | undefined

  constructor(keys: readonly string[]) {
    this.#keys = keys
  }

  from(e: { cost: number }, root: DeclaredObject): Value {
    if (root.declared !== this.#type) {
      this.#type = root.declared
      this.#steps = this.#stepsOf(root.declared)
    }
    const steps = this.#steps
    if (!steps) return this.slowly(e, root)
    const { names } = steps
    let json: JsonValue = root.json
    for (let i = 0; i < names.length; i++) {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return this.slowly(e, root)
      const next: JsonValue | undefined = (json as JsonObject)[names[i]!]
      if (next === undefined || next === null) {
        e.cost += i + 1
        return noSuchKey(this.#keys[i]!)
      }
      json = next
    }
    e.cost += names.length
    return steps.last.adapt(json)
  }

  /** Only objects with named fields on the way, and no name that every object inherits. */
  #stepsOf(type: DeclaredType): Steps | undefined {
    const names: string[] = []
    let at = type
    for (const key of this.#keys) {
      const field = at.isObject ? at.keyed(key) : undefined
      if (!field || field.jsonName in Object.prototype) return undefined
      names.push(field.jsonName)
      at = field.type
    }
    return { names, last: at }
  }

  slowly(e: { cost: number }, root: Value): Value {
    let value = root
    for (const key of this.#keys) {
      value = qualify(value, key)
      e.cost++
      if (value instanceof CelError) return value
    }
    return value
  }

  /** Through an optional each step may find nothing, and only what is found is charged for. */
  inOptional(e: { cost: number }, root: Optional): Value {
    let value = root.value
    if (value === undefined) return root
    for (const key of this.#keys) {
      if (typeof value !== 'object' || value === null || value.kind !== 'map') return Optional.none
      const found: Value | undefined = value.find(key)
      if (found === undefined) return Optional.none
      if (found instanceof CelError) return found
      e.cost++
      value = found
    }
    return new Optional(value)
  }
}
