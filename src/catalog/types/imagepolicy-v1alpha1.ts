// Made by scripts/catalog.mjs. Do not edit.
import type { ObjectMeta } from './meta-v1.ts'

export type ImageReview = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ImageReviewSpec
  status: ImageReviewStatus
}

export type ImageReviewContainerSpec = {
  image?: string
}

export type ImageReviewSpec = {
  containers?: ImageReviewContainerSpec[]
  annotations?: Record<string, string>
  namespace?: string
}

export type ImageReviewStatus = {
  allowed: boolean
  reason?: string
  auditAnnotations?: Record<string, string>
}
