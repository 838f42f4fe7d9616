/** Metadata as messages show it, in Go's syntax. Pointers are addresses there, which mean nothing. */
import { writingOf } from './given-writing.ts'
import { GoLiteral, goOf, type RenderedValue } from './golang/literal.ts'
import { quote } from './golang/quote.ts'
import { firstItems, quotedItems, quotedJson } from './golang/quoted-items.ts'
import { goPointer, goStringMap, goStruct } from './golang/struct.ts'
import { goDate } from './golang/time.ts'
import { goStrings } from './golang/value.ts'
import type { JsonValue } from './json.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object.ts'

export const printedReferences = (references: readonly OwnerReference[]): GoLiteral =>
  new GoLiteral(
    `[]v1.OwnerReference{${quotedItems(references, (reference) => goOf(printedReference(reference)))}}`,
    () => quotedJson(firstItems(references).map(wholeReference) as unknown as JsonValue),
  )

/** With the members that JSON always has. */
const wholeReference = (reference: OwnerReference): OwnerReference => ({
  ...{ apiVersion: '', kind: '', name: '', uid: '' },
  ...reference,
})

export function printedReference({ controller, blockOwnerDeletion, ...texts }: OwnerReference): RenderedValue {
  const { apiVersion = '', kind = '', name = '', uid = '' } = texts
  return goStruct('v1.OwnerReference', {
    APIVersion: quote(apiVersion),
    Kind: quote(kind),
    Name: quote(name),
    UID: quote(uid),
    Controller: goPointer('bool', controller),
    BlockOwnerDeletion: goPointer('bool', blockOwnerDeletion),
  })
}

export function printedMetadata(meta: ObjectMeta): RenderedValue {
  return new GoLiteral(goMetadata(meta).go, () => quotedJson(jsonMetadata(meta) as unknown as JsonValue))
}

/** All members of metadata are `omitempty`: releases that show JSON leave out what is. */
function jsonMetadata(meta: ObjectMeta): ObjectMeta {
  const shown: ObjectMeta = withoutEmpty(meta)
  const { ownerReferences: owners, managedFields: entries } = shown
  return {
    ...shown,
    ...(owners && { ownerReferences: firstItems(owners).map(wholeReference) }),
    ...(entries && { managedFields: firstItems(entries).map(withoutEmpty) }),
  }
}

const withoutEmpty = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([name, member]) => !isOmitted(name, member))) as T

const isOmitted = (name: string, value: unknown): boolean => {
  if (value == null || value === '') return true
  // The one number that is a pointer is shown when it is zero, too.
  if (value === 0) return name !== 'deletionGracePeriodSeconds'
  // So are fieldsV1, a pointer as well.
  return typeof value === 'object' && name !== 'fieldsV1' && hasNothing(value)
}

const hasNothing = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

function goMetadata(meta: ObjectMeta): GoLiteral {
  return goStruct('v1.ObjectMeta', {
    Name: quote(meta.name ?? ''),
    GenerateName: quote(meta.generateName ?? ''),
    Namespace: quote(meta.namespace ?? ''),
    SelfLink: quote(meta.selfLink ?? ''),
    UID: quote(meta.uid ?? ''),
    ResourceVersion: quote(meta.resourceVersion ?? ''),
    Generation: String(meta.generation ?? 0),
    CreationTimestamp: goDate(meta.creationTimestamp, writingOf(meta, 'creationTimestamp')),
    DeletionTimestamp:
      meta.deletionTimestamp == null ? '<nil>' : goDate(meta.deletionTimestamp, writingOf(meta, 'deletionTimestamp')),
    DeletionGracePeriodSeconds: goPointer('int64', meta.deletionGracePeriodSeconds),
    Labels: goStringMap(meta.labels),
    Annotations: goStringMap(meta.annotations),
    OwnerReferences: meta.ownerReferences ? printedReferences(meta.ownerReferences) : '[]v1.OwnerReference(nil)',
    Finalizers: goStrings(meta.finalizers),
    ManagedFields: meta.managedFields
      ? `[]v1.ManagedFieldsEntry{${quotedItems(meta.managedFields, (entry) => goOf(printedEntry(entry)))}}`
      : '[]v1.ManagedFieldsEntry(nil)',
  })
}

const printedEntry = (entry: ManagedFieldsEntry): RenderedValue =>
  goStruct('v1.ManagedFieldsEntry', {
    Manager: quote(entry.manager ?? ''),
    Operation: quote(entry.operation ?? ''),
    APIVersion: quote(entry.apiVersion ?? ''),
    Time: entry.time === undefined ? '<nil>' : goDate(entry.time, writingOf(entry, 'time')),
    FieldsType: quote(entry.fieldsType ?? ''),
    FieldsV1: goPointer('v1.FieldsV1', entry.fieldsV1),
    Subresource: quote(entry.subresource ?? ''),
  })
