/** Whom the server believes, and how they prove it. */

import { throwConfigErrors } from './config-error.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { FlagValues } from './flags.ts'
import { sharedAuthorityErrors } from './shared-authorities.ts'

export interface AuthenticationOptions {
  readonly anonymous: boolean
  /** Whether `--anonymous-auth` was given, which a configuration file then may not decide. */
  readonly anonymousFlagSet: boolean
  readonly configFile: string | undefined
  readonly clientCaFile: string | undefined
  readonly tokenFile: string | undefined
  readonly bootstrapTokens: boolean
  readonly requestHeader: RequestHeaderOptions | undefined
  readonly oidc: OidcOptions | undefined
  readonly tokenWebhook: TokenWebhookOptions | undefined
  readonly serviceAccounts: ServiceAccountOptions
}

/** A front proxy that says whom it speaks for, in headers. */
export interface RequestHeaderOptions {
  readonly clientCaFile: string
  /** Any name if empty. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

export interface OidcOptions {
  readonly issuerUrl: string
  readonly clientId: string
  readonly caFile: string | undefined
  readonly usernameClaim: string
  readonly usernamePrefix: string | undefined
  readonly groupsClaim: string | undefined
  readonly groupsPrefix: string | undefined
  readonly requiredClaims: readonly string[]
  readonly signingAlgorithms: readonly string[]
}

export interface TokenWebhookOptions {
  readonly configFile: string
  readonly version: string
  readonly cacheTtl: number
}

export interface ServiceAccountOptions {
  /** The first one signs. */
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly keyFiles: readonly string[]
  readonly signingKeyFile: string | undefined
  /** The socket of an external signer: a path, or `@NAME`. */
  readonly signingEndpoint: string | undefined
  readonly jwksUri: string | undefined
  readonly lookup: boolean
  readonly extendExpiration: boolean
  /** 0 for no limit. */
  readonly maxExpiration: number
}

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'

export function authenticationOptions(flags: FlagValues, gates: FeatureGates): AuthenticationOptions {
  throwConfigErrors([
    ...authenticationErrors(flags, gates),
    ...requestHeaderErrors(flags, gates),
    ...(gates.enabled('release:separateProxyAuthorities') ? sharedAuthorityErrors(flags) : []),
    ...serviceAccountErrors(flags, gates),
  ])
  return {
    anonymous: flags.bool('anonymous-auth') && !stompsAnonymous(flags),
    anonymousFlagSet: flags.isSet('anonymous-auth'),
    configFile: flags.optional('authentication-config'),
    clientCaFile: flags.optional('client-ca-file'),
    tokenFile: flags.optional('token-auth-file'),
    bootstrapTokens: flags.bool('enable-bootstrap-token-auth'),
    requestHeader: requestHeaderOptions(flags),
    oidc: oidcOptions(flags),
    tokenWebhook: tokenWebhookOptions(flags),
    serviceAccounts: serviceAccountOptions(flags),
  }
}

/** Everybody may do everything under AlwaysAllow, so users must at least be authenticated. */
export function anonymousWarnings(flags: FlagValues): string[] {
  return flags.bool('anonymous-auth') && stompsAnonymous(flags)
    ? [
        'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
      ]
    : []
}

function stompsAnonymous(flags: FlagValues): boolean {
  return flags.list('authorization-mode').includes('AlwaysAllow')
}

function authenticationErrors(flags: FlagValues, gates: FeatureGates): string[] {
  const oidc = flags.given.filter(({ name }) => name.startsWith('oidc-'))
  const complete = flags.string('oidc-issuer-url') !== '' && flags.string('oidc-client-id') !== ''
  if (flags.isSet('authentication-config')) {
    const errors = oidc.length > 0 ? ['authentication-config file and oidc-* flags are mutually exclusive'] : []
    if (!gates.enabled('StructuredAuthenticationConfiguration')) {
      errors.push('set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file')
    }
    return errors
  }
  return oidc.length > 0 && !complete
    ? ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set']
    : []
}

function requestHeaderErrors(flags: FlagValues, gates: FeatureGates): string[] {
  const names = ['username-headers', 'group-headers', 'extra-headers-prefix', 'allowed-names', 'uid-headers']
  const errors = names
    .map((name) => `requestheader-${name}`)
    .filter((flag) => flags.list(flag).some((header) => header.trim() === ''))
    .map((flag) => `empty value in ${JSON.stringify(flag)}`)
  const uids = flags.list('requestheader-uid-headers')
  if (uids.length === 0) return errors
  if (!gates.enabled('RemoteRequestHeaderUID')) {
    return [...errors, '--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled']
  }
  if (uids.some((header) => header.toLowerCase() === 'x-remote-uid')) return errors
  const why = '--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header'
  return [...errors, `${why} - API aggregation will not work`]
}

