/** The vocabulary of the table of attacks. */

export const secretText = 'the-secret-that-nobody-may-see'
export const userToken = 'token-of-a-plain-user'
export const adminToken = 'token-of-the-administrator'
export const secretPath = '/api/v1/namespaces/default/secrets/s'

export interface Attempt {
  /** Of the second server, where it is meant. */
  readonly port?: number
  readonly method?: string
  readonly path: string
  /** A list is a header that is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Texts are sent as they are. */
  readonly body?: unknown
  readonly certificate?: { readonly certPem: string; readonly keyPem: string }
}

export interface Attack extends Attempt {
  readonly name: string
  /** The statuses that refuse it; a connection that breaks always does. */
  readonly refusals: readonly number[]
  /** What the administrator must not see afterwards, where the attack is answered although it does nothing. */
  readonly leaves?: { readonly path: string; readonly without: string }
}

/** An attempt that is more than a request. */
export interface Trial {
  readonly name: string
  /** Resolves with what went wrong; undefined: it was refused. */
  attempt(): Promise<string | undefined>
}

export const unauthorized = [401]
export const forbidden = [401, 403]

export const bearer = (token: string): Record<string, string> =>
  token === '' ? {} : { authorization: `Bearer ${token}` }
