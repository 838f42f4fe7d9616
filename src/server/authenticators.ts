/** Puts the authenticators together that the options and the configuration file ask for. */

import { createHash } from 'node:crypto'
import type { JwtIssuer } from '../api/authentication-configuration.ts'
import { anonymousAuthenticator } from '../auth/authentication/anonymous.ts'
import { BootstrapTokens } from '../auth/authentication/bootstrap-token.ts'
import {
  CertificateVerifier,
  ClientCertificateAuthenticator,
  parseAuthorities,
} from '../auth/authentication/client-certificate.ts'
import { requestHeaderAuthenticator } from '../auth/authentication/request-header.ts'
import { serverAuthenticator } from '../auth/authentication/server-authenticator.ts'
import { StaticTokens } from '../auth/authentication/static-tokens.ts'
import { unionOfTokens } from '../auth/authentication/union.ts'
import { type Authenticator, noOpinion, type TokenAuthenticator } from '../auth/authenticator.ts'
import { AuthenticationExpressions } from '../auth/expressions/authentication-expressions.ts'
import type { SignatureAlgorithm } from '../auth/jwt/jws.ts'
import { JwtAuthenticator } from '../auth/jwt/jwt-authenticator.ts'
import { algorithmsOfFlags, authenticatorOfFlags } from '../auth/jwt/oidc-flags.ts'
import { ReplaceableAuthenticator, ReplaceableTokens } from '../auth/replaceable.ts'
import { ServiceAccountTokens, type TokenUse } from '../auth/service-account/token-authenticator.ts'
import { ReviewClient } from '../auth/webhook/webhook-client.ts'
import { WebhookTokens } from '../auth/webhook/webhook-tokens.ts'
import { readReview } from '../codec/review-answers.ts'
import type { AuthenticationOptions } from '../config/authentication-options.ts'
import { asConfigError, ConfigError } from '../config/config-error.ts'
import {
  type AuthenticationConfiguration,
  readAuthenticationConfiguration,
} from '../config/files/authentication-configuration.ts'
import { WatchedFile } from '../config/files/watched-file.ts'
import { legacyTokenLabels } from '../controllers/legacy-token-labels.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Dial } from '../outbound/dial.ts'
import type { Egress } from '../outbound/egress.ts'
import { readKubeconfig } from '../outbound/kubeconfig.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import type { TokenAuthority } from '../pki/token-authority.ts'
import type { Registries } from '../registry/registries.ts'
import { forgetKeyFetches, keyFetchReporter } from '../telemetry/key-fetch-metrics.ts'
import { tokenCacheMeter } from '../telemetry/metrics/token-cache-meter.ts'
import { reloadReporter } from '../telemetry/reload-metrics.ts'

export interface AuthenticatorDependencies {
  readonly credentials: ServerCredentials
  readonly tokenAuthority: TokenAuthority
  readonly registries: Registries
  readonly gate: (name: string) => boolean
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
  /** The way to the token webhook, and to issuers that choose one. */
  readonly egress: Egress
  /** The minor number of the release that is served. */
  readonly release: number
  /** Tokens that are known besides those of the file. */
  readonly tokens: readonly TokenAuthenticator[]
  /** Asked before all others. */
  readonly first?: readonly Authenticator[] | undefined
}

export interface OpenAuthenticator {
  readonly authenticator: Authenticator
  close(): void
}

/** How often files that may change are looked at. */
const reloadMs = 60_000
/** Refusals are not remembered: keys may have been rotated, or their issuer come back. */
const cache = { successMs: 10_000, failureMs: 0 }

