/** A path to a field as messages write it: `spec.containers[0].env[key]`. Immutable; the text is made on demand. */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  /** A number is that of an item, whose text is made only where an error shows it. */
  readonly #segment: string | number

  private constructor(parent: FieldPath | undefined, segment: string | number) {
    this.#parent = parent
    this.#segment = segment
  }

  /** `FieldPath.of('metadata', 'name')`. With no name it is the root, whose text is `<nil>`. */
  static of(...names: string[]): FieldPath {
    return FieldPath.root.child(...names)
  }

  static readonly root: FieldPath = new FieldPath(undefined, '')

  child(...names: string[]): FieldPath {
    let path: FieldPath = this
    for (const name of names) path = new FieldPath(path, path.#isRoot() ? name : `.${name}`)
    return path
  }

  index(position: number): FieldPath {
    return new FieldPath(this, position)
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`)
  }

  #isRoot(): boolean {
    return this.#parent === undefined
  }

  toString(): string {
    if (this.#isRoot()) return '<nil>'
    let text = ''
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) {
      const segment = path.#segment
      text = (typeof segment === 'number' ? `[${segment}]` : segment) + text
    }
    return text
  }
}
