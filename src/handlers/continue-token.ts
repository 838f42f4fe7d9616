/** Continue tokens: base64url JSON of the list's version and the key to go on with, as the reference makes them. */

import { isJsonObject } from '../api/json.ts'
import { badRequest } from '../api/status-error.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { JsonDocument } from '../codec/json.ts'

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
  const fail = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)
  const bad = /[^A-Za-z0-9_-]/.exec(token)
  if (bad !== null) throw fail(`illegal base64 data at input byte ${bad.index}`)
  if (token.length % 4 === 1) throw fail(`illegal base64 data at input byte ${token.length - 1}`)
  let value: unknown
  try {
    value = new JsonDocument(Buffer.from(token, 'base64url')).value()
  } catch (error) {
    throw fail(error instanceof DecodeError ? error.message : String(error))
  }
  if (!isJsonObject(value)) throw fail('json: cannot unmarshal into Go value of type storage.continueToken')
  const { v = '', rv = 0, start = '' } = value
  if (v !== tokenVersion) throw fail(`server does not recognize this encoded version ${String(v)}`)
  const revision = Number(rv)
  if (revision === 0) throw fail(`incorrect encoded start resourceVersion (version ${tokenVersion})`)
  if (typeof start !== 'string' || start === '') throw fail(`encoded start key empty (version ${tokenVersion})`)
  const key = start.startsWith('/') ? start.slice(1) : start
  if (key.split('/').some((part) => part === '..' || part === '.')) throw fail('continue key is not valid')
  return { revision, start: key }
}
