/**
 * The warnings of one answer: each text once, in headers that stay of bounded size. When they get too many characters,
 * all of them are cut, those that are there already too.
 */
import type { Exchange } from './exchange.ts'

/** Characters of all warnings together, and of one once there are more. */
const maxTotal = 4096
const maxEach = 256

type Headers = Pick<Exchange, 'addHeader' | 'removeHeader'>

export class Warnings {
  readonly #texts = new Set<string>()
  #total = 0
  #isCutting = false

  add(text: string, headers: Headers): void {
    if ((this.#isCutting && this.#total >= maxTotal) || this.#texts.has(text)) return
    this.#texts.add(text)
    if (this.#isCutting || this.#total + [...text].length <= maxTotal) {
      this.#write(text, headers)
      return
    }
    this.#isCutting = true
    this.#total = 0
    headers.removeHeader('Warning')
    for (const each of this.#texts) this.#write(each, headers)
  }

  #write(text: string, headers: Headers): void {
    const chars = [...text]
    const shown = this.#isCutting ? chars.slice(0, maxEach) : chars
    // What is not one line of text is dropped.
    if (/\p{Cc}/u.test(text)) return
    this.#total += shown.length
    const quoted = shown.map((char) => (char === '"' || char === '\\' ? `\\${char}` : char)).join('')
    headers.addHeader('Warning', asBytes(`299 - "${quoted}"`))
  }
}

/** Headers are bytes: other than ASCII they are those of UTF-8, one in each character. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
