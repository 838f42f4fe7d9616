// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type ServerStorageVersion = {
  apiServerID?: string
  encodingVersion?: string
  decodableVersions?: string[]
  servedVersions?: string[]
}

export type StorageVersion = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: StorageVersionSpec
  status: StorageVersionStatus
}

export type StorageVersionCondition = {
  type: string
  status: string
  observedGeneration?: number
  lastTransitionTime: string | null
  reason: string
  message?: string
}

export type StorageVersionList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: StorageVersion[] | null
}

export type StorageVersionSpec = Record<string, never>

export type StorageVersionStatus = {
  storageVersions?: ServerStorageVersion[]
  commonEncodingVersion?: string
  conditions?: StorageVersionCondition[]
}
