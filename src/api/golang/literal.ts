/**
 * A value as the reference's messages quote it, in both forms: Go's own syntax (`%#v`), which releases up to 1.33 show, and JSON
 * as Go writes it of its internal types, which later ones do. Values whose forms are the same are plain texts.
 */
import { goJson } from './json-text.ts'

export class GoLiteral {
  readonly go: string
  readonly #json: string | (() => string)

  /** `json`, or what makes it when it is asked for. */
  constructor(go: string, json: string | (() => string)) {
    this.go = go
    this.#json = json
  }

  get json(): string {
    return typeof this.#json === 'string' ? this.#json : this.#json()
  }

  toString(): string {
    return this.go
  }
}

/** A text that Go shows by its own method, without quotes. */
export const goNamed = (text: string): GoLiteral => new GoLiteral(text, () => goJson(text))

/** A quoted text, a number or a boolean is the same in both forms. */
export type Shown = string | GoLiteral

export const goOf = (value: Shown): string => (typeof value === 'string' ? value : value.go)
export const jsonOf = (value: Shown): string => (typeof value === 'string' ? value : value.json)
