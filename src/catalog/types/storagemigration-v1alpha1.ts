// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type GroupVersionResource = {
  group?: string
  version?: string
  resource?: string
}

export type MigrationCondition = {
  type: string
  status: string
  lastUpdateTime: string | null
  reason?: string
  message?: string
}

export type StorageVersionMigration = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: StorageVersionMigrationSpec
  status: StorageVersionMigrationStatus
}

export type StorageVersionMigrationList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: StorageVersionMigration[] | null
}

export type StorageVersionMigrationSpec = {
  resource: GroupVersionResource
  continueToken?: string
}

export type StorageVersionMigrationStatus = {
  conditions?: MigrationCondition[]
  resourceVersion?: string
}
