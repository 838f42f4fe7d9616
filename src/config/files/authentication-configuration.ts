/** AuthenticationConfiguration: JWT authenticators, and where requests may be anonymous. */

import { X509Certificate } from 'node:crypto'
import type {
  ClaimMappings,
  JwtAuthenticatorConfig,
  JwtIssuer,
  PrefixedClaimOrExpression,
} from '../../api/authentication-configuration.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { validateDomainPrefixedPath } from '../../api/names.ts'
import { pushAll } from '../../lib/push-all.ts'
import { trimTrailing } from '../../lib/trim-trailing.ts'
import { booleanDecoder, type ConfigurationDecoder, listDecoder, optional, stringDecoder, struct } from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { decodeDocument } from './versioned-document.ts'

export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfig[]
  readonly anonymous: AnonymousConfig | undefined
}

export interface AnonymousConfig {
  readonly enabled: boolean
  readonly conditions: readonly { readonly path: string }[]
}

/** What the file cannot know by itself. */
export interface AuthenticationChecks {
  /** Checks an expression over `claims` or `user`; `rule` must give a boolean. */
  readonly checkExpression: (expression: string, over: 'claims' | 'user', rule: boolean) => CheckedExpression
  /** Our own service account issuers: their tokens are not for these authenticators. */
  readonly disallowedIssuers: readonly string[]
  readonly anonymousFlagSet: boolean
}

export type CheckedExpression =
  | { readonly error: string }
  /** Which of the claims `email` and `email_verified` the expression selects. */
  | { readonly error?: undefined; readonly usesEmail: boolean; readonly usesEmailVerified: boolean }

const claimOrExpression = struct('v1beta1.ClaimOrExpression', { claim: stringDecoder, expression: stringDecoder })
const prefixedClaim: ConfigurationDecoder<PrefixedClaimOrExpression> = struct('v1beta1.PrefixedClaimOrExpression', {
  claim: stringDecoder,
  prefix: optional(stringDecoder),
  expression: stringDecoder,
})

const decoder: ConfigurationDecoder<AuthenticationConfiguration> = struct('v1beta1.AuthenticationConfiguration', {
  jwt: listDecoder(
    struct('v1beta1.JWTAuthenticator', {
      issuer: struct('v1beta1.Issuer', {
        url: stringDecoder,
        discoveryURL: stringDecoder,
        certificateAuthority: stringDecoder,
        audiences: listDecoder(stringDecoder),
        audienceMatchPolicy: stringDecoder,
      }),
      claimValidationRules: listDecoder(
        struct('v1beta1.ClaimValidationRule', {
          claim: stringDecoder,
          requiredValue: stringDecoder,
          expression: stringDecoder,
          message: stringDecoder,
        }),
      ),
      claimMappings: struct('v1beta1.ClaimMappings', {
        username: prefixedClaim,
        groups: prefixedClaim,
        uid: claimOrExpression,
        extra: listDecoder(struct('v1beta1.ExtraMapping', { key: stringDecoder, valueExpression: stringDecoder })),
      }),
      userValidationRules: listDecoder(
        struct('v1beta1.UserValidationRule', { expression: stringDecoder, message: stringDecoder }),
      ),
    }),
  ),
  anonymous: optional(
    struct('v1beta1.AnonymousAuthConfig', {
      enabled: booleanDecoder,
      conditions: listDecoder(struct('v1beta1.AnonymousAuthCondition', { path: stringDecoder })),
    }),
  ),
})

const kind = {
  kind: 'AuthenticationConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1beta1'],
  decoder,
}

const maxAuthenticators = 64

/** Throws a ConfigFileError. */
export function readAuthenticationConfiguration(
  text: string,
  file: string,
  checks: AuthenticationChecks,
): AuthenticationConfiguration {
  const config = decoding(file, '', () => decodeDocument(text, kind))
  throwFieldErrors(file, validate(config, checks))
  // Our own issuers are looked at only when all else is well, and without the place in the list.
  throwFieldErrors(
    file,
    config.jwt.flatMap(({ issuer }) => disallowed(issuer.url, checks.disallowedIssuers)),
  )
  return config
}