export function makeAuthenticator(
  options: AuthenticationOptions,
  dependencies: AuthenticatorDependencies,
): OpenAuthenticator {
  const { registries, clock } = dependencies
  const watched: WatchedFile[] = []
  const follow: Follow = (file, take, sort) => {
    watched.push(watchFile(file, take, { ...dependencies, sort }))
  }
  const { audiences } = options.serviceAccounts
  const structured = structuredAuthentication(options, dependencies, follow)
  const authenticator = serverAuthenticator({
    apiAudiences: audiences,
    clientCertificate: clientCertificates(options, dependencies, follow),
    serviceAccountTokens: serviceAccountTokens(options, dependencies),
    cache: { ...cache, clock, meter: tokenCacheMeter(dependencies.metrics) },
    anonymous: structured.anonymous,
    ...(dependencies.first === undefined ? {} : { first: dependencies.first }),
    ...(options.requestHeader === undefined
      ? {}
      : { requestHeader: proxyHeaders(options.requestHeader, clock, follow) }),
    ...givenTokens(options, dependencies),
    ...(options.bootstrapTokens ? { bootstrapTokens: bootstrapTokens(registries, clock) } : {}),
    ...(structured.jwtTokens === undefined ? {} : { jwtTokens: structured.jwtTokens }),
    ...(options.tokenWebhook === undefined ? {} : webhookTokens(options, dependencies)),
  })
  return {
    authenticator,
    close: () => {
      for (const file of watched) file.close()
    },
  }
}

/** `sort`: the file has metrics of its own. */
type Follow = (file: string, take: (text: string) => void, sort?: 'authentication') => void

function watchFile(
  file: string,
  take: (text: string) => void,
  { sort, ...dependencies }: AuthenticatorDependencies & { readonly sort: 'authentication' | undefined },
): WatchedFile {
  const text = readGivenFile(file)
  return new WatchedFile({
    file,
    text,
    intervalMs: reloadMs,
    clock: dependencies.clock,
    take,
    onReload: reloadReporter(dependencies, { file, text, sort }),
  })
}

/** The server's own CA signed the admin's certificate, so it is trusted besides the one that was given. */
function clientCertificates(
  { clientCaFile }: AuthenticationOptions,
  { credentials, clock, metrics }: AuthenticatorDependencies,
  follow: Follow,
): Authenticator {
  const own = credentials.ca.certPem
  const verifier = new CertificateVerifier(own, clock)
  const take = (given: string): void => {
    // With the server's own there is always one: what was given must hold some itself.
    parseAuthorities(given)
    verifier.replace(`${own}\n${given}`)
  }
  if (clientCaFile !== undefined) {
    take(givenAuthorities('--client-ca-file', clientCaFile))
    follow(clientCaFile, take)
  }
  const expirations = metrics.histogram('apiserver_client_certificate_expiration_seconds').series()
  return new ClientCertificateAuthenticator(verifier, (ms) => expirations.observe(ms / 1000))
}

function proxyHeaders(
  options: NonNullable<AuthenticationOptions['requestHeader']>,
  clock: Clock,
  follow: Follow,
): Authenticator {
  const { clientCaFile, ...names } = options
  const verifier = new CertificateVerifier(givenAuthorities('--requestheader-client-ca-file', clientCaFile), clock)
  follow(clientCaFile, (text) => verifier.replace(text))
  return requestHeaderAuthenticator({ verifier, ...names })
}

function givenTokens({ tokenFile }: AuthenticationOptions, { tokens }: AuthenticatorDependencies) {
  const known = [...tokens, ...(tokenFile === undefined ? [] : [staticTokens(tokenFile)])]
  return known.length === 0 ? {} : { staticTokens: unionOfTokens(known) }
}

function staticTokens(file: string): StaticTokens {
  return asConfigError(() => new StaticTokens(readGivenFile(file), file))
}

/** The text of a file that holds at least one certificate. */
function givenAuthorities(flag: string, file: string): string {
  try {
    const text = readGivenFile(file)
    parseAuthorities(text)
    return text
  } catch (error) {
    throw new ConfigError(`${flag}: ${file}: ${reasonOf(error)}`)
  }
}

function readGiven(file: string): string {
  return asConfigError(() => readGivenFile(file))
}

/** Made when the first token comes that could be one of its own: what it needs of the store is loaded then. */
function onFirstUse(isOwn: (token: string) => boolean, make: () => Promise<TokenAuthenticator>): TokenAuthenticator {
  let made: TokenAuthenticator | undefined
  let making: Promise<TokenAuthenticator> | undefined
  return {
    authenticateToken(token, options) {
      if (!isOwn(token)) return noOpinion
      if (made !== undefined) return made.authenticateToken(token, options)
      making ??= make().then((ready) => {
        made = ready
        return ready
      })
      return making.then((ready) => ready.authenticateToken(token, options))
    },
  }
}

