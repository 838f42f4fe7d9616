/** A Go value that JSON does not have, where decoded JSON would be: it is no map, no list and no scalar, and its type error prints it. */
export class GoNative {
  /** `%T`. */
  readonly type: string
  /** `%v`. */
  readonly text: string
  /** `%#v`. */
  readonly syntax: string

  constructor(type: string, text: string, syntax: string) {
    this.type = type
    this.text = text
    this.syntax = syntax
  }

  /** What Go prints by its address, which means nothing to anybody. */
  static pointer(type: string, text: string): GoNative {
    return new GoNative(type, text, `(${type})(0xc000000000)`)
  }
}
