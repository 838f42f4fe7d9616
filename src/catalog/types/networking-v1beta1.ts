// Made by scripts/catalog.mjs. Do not edit.
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts'

export type IPAddress = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: IPAddressSpec
}

export type IPAddressList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: IPAddress[] | null
}

export type IPAddressSpec = {
  parentRef?: ParentReference
}

export type ParentReference = {
  group?: string
  resource?: string
  namespace?: string
  name?: string
}

export type ServiceCIDR = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ServiceCIDRSpec
  status: ServiceCIDRStatus
}

export type ServiceCIDRList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ServiceCIDR[] | null
}

export type ServiceCIDRSpec = {
  cidrs?: string[]
}

export type ServiceCIDRStatus = {
  conditions?: Condition[]
}
