/** The rules of CustomResourceDefinitions, with the reference's messages and order. */

import { caBundleProblem, goBytes } from '../../api/ca-bundle.ts'
import { uncounted } from '../../api/error-limit.ts'
import { type FieldError, invalid, invalidAs, notSupported, ofNamedText, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { goStrings } from '../../api/golang/value.ts'
import { isInterned } from '../../api/interned.ts'
import { checkDns1035Label, checkDns1123Subdomain } from '../../api/names.ts'
import { hasChange } from '../../api/release-changes.ts'
import { defaultRelease } from '../../api/release-facts.ts'
import { validateClientConfig } from '../../api/webhook-client-config.ts'
import { goVersions } from '../../catalog/golang/schema.ts'
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../catalog/types/apiextensions-v1.ts'
import type { ExpressionScope } from '../../cel/environment.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { Verdicts } from '../../lib/memo.ts'
import { pushAll } from '../../lib/push-all.ts'
import { duplicateFinder } from '../../lib/repeats.ts'
import {
  collectSchemas,
  type Definition,
  type HoistedSpec,
  hoist,
  isConditionTrue,
  rootSchema,
  schemasOfSpec,
  type VersionDetails,
} from './definition.ts'
import { optionsForUpdate, type SchemaOptions, strictOptions } from './schema-options.ts'
import {
  deprecationProblems,
  forbiddenUnlessWebhook,
  requireNames,
  validateApproval,
  validateColumns,
  validateDefinitionNames,
  validateSelectableFields,
  validateSubresources,
} from './validate-names.ts'
import { missingSchema, validateSchema } from './validate-schema.ts'
import { unsupportedKeyword } from './validate-structural.ts'

const specPath = FieldPath.of('spec')
const storedVersionsPath = FieldPath.of('status', 'storedVersions')

export interface DefinitionValidation {
  /** What is wrong with it as well is let pass, as the old version does with all that came later. */
  readonly before?: Definition | undefined
  /** The release that is served, and which expressions it takes. */
  readonly scope?: ExpressionScope
}

const defaultScope: ExpressionScope = { release: defaultRelease }

export function* validateDefinition(
  definition: Definition,
  { before, scope = defaultScope }: DefinitionValidation = {},
): Steps<FieldError[]> {
  const { spec } = definition
  yield* collectSchemas(spec)
  return [
    ...(yield* validateSpec(
      spec,
      before === undefined ? strictOptions(scope) : yield* uncounted(optionsForUpdate(spec, before.spec, scope)),
      newConversion,
    )),
    ...validateStatus(definition),
    ...validateApproval(spec.group ?? '', definition.metadata.annotations, before && {}),
    ...(before === undefined ? validatePreserving(spec) : []),
  ]
}

export function* validateDefinitionUpdate(
  definition: Definition,
  old: Definition,
  { before = old, scope = defaultScope }: DefinitionValidation = {},
): Steps<FieldError[]> {
  const { spec } = definition
  return [
    ...(yield* validateSpec(
      spec,
      yield* uncounted(optionsForUpdate(spec, before.spec, scope)),
      conversionOptions(old),
    )),
    ...immutableErrors(definition, old),
    ...validateStatus(definition),
    ...validateApproval(spec.group ?? '', definition.metadata.annotations, old.metadata.annotations ?? {}),
    ...(before.spec.preserveUnknownFields === true ? [] : validatePreserving(spec)),
  ]
}

/** What the conversion of an old definition excuses. */
interface ConversionOptions {
  readonly requireRecognizedReview: boolean
  readonly requireReadableCa: boolean
}

/** A definition that is not established converts nothing. */
const newConversion: ConversionOptions = { requireRecognizedReview: true, requireReadableCa: false }

function conversionOptions(old: Definition): ConversionOptions {
  const { conversionReviewVersions, clientConfig } = old.spec.conversion?.webhook ?? {}
  const versions = conversionReviewVersions ?? []
  return {
    requireRecognizedReview: versions.length === 0 || versions.some((version) => reviewVersions.includes(version)),
    requireReadableCa:
      isConditionTrue(old, 'Established') && caBundleProblem(clientConfig?.caBundle ?? '') === undefined,
  }
}

function immutableErrors({ spec }: Definition, old: Definition): FieldError[] {
  const errors: FieldError[] = []
  const keep = (value = '', before = '', ...names: string[]): void => {
    if (value !== before) errors.push(invalid(specPath.child(...names), value, 'field is immutable'))
  }
  if (isConditionTrue(old, 'Established')) {
    const { scope = '' } = spec
    // Here it is not compared as a plain string.
    if (scope !== old.spec.scope)
      errors.push(ofNamedText(invalid(specPath.child('scope'), scope, 'field is immutable')))
    keep(spec.names?.kind, old.spec.names.kind, 'names', 'kind')
  }
  keep(spec.group, old.spec.group, 'group')
  keep(spec.names?.plural, old.spec.names.plural, 'names', 'plural')
  return errors
}

export function validateAcceptedNames({ status }: Definition): FieldError[] {
  return validateDefinitionNames(status?.acceptedNames ?? {}, FieldPath.of('status', 'acceptedNames'))
}

function validateStatus(definition: Definition): FieldError[] {
  const stored = definition.status?.storedVersions
  const names = validateAcceptedNames(definition)
  if (stored == null || stored.length === 0) {
    return [...names, invalidAs(storedVersionsPath, () => goStrings(stored), 'must have at least one stored version')]
  }
  const versions = definition.spec.versions ?? []
  const known = new Set(stored)
  const served = new Set(versions.map(({ name }) => name))
  // A name that comes twice is found once only.
  const isRepeated = duplicateFinder(versions, ({ name }) => name)
  const missing = versions
    .filter(({ name, storage }, i) => storage && (!known.has(name) || isRepeated(i)))
    .slice(0, maxShownVersions)
    .map(({ name }) => invalidAs(storedVersionsPath, () => goStrings(stored), `must have the storage version ${name}`))
  const gone = stored.flatMap((name, i) =>
    served.has(name)
      ? []
      : [
          invalid(
            storedVersionsPath.index(i),
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  )
  return [...names, ...missing, ...gone]
}

/** Each quotes all stored versions. */
const maxShownVersions = 100

const validatePreserving = ({ preserveUnknownFields }: CustomResourceDefinitionSpec): FieldError[] =>
  preserveUnknownFields === true
    ? [
        invalid(
          specPath.child('preserveUnknownFields'),
          true,
          'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ]
    : []

function* validateSpec(
  spec: CustomResourceDefinitionSpec,
  options: SchemaOptions,
  conversionRules: ConversionOptions,
): Steps<FieldError[]> {
  const { missing, each, together } = areKnownValid(spec, options) ? noErrors : yield* validateVersions(spec, options)
  const errors = [
    ...validateGroup(spec.group ?? ''),
    ...oneOf(spec.scope ?? '', ['Cluster', 'Namespaced'], specPath.child('scope')),
    ...missing,
    ...preservedDefaults(spec),
    ...each,
    ...requireNames(spec.names ?? {}, specPath.child('names')),
    ...validateDefinitionNames(spec.names ?? {}, specPath.child('names')),
    ...together,
    ...validateConversion(spec, { ...conversionRules, strictColons: hasChange(options.release, 'strictHostColons') }),
  ]
  if (errors.length === 0) noteValidVersions(spec, options)
  return errors
}

/** Interned versions that are valid in a new definition. */
const validVersions = new Verdicts<object>('definition-versions')

function areKnownValid(spec: CustomResourceDefinitionSpec, options: SchemaOptions): boolean {
  const { versions, preserveUnknownFields } = spec
  if (options.strict !== true || preserveUnknownFields === true || versions == null) return false
  return validVersions.has(versions, [options.scope], () => {
    const { missing, each, together } = runToEnd(validateVersions(spec, options))
    return missing.length + each.length + together.length === 0
  })
}

function noteValidVersions(spec: CustomResourceDefinitionSpec, options: SchemaOptions): void {
  const { versions, preserveUnknownFields } = spec
  if (options.strict !== true || preserveUnknownFields === true) return
  if (versions != null && isInterned(versions)) validVersions.add(versions, [options.scope])
}

/** What is wrong with the versions, by the path of the error. */
interface VersionErrors {
  readonly missing: readonly FieldError[]
  readonly each: readonly FieldError[]
  /** With what all of them have in common. */
  readonly together: readonly FieldError[]
}

const noErrors: VersionErrors = { missing: [], each: [], together: [] }

/** Asks for nothing but the versions and whether unknown fields are kept. */
function* validateVersions(spec: CustomResourceDefinitionSpec, options: SchemaOptions): Steps<VersionErrors> {
  const hoisted = hoist(spec)
  // Whatever prunes needs a structure to prune by.
  const strict = spec.preserveUnknownFields === true ? options : { ...options, requireStructural: true }
  const [first] = hoisted.versions
  const isShared = hoisted.versions.every(({ subresources }) => subresources === undefined)
  const each: FieldError[] = []
  for (const [i, version] of hoisted.versions.entries()) {
    yield
    const subresources = isShared ? hoisted.subresources : version.subresources
    const rules = { hasStatus: subresources?.status !== undefined, options: strict }
    pushAll(each, yield* validateVersion(version, specPath.child('versions').index(i), rules))
  }
  pushAll(each, validateVersionSet(hoisted))
  if (first !== undefined && first.name !== '') pushAll(each, labelErrors(first.name, specPath.child('version')))
  const together = yield* validateShared(hoisted, specPath, {
    schema: 'validation',
    hasStatus: [hoisted, ...hoisted.versions].some(({ subresources }) => subresources?.status !== undefined),
    suppressRuleCost: first !== undefined && strict.unchangedSchemas.has(first.name),
    keepsSelectableFields: hoisted.versions.every(({ name }) => strict.keptSelectableFields.has(name)),
    options: strict,
  })
  return { missing: missingSchemas(hoisted, strict), each, together }
}

const hasDefault = ({ default: value }: JSONSchemaProps): boolean => value !== undefined && value !== null

function preservedDefaults(spec: CustomResourceDefinitionSpec): FieldError[] {
  if (spec.preserveUnknownFields !== true || !schemasOfSpec(spec).some(hasDefault)) return []
  return [
    invalid(specPath.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'),
  ]
}

function validateGroup(group: string): FieldError[] {
  const at = specPath.child('group')
  if (group === '') return [required(at)]
  const problems = checkDns1123Subdomain(group)
  if (problems.length > 0) return [invalid(at, group, problems.join(','))]
  return group.includes('.') ? [] : [invalid(at, group, 'should be a domain with at least one dot')]
}

function oneOf(value: string, allowed: readonly string[], at: FieldPath): FieldError[] {
  if (value === '') return [required(at)]
  return allowed.includes(value) ? [] : [notSupported(at, value, allowed)]
}

const labelErrors = (name: string, at: FieldPath): FieldError[] => {
  const problems = checkDns1035Label(name)
  return problems.length === 0 ? [] : [invalid(at, name, problems.join(','))]
}

function missingSchemas(hoisted: HoistedSpec, { requireSchema }: SchemaOptions): FieldError[] {
  if (rootSchema(hoisted) !== undefined) return []
  const places = hoisted.versions.map((version, i) => ({
    version,
    at: specPath.child('versions').index(i).child('schema', 'openAPIV3Schema'),
  }))
  const bare = places.filter(({ version }) => rootSchema(version) === undefined)
  if (requireSchema) return bare.map(({ at }) => missingSchema(at))
  if (hoisted.spec.preserveUnknownFields === true) return []
  return bare
    .filter(({ version }) => version.served)
    .map(({ at }) => required(at, 'because otherwise all fields are pruned'))
}

interface SharedRules {
  readonly schema: 'schema' | 'validation'
  readonly hasStatus: boolean
  readonly suppressRuleCost: boolean
  readonly keepsSelectableFields: boolean
  readonly options: SchemaOptions
}

/** What a version has of its own, or all of them have together. */
function* validateShared(shared: VersionDetails, at: FieldPath, rules: SharedRules): Steps<FieldError[]> {
  const errors = [
    ...(yield* validateSchema(shared.schema, rules, rules.options, at.child(rules.schema))),
    ...validateSubresources(shared.subresources, at.child('subresources')),
    ...validateColumns(shared.additionalPrinterColumns, at.child('additionalPrinterColumns')),
  ]
  const { selectableFields = [] } = shared
  if (selectableFields.length === 0) return errors
  const place = at.child('selectableFields')
  const isBare = rules.schema === 'validation' && shared.schema !== undefined
  const root = rootSchema(shared) ?? (isBare ? {} : undefined)
  if (root !== undefined) {
    const unsupported = unsupportedKeyword(root)
    return [
      ...errors,
      ...(unsupported === undefined ? [] : [invalid(at.child('schema', 'openAPIV3Schema'), '', unsupported)]),
      ...validateSelectableFields(selectableFields, root, place, { isKept: rules.keepsSelectableFields }),
    ]
  }
  const text =
    rules.schema === 'schema'
      ? 'selectableFields may only be set when version.schema.openAPIV3Schema is not included'
      : 'selectableFields may only be set when validations.schema is included'
  return [...errors, invalid(place, '', text)]
}

function* validateVersion(
  version: VersionDetails & CustomResourceDefinitionVersion,
  at: FieldPath,
  { hasStatus, options }: Pick<SharedRules, 'hasStatus' | 'options'>,
): Steps<FieldError[]> {
  const { deprecationWarning } = version
  return [
    ...labelErrors(version.name ?? '', at.child('name')),
    ...deprecationProblems(version.deprecated === true, deprecationWarning).map((text) =>
      ofNamedText(invalid(at.child('deprecationWarning'), deprecationWarning, text)),
    ),
    ...(yield* validateShared(version, at, {
      schema: 'schema',
      hasStatus,
      suppressRuleCost: options.unchangedSchemas.has(version.name),
      keepsSelectableFields: options.keptSelectableFields.has(version.name),
      options,
    })),
  ]
}

function validateVersionSet({ spec, versions }: HoistedSpec): FieldError[] {
  const at = specPath.child('versions')
  const errors: FieldError[] = []
  const refuse = (text: string): void => {
    errors.push(invalidAs(at, () => goVersions(spec.versions == null ? undefined : versions), text))
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse('must contain unique version names')
  if (versions.filter(({ storage }) => storage).length !== 1) {
    refuse('must have exactly one version marked as storage version')
  }
  return errors
}

const reviewVersions = ['v1', 'v1beta1']

function validateConversion(
  spec: CustomResourceDefinitionSpec,
  rules: ConversionOptions & { readonly strictColons: boolean },
): FieldError[] {
  const { conversion, preserveUnknownFields } = spec
  if (conversion === undefined) return []
  const at = specPath.child('conversion')
  const { strategy = '', webhook } = conversion
  const errors: FieldError[] = []
  if (preserveUnknownFields === true && strategy !== 'None') {
    const text = 'must be None if spec.preserveUnknownFields is true'
    errors.push(invalid(at.child('strategy'), strategy, text))
  }
  pushAll(errors, oneOf(strategy, ['None', 'Webhook'], at.child('strategy')))
  const config = at.child('webhookClientConfig')
  const reviews = at.child('conversionReviewVersions')
  if (strategy !== 'Webhook') {
    if (webhook?.clientConfig !== undefined) errors.push(forbiddenUnlessWebhook(config))
    if ((webhook?.conversionReviewVersions?.length ?? 0) > 0) errors.push(forbiddenUnlessWebhook(reviews))
    return errors
  }
  if (webhook?.clientConfig === undefined) {
    errors.push(required(config, 'required when strategy is set to Webhook'))
  } else {
    pushAll(errors, validateClientConfig(webhook.clientConfig, config, rules.strictColons))
    if (rules.requireReadableCa) pushAll(errors, validateCa(webhook.clientConfig.caBundle ?? '', config))
  }
  const versions = webhook?.conversionReviewVersions ?? []
  return [...errors, ...validateReviewVersions(versions, rules.requireRecognizedReview, reviews)]
}

function validateCa(bundle: string, at: FieldPath): FieldError[] {
  const problem = caBundleProblem(bundle)
  return problem === undefined ? [] : [invalidAs(at.child('caBundle'), () => goBytes(bundle), problem)]
}

function validateReviewVersions(versions: readonly string[], requireRecognized: boolean, at: FieldPath): FieldError[] {
  if (versions.length === 0) return [required(at)]
  const errors: FieldError[] = []
  const isRepeated = duplicateFinder(versions, (version) => version)
  for (const [i, version] of versions.entries()) {
    if (isRepeated(i)) errors.push(invalid(at.index(i), version, 'duplicate version'))
    else for (const text of checkDns1035Label(version)) errors.push(invalid(at.index(i), version, text))
  }
  if (requireRecognized && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidAs(at, () => goStrings(versions), `must include at least one of ${reviewVersions.join(', ')}`))
  }
  return errors
}