function validate(config: AuthenticationConfiguration, checks: AuthenticationChecks): FieldError[] {
  const root = FieldPath.of('jwt')
  if (config.jwt.length > maxAuthenticators) return [tooMany(root, config.jwt.length, maxAuthenticators)]
  const errors: FieldError[] = []
  const issuers = new Set<string>()
  const discoveries = new Set<string>()
  for (const [i, authenticator] of config.jwt.entries()) {
    const at = root.index(i)
    pushAll(errors, validateAuthenticator(authenticator, at, checks))
    const { url, discoveryURL } = authenticator.issuer
    if (issuers.has(url)) errors.push(duplicate(at.child('issuer', 'url'), url))
    issuers.add(url)
    if (discoveryURL !== '' && discoveries.has(discoveryURL)) {
      errors.push(duplicate(at.child('issuer', 'discoveryURL'), discoveryURL))
    }
    discoveries.add(discoveryURL)
  }
  return [...errors, ...validateAnonymous(config.anonymous, checks)]
}

function validateAnonymous(anonymous: AnonymousConfig | undefined, checks: AuthenticationChecks): FieldError[] {
  if (anonymous === undefined) return []
  const at = FieldPath.of('anonymous')
  const { enabled, conditions } = anonymous
  const errors: FieldError[] = []
  if (checks.anonymousFlagSet) {
    // The reference spells the flag like this.
    const why =
      '--anonynous-auth flag cannot be set when anonymous field is configured in authentication configuration file'
    errors.push(forbidden(at, why))
  }
  if (!enabled && conditions.length > 0) {
    const shown = conditions.map(({ path }) => ({ path }))
    errors.push(invalid(at.child('conditions'), shown, 'enabled should be set to true when conditions are defined'))
  }
  conditions.forEach(({ path }, i) => {
    if (path === '') errors.push(required(at.child('conditions').index(i).child('path')))
  })
  return errors
}

function validateAuthenticator(
  { issuer, claimValidationRules, claimMappings, userValidationRules }: JwtAuthenticatorConfig,
  at: FieldPath,
  checks: AuthenticationChecks,
): FieldError[] {
  const use: EmailUse = { email: false, verified: false }
  return [
    ...validateIssuer(issuer, at.child('issuer')),
    ...validateClaimRules(claimValidationRules, at.child('claimValidationRules'), checks, use),
    ...validateMappings(claimMappings, at.child('claimMappings'), checks, use),
    ...validateUserRules(userValidationRules, at.child('userValidationRules'), checks),
  ]
}

/** Whether an address from a claim is used as the name, and whether anything looks if it was verified. */
interface EmailUse {
  email: boolean
  verified: boolean
}

function validateIssuer(issuer: JwtIssuer, at: FieldPath): FieldError[] {
  const { url, discoveryURL } = issuer
  const errors: FieldError[] = []
  if (url === '') errors.push(required(at.child('url'), 'URL is required'))
  else pushAll(errors, validateUrl(url, at.child('url')))
  if (discoveryURL !== '') {
    if (url !== '' && trimSlashes(url) === trimSlashes(discoveryURL)) {
      errors.push(invalid(at.child('discoveryURL'), discoveryURL, 'discoveryURL must be different from URL'))
    }
    pushAll(errors, validateUrl(discoveryURL, at.child('discoveryURL')))
  }
  pushAll(errors, validateAudiences(issuer, at))
  if (issuer.certificateAuthority !== '' && !holdsCertificate(issuer.certificateAuthority)) {
    const why = 'data does not contain any valid RSA or ECDSA certificates'
    errors.push(invalid(at.child('certificateAuthority'), '<omitted>', why))
  }
  return errors
}

