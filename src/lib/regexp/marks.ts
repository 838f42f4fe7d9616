/** A sparse set of positions in a program: cleared in constant time by counting a generation on. */

/** A set of places in a program, by marks that are cleared by counting on. */
export class Marks {
  readonly #marks: Uint32Array
  #now = 1

  constructor(length: number) {
    this.#marks = new Uint32Array(length)
  }

  clear(): void {
    if (++this.#now < 0xffffffff) return
    this.#marks.fill(0)
    this.#now = 1
  }

  /** Whether it was not yet in the set. */
  add(pc: number): boolean {
    if (this.#marks[pc] === this.#now) return false
    this.#marks[pc] = this.#now
    return true
  }
}
