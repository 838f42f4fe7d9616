/**
 * What every server makes of itself when it first starts (roles, flow schemas and the like), kept as data, so that a test
 * server need not make it again: some hundred writes, which would take longer than everything else. The server still
 * checks all of it at its start. Baked into the package when that is built; without that, the first server of a process
 * makes it for those that follow.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Clock } from '../lib/clock.ts'
import type { RestorableStore } from '../store/memory.ts'

/** Keys and values, the values as JSON text. */
type StartState = readonly (readonly [key: string, text: string])[]

/** Only what is the same for every server; addresses and the like are made by each. */
const kept =
  /^\/registry\/(clusterroles|clusterrolebindings|roles|rolebindings|flowschemas|prioritylevelconfigurations|priorityclasses|apiregistration\.k8s\.io\/apiservices)\//
const uid = /"uid":"[0-9a-f-]{36}"/g
const times = /"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g

/** By the flags of the server: other flags, other objects. */
const known = new Map<string, StartState>()
const maxKnown = 8
const file = new URL('./data/test-start-state.json', import.meta.url)

export function fillStartState({ fill }: RestorableStore, flags: readonly string[], clock: Clock): void {
  const state = known.get(keyOf(flags)) ?? baked(flags)
  if (state === undefined) return
  const now = `"${new Date(clock.now()).toISOString().slice(0, 19)}Z"`
  fill(
    state.map(([key, text]) => ({
      key,
      value: Buffer.from(text.replaceAll(uid, () => `"uid":"${clock.uuid()}"`).replaceAll(times, now)),
      expiresAt: 0,
    })),
  )
}

function baked(flags: readonly string[]): StartState | undefined {
  if (flags.length > 0 || !existsSync(file)) return undefined
  const state = JSON.parse(readFileSync(file, 'utf8')) as StartState
  known.set(keyOf(flags), state)
  return state
}

/** Remembers the state of a server that has just started. */
export async function rememberStartState({ store }: RestorableStore, flags: readonly string[]): Promise<void> {
  if (known.has(keyOf(flags)) || known.size >= maxKnown) return
  known.set(keyOf(flags), await startStateOf({ store }))
}

export async function startStateOf({ store }: Pick<RestorableStore, 'store'>): Promise<StartState> {
  const found = await store.range('/registry/')
  if (found.status !== 'ok') throw new Error(`the store answered ${found.status}`)
  return found.items
    .filter(({ key }) => kept.test(key))
    .map(({ key, value }) => [key, Buffer.from(value).toString('utf8')] as const)
}

const keyOf = (flags: readonly string[]): string => JSON.stringify(flags)
