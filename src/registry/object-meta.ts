/**
 * The rules of `metadata` that every kind shares, with the reference's messages and order.
 * Mirrors k8s.io/apimachinery/pkg/api/validation: ValidateObjectMetaAccessor, ValidateObjectMetaAccessorUpdate.
 */

import { limitErrorsOf } from '../api/error-limit.ts'
import {
  type FieldError,
  forbidden,
  invalid,
  invalidAs,
  ofNamedText,
  quote,
  required,
  tooLong,
} from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { writingOf } from '../api/given-writing.ts'
import { goTimeField } from '../api/golang/time.ts'
import { goStrings } from '../api/golang/value.ts'
import { parseGroupVersion } from '../api/group-version.ts'
import type { JsonValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { isHeavy, pickKeys, slicesOf, slicesOfKeys } from '../api/large-values.ts'
import { checkLabelName, checkLabelValue, checkQualifiedName, isLongerThan, type NameCheck } from '../api/names.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference, StringMap } from '../api/object.ts'
import { printedReference, printedReferences } from '../api/printed-metadata.ts'
import type { Steps } from '../lib/in-turns.ts'
import { SideTable, Verdicts } from '../lib/memo.ts'
import { pushAll } from '../lib/push-all.ts'

export interface MetaRules {
  readonly namespaced: boolean
  readonly validateName: NameCheck
  /** Custom resources may have finalizers with any qualified name; built-in kinds want a domain or a known name. */
  readonly anyFinalizer: boolean
}

const metadata = FieldPath.of('metadata')
const maxAnnotationBytes = 256 * 1024
const maxManagerLength = 128
const maxSubresourceLength = 256

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', orphanFinalizer, foregroundFinalizer])

export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules, at: FieldPath = metadata): FieldError[] {
  return [...validateNames(meta, rules, at), ...validateMetaBesideNames(meta, rules, at)]
}

/** All of it but `name` and `generateName`, whose rules depend on who asks. */
function validateMetaBesideNames(
  meta: ObjectMeta,
  { namespaced, anyFinalizer }: Omit<MetaRules, 'validateName'>,
  at: FieldPath,
): FieldError[] {
  const errors = validateNamespace(meta.namespace, namespaced, at.child('namespace'))
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalid(at.child('generation'), meta.generation, 'must be greater than or equal to 0'))
  }
  if (meta.labels !== undefined) pushAll(errors, validateLabels(meta.labels, at.child('labels')))
  if (meta.annotations !== undefined) pushAll(errors, validateAnnotations(meta.annotations, at.child('annotations')))
  if (meta.ownerReferences !== undefined) {
    pushAll(errors, validateOwnerReferences(meta.ownerReferences, at.child('ownerReferences')))
  }
  if (meta.finalizers !== undefined) pushAll(errors, validateFinalizers(meta.finalizers, at.child('finalizers')))
  if (meta.managedFields !== undefined) {
    pushAll(errors, validateManagedFields(meta.managedFields, at.child('managedFields')))
  }
  if (meta.finalizers !== undefined && !anyFinalizer) {
    pushAll(errors, validateStandardFinalizers(meta.finalizers, at.child('finalizers')))
  }
  return errors
}

export function validateNames(
  meta: ObjectMeta,
  { validateName }: Pick<MetaRules, 'validateName'>,
  at: FieldPath = metadata,
): FieldError[] {
  const { name = '', generateName = '' } = meta
  const errors =
    generateName === ''
      ? []
      : validateName(generateName, true).map((message) => invalid(at.child('generateName'), generateName, message))
  if (name === '') return [...errors, required(at.child('name'), 'name or generateName is required')]
  return [...errors, ...validateName(name, false).map((message) => invalid(at.child('name'), name, message))]
}

function validateNamespace(namespace = '', namespaced: boolean, at: FieldPath): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbidden(at, 'not allowed on this type')]
  if (namespace === '') return [required(at)]
  return checkLabelName(namespace, false).map((message) => invalid(at, namespace, message))
}

/** Parts of metadata that are valid. They are immutable. */
const valid = {
  labels: new Verdicts<object>('labels'),
  annotations: new Verdicts<object>('annotations'),
  ownerReferences: new Verdicts<object>('owner-references'),
  managedFields: new Verdicts<object>('managed-fields'),
}

/** What was found in large parts of the metadata of a write, in steps, before its rules ask. */
const found = {
  labels: new SideTable<object, FieldError[]>(),
  annotations: new SideTable<object, FieldError[]>(),
  finalizers: new SideTable<object, FieldError[]>(),
  standardFinalizers: new SideTable<object, FieldError[]>(),
}

