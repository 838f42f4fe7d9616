/** Paths that are never owned: what names an object and what the server keeps about it. */
import { FieldSet } from './field-set.ts'

const neverOwned = FieldSet.ofFields(
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
)

export const withoutNeverOwned = (set: FieldSet): FieldSet => set.difference(neverOwned)
