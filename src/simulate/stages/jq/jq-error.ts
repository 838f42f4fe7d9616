/** A filter that cannot be read, is beyond what is offered, or fails on its input. */
export class JqError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JqError'
  }
}

/** A filter that does too much: no `try` hides it. */
export class JqLimitError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JqLimitError'
  }
}
