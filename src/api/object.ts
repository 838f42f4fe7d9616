/** The shape that every API object shares. Everything else about an object is known by its schema. */
import type { JsonObject, JsonValue } from './json.ts'

export interface KubeObject extends JsonObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

export interface ObjectMeta extends JsonObject {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: StringMap
  annotations?: StringMap
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

export interface StringMap extends JsonObject {
  [key: string]: string
}

export interface OwnerReference extends JsonObject {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry extends JsonObject {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonValue
  subresource?: string
}
