/** Decorators of authenticators and authorizers whose delegate is replaced atomically when a configuration file is reloaded. */

import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type {
  AuthenticationResult,
  Authenticator,
  Credentials,
  TokenAuthenticator,
  TokenOptions,
} from './authenticator.ts'
import type { Authorizer, Decision, UserRules } from './authorizer.ts'

export class ReplaceableTokens implements TokenAuthenticator {
  #current: TokenAuthenticator

  constructor(first: TokenAuthenticator) {
    this.#current = first
  }

  replace(next: TokenAuthenticator): void {
    this.#current = next
  }

  authenticateToken(token: string, options: TokenOptions): Awaitable<AuthenticationResult> {
    return this.#current.authenticateToken(token, options)
  }
}

export class ReplaceableAuthenticator implements Authenticator {
  #current: Authenticator

  constructor(first: Authenticator) {
    this.#current = first
  }

  replace(next: Authenticator): void {
    this.#current = next
  }

  authenticate(credentials: Credentials): Awaitable<AuthenticationResult> {
    return this.#current.authenticate(credentials)
  }
}

export class ReplaceableAuthorizer implements Authorizer {
  #current: Authorizer

  constructor(first: Authorizer) {
    this.#current = first
  }

  replace(next: Authorizer): void {
    this.#current = next
  }

  authorize(attributes: RequestAttributes): Awaitable<Decision> {
    return this.#current.authorize(attributes)
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    return this.#current.rulesFor?.(user, namespace) ?? { resourceRules: [], nonResourceRules: [], incomplete: true }
  }
}