/** Applies the rules to the large parts of an object's own metadata: those that go over all of it then find it done. */
export function* checkLargeMetadata({ labels, annotations, finalizers }: ObjectMeta): Steps<void> {
  if (isHeavy(labels)) {
    const at = metadata.child('labels')
    found.labels.set(labels, yield* limitErrorsOf(inPieces(labels, (piece) => labelErrors(piece, at))))
  }
  if (isHeavy(annotations)) {
    const at = metadata.child('annotations')
    let bytes = 0
    const keys = inPieces(annotations, (piece) => {
      bytes += annotationBytes(piece)
      return annotationKeyErrors(piece, at)
    })
    const errors = yield* limitErrorsOf(keys)
    found.annotations.set(
      annotations,
      bytes > maxAnnotationBytes ? [...errors, tooLong(at, maxAnnotationBytes)] : errors,
    )
  }
  if (isHeavy(finalizers)) {
    const at = metadata.child('finalizers')
    const errors = yield* limitErrorsOf(ofSlices(finalizers, (piece) => finalizerErrors(piece, at)))
    found.finalizers.set(finalizers, [...errors, ...exclusiveFinalizers(finalizers, at)])
    const standard = ofSlices(finalizers, (piece, from) => standardFinalizerErrors(piece, at, from))
    found.standardFinalizers.set(finalizers, yield* limitErrorsOf(standard))
  }
}

function* ofSlices(
  list: readonly string[],
  check: (piece: readonly string[], from: number) => FieldError[],
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const { from, to } of slicesOf(list)) {
    yield
    pushAll(errors, check(list.slice(from, to), from))
  }
  return errors
}

function* inPieces(map: StringMap, check: (piece: StringMap) => FieldError[]): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const keys = keysOf(map)
  for (const { from, to } of slicesOfKeys(map, keys)) {
    yield
    pushAll(errors, check(pickKeys(map, keys.slice(from, to)) as StringMap))
  }
  return errors
}

/** Memoizes, of metadata that is valid, what it shares with the object that it is a change of. */
export function noteValidMetadata(meta: ObjectMeta, old: ObjectMeta): void {
  noteValid(valid.labels, meta.labels, old.labels)
  noteValid(valid.annotations, meta.annotations, old.annotations)
  noteValid(valid.ownerReferences, meta.ownerReferences, old.ownerReferences)
  noteValid(valid.managedFields, meta.managedFields, old.managedFields)
}

function noteValid(verdicts: Verdicts<object>, part: object | undefined, old: object | undefined): void {
  if (part !== undefined && part === old) verdicts.add(part, [])
}

/** What `find` finds, or nothing for a part that is known to be valid. */
function unlessValid<T extends object>(
  verdicts: Verdicts<object>,
  part: T | undefined,
  find: (part: T) => FieldError[],
): FieldError[] {
  return part === undefined || verdicts.has(part, [], () => find(part).length === 0) ? [] : find(part)
}

export const validateLabels = (labels: StringMap | undefined, at: FieldPath): FieldError[] =>
  unlessValid(valid.labels, labels, (part) => found.labels.get(part) ?? labelErrors(part, at))

function labelErrors(labels: StringMap, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? ''
    for (const message of checkQualifiedName(key)) errors.push(invalid(at, key, message))
    for (const message of checkLabelValue(value)) errors.push(invalid(at, value, message))
  }
  return errors
}

export const validateAnnotations = (annotations: StringMap | undefined, at: FieldPath): FieldError[] =>
  unlessValid(valid.annotations, annotations, (part) => found.annotations.get(part) ?? annotationErrors(part, at))

function annotationErrors(annotations: StringMap, at: FieldPath): FieldError[] {
  const errors = annotationKeyErrors(annotations, at)
  return annotationBytes(annotations) > maxAnnotationBytes ? [...errors, tooLong(at, maxAnnotationBytes)] : errors
}

function annotationKeyErrors(annotations: StringMap, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const key of Object.keys(annotations)) {
    for (const message of checkQualifiedName(key.toLowerCase())) errors.push(invalid(at, key, message))
  }
  return errors
}

function annotationBytes(annotations: StringMap): number {
  let bytes = 0
  for (const key of Object.keys(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '')
  }
  return bytes
}

const validateOwnerReferences = (references: readonly OwnerReference[] | undefined, at: FieldPath): FieldError[] =>
  unlessValid(valid.ownerReferences, references, (part) => ownerReferenceErrors(part, at))

