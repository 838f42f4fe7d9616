/** Metadata as messages show it, in Go's syntax. Pointers are addresses there, which mean nothing. */
import { quote } from './field-error.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference, StringMap } from './object.ts'

const address = '0xc000000000'

export const printedReferences = (references: readonly OwnerReference[]): string =>
  `[]v1.OwnerReference{${references.map(printedReference).join(', ')}}`

export function printedReference({ controller, blockOwnerDeletion, ...texts }: OwnerReference): string {
  const { apiVersion = '', kind = '', name = '', uid = '' } = texts
  return struct('OwnerReference', {
    APIVersion: quote(apiVersion),
    Kind: quote(kind),
    Name: quote(name),
    UID: quote(uid),
    Controller: pointer('bool', controller),
    BlockOwnerDeletion: pointer('bool', blockOwnerDeletion),
  })
}

export function printedMetadata(meta: ObjectMeta): string {
  return struct('ObjectMeta', {
    Name: quote(meta.name ?? ''),
    GenerateName: quote(meta.generateName ?? ''),
    Namespace: quote(meta.namespace ?? ''),
    SelfLink: quote(meta.selfLink ?? ''),
    UID: quote(meta.uid ?? ''),
    ResourceVersion: quote(meta.resourceVersion ?? ''),
    Generation: String(meta.generation ?? 0),
    CreationTimestamp: printedTime(meta.creationTimestamp ?? '0001-01-01T00:00:00Z'),
    DeletionTimestamp: meta.deletionTimestamp == null ? '<nil>' : printedTime(meta.deletionTimestamp),
    DeletionGracePeriodSeconds: pointer('int64', meta.deletionGracePeriodSeconds),
    Labels: map(meta.labels),
    Annotations: map(meta.annotations),
    OwnerReferences: meta.ownerReferences ? printedReferences(meta.ownerReferences) : '[]v1.OwnerReference(nil)',
    Finalizers: meta.finalizers ? `[]string{${meta.finalizers.map(quote).join(', ')}}` : '[]string(nil)',
    ManagedFields: meta.managedFields
      ? `[]v1.ManagedFieldsEntry{${meta.managedFields.map(printedEntry).join(', ')}}`
      : '[]v1.ManagedFieldsEntry(nil)',
  })
}

const printedEntry = (entry: ManagedFieldsEntry): string =>
  struct('ManagedFieldsEntry', {
    Manager: quote(entry.manager ?? ''),
    Operation: quote(entry.operation ?? ''),
    APIVersion: quote(entry.apiVersion ?? ''),
    Time: entry.time === undefined ? '<nil>' : printedTime(entry.time),
    FieldsType: quote(entry.fieldsType ?? ''),
    FieldsV1: pointer('v1.FieldsV1', entry.fieldsV1),
    Subresource: quote(entry.subresource ?? ''),
  })

const months = 'January February March April May June July August September October November December'.split(' ')

function printedTime(text: string): string {
  const [year = 1, month = 1, ...rest] = text.split(/\D/).slice(0, 6).map(Number)
  return `time.Date(${year}, time.${months[month - 1]}, ${rest.join(', ')}, 0, time.UTC)`
}

const struct = (type: string, fields: Readonly<Record<string, string>>): string =>
  `v1.${type}{${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}`)
    .join(', ')}}`

const pointer = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : address})`

function map(texts: StringMap | undefined): string {
  if (texts === undefined) return 'map[string]string(nil)'
  const members = Object.keys(texts)
    .sort()
    .map((key) => `${quote(key)}:${quote(texts[key] ?? '')}`)
  return `map[string]string{${members.join(', ')}}`
}
