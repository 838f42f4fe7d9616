/** Continue tokens: base64url JSON of the list's version and the key to go on with, as the reference makes them. */
import { isJsonObject, type JsonValue, jsonTypeName } from '../api/json.ts'
import { badRequest } from '../api/status-error.ts'
import { JsonDocument } from '../codec/json.ts'
import { reasonOf } from '../lib/fault.ts'

export interface ContinueToken {
  /** -1: go on with the newest data, whatever has changed since the first page. */
  readonly revision: number
  /** The first key of the next page, relative to the listed namespace (or to the whole resource). */
  readonly start: string
}

const tokenVersion = 'meta.k8s.io/v1'

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start: `/${start}` })).toString('base64url')
}

export function decodeContinue(token: string): ContinueToken {
  const text = token.replace(/[\r\n]/g, '')
  const bad = /[^A-Za-z0-9_-]/.exec(text)
  if (bad !== null) throw notValid(`: illegal base64 data at input byte ${bad.index}`)
  if (text.length % 4 === 1) throw notValid(`: illegal base64 data at input byte ${text.length - 1}`)
  const { v, rv, start } = parsed(Buffer.from(text, 'base64url'))
  if (v !== tokenVersion) throw notValid(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) throw notValid(`: incorrect encoded start resourceVersion (version ${tokenVersion})`)
  if (start === '') throw notValid(`: encoded start key empty (version ${tokenVersion})`)
  const key = start.startsWith('/') ? start.slice(1) : start
  // Guards against path traversal out of the listed prefix.
  if (key !== '' && key.split('/').some((part) => part === '' || part === '..' || part === '.')) {
    throw notValid(`: ${start}`)
  }
  return { revision: rv, start: key }
}

const notValid = (why: string): Error => badRequest(`invalid continue token: continue key is not valid${why}`)

function parsed(bytes: Buffer): { readonly v: string; readonly rv: number; readonly start: string } {
  const value = parsedJson(bytes)
  if (value !== null && !isJsonObject(value)) {
    throw notValid(`: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type storage.continueToken`)
  }
  const { v, rv, start } = value ?? {}
  const isInteger = typeof rv === 'bigint' || Number.isInteger(rv)
  return {
    v: typed(v, typeof v === 'string', 'v of type string') ?? '',
    rv: Number(typed(rv, isInteger, 'rv of type int64') ?? 0),
    start: typed(start, typeof start === 'string', 'start of type string') ?? '',
  }
}

function parsedJson(bytes: Buffer): JsonValue {
  try {
    return new JsonDocument(bytes).value()
  } catch (error) {
    throw notValid(`: ${reasonOf(error)}`)
  }
}

/** What is left out or null has its zero value. */
function typed<T extends JsonValue>(value: JsonValue | undefined, fits: boolean, field: string): T | undefined {
  if (value === undefined || value === null) return undefined
  if (fits) return value as T
  const what = field.startsWith('rv') && typeof value === 'number' ? `number ${value}` : jsonTypeName(value)
  throw notValid(`: json: cannot unmarshal ${what} into Go struct field continueToken.${field}`)
}
