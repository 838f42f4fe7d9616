/**
 * The admission interface of the write verbs: a verb hands over the write, and gets back the object to continue with, or an error. The
 * chain that implements it is in `admission`.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import type { Annotate } from './audit-trail.ts'
import type { GroupVersionKind, GroupVersionResource } from './group-version.ts'
import type { JsonObject } from './json.ts'
import type { KubeObject } from './object.ts'
import type { UserInfo } from './user.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** What a request may wait for that is no work of the server's own, as the audit log names it. */
export type LatencySource = 'mutating-webhook' | 'validating-webhook' | 'apf-queue-wait'

export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  readonly resource: GroupVersionResource
  readonly subresource: string
  /** The kind as the client sent it; objects are in the resource's hub version, and `convert` brings them there. */
  readonly kind: GroupVersionKind
  readonly namespace: string
  /** Empty when a name is yet to be generated, and for collection deletes. */
  readonly name: string
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: JsonObject
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  /** The object in another served version of the resource. */
  readonly convert: (object: KubeObject, apiVersion: string) => Awaitable<KubeObject>
  readonly warn: (text: string) => void
  readonly annotate: Annotate
  /** Called with the time in which others were waited for, in milliseconds. */
  readonly waited?: ((what: LatencySource, ms: number) => void) | undefined
}

export interface Admission {
  /** The mutating phase. Returns the object to go on with, or throws. */
  mutate(request: AdmissionRequest): Awaitable<KubeObject | undefined>
  /** The validating phase. Throws to refuse. */
  validate(request: AdmissionRequest): Awaitable<void>
}
