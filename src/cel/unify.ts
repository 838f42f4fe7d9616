/**
 * Unification of types: which type parameters stand for what. Attempts that fail leave no trace.
 */
import type { Type } from './types.ts'
import { DYN, isAssignableType, isDyn, isDynOrError, isExactType, listType, mapType, NULL, typeType } from './types.ts'

/** Types that `null` has always been assignable to. */
export const NULLABLE_KINDS: ReadonlySet<string> = new Set(['opaque', 'struct', 'any', 'duration', 'timestamp'])
/** Types may be nested this deep before substitution gives up and says dyn. */
const MAX_SUBSTITUTION = 1000

export class Substitution {
  readonly #bound = new Map<string, Type>()
  /** What each binding was before, newest last. */
  readonly #trail: [name: string, before: Type | undefined][] = []

  /** Whether `from` may stand where `to` is wanted; binds type parameters if so. */
  assignable(to: Type, from: Type): boolean {
    return this.#attempt(() => this.#assign(to, from))
  }

  assignableAll(to: readonly Type[], from: readonly Type[]): boolean {
    return this.#attempt(() => this.#assignAll(to, from))
  }

  #attempt(unify: () => boolean): boolean {
    const mark = this.#trail.length
    if (unify()) return true
    while (this.#trail.length > mark) {
      const [name, before] = this.#trail.pop()!
      if (before === undefined) this.#bound.delete(name)
      else this.#bound.set(name, before)
    }
    return false
  }

  #bind(param: Type, type: Type): void {
    this.#trail.push([param.name, this.#bound.get(param.name)])
    this.#bound.set(param.name, type)
  }

  #assign(a: Type, b: Type): boolean {
    if (b.kind === 'param') {
      const { valid, known } = this.#substitutes(a, b)
      if (valid) return true
      if (known) return false
    }
    if (a.kind === 'param') return this.#substitutes(b, a).valid
    if (isDynOrError(a) || isDynOrError(b)) return true
    if (a.kind === 'null') return NULLABLE_KINDS.has(b.kind) || isAssignableType(b, NULL)
    if (b.kind === 'null') return NULLABLE_KINDS.has(a.kind) || isAssignableType(a, NULL)
    switch (a.kind) {
      case 'type':
        return b.kind === 'type'
      case 'opaque':
      case 'list':
      case 'map':
        return a.kind === b.kind && a.name === b.name && this.#assignAll(a.params, b.params)
      default:
        return isAssignableType(b, a)
    }
  }

  #assignAll(a: readonly Type[], b: readonly Type[]): boolean {
    return a.length === b.length && a.every((type, i) => this.#assign(type, b[i]!))
  }

  /** Whether the parameter may stand for the type, and whether it already stood for something. */
  #substitutes(type: Type, param: Type): { valid: boolean; known: boolean } {
    if (type.kind === 'param' && type.name === param.name) return { valid: true, known: true }
    const bound = this.#bound.get(param.name)
    if (bound === undefined) {
      if (this.#occurs(param, type)) return { valid: false, known: false }
      this.#bind(param, type)
      return { valid: true, known: false }
    }
    if (isExactType(type, bound)) return { valid: true, known: true }
    if (!this.#assign(type, bound)) return { valid: false, known: true }
    const general = mostGeneral(type, bound)
    if (!this.#occurs(param, general)) this.#bind(param, general)
    return { valid: true, known: true }
  }

  #occurs(param: Type, within: Type): boolean {
    if (within.kind === 'param') {
      if (within.name === param.name) return true
      const bound = this.#bound.get(within.name)
      return bound !== undefined && this.#occurs(param, bound)
    }
    return within.params.some((type) => this.#occurs(param, type))
  }

  /** The type with bound parameters replaced; free ones become dyn if asked. */
  apply(type: Type, freeToDyn: boolean, depth = 0): Type {
    if (depth > MAX_SUBSTITUTION) return DYN
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name)
      if (bound !== undefined) return this.apply(bound, freeToDyn, depth + 1)
      return freeToDyn ? DYN : type
    }
    if (type.params.length === 0) return type
    return mapParams(type, (param) => this.apply(param, freeToDyn, depth + 1))
  }
}

/** The type with other parameters; itself when none changed. */
export function mapParams(type: Type, change: (param: Type) => Type): Type {
  const params = type.params.map(change)
  if (params.every((param, i) => param === type.params[i])) return type
  if (type.kind === 'list') return listType(params[0]!)
  if (type.kind === 'map') return mapType(params[0]!, params[1]!)
  if (type.kind === 'type') return typeType(params[0]!)
  return { ...type, params }
}

export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b
}

/** Equal, or the same but for dyn in place of something. */
function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.kind === 'opaque' || a.kind === 'list' || a.kind === 'map') {
    if (a.name !== b.name || a.params.length !== b.params.length) return false
    return a.params.every((param, i) => isLessSpecific(param, b.params[i]!))
  }
  return isExactType(a, b)
}
