/** What rules and reviews ask of authentication and authorization. */

import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { ApiError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Awaitable } from '../../lib/awaitable.ts'

export type AccessReviewKind = 'SubjectAccessReview' | 'SelfSubjectAccessReview' | 'LocalSubjectAccessReview'

export interface RbacWrite {
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string
  readonly object: KubeObject
  /** The object before an update. */
  readonly previous?: KubeObject
}

/** What is reviewed, who asks, and what is to be asked once the question was found good. */
export interface ReviewQuestion {
  readonly review: JsonObject
  readonly requestor: UserInfo
  readonly admit: () => Awaitable<void>
  readonly warn: (text: string) => void
  readonly annotate: (key: string, value: string) => void
}

export interface TokenAccount {
  readonly namespace: string
  readonly name: string
  readonly admit: (request: KubeObject) => Awaitable<void>
  /** What becomes of the uid of the request; absent: nothing. */
  readonly uids?: 'shown' | 'checked' | undefined
}

export interface IssuedTokenRequest {
  /** The request with metadata, spec and status filled in. */
  readonly object: JsonObject
  readonly warnings: readonly string[]
  readonly credentialId: string
  readonly uidMismatch?: string | undefined
}

export interface AccessServices {
  allows(attributes: RequestAttributes): Promise<boolean>
  /** The error with which a request is refused that is not allowed; undefined when it is. */
  denial(attributes: RequestAttributes): Promise<ApiError | undefined>
  /** The error with which the write of a role or a binding is refused as privilege escalation. */
  refusal(user: UserInfo, write: RbacWrite): Promise<ApiError | undefined>
  /** The plural name of a served kind. */
  resourceOfKind(group: string, version: string, kind: string): string | undefined
  /** These four make the status of a review. */
  reviewAccess(kind: AccessReviewKind, question: ReviewQuestion): Promise<JsonObject>
  reviewRules(question: ReviewQuestion): Promise<JsonObject>
  reviewToken(question: ReviewQuestion): Promise<JsonObject>
  reviewSelf(requestor: UserInfo): JsonObject
  issueToken(request: KubeObject, account: TokenAccount): Promise<IssuedTokenRequest>
}
