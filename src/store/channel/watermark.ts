// The revision of the newest visible write, for all processes of a server: a file of no name, two copies of one number. The one process that
// writes it does so before any of them hears that a write is acknowledged. Copies that differ are being written.
import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const bytes = 16

export class Watermark {
  readonly descriptor: number
  readonly #buffer = Buffer.alloc(bytes)

  /** The file behind a descriptor that was made by `create`, in this process or in the one that started it. */
  constructor(descriptor: number) {
    this.descriptor = descriptor
  }

  static create(revision: number): Watermark {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-watermark-'))
    const file = path.join(folder, 'revision')
    const watermark = new Watermark(openSync(file, 'wx+', 0o600))
    rmSync(file)
    rmdirSync(folder)
    watermark.write(revision)
    return watermark
  }

  write(revision: number): void {
    this.#buffer.writeDoubleLE(revision, 0)
    this.#buffer.writeDoubleLE(revision, 8)
    writeSync(this.descriptor, this.#buffer, 0, bytes, 0)
  }

  read(): number {
    for (;;) {
      readSync(this.descriptor, this.#buffer, 0, bytes, 0)
      const revision = this.#buffer.readDoubleLE(0)
      if (revision === this.#buffer.readDoubleLE(8)) return revision
    }
  }

  close(): void {
    closeSync(this.descriptor)
  }
}
