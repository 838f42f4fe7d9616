// Made by scripts/catalog.mjs. Do not edit.
import type { UserInfo } from './authentication-v1.ts'
import type { Unknown } from './machinery-runtime.ts'
import type { ListMeta, ObjectMeta, Status } from './meta-v1.ts'

export type Event = {
  kind?: string
  apiVersion?: string
  level: string
  auditID: string
  stage: string
  requestURI: string
  verb: string
  user: UserInfo
  impersonatedUser?: UserInfo
  sourceIPs?: string[]
  userAgent?: string
  objectRef?: ObjectReference
  responseStatus?: Status
  requestObject?: Unknown
  responseObject?: Unknown
  requestReceivedTimestamp: string | null
  stageTimestamp: string | null
  annotations?: Record<string, string>
}

export type EventList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Event[] | null
}

export type GroupResources = {
  group?: string
  resources?: string[]
  resourceNames?: string[]
}

export type ObjectReference = {
  resource?: string
  namespace?: string
  name?: string
  uid?: string
  apiGroup?: string
  apiVersion?: string
  resourceVersion?: string
  subresource?: string
}

export type Policy = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  rules: PolicyRule[] | null
  omitStages?: string[]
  omitManagedFields?: boolean
}

export type PolicyList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Policy[] | null
}

export type PolicyRule = {
  level: string
  users?: string[]
  userGroups?: string[]
  verbs?: string[]
  resources?: GroupResources[]
  namespaces?: string[]
  nonResourceURLs?: string[]
  omitStages?: string[]
  omitManagedFields?: boolean
}