const trimSlashes = (text: string): string => trimTrailing(text, '/')

function holdsCertificate(pem: string): boolean {
  const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/.exec(pem)?.[0]
  if (block === undefined) return false
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}

function disallowed(url: string, issuers: readonly string[]): FieldError[] {
  if (!issuers.includes(url)) return []
  return [
    invalid('issuer.url', url, `URL must not overlap with disallowed issuers: [${[...issuers].sort().join(' ')}]`),
  ]
}

function validateUrl(text: string, at: FieldPath): FieldError[] {
  if (!/^[!-~\u0080-\uffff]+$/.test(text))
    return [invalid(at, text, `parse ${JSON.stringify(text)}: invalid character in URL`)]
  const errors: FieldError[] = []
  const [, scheme = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? []
  if (scheme.toLowerCase() !== 'https') errors.push(invalid(at, text, 'URL scheme must be https'))
  const [beforeFragment = '', fragment = ''] = text.split(/#(.*)/s)
  const [beforeQuery = '', query = ''] = beforeFragment.split(/\?(.*)/s)
  const authority = /^[^/]*\/\/([^/]*)/.exec(beforeQuery)?.[1] ?? ''
  if (authority.includes('@')) errors.push(invalid(at, text, 'URL must not contain a username or password'))
  if (query !== '') errors.push(invalid(at, text, 'URL must not contain a query'))
  if (fragment !== '') errors.push(invalid(at, text, 'URL must not contain a fragment'))
  return errors
}

function validateAudiences({ audiences, audienceMatchPolicy }: JwtIssuer, parent: FieldPath): FieldError[] {
  const at = parent.child('audiences')
  if (audiences.length === 0) return [required(at, `at least one ${at} is required`)]
  const errors: FieldError[] = []
  const seen = new Set<string>()
  audiences.forEach((audience, i) => {
    if (audience === '') errors.push(required(at.index(i), "audience can't be empty"))
    if (seen.has(audience)) errors.push(duplicate(at.index(i), audience))
    seen.add(audience)
  })
  const policy = parent.child('audienceMatchPolicy')
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny') {
    const why = 'audienceMatchPolicy must be MatchAny for multiple audiences'
    errors.push(invalid(policy, audienceMatchPolicy, why))
  }
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny') {
    const why = 'audienceMatchPolicy must be empty or MatchAny for single audience'
    errors.push(invalid(policy, audienceMatchPolicy, why))
  }
  return errors
}

function validateClaimRules(
  rules: JwtAuthenticatorConfig['claimValidationRules'],
  parent: FieldPath,
  checks: AuthenticationChecks,
  use: EmailUse,
): FieldError[] {
  const claims = new Set<string>()
  const expressions = new Set<string>()
  return rules.flatMap(({ claim, requiredValue, expression, message }, i): FieldError[] => {
    const at = parent.index(i)
    if (claim !== '' && expression !== '') return [invalid(at, claim, "claim and expression can't both be set")]
    if (claim === '' && expression === '') return [required(at, 'claim or expression is required')]
    if (claim !== '') {
      const twice = claims.has(claim)
      claims.add(claim)
      return [
        ...(message === '' ? [] : [invalid(at.child('message'), message, "message can't be set when claim is set")]),
        ...(twice ? [duplicate(at.child('claim'), claim)] : []),
      ]
    }
    const errors =
      requiredValue === ''
        ? []
        : [invalid(at.child('requiredValue'), requiredValue, "requiredValue can't be set when expression is set")]
    if (expressions.has(expression)) return [...errors, duplicate(at.child('expression'), expression)]
    expressions.add(expression)
    return [...errors, ...checkClaims(expression, at.child('expression'), checks, use, true)]
  })
}

