// Lets many who ask the same question share few reads. A read that is already under way may be older than a question asked now, so those who
// ask meanwhile share the one after it.

export class SharedRead<T> {
  readonly #read: () => Promise<T>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(read: () => Promise<T>) {
    this.#read = read
  }

  /** The answer of a read that begins no sooner than now. */
  get(): Promise<T> {
    if (this.#running === undefined) return this.#run()
    const start = (): Promise<T> => this.#run()
    this.#next ??= this.#running.then(start, start)
    return this.#next
  }

  #run(): Promise<T> {
    this.#next = undefined
    const running = this.#read().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
