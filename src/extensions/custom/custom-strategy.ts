/** How custom objects are prepared and checked, in the version of the request. */

import { type FieldError, fieldErrorWith, invalid, invalidAs, quote } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { goNull } from '../../api/golang/literal.ts'
import type { GroupResource } from '../../api/group-version.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { checkQualifiedName } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { methodNotSupported } from '../../api/status-error.ts'
import { RUNTIME_BUDGET } from '../../cel/budgets.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { nextGeneration } from '../../registry/object-meta.ts'
import type { Strategy, WriteContext } from '../../registry/strategy.ts'
import { validateLists } from '../../schema/list-keys.ts'
import { validateValue } from '../../schema/validate.ts'
import type { CustomVersion } from './custom-version.ts'
import { validateEmbedded } from './object-meta.ts'
import { RuleSet } from './rule-set.ts'
import { validateScale } from './scale.ts'

export interface CustomStrategies {
  readonly main: Strategy
  readonly status: Strategy
}

export interface CustomKind {
  readonly kind: string
  /** The version that an object says to be in. */
  versionOf(apiVersion: string): CustomVersion | undefined
  /** What is wrong with a part that has not changed is forgiven. */
  readonly ratcheting: boolean
  /** The minor number of the release that is served. */
  readonly release: number
  readonly resource: GroupResource
  readonly isTerminating: () => boolean
}

export function customStrategies(kind: CustomKind): CustomStrategies {
  const rules = new ObjectRules(kind)
  const main: Strategy = {
    validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
    validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
    prepareForCreate(draft) {
      if (kind.isTerminating()) {
        const refused = methodNotSupported(kind.resource, 'create')
        throw refused.withMessage('create not allowed while custom resource definition is terminating')
      }
      const version = rules.version(draft)
      if (version.hasStatus) resetStatus(draft, version)
      draft.metadata.generation = 1
    },
    validateInTurns: (object, old, context) =>
      inTurns(old === undefined ? rules.validate(object) : rules.validateUpdate(object, old, context)),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    prepareForUpdate(draft, old) {
      if (rules.version(old).hasStatus) keep(draft, old, 'status')
      if (contentChanged(draft, old)) draft.metadata.generation = nextGeneration(old.metadata)
    },
    warningsOnUpdate: (object, old) => finalizerWarnings(object, old),
  }
  const status: Strategy = {
    validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
    prepareForUpdate(draft, old) {
      const { status: written } = draft
      const { managedFields, resourceVersion } = draft.metadata
      for (const key of Object.keys(draft)) if (!Object.hasOwn(old, key)) delete draft[key]
      Object.assign(draft, old)
      draft.metadata = { ...old.metadata }
      if (managedFields === undefined) delete draft.metadata.managedFields
      else draft.metadata.managedFields = managedFields
      if (resourceVersion !== undefined) draft.metadata.resourceVersion = resourceVersion
      if (written === undefined) delete draft['status']
      else draft['status'] = written
    },
    validateInTurns: (object, old, context) => inTurns(rules.validateStatusUpdate(object, old ?? object, context)),
  }
  return { main, status }
}

/** A new object has the status that its schema gives it. */
function resetStatus(draft: KubeObject, version: CustomVersion): void {
  delete draft['status']
  if (version.schema.fields.get('status')?.schema.default === undefined) return
  const { status } = version.withDefaults({ ...draft })
  if (status !== undefined) draft['status'] = status
}

function keep(draft: KubeObject, old: KubeObject, key: string): void {
  const value = old[key]
  if (value === undefined) delete draft[key]
  else draft[key] = value
}

function contentChanged({ metadata: _, ...draft }: KubeObject, { metadata: __, ...old }: KubeObject): boolean {
  return !equalJson(draft as JsonObject, old as JsonObject)
}

