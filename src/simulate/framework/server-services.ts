/** What controllers need of the server itself, beside its objects. */
import type { JsonObject } from '../../api/json.ts'

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** With the query. */
  readonly path: string
  readonly body?: JsonObject
  /** The service account of kube-system that asks. */
  readonly account: string
}

/** A certificate and its private key, in PEM. */
export interface SigningPair {
  readonly certPem: string
  readonly keyPem: string
}

export interface ServerServices {
  /** What clients verify the server with. */
  readonly rootCaPem: string
  /** The CA that the server trusts clients by. */
  readonly signer: SigningPair
  /** A token with exactly these claims, signed as those of service accounts. */
  signToken(claims: JsonObject): Promise<string>
  /**
   * A request to this server within the process: all of the pipeline, aggregated APIs included. Throws an `ApiError` for
   * what is no success.
   */
  request(request: ServerRequest): Promise<JsonObject>
}
