/** The user of a request: the immutable outcome of authentication and impersonation, and all that authorization knows of a person. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** Keys are lower case; a map, because strangers choose them. */
  readonly extra: ReadonlyMap<string, readonly string[]>
}

/**
 * Whom the server is to webhooks, policies and audit logs when it writes for itself. The reference makes up a uid with every
 * start. Mirrors apiserver/pkg/server: AuthorizeClientBearerToken.
 */
export const serverUser: UserInfo = {
  name: 'system:apiserver',
  uid: '3a5e3cb1-6a1d-4c8e-9d55-0c1f2b7d9e60',
  groups: ['system:authenticated', 'system:masters'],
  extra: new Map(),
}
