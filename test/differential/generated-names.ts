/** Names that servers generate: what they begin with is compared, the rest is random. */
import { isList, isMap, type Json } from './json.ts'
import type { Mask } from './normalise.ts'

/** Objects whose names were generated, before other masks change how long the names are. */
export function withoutGenerated(value: Json): Json {
  if (isList(value)) return value.map(withoutGenerated)
  if (!isMap(value)) return value
  const result = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutGenerated(item)]))
  const { generateName, name } = value
  if (typeof generateName !== 'string' || generateName === '' || typeof name !== 'string') return result
  return { ...result, name: name.replace(new RegExp(`^${generatedFrom(generateName)}$`), '$1RANDOM') }
}

/** Names of at most 63 bytes, which may cut off what they are generated from in the middle of a character. */
function generatedFrom(generateName: string): string {
  const kept = Buffer.from(generateName)
    .subarray(0, 58)
    .toString()
    .replace(/\uFFFD$/, '')
  const prefix = kept.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return `(${prefix}(?:\uFFFD|\\\\x[0-9a-f]{2}){0,3})[bcdfghjklmnpqrstvwxz2456789]{5}`
}

/** Also hides the names that are generated for one request, which errors name without saying what they come from. */
export function maskGenerated(generateName: string, masked: Mask): Mask {
  // What is a number as a whole is a version that begins in the same way.
  const names = new RegExp(`(?!\\d+(?![a-z0-9]))${generatedFrom(generateName)}(?![a-z0-9])`, 'g')
  const mask = (text: string): string => masked(text.replaceAll(names, '$1RANDOM'))
  return masked.port === undefined ? mask : Object.assign(mask, { port: masked.port })
}