/** Checks an expression over the claims, and notes whether it looks at `email_verified`. */
function checkClaims(
  expression: string,
  at: FieldPath,
  checks: AuthenticationChecks,
  use: EmailUse,
  rule = false,
): FieldError[] {
  const checked = checks.checkExpression(expression, 'claims', rule)
  if (checked.error !== undefined) return [invalid(at, expression, checked.error)]
  use.verified ||= checked.usesEmailVerified
  return []
}

function validateMappings(
  { username, groups, uid, extra }: ClaimMappings,
  at: FieldPath,
  checks: AuthenticationChecks,
  use: EmailUse,
): FieldError[] {
  const errors: FieldError[] = []
  pushAll(errors, validatePrefixed(username, at.child('username'), true, checks, use))
  if (username.expression !== '') {
    const checked = checks.checkExpression(username.expression, 'claims', false)
    use.email = checked.error === undefined && checked.usesEmail
  }
  pushAll(errors, validatePrefixed(groups, at.child('groups'), false, checks, { email: false, verified: false }))
  if (uid.claim !== '' && uid.expression !== '') {
    errors.push(invalid(at.child('uid'), '', "claim and expression can't both be set"))
  } else if (uid.expression !== '') {
    const ignored = { email: false, verified: false }
    pushAll(errors, checkClaims(uid.expression, at.child('uid', 'expression'), checks, ignored))
  }
  pushAll(errors, validateExtra(extra, at.child('extra'), checks, use))
  if (use.email && !use.verified) {
    const why =
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'
    errors.push(invalid(at.child('username', 'expression'), username.expression, why))
  }
  return errors
}

function validatePrefixed(
  { claim, prefix, expression }: PrefixedClaimOrExpression,
  at: FieldPath,
  wanted: boolean,
  checks: AuthenticationChecks,
  use: EmailUse,
): FieldError[] {
  if (expression !== '' && claim !== '') return [invalid(at, '', "claim and expression can't both be set")]
  if (expression === '' && claim === '') return wanted ? [required(at, 'claim or expression is required')] : []
  if (claim !== '') {
    const why = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'
    return prefix === undefined ? [required(at.child('prefix'), why)] : []
  }
  const errors =
    prefix === undefined ? [] : [invalid(at.child('prefix'), prefix, "prefix can't be set when expression is set")]
  return [...errors, ...checkClaims(expression, at.child('expression'), checks, use)]
}

function validateExtra(
  extra: ClaimMappings['extra'],
  parent: FieldPath,
  checks: AuthenticationChecks,
  use: EmailUse,
): FieldError[] {
  const seen = new Set<string>()
  return extra.flatMap(({ key, valueExpression }, i): FieldError[] => {
    const at = parent.index(i)
    const errors = validateDomainPrefixedPath(at.child('key'), key)
    if (key !== key.toLowerCase()) errors.push(invalid(at.child('key'), key, 'key must be lowercase'))
    if (/^([^/]*\.)?(kubernetes|k8s)\.io\//.test(key)) {
      const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'
      errors.push(invalid(at.child('key'), key, why))
    }
    if (seen.has(key)) return [...errors, duplicate(at.child('key'), key)]
    seen.add(key)
    if (valueExpression === '') return [...errors, required(at.child('valueExpression'), 'valueExpression is required')]
    return [...errors, ...checkClaims(valueExpression, at.child('valueExpression'), checks, use)]
  })
}

function validateUserRules(
  rules: JwtAuthenticatorConfig['userValidationRules'],
  parent: FieldPath,
  checks: AuthenticationChecks,
): FieldError[] {
  const seen = new Set<string>()
  return rules.flatMap(({ expression }, i): FieldError[] => {
    const at = parent.index(i).child('expression')
    if (expression === '') return [required(at, 'expression is required')]
    if (seen.has(expression)) return [duplicate(at, expression)]
    seen.add(expression)
    const checked = checks.checkExpression(expression, 'user', true)
    return checked.error === undefined ? [] : [invalid(at, expression, checked.error)]
  })
}
