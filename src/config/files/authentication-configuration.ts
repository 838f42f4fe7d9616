/** AuthenticationConfiguration: JWT authenticators, and where requests may be anonymous. */

import type {
  ClaimMappings,
  JwtAuthenticatorConfig,
  JwtIssuer,
  PrefixedClaimOrExpression,
} from '../../api/authentication-configuration.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { validateDomainPrefixedPath } from '../../api/names.ts'
import { hasChange } from '../../api/release-changes.ts'
import { pushAll } from '../../lib/push-all.ts'
import { disallowed, validateEgress, validateIssuer } from './authentication-issuer.ts'
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
  /** The minor number of the release that is served. */
  readonly release: number
  readonly gate: (name: string) => boolean
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

const issuerFields = {
  url: stringDecoder,
  discoveryURL: stringDecoder,
  certificateAuthority: stringDecoder,
  audiences: listDecoder(stringDecoder),
  audienceMatchPolicy: stringDecoder,
}

const decoderOf = (issuer: ConfigurationDecoder<JwtIssuer>): ConfigurationDecoder<AuthenticationConfiguration> =>
  struct('v1beta1.AuthenticationConfiguration', {
    jwt: listDecoder(
      struct('v1beta1.JWTAuthenticator', {
        issuer,
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

const apiVersions = ['apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1beta1']
const kind = {
  kind: 'AuthenticationConfiguration',
  apiVersions,
  decoder: decoderOf(struct('v1beta1.Issuer', issuerFields)),
}
const laterKind = {
  ...kind,
  apiVersions: ['apiserver.config.k8s.io/v1', ...apiVersions],
  decoder: decoderOf(struct('v1beta1.Issuer', { ...issuerFields, egressSelectorType: stringDecoder })),
}

const maxAuthenticators = 64

/** Throws a ConfigFileError. */
export function readAuthenticationConfiguration(
  text: string,
  file: string,
  checks: AuthenticationChecks,
): AuthenticationConfiguration {
  const isLater = hasChange(checks.release, 'laterConfigurations')
  const place = isLater ? `failed to load authentication configuration from file ${JSON.stringify(file)}: ` : ''
  const config = decoding(file, place, () => decodeDocument(text, isLater ? laterKind : kind))
  const { release } = checks
  if (config.anonymous !== undefined && checks.anonymousFlagSet) throwFieldErrors(file, [twiceAnonymous], { release })
  const prefix = isLater ? 'invalid authentication configuration: ' : ''
  throwFieldErrors(file, validate(config, checks), { prefix, release })
  // Our own issuers are looked at only when all else is well, and without the place in the list.
  throwFieldErrors(
    file,
    config.jwt.flatMap(({ issuer }) => disallowed(issuer.url, checks.disallowedIssuers)),
    { release },
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
  return [...errors, ...validateAnonymous(config.anonymous)]
}

/** The reference spells the flag like this. */
const twiceAnonymous = forbidden(
  'anonymous',
  '--anonynous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
)

function validateAnonymous(anonymous: AnonymousConfig | undefined): FieldError[] {
  if (anonymous === undefined) return []
  const at = FieldPath.of('anonymous')
  const { enabled, conditions } = anonymous
  const errors: FieldError[] = []
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
    ...validateEgress(issuer, at.child('issuer', 'egressSelectorType'), checks.gate),
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
