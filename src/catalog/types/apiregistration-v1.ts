// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type APIService = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: APIServiceSpec
  status: APIServiceStatus
}

export type APIServiceCondition = {
  type: string
  status: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type APIServiceList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: APIService[] | null
}

export type APIServiceSpec = {
  service?: ServiceReference
  group?: string
  version?: string
  insecureSkipTLSVerify?: boolean
  caBundle?: string
  groupPriorityMinimum: number
  versionPriority: number
}

export type APIServiceStatus = {
  conditions?: APIServiceCondition[]
}

export type ServiceReference = {
  namespace?: string
  name?: string
  port?: number
}
