// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type LeaseCandidate = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: LeaseCandidateSpec
}

export type LeaseCandidateList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: LeaseCandidate[] | null
}

export type LeaseCandidateSpec = {
  leaseName: string
  pingTime?: string
  renewTime?: string
  binaryVersion: string
  emulationVersion?: string
  strategy?: string
}
