/**
 * The files that `kubectl cp` brought into simulated containers, so that it can bring them back: archives of tar in and out.
 * Bounds: 1 MiB and 100 files a container, 100 containers; what is beyond is refused.
 */

const blockBytes = 512
const maxBytes = 1 << 20
const maxFiles = 100
const maxContainers = 100

export type Files = ReadonlyMap<string, Buffer>

export class CopiedFiles {
  readonly #containers = new Map<string, Map<string, Buffer>>()

  of(key: string): Files {
    return this.#containers.get(key) ?? new Map()
  }

  forget(prefix: string): void {
    for (const key of this.#containers.keys()) if (key.startsWith(prefix)) this.#containers.delete(key)
  }

  /** What is wrong; undefined: all files are there now. */
  add(key: string, files: Files): string | undefined {
    const all = new Map([...this.of(key), ...files])
    const bytes = [...all.values()].reduce((sum, { length }) => sum + length, 0)
    if (bytes > maxBytes || all.size > maxFiles) return 'No space left on device'
    if (!this.#containers.has(key) && this.#containers.size >= maxContainers) return 'No space left on device'
    this.#containers.set(key, all)
    return undefined
  }
}

/** The folder that the `tar` command unpacks into; undefined: the command is another one. */
export function unpackFolder(command: readonly string[]): string | undefined {
  if (command[0] !== 'tar' || !/^-?[a-z]*x[a-z]*f?$/.test(command[1] ?? '')) return undefined
  const at = command.indexOf('-C')
  return at < 0 ? '/' : (command[at + 1] ?? '/')
}

/** The path that the `tar` command packs; undefined: the command is another one. */
export function packedPath(command: readonly string[]): string | undefined {
  if (command[0] !== 'tar' || !/^-?[a-z]*c[a-z]*f?$/.test(command[1] ?? '')) return undefined
  return command.slice(2).find((word) => !word.startsWith('-'))
}

export function readTar(archive: Buffer, folder: string): Files {
  const files = new Map<string, Buffer>()
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes)
    const name = textAt(header, 0, 100)
    if (name === '') break
    const size = Number.parseInt(textAt(header, 124, 12).trim(), 8) || 0
    const prefix = textAt(header, 345, 155)
    const type = String.fromCharCode(header[156] ?? 0)
    const body = archive.subarray(at + blockBytes, at + blockBytes + size)
    if (type === '0' || type === '\0') {
      files.set(absolute(folder, prefix === '' ? name : `${prefix}/${name}`), Buffer.from(body))
    }
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes
  }
  return files
}

const absolute = (folder: string, path: string): string =>
  `/${[...folder.split('/'), ...path.split('/')].filter((part) => part !== '' && part !== '.').join('/')}`

/** The files at or below a path; undefined: there are none. */
export function writeTar(files: Files, path: string): Buffer | undefined {
  const wanted = absolute('/', path)
  const found = [...files].filter(
    ([name]) => name === wanted || name.startsWith(wanted === '/' ? wanted : `${wanted}/`),
  )
  if (found.length === 0) return undefined
  const blocks = found.flatMap(([name, body]) => {
    const padding = (blockBytes - (body.length % blockBytes)) % blockBytes
    return [tarHeader(name.slice(1), body.length), body, Buffer.alloc(padding)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  header.write(name.slice(0, 99), 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const part = bytes.subarray(at, at + length)
  const end = part.indexOf(0)
  return part.toString('utf8', 0, end < 0 ? length : end)
}
