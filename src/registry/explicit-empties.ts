/**
 * Fields that leave empty lists and maps out do not tell `matchLabels: {}` from none, and so a decoded object has
 * neither. The reference's refusals do tell them apart when they print a value. Only there the empty ones are looked up
 * in what the client sent: objects that are good never pay for it.
 */
import type { FieldError } from '../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'

/**
 * `errors` with values as they were given. `check` runs the same rules once more, on the object with the empty lists and
 * maps of `given`; where it finds fault with other fields, the first findings stand.
 */
export function withGivenEmpties(
  errors: readonly FieldError[],
  object: KubeObject,
  given: JsonValue | undefined,
  check: (object: KubeObject) => readonly FieldError[] | undefined,
): readonly FieldError[] {
  if (given === undefined || errors.length === 0) return errors
  const whole = overlay(object, given) as KubeObject
  if (whole === object) return errors
  const found = check(whole) ?? []
  const isSame = found.length === errors.length && found.every((error, i) => isAlike(error, errors[i] as FieldError))
  return isSame ? found : errors
}

const isAlike = (a: FieldError, b: FieldError): boolean => a.field === b.field && a.reason === b.reason

/** The same value when there is nothing to add. */
function overlay(value: JsonValue, given: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    if (!Array.isArray(given) || given.length !== value.length) return value
    const items = value.map((item, i) => overlay(item, given[i] as JsonValue))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  return isJsonObject(value) && isJsonObject(given) ? overlayObject(value, given) : value
}

function overlayObject(value: JsonObject, given: JsonObject): JsonObject {
  let out = value
  for (const key of Object.keys(given)) {
    const theirs = given[key] as JsonValue
    const ours = ownValue(value, key)
    const item = ours === undefined ? (isHollow(theirs) ? theirs : undefined) : overlay(ours, theirs)
    if (item === undefined || item === ours) continue
    if (out === value) out = { ...value }
    setKey(out, key, item)
  }
  return out
}

/** Empty, or an object of nothing but such values. */
function isHollow(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.values(value).every((item) => item !== undefined && isHollow(item))
}
