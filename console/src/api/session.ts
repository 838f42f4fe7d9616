// Who is signed in, and what this server offers.
import { computed, signal } from '@preact/signals'
import { get, Refusal, send, signedOut } from './http.ts'

interface Feature {
  readonly available: boolean
  readonly allowed: boolean
  readonly reason?: string
}

export interface Capabilities {
  readonly server: string
  readonly release: string
  readonly program?: string
  readonly user: { readonly name: string; readonly groups: readonly string[] }
  readonly features: Readonly<Record<string, Feature>>
}

export const capabilities = signal<Capabilities | undefined>(undefined)

export const user = computed(() => capabilities.value?.user.name ?? '')

const none: Feature = { available: false, allowed: false }

export const feature = (name: string): Feature => capabilities.value?.features[name] ?? none

export const has = (name: string): boolean => feature(name).available && feature(name).allowed

/** Why a view has nothing to show, in a sentence. */
export function whyNot(name: string): string {
  const { available, reason } = feature(name)
  if (!available) return reason ?? 'This server does not have it.'
  return `You are not allowed to see this: ask for a binding to the ClusterRole pilothouse:console.`
}

/** Takes a code out of the address, which is replaced so that it stays nowhere. */
export function takeCode(): string | undefined {
  const texts = new URLSearchParams(location.hash.slice(1))
  const code = texts.get('code') ?? undefined
  texts.delete('code')
  const rest = texts.size === 0 ? '' : `#${texts}`
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search + rest)
  return code
}

/** Whether the code was good. */
export async function signIn(code: string): Promise<boolean> {
  const answer = await send('/console/v1/session', { method: 'POST', body: { code } })
  if (answer.ok) signedOut.value = false
  return answer.ok
}

export async function loadCapabilities(): Promise<void> {
  try {
    capabilities.value = await get<Capabilities>('/console/v1/capabilities')
    signedOut.value = false
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 401 || error.code === 403) signedOut.value = true
    else throw error
  }
}

export async function signOut(): Promise<void> {
  await send('/console/v1/session', { method: 'DELETE' })
  signedOut.value = true
}
