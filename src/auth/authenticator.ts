/**
 * Who sends a request. An authenticator looks at what a request brings along and either names a user, refuses the
 * credential, or has no opinion because the request brings nothing that it knows.
 *
 * This runs for every request: an authenticator answers without a promise where nothing has to be waited for.
 */

import type { X509Certificate } from 'node:crypto'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'

/** What a request brings along to prove who sends it. */
export interface Credentials {
  /** Header names in lower case, as node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Every value of the headers in the order of arrival, `name, value, name, value`: repeated headers stay apart. */
  readonly rawHeaders?: readonly string[] | undefined
  /** The certificates that the client showed, the leaf first. Not yet verified against any authority. */
  readonly peerCertificates: readonly X509Certificate[]
  readonly remoteAddress: string
  /** The path without the query. */
  readonly path: string
  /** The audiences that the answering server stands for. Set by token reviews; otherwise those of the API server. */
  readonly audiences?: readonly string[]
}

export interface Authenticated {
  readonly outcome: 'authenticated'
  readonly user: UserInfo
  /** The audiences for which the credential is good; absent when the credential knows no audiences. */
  readonly audiences?: readonly string[]
  /** Headers of a proxy that say who asks: nothing behind authentication sees them. Names are in lower case. */
  readonly consumedHeaders?: readonly string[]
  /** Audit annotations of the request that brought the credential. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Sent to the client with the answer. */
  readonly warnings?: readonly string[]
}

/** The request brings no credential that this authenticator knows. */
export interface NoOpinion {
  readonly outcome: 'no opinion'
}

/** There was a credential and it is not good. `error` is for logs and token reviews, never for the client. */
export interface Failed {
  readonly outcome: 'failed'
  readonly error: string
}

export type AuthenticationResult = Authenticated | NoOpinion | Failed

export interface Authenticator {
  authenticate(credentials: Credentials): Awaitable<AuthenticationResult>
}

/** The part of an authenticator that knows bearer tokens alone, wherever they came from. */
export interface TokenAuthenticator {
  authenticateToken(token: string, options: TokenOptions): Awaitable<AuthenticationResult>
}

export interface TokenOptions {
  /** The audiences asked for; undefined when the asker does not care. */
  readonly audiences: readonly string[] | undefined
}

export const noOpinion: NoOpinion = { outcome: 'no opinion' }

export const failed = (error: string): Failed => ({ outcome: 'failed', error })

export const authenticated = (user: UserInfo, audiences?: readonly string[]): Authenticated =>
  audiences === undefined ? { outcome: 'authenticated', user } : { outcome: 'authenticated', user, audiences }
