/**
 * Declared rules: what must hold for single fields of a kind, as data. The written rules of a kind say the same in
 * code; which of the two counts is decided in declared-strategy.ts.
 */
import {
  type FieldError,
  fieldErrorWith,
  invalid as invalidField,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'

export interface FieldRule {
  /** Must be there. Fields with a default are: the default was filled in before. */
  readonly required?: true
  readonly minimum?: number
  /** In bytes. */
  readonly maxLength?: number
  readonly maxItems?: number
  readonly enum?: readonly string[]
}

/** By path below the object: `spec.replicas`; `spec.ports[].name` is a field of every item. */
export type FieldRules = Readonly<Record<string, FieldRule>>

/** By the catalogue's name of the kind's type. */
const rulesOfKinds: Readonly<Record<string, FieldRules>> = {
  'core.v1.ReplicationController': {
    'spec.replicas': { required: true, minimum: 0 },
    'spec.minReadySeconds': { minimum: 0 },
  },
}

export const declaredRules = (type: string | undefined): FieldRules | undefined =>
  type === undefined ? undefined : rulesOfKinds[type]

/** All that the rules find wrong, in the order of the rules. */
export function evaluateRules(object: JsonObject, rules: FieldRules): FieldError[] {
  return Object.entries(rules).flatMap(([path, rule]) =>
    placesOf(object, path.split('.')).flatMap(({ at, value }) => evaluateRule(rule, at, value)),
  )
}

interface FieldPosition {
  readonly at: FieldPath
  readonly value: JsonValue | undefined
}

/** Where a path leads. A field whose parent is missing is nowhere: that is for the parent's rule to find. */
function placesOf(object: JsonObject, segments: readonly string[]): FieldPosition[] {
  let places: FieldPosition[] = [{ at: FieldPath.root, value: object }]
  for (const segment of segments) {
    const name = segment.replace(/\[\]$/, '')
    const below = places.flatMap(({ at, value }) =>
      isJsonObject(value) ? [{ at: at.child(name), value: value[name] }] : [],
    )
    places = name === segment ? below : below.flatMap(itemsOf)
  }
  return places
}

const itemsOf = ({ at, value }: FieldPosition): FieldPosition[] =>
  Array.isArray(value) ? value.map((item, i) => ({ at: at.index(i), value: item })) : []

function evaluateRule(rule: FieldRule, at: FieldPath, value: JsonValue | undefined): FieldError[] {
  if (value === undefined || value === null) return rule.required ? [required(at)] : []
  const errors: FieldError[] = []
  const broken = (origin: string, error: FieldError): void => void errors.push(fieldErrorWith(error, { origin }))
  const { minimum, maxLength, maxItems, enum: allowed } = rule
  if (minimum !== undefined && typeof value === 'number' && value < minimum) {
    broken('minimum', invalidField(at, value, `must be greater than or equal to ${minimum}`))
  }
  if (maxLength !== undefined && typeof value === 'string' && Buffer.byteLength(value) > maxLength) {
    broken('maxLength', tooLong(at, maxLength))
  }
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    broken('maxItems', tooMany(at, value.length, maxItems))
  }
  if (allowed !== undefined && typeof value === 'string' && !allowed.includes(value)) {
    errors.push(notSupported(at, value, allowed))
  }
  return errors
}
