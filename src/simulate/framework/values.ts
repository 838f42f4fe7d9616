/** Small values of the API. */

/** `25%` of a total, or the number itself; 0 for what is neither. */
export function scaledOrZero(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without what is not there, 0, or an empty list or map: as fields that may be omitted are kept. */
export function omitEmpty<T extends object>(value: T): WithoutUndefined<Partial<T>> {
  const entries = Object.entries(value).filter(([, member]) => !isEmpty(member))
  return Object.fromEntries(entries) as WithoutUndefined<Partial<T>>
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true
  return Array.isArray(value) && value.length === 0
}

/** Names from a 32-bit number in letters that form no words. Mirrors k8s.io/apimachinery/pkg/util/rand: SafeEncodeString. */
export function safeEncode(text: string): string {
  let encoded = ''
  for (const c of text) encoded += alphabet[c.charCodeAt(0) % alphabet.length]
  return encoded
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** FNV-1a, 32 bits. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = fnvOffset
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0
  return hash
}

/** FNV-1, 32 bits. */
export function fnv32(bytes: Uint8Array): number {
  let hash = fnvOffset
  for (const byte of bytes) hash = (Math.imul(hash, fnvPrime) ^ byte) >>> 0
  return hash
}

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193
