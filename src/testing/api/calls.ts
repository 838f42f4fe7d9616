// Requests that a test makes itself, and their answers.
import type { ApiObject, StoredObject } from './objects.ts'
import type { TestUser } from './users.ts'

export interface CallOptions {
  headers?: Record<string, string>
  /** Act as somebody else. */
  user?: TestUser
}

/** What the server answered. */
export interface Answer<T extends object = StoredObject> {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[]
  /** What authorization, admission, policies and webhooks noted for the audit log, whether there is one or not. */
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** As data; `{ text }` when it is no JSON. */
  readonly body: T
}

/** An answer that is no success, as the error of a call. */
export interface RequestError extends Error {
  readonly status: number
  /** The Status object. */
  readonly body: ApiObject
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}
