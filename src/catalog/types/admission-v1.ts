// Made by scripts/catalog.mjs. Do not edit.
import type { JsonValue } from '../../api/json.ts'
import type { UserInfo } from './authentication-v1.ts'
import type { GroupVersionKind, GroupVersionResource, Status } from './meta-v1.ts'

export type AdmissionRequest = {
  uid: string
  kind: GroupVersionKind
  resource: GroupVersionResource
  subResource?: string
  requestKind?: GroupVersionKind
  requestResource?: GroupVersionResource
  requestSubResource?: string
  name?: string
  namespace?: string
  operation: string
  userInfo: UserInfo
  object: JsonValue
  oldObject: JsonValue
  dryRun?: boolean
  options: JsonValue
}

export type AdmissionResponse = {
  uid: string
  allowed: boolean
  status?: Status
  patch?: string
  patchType?: string
  auditAnnotations?: Record<string, string>
  warnings?: string[]
}

export type AdmissionReview = {
  kind?: string
  apiVersion?: string
  request?: AdmissionRequest
  response?: AdmissionResponse
}
