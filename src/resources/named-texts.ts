/**
 * Texts of named types (`v2.MetricTargetType`) in messages: later releases quote plain strings only, and show these as JSON does.
 * Which fields have such a type is told by the facts. Mirrors util/validation/field: Error.ErrorBody.
 */
import type { FieldError } from '../api/field-error.ts'
import { hasChange } from '../api/release-changes.ts'
import { whenReady } from '../lib/awaitable.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { Field, ObjectSchema, Schema } from '../schema/schema.ts'

interface Services {
  /** Absent in tests of rules alone. */
  readonly release?: number
}

export function withNamedTexts(strategy: Strategy, schema: ObjectSchema, { release }: Services): Strategy {
  if (release === undefined || !hasChange(release, 'quotesJson')) return strategy
  const { validate, validateUpdate, validateInTurns } = strategy
  const shown = (errors: FieldError[]): FieldError[] =>
    errors.some(({ withJsonText }) => withJsonText !== undefined) ? errors.map((error) => named(error, schema)) : errors
  return {
    ...strategy,
    ...(validate && { validate: (object, context) => shown(validate(object, context)) }),
    ...(validateUpdate && { validateUpdate: (object, old, context) => shown(validateUpdate(object, old, context)) }),
    ...(validateInTurns && {
      validateInTurns: (object, old, context) => whenReady(validateInTurns(object, old, context), shown),
    }),
  }
}

const named = (error: FieldError, schema: ObjectSchema): FieldError =>
  error.withJsonText !== undefined && isNamedAt(schema, error.field) ? error.withJsonText() : error

/** Fields of named types whose rules look at plain strings. */
const plainFields: ReadonlySet<string> = new Set([
  'apiextensions.v1.CustomResourceConversion.strategy',
  'apiextensions.v1.CustomResourceDefinitionSpec.scope',
  'apiserverinternal.v1alpha1.StorageVersionCondition.type',
  'batch.v1.PodFailurePolicyOnPodConditionsPattern.type',
  'core.v1.NamespaceSpec.finalizers',
  'core.v1.PodReadinessGate.conditionType',
])

/**
 * Whether the field that a path leads to has a named type. Keys of maps stand in brackets, as numbers of items do. Where the path ends at a list
 * of objects, the text is of one of their fields.
 */
function isNamedAt(root: ObjectSchema, path: string): boolean {
  let schema: Schema = root
  let last = ''
  let isNamed = false
  for (const [step] of path.matchAll(/[^.[\]]+|\[[^\]]*\]/g)) {
    if (step.startsWith('[')) {
      if (schema.kind !== 'list' && schema.kind !== 'map') return false
      schema = schema.kind === 'list' ? schema.items : schema.values
      continue
    }
    // Some paths of the reference have a name twice, or leave out the number of an item, also of the last one.
    if (schema.kind !== 'object' && step === last) continue
    if (schema.kind === 'list') schema = schema.items
    last = step
    const field: Field | undefined = schema.kind === 'object' ? schema.fields.get(step) : undefined
    if (field === undefined) return false
    isNamed = field.goType !== undefined && !plainFields.has(`${(schema as ObjectSchema).name}.${step}`)
    schema = field.schema
  }
  const end = schema.kind === 'list' ? schema.items : schema
  if (end.kind === 'string') return isNamed
  return schema.kind === 'list' && end.kind === 'object' && textsOf(end).every(({ goType }) => goType !== undefined)
}

const textsOf = ({ fields }: ObjectSchema): Field[] =>
  [...fields.values()].filter(({ schema }) => schema.kind === 'string')
