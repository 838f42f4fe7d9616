/**
 * Whether a user may do what a request asks for. Authorizers are asked in a chain: the first that allows or denies
 * decides, and when none does the request is refused.
 */

import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no opinion'
  readonly reason: string
  /** Something went wrong on the way to this decision, such as a webhook that did not answer. */
  readonly error?: string
}

export interface Authorizer {
  authorize(attributes: RequestAttributes): Awaitable<Decision>
  /** What a user may do in a namespace, for SelfSubjectRulesReview. Absent: this authorizer cannot list its rules. */
  rulesFor?(user: UserInfo, namespace: string): UserRules
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** True when the list may not be all that the user may do. */
  readonly incomplete: boolean
  readonly error?: string
}

export const allow = (reason = ''): Decision => ({ verdict: 'allow', reason })
export const deny = (reason = ''): Decision => ({ verdict: 'deny', reason })
export const abstain = (reason = ''): Decision => ({ verdict: 'no opinion', reason })
