/**
 * The note that a copy leaves in its target while it is under way, outside of the objects' prefix. It stays when the copy
 * is cut: what is there then is only a part, which no server may show to its clients as the whole.
 */
import { ConfigError } from '../config/config-error.ts'
import type { Entry, Store } from '../store/store.ts'

/** Of a prefix that begins with a slash. */
const noteKey = (prefix: string): string => `pilothouse-copy${prefix}`

export interface CopyNote {
  /** The source, as the user named it. */
  readonly from: string
  readonly revision: number
}

export async function readCopyNote(store: Store, prefix: string): Promise<CopyNote | undefined> {
  const note = await store.get(noteKey(prefix))
  return note.status === 'ok' && note.entry !== undefined
    ? { from: sourceIn(note.entry), revision: note.entry.revision }
    : undefined
}

function sourceIn({ value }: Entry): string {
  try {
    return String((JSON.parse(Buffer.from(value).toString()) as { from?: unknown }).from)
  } catch {
    return 'something unknown'
  }
}

/** False when another process has written one since `known` was read. */
export async function writeCopyNote(
  store: Store,
  prefix: string,
  { from, begun, known }: { readonly from: string; readonly begun: Date; readonly known: CopyNote | undefined },
): Promise<boolean> {
  const key = noteKey(prefix)
  const value = Buffer.from(JSON.stringify({ from, begun: begun.toISOString() }))
  const { ok } = await store.write(
    known === undefined
      ? { type: 'create', key, value }
      : { type: 'replace', key, value, expectedRevision: known.revision },
  )
  return ok
}

export async function removeCopyNote(store: Store, prefix: string): Promise<void> {
  const note = await readCopyNote(store, prefix)
  if (note !== undefined) {
    await store.write({ type: 'delete', key: noteKey(prefix), expectedRevision: note.revision })
  }
}

/** Rejects when the store holds a part of a copy. */
export async function refuseUnfinishedCopy(store: Store, prefix: string): Promise<void> {
  const note = await readCopyNote(store, prefix)
  if (note === undefined) return
  throw new ConfigError(
    `the store holds an unfinished copy of ${note.from}: give the same "pilothouse copy" command again to finish it`,
  )
}
