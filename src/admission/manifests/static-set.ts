/**
 * What a plugin has from files: nothing until it is loaded, then what was good last. Whoever made something of it makes it anew when the
 * revision moves.
 */
export class StaticSet<T> {
  #value: T | undefined
  #revision = 0

  get value(): T | undefined {
    return this.#value
  }

  get revision(): number {
    return this.#revision
  }

  replace(value: T): void {
    this.#value = value
    this.#revision++
  }
}
