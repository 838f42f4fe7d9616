/** Observer of what webhooks and policies decide, for metrics. */

export interface WebhookOutcome {
  readonly webhook: string
  readonly type: 'admit' | 'validating'
  readonly operation: string
  readonly seconds: number
  /** Undefined: the request goes on. */
  readonly rejection: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error' | undefined
  /** The status that the webhook stands for: 200 when it agrees. */
  readonly code: number
  /** It failed and was passed over. */
  readonly failedOpen: boolean
}

export interface PolicyCheck {
  readonly policy: string
  readonly binding: string
  readonly action: 'allow' | 'deny' | 'audit' | 'warn'
  readonly error: 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget'
  readonly seconds: number
}

export type MutationCheck = Omit<PolicyCheck, 'action'>

export interface AdmissionObserver {
  /** Validating policies denied a request: all that they said, of which the client hears the first. */
  denied?(messages: readonly string[]): void
  webhookAsked(outcome: WebhookOutcome): void
  policyChecked(check: PolicyCheck): void
  /** A mutation of a policy was evaluated. Absent: nobody counts them. */
  mutationChecked?(check: MutationCheck): void
  /** All expressions of a policy were compiled. */
  compiled(seconds: number): void
  /** All expressions of a policy were evaluated for a request. */
  evaluated(seconds: number): void
  conditionsJudged(judgement: ConditionJudgement): void
  podJudged(about: PodSecuritySubject, judgement: PodJudgement): void
  podExempt(about: PodSecuritySubject): void
  /** What was asked for could not be read; fatal: the request is refused because of it. */
  podSecurityFailed(about: PodSecuritySubject, fatal: boolean): void
}

export interface ConditionJudgement {
  /** Of the webhook or policy. */
  readonly name: string
  readonly kind: 'webhook' | 'policy'
  readonly type: 'admit' | 'validating' | 'validate'
  readonly operation: string
  readonly outcome: 'match' | 'exclusion' | 'error'
  readonly seconds: number
}

export interface PodSecuritySubject {
  readonly operation: string
  /** `controller`: a workload that makes pods. */
  readonly resource: 'pod' | 'namespace' | 'controller'
  readonly subresource: string
}

export interface PodJudgement {
  readonly mode: 'enforce' | 'audit' | 'warn'
  readonly allowed: boolean
  readonly level: string
  /** The minor version; undefined is the latest. */
  readonly minor: number | undefined
}
