/** A long text that is put together from units of UTF-16, and never from texts: megabytes take milliseconds. */
export class UnitWriter {
  #units: Uint16Array
  #length = 0

  constructor(capacity: number) {
    this.#units = new Uint16Array(capacity)
  }

  write(unit: number): void {
    if (this.#length === this.#units.length) this.#grow()
    this.#units[this.#length++] = unit
  }

  /** All of the text, or the part between two offsets. */
  writeText(text: string, from = 0, to = text.length): void {
    for (let i = from; i < to; i++) this.write(text.charCodeAt(i))
  }

  toString(): string {
    return textOfUnits(this.#units.subarray(0, this.#length))
  }

  #grow(): void {
    const larger = new Uint16Array(this.#units.length * 2 + 16)
    larger.set(this.#units)
    this.#units = larger
  }
}

/** The engine keeps text of single bytes in half the space and goes over it faster. */
export function textOfUnits(units: Uint16Array): string {
  let seen = 0
  for (let i = 0; i < units.length; i++) seen |= units[i]!
  if (seen < 0x100) return Buffer.from(new Uint8Array(units).buffer).toString('latin1')
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le')
}
