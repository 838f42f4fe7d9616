/** The `--oidc-*` flags as one JWT authenticator of the structured kind. */
import type { JwtAuthenticatorConfig } from '../../api/authentication-configuration.ts'
import { type SignatureAlgorithm, signatureAlgorithms } from './jws.ts'

export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  /** PEM; empty for the authorities of the system. */
  readonly certificateAuthority: string
  readonly usernameClaim: string
  readonly usernamePrefix: string | undefined
  readonly groupsClaim: string | undefined
  readonly groupsPrefix: string | undefined
  /** `claim=value` */
  readonly requiredClaims: readonly string[]
}

export function authenticatorOfFlags(flags: OidcFlags): JwtAuthenticatorConfig {
  const { issuerUrl, clientId, certificateAuthority, usernameClaim, groupsClaim, groupsPrefix } = flags
  return {
    issuer: {
      url: issuerUrl,
      discoveryURL: '',
      certificateAuthority,
      audiences: [clientId],
      audienceMatchPolicy: '',
    },
    claimValidationRules: flags.requiredClaims.map((text) => {
      const equals = text.indexOf('=')
      const claim = equals < 0 ? text : text.slice(0, equals)
      return { claim, requiredValue: equals < 0 ? '' : text.slice(equals + 1), expression: '', message: '' }
    }),
    claimMappings: {
      username: { claim: usernameClaim, prefix: usernamePrefix(flags), expression: '' },
      groups: { claim: groupsClaim ?? '', prefix: groupsPrefix ?? '', expression: '' },
      uid: { claim: '', expression: '' },
      extra: [],
    },
    userValidationRules: [],
  }
}

/** Throws an Error that says which one is not known. */
export function algorithmsOfFlags(names: readonly string[]): readonly SignatureAlgorithm[] {
  const unknown = names.find((name) => !signatureAlgorithms.some((each) => each === name))
  if (unknown !== undefined) throw new Error(`oidc: unsupported signing alg: ${JSON.stringify(unknown)}`)
  return names.length === 0 ? ['RS256'] : (names as readonly SignatureAlgorithm[])
}

/** Names of other issuers must not collide with ours: without a prefix the issuer becomes one, except for addresses. */
function usernamePrefix({ usernamePrefix: given, usernameClaim, issuerUrl }: OidcFlags): string {
  if (given === '-') return ''
  if (given !== undefined && given !== '') return given
  return usernameClaim === 'email' ? '' : `${issuerUrl}#`
}
