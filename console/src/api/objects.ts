// The parts of API objects that the console looks at.

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFields {
  readonly manager?: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsV1: FieldsV1
  readonly subresource?: string
}

export interface FieldsV1 {
  readonly [step: string]: FieldsV1
}

export interface Metadata {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFields[]
}

export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
  readonly spec?: Json
  readonly status?: Json
  readonly [field: string]: Json
}

export interface ApiList {
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly ApiObject[]
}

// biome-ignore lint/suspicious/noExplicitAny: objects of all kinds, custom ones too; what is read from them is checked where it is used
export type Json = any

export const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
/** The same of the objects that a watch sends. */
export const eventMetadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
export const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json'
