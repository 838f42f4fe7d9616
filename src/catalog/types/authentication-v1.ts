// Made by scripts/catalog.mjs. Do not edit.
import type { ObjectMeta } from './meta-v1.ts'

export type BoundObjectReference = {
  kind?: string
  apiVersion?: string
  name?: string
  uid?: string
}

export type SelfSubjectReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  status: SelfSubjectReviewStatus
}

export type SelfSubjectReviewStatus = {
  userInfo: UserInfo
}

export type TokenRequest = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: TokenRequestSpec
  status: TokenRequestStatus
}

export type TokenRequestSpec = {
  audiences: string[] | null
  expirationSeconds: number | null
  boundObjectRef: BoundObjectReference | null
}

export type TokenRequestStatus = {
  token: string
  expirationTimestamp: string | null
}

export type TokenReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: TokenReviewSpec
  status: TokenReviewStatus
}

export type TokenReviewSpec = {
  token?: string
  audiences?: string[]
}

export type TokenReviewStatus = {
  authenticated?: boolean
  user: UserInfo
  audiences?: string[]
  error?: string
}

export type UserInfo = {
  username?: string
  uid?: string
  groups?: string[]
  extra?: Record<string, string[]>
}
