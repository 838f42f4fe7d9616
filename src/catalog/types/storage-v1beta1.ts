// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type VolumeAttributesClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  driverName: string
  parameters?: Record<string, string>
}

export type VolumeAttributesClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: VolumeAttributesClass[] | null
}
