/**
 * Files that are part of the package: beside the program, or inside of it where it is a single executable. There the program has an address
 * of its own, `embedded:///program.cjs`, and is given the function that reads (`scripts/executable-entry.cjs`).
 */
import { readFileSync } from 'node:fs'

interface EmbeddedFile {
  (name: string): string | undefined
  (name: string, form: 'bytes'): Buffer | undefined
}

declare const embeddedFile: EmbeddedFile | undefined

/** Undefined when there is no such file. */
export function readPackageFile(url: URL): string | undefined {
  if (url.protocol === 'embedded:') return embeddedFile?.(url.pathname.slice(1))
  try {
    return readFileSync(url, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The same of a file that is no text. */
export function readPackageBytes(url: URL): Buffer | undefined {
  if (url.protocol === 'embedded:') return embeddedFile?.(url.pathname.slice(1), 'bytes')
  try {
    return readFileSync(url)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined
    throw error
  }
}
