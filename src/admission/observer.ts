/** Told of what webhooks and policies decided, for counting. */

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

export interface AdmissionObserver {
  webhookAsked(outcome: WebhookOutcome): void
  policyChecked(check: PolicyCheck): void
  /** All expressions of a policy were compiled. */
  compiled(seconds: number): void
  /** All expressions of a policy were evaluated for a request. */
  evaluated(seconds: number): void
}
