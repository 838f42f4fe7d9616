/**
 * The claims that every token may have, by the types that Go reads them in: a token in which one of them is something else is refused,
 * so that nothing of it goes unchecked. Mirrors github.com/coreos/go-oidc: idToken.
 */
import { isJsonObject, type JsonObject, type JsonValue, jsonTypeName, ownValue } from '../../api/json.ts'

type Fits = (value: JsonValue) => boolean

const isText: Fits = (value) => value === null || typeof value === 'string'

const isMapOf =
  (fits: Fits): Fits =>
  (value) =>
    value === null || (isJsonObject(value) && Object.values(value).every((each) => each === undefined || fits(each)))

const isAudience: Fits = (value) => isText(value) || (Array.isArray(value) && value.every(isText))

const isSource: Fits = (value) =>
  value === null ||
  (isJsonObject(value) &&
    [value['endpoint'], value['access_token']].every((part) => part === undefined || isText(part)))

const isTime: Fits = (value) => secondsOf(value) !== undefined

const claimTypes: Readonly<Record<string, Fits>> = {
  iss: isText,
  sub: isText,
  aud: isAudience,
  exp: isTime,
  iat: isTime,
  nbf: (value) => value === null || isTime(value),
  nonce: isText,
  at_hash: isText,
  _claim_names: isMapOf(isText),
  _claim_sources: isMapOf(isSource),
}

/** What Go's numbers are written as. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Later times wrap around in Go. */
const lastSecond = 2 ** 63 - 62_135_596_800

/** A time in whole seconds: a number, or a text that is one. Undefined for everything else, and for times outside Go's range. */
export function secondsOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && number.test(value))) return undefined
  const seconds = Math.trunc(Number(value))
  return Math.abs(seconds) < lastSecond ? seconds : undefined
}

/** Why the claims cannot be those of a token; undefined when they can. */
export function mistypedClaim(claims: JsonObject): string | undefined {
  for (const [name, fits] of Object.entries(claimTypes)) {
    const value = ownValue(claims, name)
    if (value === undefined || fits(value)) continue
    return `oidc: verify token: oidc: failed to unmarshal claims: ${name} cannot be ${jsonTypeName(value)}`
  }
  return sourcelessClaim(claims)
}

/** Every claim that is elsewhere has a source. */
function sourcelessClaim({ _claim_names: names, _claim_sources: sources }: JsonObject): string | undefined {
  if (!isJsonObject(names)) return undefined
  for (const source of Object.values(names)) {
    if (typeof source !== 'string' || source === '') {
      return 'oidc: verify token: oidc: failed to obtain source from claim name'
    }
    if (!isJsonObject(sources) || ownValue(sources, source) === undefined) {
      return 'oidc: verify token: oidc: source does not exist'
    }
  }
  return undefined
}
