/** The shape of structured JWT authentication: read from the configuration file, used by the authenticators. */
export interface JwtAuthenticatorConfig {
  readonly issuer: JwtIssuer
  readonly claimValidationRules: readonly ClaimValidationRule[]
  readonly claimMappings: ClaimMappings
  readonly userValidationRules: readonly UserValidationRule[]
}

export interface JwtIssuer {
  readonly url: string
  readonly discoveryURL: string
  /** PEM; empty for the authorities of the system. */
  readonly certificateAuthority: string
  readonly audiences: readonly string[]
  readonly audienceMatchPolicy: string
  /** `controlplane` or `cluster`; absent and empty: straight. Only later releases read it. */
  readonly egressSelectorType?: string
}

/** Either a claim with its required value, or an expression with the message of its failure. */
export interface ClaimValidationRule {
  readonly claim: string
  readonly requiredValue: string
  readonly expression: string
  readonly message: string
}

export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression
  readonly groups: PrefixedClaimOrExpression
  readonly uid: ClaimOrExpression
  readonly extra: readonly ExtraMapping[]
}

export interface ClaimOrExpression {
  readonly claim: string
  readonly expression: string
}

export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  readonly prefix: string | undefined
}

export interface ExtraMapping {
  readonly key: string
  readonly valueExpression: string
}

export interface UserValidationRule {
  readonly expression: string
  readonly message: string
}
