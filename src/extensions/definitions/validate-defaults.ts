/** The defaults of a schema must themselves be valid, without unknown fields. */

import { equalInSteps } from '../../api/equal-in-steps.ts'
import { uncounted } from '../../api/error-limit.ts'
import { type FieldError, fieldErrorWith, invalidAs } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { shownValue } from '../../api/golang/value.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import type { JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { RUNTIME_BUDGET } from '../../cel/budgets.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { pruneObjectInSteps, pruneValueInSteps } from '../../schema/prune.ts'
import type { Schema } from '../../schema/schema.ts'
import { validateDefaultValue } from '../../schema/validate.ts'
import { coerceEmbedded, validateEmbedded, validateWhole } from '../custom/object-meta.ts'
import { RuleSet } from '../custom/rule-set.ts'
import { schemasIn } from './definition.ts'
import type { SchemaOptions } from './schema-options.ts'
import { itemsOf, propertiesOf } from './validate-structural.ts'

type Surround = (value: JsonValue) => JsonObject

interface DefaultPosition {
  readonly at: FieldPath
  readonly isWhole: boolean
  /** Inside of the metadata, kind or apiVersion of the nearest whole object. */
  readonly insideMeta: boolean
  /** The nearest whole object with the value in its place. */
  readonly surround: Surround
}

const wholeObject: JsonObject = { apiVersion: 'validation/v1', kind: 'Validation' }

type Options = Pick<SchemaOptions, 'requirePrunedDefaults' | 'release'>

export function* validateDefaults(root: JSONSchemaProps, at: FieldPath, options: Options): Steps<FieldError[]> {
  if (!schemasIn(root).some((schema) => schema.default !== undefined)) return []
  const errors: FieldError[] = []
  const surround: Surround = (value) => ({ ...wholeObject, ...(isJsonObject(value) ? value : {}) })
  yield* visit(root, { at, isWhole: true, insideMeta: false, surround }, { ...options, errors })
  return errors
}

interface Visit extends Options {
  readonly errors: FieldError[]
}

function* visit(schema: JSONSchemaProps, place: DefaultPosition, context: Visit): Steps<void> {
  const isWhole = place.isWhole || schema['x-kubernetes-embedded-resource'] === true
  const here: DefaultPosition = isWhole
    ? { ...place, isWhole, insideMeta: false, surround: (value) => ({ ...wholeObject, ...(value as JsonObject) }) }
    : place
  yield
  if (schema.default !== undefined && schema.default !== null)
    pushAll(context.errors, yield* checkDefault(schema, here, context))
  const items = itemsOf(schema)
  const below = (name: FieldPath, surround: Surround, insideMeta: boolean): DefaultPosition => ({
    at: name,
    isWhole: false,
    insideMeta,
    surround,
  })
  if (items !== undefined) {
    yield* visit(
      items,
      below(here.at.child('items'), (value) => here.surround([value]), here.insideMeta),
      context,
    )
  }
  for (const [name, inner] of propertiesOf(schema)) {
    const insideMeta = here.insideMeta || (isWhole && ['metadata', 'apiVersion', 'kind'].includes(name))
    const surround: Surround = (value) => {
      const one: JsonObject = {}
      setKey(one, name, value)
      return here.surround(one)
    }
    yield* visit(inner, below(here.at.child('properties').key(name), surround, insideMeta), context)
  }
}

function* checkDefault(props: JSONSchemaProps, place: DefaultPosition, options: Visit): Steps<FieldError[]> {
  const value = props.default as JsonValue
  const schema = schemaFromOpenApi(props as JsonObject)
  const at = place.at.child('default')
  const shown = (text: string): FieldError => invalidAs(at, () => shownValue(value), text)
  const rules = RuleSet.of(schema, place.isWhole, options.release)
  if (place.insideMeta) {
    const problems = validateWhole(place.surround(value), FieldPath.root)
    if (problems.length > 0) {
      const [first] = problems
      return [shown(`must result in valid metadata: ${first?.field}: ${first?.message}`)]
    }
    return [...(yield* checkValue({ value, schema, at }, options.release)), ...(yield* checkRules(value, at, rules))]
  }
  const unpruned = options.requirePrunedDefaults && !(yield* isPruned(value, schema, place.isWhole))
  const errors = unpruned ? [shown('must not have unknown fields')] : []
  const coerced = coerceEmbedded(value, schema, 'refuse')
  if (coerced.fault !== undefined) {
    return [...errors, fieldErrorWith(coerced.fault, { field: below(at, coerced.fault.field.replace(/^\./, '')) })]
  }
  const meta =
    place.isWhole && isJsonObject(value) ? validateWhole(value, at) : yield* validateEmbedded(value, schema, at)
  const rest = meta.length > 0 ? meta : yield* checkValue({ value, schema, at }, options.release)
  return [...errors, ...(rest.length > 0 ? rest : yield* checkRules(value, at, rules))]
}

function* isPruned(value: JsonValue, schema: Schema, isWhole: boolean): Steps<boolean> {
  const pruned =
    isWhole && isJsonObject(value)
      ? (yield* pruneObjectInSteps(value, schema)).value
      : yield* pruneValueInSteps(value, schema)
  return yield* equalInSteps(pruned, value)
}

interface CheckedDefault {
  readonly value: JsonValue
  readonly schema: Schema
  readonly at: FieldPath
}

function* checkValue({ value, schema, at }: CheckedDefault, release: number): Steps<FieldError[]> {
  return (yield* uncounted(validateDefaultValue(value, schema, release)))
    .filter(({ message }) => !message.includes(intOrString))
    .map((error) => fieldErrorWith(error, { field: error.field === '<nil>' ? String(at) : `${at}.${error.field}` }))
}

/** Defaults of an int-or-string may be anything that its other keywords let pass. */
const intOrString = ' in body must be of type integer,string: '

const below = (at: FieldPath, field: string): string =>
  field === '<nil>' ? String(at) : `${at}${field.startsWith('[') ? '' : '.'}${field}`

/** The rules must hold for the default, as something new and as something that was there before. */
function* checkRules(value: JsonValue, at: FieldPath, rules: RuleSet | undefined): Steps<FieldError[]> {
  if (rules === undefined) return []
  const unchanged = yield* rules.validate(value, { at, old: value, budget: RUNTIME_BUDGET })
  if (unchanged.errors.length > 0) return unchanged.errors
  return (yield* rules.validate(value, { at, old: undefined, budget: RUNTIME_BUDGET })).errors
}