function requestHeaderOptions(flags: FlagValues): RequestHeaderOptions | undefined {
  const clientCaFile = flags.optional('requestheader-client-ca-file')
  if (clientCaFile === undefined) return undefined
  return {
    clientCaFile,
    allowedNames: flags.list('requestheader-allowed-names'),
    usernameHeaders: flags.list('requestheader-username-headers'),
    uidHeaders: flags.list('requestheader-uid-headers'),
    groupHeaders: flags.list('requestheader-group-headers'),
    extraHeaderPrefixes: flags.list('requestheader-extra-headers-prefix'),
  }
}

function oidcOptions(flags: FlagValues): OidcOptions | undefined {
  const issuerUrl = flags.optional('oidc-issuer-url')
  const clientId = flags.optional('oidc-client-id')
  if (issuerUrl === undefined || clientId === undefined) return undefined
  return {
    issuerUrl,
    clientId,
    caFile: flags.optional('oidc-ca-file'),
    usernameClaim: flags.string('oidc-username-claim'),
    usernamePrefix: flags.optional('oidc-username-prefix'),
    groupsClaim: flags.optional('oidc-groups-claim'),
    groupsPrefix: flags.optional('oidc-groups-prefix'),
    requiredClaims: flags.list('oidc-required-claim'),
    signingAlgorithms: flags.list('oidc-signing-algs'),
  }
}

function tokenWebhookOptions(flags: FlagValues): TokenWebhookOptions | undefined {
  const configFile = flags.optional('authentication-token-webhook-config-file')
  if (configFile === undefined) return undefined
  return {
    configFile,
    version: flags.string('authentication-token-webhook-version'),
    cacheTtl: flags.number('authentication-token-webhook-cache-ttl'),
  }
}

const hour = 3_600_000
const longestLife = 2 ** 32 * 1000
const pathOrSocket = /^(?:\/[^/ ]*)+\/?$|^@(?:[a-zA-Z0-9_-]+\.)*[a-zA-Z0-9_-]+$/

/** Mirrors pkg/controlplane/apiserver/options: validateServiceAccountTokenSigningConfig. */
function serviceAccountErrors(flags: FlagValues, gates: FeatureGates): string[] {
  const errors: string[] = []
  const longest = flags.number('service-account-max-token-expiration')
  if (longest !== 0 && (longest < hour || longest > longestLife)) {
    errors.push('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  }
  const endpoint = flags.optional('service-account-signing-endpoint')
  if (endpoint === undefined) return errors
  if (flags.isSet('service-account-signing-key-file') || flags.list('service-account-key-file').length > 0) {
    errors.push(
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
    )
  }
  if (!gates.enabled('ExternalServiceAccountTokenSigner')) {
    errors.push(
      'setting `--service-account-signing-endpoint` requires enabling ExternalServiceAccountTokenSigner feature gate',
    )
  }
  if (gates.enabled('release:anySignerPath')) {
    if (endpoint.startsWith('@') && !pathOrSocket.test(endpoint)) {
      errors.push(
        `invalid value ${JSON.stringify(endpoint)} passed for \`--service-account-signing-endpoint\`, when prefixed with @ must be a valid abstract socket name`,
      )
    }
  } else if (!pathOrSocket.test(endpoint)) {
    errors.push(
      `invalid value ${JSON.stringify(endpoint)} passed for \`--service-account-signing-endpoint\`, should be a valid location on the filesystem or must be prefixed with @ to name UDS in abstract namespace`,
    )
  }
  return errors
}

function serviceAccountOptions(flags: FlagValues): ServiceAccountOptions {
  const issuers = flags.isSet('service-account-issuer') ? flags.list('service-account-issuer') : [defaultIssuer]
  return {
    issuers,
    audiences: flags.isSet('api-audiences') ? flags.list('api-audiences') : issuers.slice(0, 1),
    keyFiles: flags.list('service-account-key-file'),
    signingKeyFile: flags.optional('service-account-signing-key-file'),
    signingEndpoint: flags.optional('service-account-signing-endpoint'),
    jwksUri: flags.optional('service-account-jwks-uri'),
    lookup: flags.bool('service-account-lookup'),
    extendExpiration: flags.bool('service-account-extend-token-expiration'),
    maxExpiration: flags.number('service-account-max-token-expiration'),
  }
}
