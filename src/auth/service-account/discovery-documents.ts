/**
 * What others need to verify our service account tokens: `/.well-known/openid-configuration` and `/openid/v1/jwks`.
 * Mirrors pkg/serviceaccount: NewOpenIDMetadataProvider.
 */
import { algorithmOf } from '../jwt/jws.ts'
import { jsonWebKeySet, type VerificationKey } from './keys.ts'

export interface DiscoveryDocuments {
  readonly configuration: string
  readonly keys: string
}

/**
 * Undefined when the issuer is no HTTPS address, because then it is not discoverable. The texts are served as they are,
 * with the types `application/json` and `application/jwk-set+json`.
 */
export function discoveryDocuments(
  issuer: string,
  jwksUri: string,
  keys: readonly VerificationKey[],
): DiscoveryDocuments | undefined {
  if (!issuer.startsWith('https://')) return undefined
  const algorithms = [...new Set(keys.map(({ key }) => algorithmOf(key) ?? ''))].sort()
  return {
    configuration: JSON.stringify({
      issuer,
      jwks_uri: jwksUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }),
    keys: JSON.stringify(jsonWebKeySet(keys)),
  }
}