const blocking = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const unchecked = invalidAs(
  FieldPath.root,
  () => goNull,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

class ObjectRules {
  readonly #kind: CustomKind

  constructor(kind: CustomKind) {
    this.#kind = kind
  }

  version(object: KubeObject): CustomVersion {
    const version = this.#kind.versionOf(object.apiVersion)
    if (version === undefined) throw new Error(`${object.apiVersion} is not a version of ${this.#kind.kind}`)
    return version
  }

  #typeErrors({ kind, apiVersion }: KubeObject, wanted: string): FieldError[] {
    return [
      ...(kind === this.#kind.kind ? [] : [invalid('kind', kind, `must be ${this.#kind.kind}`)]),
      ...(apiVersion === wanted ? [] : [invalid('apiVersion', apiVersion, `must be ${wanted}`)]),
    ]
  }

  *validate(object: KubeObject): Steps<FieldError[]> {
    const wrongType = this.#typeErrors(object, object.apiVersion)
    const version = this.version(object)
    const { schema } = version
    const errors = [
      ...(wrongType.length > 0
        ? wrongType
        : [
            ...(yield* validateValue(object, schema)),
            ...validateScale(object, version.facts.subresources?.scale, 'all'),
          ]),
      ...(yield* validateEmbedded(object, schema, FieldPath.root)),
      ...(yield* validateLists(object, schema)),
    ]
    return yield* this.#withRules(object, errors)
  }

  *validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): Steps<FieldError[]> {
    const wrongType = this.#typeErrors(object, old.apiVersion)
    if (wrongType.length > 0) return wrongType
    const version = this.version(object)
    const { schema } = version
    const errors = [
      ...(yield* validateValue(object, schema, this.#before(old))),
      ...validateScale(object, version.facts.subresources?.scale, 'all'),
      ...(yield* validateEmbedded(object, schema, FieldPath.root)),
      ...(yield* this.#listErrors(object, old, version)),
    ]
    return yield* this.#withRules(object, errors, { old, context })
  }

  *validateStatusUpdate(object: KubeObject, old: KubeObject, context: WriteContext): Steps<FieldError[]> {
    const version = this.version(object)
    const schema = version.schema.fields.get('status')?.schema
    const { status } = object
    const errors: FieldError[] = []
    if (status !== undefined && schema !== undefined) {
      for (const error of yield* validateValue(status, schema, this.#before(old['status']))) {
        errors.push(fieldErrorWith(error, { field: error.field === '<nil>' ? 'status' : below('status', error.field) }))
      }
    }
    pushAll(errors, validateScale(object, version.facts.subresources?.scale, 'status'))
    pushAll(errors, yield* this.#listErrors(object, old, version))
    return yield* this.#withRules(object, errors, { old, context })
  }

  #before<T extends JsonValue | undefined>(old: T): T | undefined {
    return this.#kind.ratcheting ? old : undefined
  }

  /** Duplicates that were there before are not held against an update. */
  *#listErrors(object: KubeObject, old: KubeObject, { schema }: CustomVersion): Steps<FieldError[]> {
    const errors = yield* validateLists(object, schema)
    return errors.length > 0 && (yield* validateLists(old, schema)).length > 0 ? [] : errors
  }

  /** Rules look only at objects that are what they say. */
  *#withRules(
    object: KubeObject,
    errors: FieldError[],
    { old, context }: { old?: KubeObject; context?: WriteContext } = {},
  ): Steps<FieldError[]> {
    const rules = RuleSet.of(this.version(object).schema, true, this.#kind.release)
    if (rules === undefined) return errors
    const isNameless = (object.metadata.name ?? '') === ''
    if (isNameless || errors.some(({ reason }) => blocking.has(reason))) return [...errors, unchecked]
    const { ratcheting } = this.#kind
    const run = { at: FieldPath.root, old, budget: RUNTIME_BUDGET, ratchet: ratcheting && old !== undefined }
    const outcome = yield* rules.validate(object, run)
    for (const warning of outcome.warnings) context?.warn?.(warning)
    return [...errors, ...outcome.errors]
  }
}

const below = (root: string, field: string): string => (field.startsWith('[') ? `${root}${field}` : `${root}.${field}`)

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Finalizers without a domain may collide with those of others. */
function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers ?? [])
  const added = [...new Set(metadata.finalizers ?? [])].filter((name) => !known.has(name)).sort()
  return added.flatMap((name) => {
    const shown = `metadata.finalizers: ${quote(name)}`
    const warnings = checkQualifiedName(name).map((text) => `${shown}: ${text}`)
    if (name.includes('/') || standardFinalizers.has(name)) return warnings
    const what = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name'
    return [
      ...warnings,
      `${shown}: prefer a domain-qualified ${what} to avoid accidental conflicts with other finalizer writers`,
    ]
  })
}
