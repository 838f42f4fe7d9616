// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type Lease = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: LeaseSpec
}

export type LeaseList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Lease[] | null
}

export type LeaseSpec = {
  holderIdentity?: string
  leaseDurationSeconds?: number
  acquireTime?: string
  renewTime?: string
  leaseTransitions?: number
  strategy?: string
  preferredHolder?: string
}
