// Made by scripts/catalog.mjs. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type CertificateSigningRequest = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: CertificateSigningRequestSpec
  status: CertificateSigningRequestStatus
}

export type CertificateSigningRequestCondition = {
  type: string
  status: string
  reason?: string
  message?: string
  lastUpdateTime: string | null
  lastTransitionTime: string | null
}

export type CertificateSigningRequestList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CertificateSigningRequest[] | null
}

export type CertificateSigningRequestSpec = {
  request: string | null
  signerName: string
  expirationSeconds?: number
  usages?: string[]
  username?: string
  uid?: string
  groups?: string[]
  extra?: Record<string, string[]>
}

export type CertificateSigningRequestStatus = {
  conditions?: CertificateSigningRequestCondition[]
  certificate?: string
}
