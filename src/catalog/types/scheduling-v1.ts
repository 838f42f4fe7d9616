// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type PriorityClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  value: number
  globalDefault?: boolean
  description?: string
  preemptionPolicy?: string
}

export type PriorityClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: PriorityClass[] | null
}
