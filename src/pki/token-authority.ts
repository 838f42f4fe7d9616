/** Who signs the tokens of service accounts and what they are verified with: keys of files, or an external signer. */
import { formatDuration } from '../api/duration.ts'
import type { ExternalSigner, SignerMeter } from '../auth/service-account/external-signer.ts'
import { keySigner, type TokenSigner } from '../auth/service-account/issuer.ts'
import { signingKey, staticKeys, type VerificationKeys, verificationKeyOf } from '../auth/service-account/keys.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { ServerCredentials } from './data-folder.ts'

export interface TokenAuthority {
  /** Made when first asked for: keys take longer to make than a server to start. */
  signer(): Promise<TokenSigner>
  keys(): Promise<VerificationKeys>
  /** The longest lifetime that may be asked for, in seconds; 0 for no limit. */
  readonly maxExpirationSeconds: number
  /** The longest life of tokens that outlive what was asked for; absent: no limit beside the usual year. */
  readonly maxExtendedSeconds?: number
  close(): void
}

interface Dependencies {
  readonly credentials: ServerCredentials
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
}

export async function openTokenAuthority(options: ServerOptions, given: Dependencies): Promise<TokenAuthority> {
  const { signingEndpoint, maxExpiration } = options.authentication.serviceAccounts
  if (signingEndpoint !== undefined) return externalAuthority(signingEndpoint, maxExpiration / 1000, given)
  const { serviceAccountKeys } = given.credentials
  let keys: Promise<VerificationKeys> | undefined
  return {
    signer: async () => keySigner(signingKey(await serviceAccountKeys.signingKey())),
    keys: () => {
      keys ??= serviceAccountKeys.verificationKeys().then((all) => staticKeys(all.flatMap(verificationKeyOf)))
      return keys
    },
    maxExpirationSeconds: maxExpiration / 1000,
    close: () => {},
  }
}

/** The shortest lifetime that may be requested. */
const shortestLifetime = 600

async function externalAuthority(
  endpoint: string,
  asked: number,
  { clock, logger, metrics }: Dependencies,
): Promise<TokenAuthority> {
  const { ExternalSigner: Signer } = await import('../auth/service-account/external-signer.ts')
  const signer = new Signer({
    endpoint,
    clock,
    meter: signerMeter(metrics, clock),
    onError: (error) => logger.error({ err: error }, 'the keys of the external signer could not be fetched'),
  })
  try {
    const longest = checkLifetime(await startSigner(signer), asked)
    return {
      signer: async () => signer,
      keys: async () => signer.keys,
      maxExpirationSeconds: asked === 0 ? longest : asked,
      maxExtendedSeconds: longest,
      close: () => signer.close(),
    }
  } catch (error) {
    signer.close()
    throw error
  }
}

async function startSigner(signer: ExternalSigner): Promise<number> {
  try {
    return await signer.start()
  } catch (error) {
    throw new ConfigError(`while setting up external-jwt-signer: ${(error as Error).message}`)
  }
}

function checkLifetime(longest: number, asked: number): number {
  if (longest < shortestLifetime) {
    throw new ConfigError(
      `max token life supported by external-jwt-signer (${longest}s) is less than acceptable (min ${shortestLifetime}s)`,
    )
  }
  if (asked > longest) {
    throw new ConfigError(
      `service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ${ofSeconds(asked)} > ${ofSeconds(longest)}`,
    )
  }
  return longest
}

const ofSeconds = (seconds: number): string => formatDuration(BigInt(Math.round(seconds * 1000)) * 1_000_000n)

function signerMeter(metrics: MetricSet, clock: Clock): SignerMeter {
  const name = (suffix: string): string => `apiserver_externaljwt_${suffix}`
  return {
    called: (method, code, seconds) =>
      metrics.histogram(name('request_duration_seconds')).observe(seconds, method, code),
    signed: (code) => metrics.counter(name('sign_request_total')).add(1, code),
    fetched(code) {
      metrics.counter(name('fetch_keys_request_total')).add(1, code)
      if (code === 'OK') metrics.gauge(name('fetch_keys_success_timestamp')).set(clock.now() / 1000)
    },
    dataFrom: (timestamp) => metrics.gauge(name('fetch_keys_data_timestamp')).set(timestamp),
  }
}
