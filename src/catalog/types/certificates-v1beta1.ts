// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type ClusterTrustBundle = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ClusterTrustBundleSpec
}

export type ClusterTrustBundleList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ClusterTrustBundle[] | null
}

export type ClusterTrustBundleSpec = {
  signerName?: string
  trustBundle: string
}