const looksLikeJwt = (token: string): boolean => token.split('.').length === 3
const looksLikeBootstrapToken = (token: string): boolean => /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(token)

const tokenUses: Readonly<Record<TokenUse, string>> = {
  valid: 'serviceaccount_valid_tokens_total',
  stale: 'serviceaccount_stale_tokens_total',
  legacy: 'serviceaccount_legacy_tokens_total',
  'legacy auto': 'serviceaccount_legacy_auto_token_uses_total',
  'legacy manual': 'serviceaccount_legacy_manual_token_uses_total',
  'invalid legacy auto': 'serviceaccount_invalid_legacy_auto_token_uses_total',
}

const unknownTokens: TokenAuthenticator = { authenticateToken: () => noOpinion }

function serviceAccountTokens(
  { serviceAccounts }: AuthenticationOptions,
  dependencies: AuthenticatorDependencies,
): TokenAuthenticator {
  const { tokenAuthority, registries, clock } = dependencies
  return onFirstUse(looksLikeJwt, async () => {
    const resources = ['serviceaccounts', 'secrets', 'pods', 'nodes']
    // A server without accounts knows no tokens of theirs.
    if (resources.some((resource) => registries.get('', resource) === undefined)) return unknownTokens
    const [accounts, secrets, pods, nodes] = await Promise.all(
      resources.map((resource) => registries.source('', resource)),
    )
    if (!accounts || !secrets || !pods || !nodes) return unknownTokens
    return new ServiceAccountTokens({
      issuers: serviceAccounts.issuers,
      keys: await tokenAuthority.keys(),
      apiAudiences: serviceAccounts.audiences,
      sources: { serviceAccounts: accounts, secrets, pods, nodes },
      lookup: serviceAccounts.lookup,
      clock,
      onUse: (use) => dependencies.metrics.counter(tokenUses[use]).add(1),
      labelSecret: legacyTokenLabels({ secrets: registries.need('', 'secrets'), clock, logger: dependencies.logger }),
    })
  })
}

function bootstrapTokens(registries: Registries, clock: Clock): TokenAuthenticator {
  return onFirstUse(looksLikeBootstrapToken, async () =>
    registries.get('', 'secrets') === undefined
      ? unknownTokens
      : new BootstrapTokens(await registries.source('', 'secrets'), clock),
  )
}

function webhookTokens(
  { tokenWebhook, serviceAccounts }: AuthenticationOptions,
  { clock, egress, gate }: AuthenticatorDependencies,
) {
  if (tokenWebhook === undefined) return {}
  const { configFile, version, cacheTtl } = tokenWebhook
  const connection = readKubeconfig(configFile)
  const omitsZeroTime = gate('release:omitsZeroTime')
  const client = new ReviewClient({
    connection,
    read: readReview,
    timeoutMs: 30_000,
    clock,
    dial: egress.controlplane,
    omitsZeroTime,
  })
  const tokens = new WebhookTokens({
    client,
    version: version === 'v1beta1' ? 'v1beta1' : 'v1',
    apiAudiences: serviceAccounts.audiences,
  })
  return { webhookTokens: tokens, webhookCache: { successMs: cacheTtl, failureMs: cacheTtl, clock } }
}

interface Structured {
  readonly jwtTokens: TokenAuthenticator | undefined
  readonly anonymous: Authenticator
}

