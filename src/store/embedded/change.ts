// One write as the embedded stores remember it, without its value, and the order of keys.

export interface Change {
  readonly key: string
  readonly revision: number
  readonly createRevision: number
  /** The change of the same key before this one, a deletion included; 0 when there was none. It may have been compacted away since. */
  readonly previousRevision: number
  readonly deleted: boolean
  /** When the store deletes the key by itself, in milliseconds since 1970; 0 for never. */
  readonly expiresAt: number
}

/** A form of the key whose order as a JavaScript string is that of its UTF-8 bytes: the key itself unless it has other than ASCII. */
export function orderedKey(key: string): string {
  for (let i = 0; i < key.length; i++) {
    if (key.charCodeAt(i) > 0x7f) return Buffer.from(key, 'utf8').toString('latin1')
  }
  return key
}

/** The first ordered key after all those that begin with the ordered `prefix`. */
export function prefixEnd(prefix: string): string {
  if (prefix === '') return '\u0100'
  const last = prefix.length - 1
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)
}
