/**
 * What every server makes of itself when it first starts (roles, namespaces, flow schemas and the like), kept as data, so
 * that a test server need not make it again: some hundred writes, which would take longer than everything else. Baked into
 * the package when that is built; without that, the first server of a process makes it for those that follow.
 *
 * What is a server's own is put in its place: uids, times, the port and the address that it listens on. What the cache
 * knows of an object is kept, too, so that nothing is decoded at a start.
 */

import type { CacheEntry, EntryFacts } from '../cache/cache-entry.ts'
import type { KnownEntries } from '../cache/resource-reader.ts'
import type { Clock } from '../lib/clock.ts'
import { SideTable } from '../lib/memo.ts'
import { readPackageFile } from '../lib/package-file.ts'
import type { ServerPlace } from '../server/test-seams.ts'
import type { RestorableStore } from '../store/restorable-store.ts'

export interface StartState {
  /** All values, one after the other, without those that have a place in them. */
  readonly text: string
  /** Where in the text, in bytes, something is that every server has its own of. */
  readonly uids: readonly number[]
  readonly times: readonly number[]
  readonly dates: readonly number[]
  readonly objects: readonly KeptObject[]
  readonly placed: readonly (KeptObject & { readonly text: string })[]
  /** Nothing of what every such server has is missing. */
  readonly complete: boolean
}

interface KeptObject {
  readonly key: string
  /** In bytes. */
  readonly length: number
  /** As in the cache's entries. */
  readonly facts: Omit<EntryFacts, 'bytes'>
}

/** Only what is there in every server with the same flags. */
const kept =
  /^\/registry\/(clusterroles|clusterrolebindings|roles|rolebindings|flowschemas|prioritylevelconfigurations|priorityclasses|apiregistration\.k8s\.io\/apiservices|namespaces|servicecidrs|ipaddresses|configmaps|services\/specs|services\/endpoints|endpointslices)\//
const uid = /(?<="uid":")[0-9a-f-]{36}(?=")/g
const time = /(?<=")20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=")/g
const date = /(?<=")20\d\d-\d\d-\d\d(?=")/g
const portMark = '"%port%"'
const addressMark = '%address%'

/** By the flags of the server: other flags, other objects. */
const known = new Map<string, StartState>()
const maxKnown = 8
const file = new URL('./data/test-start-state.json', import.meta.url)

/** The state that servers with these flags start with, if one of them has started before. */
export function knownStartState(flags: readonly string[]): StartState | undefined {
  return known.get(keyOf(flags)) ?? baked(flags)
}

function baked(flags: readonly string[]): StartState | undefined {
  const text = flags.length > 0 ? undefined : readPackageFile(file)
  if (text === undefined) return undefined
  const state = JSON.parse(text) as StartState
  known.set(keyOf(flags), state)
  return state
}

export function hasStartState(flags: readonly string[]): boolean {
  return known.has(keyOf(flags)) || known.size >= maxKnown
}

export function rememberStartState(state: StartState, flags: readonly string[]): void {
  known.set(keyOf(flags), state)
}

const keyOf = (flags: readonly string[]): string => JSON.stringify(flags)

/** What is known of the values that a state put into a store. */
export type ValueFacts = SideTable<Uint8Array, EntryFacts>

/** Fills an empty store with all that does not depend on where the server listens. */
export async function fillStartState(state: StartState, store: RestorableStore, clock: Clock): Promise<ValueFacts> {
  const facts: ValueFacts = new SideTable()
  const bytes = Buffer.from(state.text, 'utf8')
  const now = nowText(clock)
  for (const at of state.uids) bytes.write(clock.uuid(), at, 'latin1')
  for (const at of state.times) bytes.write(now, at, 'latin1')
  for (const at of state.dates) bytes.write(now.slice(0, dateLength), at, 'latin1')
  let start = 0
  await store.fill(
    state.objects.map((object) => {
      const value = bytes.subarray(start, start + object.length)
      start += object.length
      return knownValue(object, value, facts)
    }),
  )
  return facts
}

/** Adds the rest, before the server looks for it. */
export async function placeStartState(state: StartState, facts: ValueFacts, own: Own): Promise<void> {
  const { store, clock, place } = own
  const now = nowText(clock)
  const present = state.placed.filter(({ text }) => place.address !== undefined || !text.includes(addressMark))
  await store.fill(
    present.map((object) => {
      const text = object.text
        .replaceAll(portMark, String(place.port))
        .replaceAll(addressMark, place.address ?? '')
        .replaceAll(uid, () => clock.uuid())
        .replaceAll(time, now)
      return knownValue(object, Buffer.from(text), facts)
    }),
  )
}

interface Own {
  readonly store: RestorableStore
  readonly clock: Clock
  readonly place: ServerPlace
}

const dateLength = '2006-01-02'.length
const nowText = (clock: Clock): string => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`

function knownValue({ key, facts }: KeptObject, value: Buffer, all: ValueFacts) {
  all.set(value, { ...facts, bytes: value })
  return { key, value }
}

/** The state of a server that has just started, and of which the caches know this. */
export async function startStateOf(
  store: RestorableStore,
  entries: KnownEntries,
  place: ServerPlace,
): Promise<StartState> {
  const found = await store.range('/registry/')
  if (found.status !== 'ok') throw new Error(`the store answered ${found.status}`)
  const objects: KeptObject[] = []
  const placed: StartState['placed'][number][] = []
  let text = ''
  let left = 0
  for (const { key, value } of found.items.filter((item) => kept.test(item.key))) {
    const entry = entryOf(entries, key)
    // What would be written in another form is not known by its stored value.
    if (entry === undefined || !entry.isCurrent || !entry.bytes.equals(value)) {
      left++
      continue
    }
    const own = Buffer.from(value).toString('utf8')
    const object = { key, length: value.byteLength, facts: factsOf(entry) }
    const marked = withMarks(own, place)
    if (marked === own) {
      text += own
      objects.push(object)
      // The cache knows where the version goes, which must not depend on the place.
    } else if (marked.slice(0, entry.splice) === own.slice(0, entry.splice)) placed.push({ ...object, text: marked })
  }
  const latin = Buffer.from(text).toString('latin1')
  const places = (pattern: RegExp): number[] => [...latin.matchAll(pattern)].map(({ index }) => index)
  const complete = objects.length > 0 && left === 0
  return { text, uids: places(uid), times: places(time), dates: places(date), objects, placed, complete }
}

function entryOf(entries: KnownEntries, key: string): CacheEntry | undefined {
  for (const [prefix, snapshot] of entries) if (key.startsWith(prefix)) return snapshot.get(key.slice(prefix.length))
  return undefined
}

const factsOf = ({ key, namespace, name, labels, fields, splice, links }: CacheEntry): KeptObject['facts'] => ({
  key,
  namespace,
  name,
  splice,
  labels,
  fields,
  links,
})

function withMarks(text: string, { port, address }: ServerPlace): string {
  const marked = text.replaceAll(new RegExp(`(?<=[pP]ort":)${port}(?=[,}\\]])`, 'g'), portMark)
  return address === undefined ? marked : marked.replaceAll(`"${address}"`, `"${addressMark}"`)
}