/** JWT issuers and the anonymous user: from the configuration file, which may change, or from the flags. */
function structuredAuthentication(
  options: AuthenticationOptions,
  dependencies: AuthenticatorDependencies,
  follow: Follow,
): Structured {
  const expressions = new AuthenticationExpressions(dependencies.release)
  const byFlag = anonymousAuthenticator({ enabled: options.anonymous, paths: [] })
  const jwt = (config: AuthenticationConfiguration['jwt'], algorithms?: readonly SignatureAlgorithm[]) =>
    unionOfTokens(
      config.map((each) => startIssuer(each, { compiler: expressions, algorithms, options, ...dependencies })),
    )
  const read = (text: string, file: string): AuthenticationConfiguration =>
    readAuthenticationConfiguration(text, file, {
      checkExpression: (expression, over, rule) => expressions.check(expression, over, rule),
      disallowedIssuers: options.serviceAccounts.issuers,
      anonymousFlagSet: options.anonymousFlagSet,
      release: dependencies.release,
      gate: dependencies.gate,
    })
  if (options.configFile === undefined) {
    const { oidc } = options
    if (oidc === undefined) return { jwtTokens: undefined, anonymous: byFlag }
    const algorithms = asConfigError(() => algorithmsOfFlags(oidc.signingAlgorithms))
    return {
      jwtTokens: jwt(asConfigError(() => read(oidcDocument(oidc), '--oidc-issuer-url')).jwt, algorithms),
      anonymous: byFlag,
    }
  }
  const file = options.configFile
  const anonymousOf = ({ anonymous }: AuthenticationConfiguration): Authenticator =>
    anonymous === undefined
      ? byFlag
      : anonymousAuthenticator({ enabled: anonymous.enabled, paths: anonymous.conditions.map(({ path }) => path) })
  const first = asConfigError(() => read(readGiven(file), file))
  const tokens = new ReplaceableTokens(jwt(first.jwt))
  const anonymous = new ReplaceableAuthenticator(anonymousOf(first))
  const take = (text: string): void => {
    const next = read(text, file)
    forgetKeyFetches(dependencies.metrics)
    tokens.replace(jwt(next.jwt))
    anonymous.replace(anonymousOf(next))
  }
  follow(file, take, 'authentication')
  return { jwtTokens: tokens, anonymous }
}

interface IssuerDependencies extends AuthenticatorDependencies {
  readonly compiler: AuthenticationExpressions
  /** All when absent. */
  readonly algorithms: readonly SignatureAlgorithm[] | undefined
  readonly options: AuthenticationOptions
}

function startIssuer(
  config: AuthenticationConfiguration['jwt'][number],
  { compiler, algorithms, options, clock, metrics, egress }: IssuerDependencies,
): JwtAuthenticator {
  const issuer = `sha256:${createHash('sha256').update(config.issuer.url).digest('hex')}`
  const latency = metrics.histogram('apiserver_authentication_jwt_authenticator_latency_seconds')
  const authenticator = new JwtAuthenticator({
    config,
    compiler,
    apiAudiences: options.serviceAccounts.audiences,
    ...(algorithms === undefined ? {} : { algorithms }),
    clock,
    dial: issuerDial(config.issuer, egress),
    onJudged: (result, seconds) => latency.observe(seconds, issuer, result),
    onKeys: keyFetchReporter({ clock, metrics }, issuer),
  })
  // An issuer that does not answer yet is asked again when a token of it comes.
  authenticator.start()?.catch(() => {})
  return authenticator
}

/** Mirrors k8s.io/apiserver/plugin/pkg/authenticator/token/oidc: egressLookupForType. */
function issuerDial({ egressSelectorType: type = '' }: JwtIssuer, egress: Egress): Dial | undefined {
  if (type === '') return undefined
  if (egress.named === undefined) {
    throw new ConfigError(`oidc: egress lookup required with egress selector type ${JSON.stringify(type)}`)
  }
  if (!egress.named.has(type))
    throw new ConfigError(`oidc: egress lookup for ${JSON.stringify(type)} is not configured`)
  return type === 'cluster' ? egress.cluster : egress.controlplane
}

/** The flags as a configuration file, which is held against the same rules. */
function oidcDocument({ caFile, ...rest }: NonNullable<AuthenticationOptions['oidc']>): string {
  const certificateAuthority = caFile === undefined ? '' : readGiven(caFile)
  const jwt = [authenticatorOfFlags({ ...rest, certificateAuthority })]
  return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt })
}