function ownerReferenceErrors(references: readonly OwnerReference[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  let controller = ''
  for (const reference of references) {
    pushAll(errors, validateOwnerReference(reference, at))
    if (reference.controller !== true) continue
    const current = `${reference.kind}/${reference.name}`
    if (controller === '') controller = current
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`
      errors.push(invalidAs(at, () => printedReferences(references), why))
    }
  }
  return errors
}

function validateOwnerReference(reference: OwnerReference, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference
  if ((parseGroupVersion(apiVersion)?.version ?? '') === '') {
    errors.push(invalid(at.child('apiVersion'), apiVersion, 'version must not be empty'))
  }
  if (kind === '') errors.push(invalid(at.child('kind'), kind, 'kind must not be empty'))
  if (name === '') errors.push(invalid(at.child('name'), name, 'name must not be empty'))
  if (uid === '') errors.push(invalid(at.child('uid'), uid, 'uid must not be empty'))
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidAs(at, () => printedReference(reference), '/v1, Kind=Event is disallowed from being an owner'))
  }
  return errors
}

function validateFinalizers(finalizers: readonly string[] | undefined, at: FieldPath): FieldError[] {
  if (finalizers === undefined) return []
  return (
    found.finalizers.get(finalizers) ?? [...finalizerErrors(finalizers, at), ...exclusiveFinalizers(finalizers, at)]
  )
}

const finalizerErrors = (finalizers: readonly string[], at: FieldPath): FieldError[] =>
  finalizers.flatMap((name) => checkQualifiedName(name).map((message) => invalid(at, name, message)))

function exclusiveFinalizers(finalizers: readonly string[], at: FieldPath): FieldError[] {
  if (!finalizers.includes(orphanFinalizer) || !finalizers.includes(foregroundFinalizer)) return []
  const why = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`
  return [invalidAs(at, () => goStrings(finalizers), why)]
}

function validateStandardFinalizers(finalizers: readonly string[] | undefined, at: FieldPath): FieldError[] {
  if (finalizers === undefined) return []
  return found.standardFinalizers.get(finalizers) ?? standardFinalizerErrors(finalizers, at)
}

/** `from` is the place of the first one. */
function standardFinalizerErrors(finalizers: readonly string[], at: FieldPath, from = 0): FieldError[] {
  return finalizers.flatMap((name, i) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [invalid(at.index(from + i), name, 'name is neither a standard finalizer name nor is it fully qualified')],
  )
}

const validateManagedFields = (entries: readonly ManagedFieldsEntry[] | undefined, at: FieldPath): FieldError[] =>
  unlessValid(valid.managedFields, entries, (part) => managedFieldsErrors(part, at))

function managedFieldsErrors(entries: readonly ManagedFieldsEntry[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, entry] of entries.entries()) {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalid(at.index(i).child('operation'), operation, 'must be `Apply` or `Update`'))
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(at.index(i).child('fieldsType'), fieldsType, 'must be `FieldsV1`'))
    }
    if (!isPlainManager(manager)) pushAll(errors, validateFieldManager(manager, at.index(i).child('manager')))
    if (isLongerThan(subresource, maxSubresourceLength))
      errors.push(tooLong(at.index(i).child('subresource'), maxSubresourceLength))
  }
  return errors
}

/** Nearly every manager: nothing but printable ASCII, and not too long. */
export const isPlainManager = (manager: string): boolean =>
  manager.length <= maxManagerLength && /^[ -~]*$/.test(manager)

/** The name of a field manager: at most 128 bytes, all printable. Positions count bytes. */
export function validateFieldManager(manager: string, at: FieldPath): FieldError[] {
  if (isPlainManager(manager)) return []
  const errors: FieldError[] = []
  if (isLongerThan(manager, maxManagerLength)) errors.push(tooLong(at, maxManagerLength))
  let position = 0
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalid(at, manager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(char)
  }
  return errors
}

/** What an update may not do to metadata. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  rules: Pick<MetaRules, 'anyFinalizer'>,
): FieldError[] {
  const at = metadata
  const errors: FieldError[] = []
  if (old.deletionTimestamp != null) pushAll(errors, validateNoNewFinalizers(meta, old, at.child('finalizers')))
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(invalid(at.child('resourceVersion'), '', 'must be specified for an update'))
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(at.child('generation'), meta.generation ?? 0, 'must not be decremented'))
  }
  for (const key of immutableFields) {
    if ((meta[key] ?? null) !== (old[key] ?? null)) {
      errors.push(immutable(at, key, meta))
    }
  }
  return [
    ...errors,
    ...validateLabels(meta.labels, at.child('labels')),
    ...validateAnnotations(meta.annotations, at.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, at.child('ownerReferences')),
    ...validateManagedFields(meta.managedFields, at.child('managedFields')),
    ...(rules.anyFinalizer ? [] : validateStandardFinalizers(meta.finalizers, at.child('finalizers'))),
  ]
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** Times are printed as Go prints them. */
function immutable(at: FieldPath, key: (typeof immutableFields)[number], meta: ObjectMeta): FieldError {
  const value: JsonValue = meta[key] ?? null
  if (!key.endsWith('Timestamp') || typeof value !== 'string') {
    const error = invalid(at.child(key), value, 'field is immutable')
    return key === 'uid' ? ofNamedText(error) : error
  }
  return invalidAs(at.child(key), () => goTimeField(value, writingOf(meta, key)), 'field is immutable')
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, at: FieldPath): FieldError[] {
  const before = old.finalizers ?? []
  // Mostly they are as they were, or the last ones are gone.
  if ((meta.finalizers ?? []).every((name, i) => name === before[i])) return []
  const known = new Set(before)
  const added = [...new Set(meta.finalizers ?? [])].filter((name) => !known.has(name)).sort()
  if (added.length === 0) return []
  const list = `[]string{${added.map(quote).join(', ')}}`
  return [forbidden(at, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`)]
}

/** The generation after another; one that others stored may be beyond what a double counts. */
export function nextGeneration({ generation = 0 }: ObjectMeta): number {
  const known: number | bigint = generation
  return typeof known === 'bigint' ? ((known + 1n) as unknown as number) : known + 1
}
