/**
 * A value as the reference's messages quote it, in both forms: Go's own syntax (`%#v`), which releases up to 1.33 show, and JSON
 * as Go writes it of its internal types, which later ones do. Values whose forms are the same are plain texts.
 */
import { goJson } from './json-text.ts'

export class GoLiteral {
  readonly go: string
  readonly #json: string | ((release: number) => string)

  /** `json`, or what makes it when it is asked for: internal types differ from release to release. */
  constructor(go: string, json: string | ((release: number) => string)) {
    this.go = go
    this.#json = json
  }

  jsonAt(release: number): string {
    return typeof this.#json === 'string' ? this.#json : this.#json(release)
  }

  toString(): string {
    return this.go
  }
}

/** A text that Go shows by its own method, without quotes. */
export const goNamed = (text: string): GoLiteral => new GoLiteral(text, () => goJson(text))

/** How messages show a pointer to nothing. */
export const goNull = new GoLiteral('"null"', 'null')

/** A quoted text, a number or a boolean is the same in both forms. */
export type RenderedValue = string | GoLiteral

export const goOf = (value: RenderedValue): string => (typeof value === 'string' ? value : value.go)
export const jsonOf = (value: RenderedValue, release: number): string =>
  typeof value === 'string' ? value : value.jsonAt(release)
