// Made by scripts/catalog.mjs. Do not edit.
import type { Toleration } from './core-v1.ts'
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type Overhead = {
  podFixed?: Record<string, string>
}

export type RuntimeClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  handler: string
  overhead?: Overhead
  scheduling?: Scheduling
}

export type RuntimeClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: RuntimeClass[] | null
}

export type Scheduling = {
  nodeSelector?: Record<string, string>
  tolerations?: Toleration[]
}
