/**
 * A claim that is not in the token itself: the token names an address (`_claim_names`, `_claim_sources`) where another
 * signed token has it. Only tokens that are already believed send the server anywhere, and what comes back must be
 * signed by its own issuer, be valid now, and be meant for the same audiences.
 * Mirrors k8s.io/apiserver/plugin/pkg/authenticator/token/oidc: claimResolver.
 */

import { isJsonObject, type JsonObject, ownValue } from '../../api/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Dial } from '../../outbound/dial.ts'
import { ClaimError } from './claim-mapping.ts'
import { discoveredUrlPolicy, fetchText } from './fetch-json.ts'
import { type ParsedToken, parseToken, type SignatureAlgorithm } from './jws.ts'
import { RemoteKeySet } from './remote-key-set.ts'

export interface DistributedClaimOptions {
  readonly claim: string
  /** The address of the issuer whose tokens name the sources. */
  readonly issuer: string
  readonly certificateAuthority: string
  /** Another way to sources and their issuers. */
  readonly dial?: Dial | undefined
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly clock: Clock
  /** Why a token with these claims is not good here; undefined when it is. */
  readonly check: (claims: JsonObject) => string | undefined
}

const timeoutMs = 30_000
/** Issuers whose keys are kept; the oldest goes first. */
const maxIssuers = 16

export class DistributedClaim {
  readonly #options: DistributedClaimOptions
  readonly #issuers = new Map<string, RemoteKeySet>()

  constructor(options: DistributedClaimOptions) {
    this.#options = options
  }

  /** The claims with the distributed one among them, at once where there is nothing to fetch. Throws a ClaimError. */
  expand(claims: JsonObject): Awaitable<JsonObject> {
    const source = this.#source(claims)
    if (source === undefined) return claims
    return this.#resolve(source)
      .catch((error: unknown) => {
        const why = reasonOf(error)
        throw new ClaimError(`oidc: could not expand distributed claims: ${why}`)
      })
      .then((value) => ({ ...claims, ...value }))
  }

  #source(claims: JsonObject): { readonly url: string; readonly token: string } | undefined {
    const { claim } = this.#options
    const names = claims['_claim_names']
    if (ownValue(claims, claim) !== undefined || !isJsonObject(names)) return undefined
    const sources = claims['_claim_sources']
    if (!isJsonObject(sources))
      throw new ClaimError('oidc: could not expand distributed claims: oidc: no claim sources')
    const name = ownValue(names, claim)
    if (typeof name !== 'string') return undefined
    const source = ownValue(sources, name)
    if (!isJsonObject(source)) {
      throw new ClaimError(`id token _claim_names contained a source ${name} missing in _claims_sources`)
    }
    const { endpoint, access_token: token } = source
    // A source without an address has the claim inside of it, which the reference does not read either.
    if (typeof endpoint !== 'string' || endpoint === '') return undefined
    return { url: endpoint, token: typeof token === 'string' ? token : '' }
  }

  async #resolve({ url, token }: { readonly url: string; readonly token: string }): Promise<JsonObject> {
    const { claim, issuer, certificateAuthority, algorithms, check, dial } = this.#options
    const text = await fetchText(url, {
      timeoutMs,
      dial,
      addresses: discoveredUrlPolicy(url, issuer),
      ...(certificateAuthority === '' ? {} : { certificateAuthority }),
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    })
    const parsed = parseToken(text.trim())
    if (parsed === undefined) throw new Error(`the answer of ${url} is no signed token`)
    if (!(await this.#keysOf(parsed).verify(parsed, algorithms))) {
      throw new Error('verify distributed claim token: failed to verify signature')
    }
    const wrong = check(parsed.claims)
    if (wrong !== undefined) throw new Error(`verify distributed claim token: ${wrong}`)
    const value = ownValue(parsed.claims, claim)
    if (value === undefined)
      throw new Error(`jwt returned by distributed claim endpoint ${url} did not contain claim: ${claim}`)
    return { [claim]: value }
  }

  #keysOf({ claims }: ParsedToken): RemoteKeySet {
    const { issuer: namedBy, certificateAuthority, clock, dial } = this.#options
    const issuer = claims['iss']
    if (typeof issuer !== 'string' || issuer === '') throw new Error('the token of a distributed claim has no issuer')
    const known = this.#issuers.get(issuer)
    if (known !== undefined) return known
    const oldest = this.#issuers.keys().next()
    if (this.#issuers.size >= maxIssuers && !oldest.done) this.#issuers.delete(oldest.value)
    const ca = certificateAuthority === '' ? {} : { certificateAuthority }
    const keys = new RemoteKeySet({ issuer, namedBy, clock, dial, ...ca })
    this.#issuers.set(issuer, keys)
    return keys
  }
}
