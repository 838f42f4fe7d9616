/** The answer to a write that was not stored: a dry run, or the last state of an object that is deleted. */
import type { KubeObject } from '../api/object.ts'
import { CacheEntry, type EntryFacts, type EntryShape } from '../cache/cache-entry.ts'
import { encodeJson } from '../codec/json.ts'
import { withResourceVersion } from '../codec/store-text.ts'
import type { Written } from './registry.ts'
import type { EncodedObject } from './storage-contract.ts'

interface PreviewedObject {
  readonly encoded: EncodedObject
  readonly facts: EntryFacts
  readonly shape: EntryShape
}

export function preview({ encoded, facts, shape }: PreviewedObject, resourceVersion = ''): Written {
  if (/^[1-9]\d*$/.test(resourceVersion)) return new CacheEntry(facts, Number(resourceVersion), shape)
  const canonical = (): KubeObject => encoded.canonical ?? shape.parse(facts.bytes.toString())
  const size = facts.bytes.length
  if (resourceVersion === '') return { size, jsonLine: () => Buffer.concat([facts.bytes, newline]), object: canonical }
  // Set by the client and never read.
  const given = (): KubeObject => withResourceVersion(canonical(), resourceVersion)
  return { size, jsonLine: () => Buffer.from(`${encodeJson(given())}\n`), object: given }
}

const newline = Buffer.from('\n')
