/** The facts of one write, the same for every verb. */

import type { AdmissionOperation, AdmissionRequest } from '../api/admission.ts'
import type { Annotate } from '../api/audit-trail.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { UserInfo } from '../api/user.ts'
import type { Registry } from './registry.ts'
import type { ResourceVersion } from './resource-definition.ts'

export interface WriteRequest {
  readonly version: ResourceVersion
  readonly namespace: string
  /** Empty for a create whose body names the object, and for collections. */
  readonly name: string
  /** What admission gets instead of the name: nothing for members of a collection. */
  readonly admittedName?: string | undefined
  /** It is about one of a collection. */
  readonly ofCollection?: boolean | undefined
  readonly subresource: string
  readonly user: UserInfo
  /** What was asked for and allowed: `update`, `patch`; absent for the server's own writes. */
  readonly verb?: string | undefined
  readonly dryRun: boolean
  /** Who owns what the write changes. */
  readonly fieldManager: string
  /** Whether it is a server-side apply. */
  readonly applies?: boolean | undefined
  /** The decoded options of the request, for admission. */
  readonly options: JsonObject
  readonly warn: (text: string) => void
  /** The request that this one was derived from: what is kept for the time of a request is kept with it. */
  readonly origin?: WriteRequest | undefined
  readonly annotate: Annotate
  readonly waited?: AdmissionRequest['waited']
  /** Others have their turn between its stages. */
  readonly isLarge?: boolean | undefined
}

/** The request with other warnings. By a literal: what is added to a spread has a hidden class of its own, and is slow to read. */
export function derivedRequest(origin: WriteRequest, warn: WriteRequest['warn']): Required<WriteRequest> {
  const { version, namespace, name, subresource, user, verb, dryRun, fieldManager, applies, options } = origin
  const { annotate, waited, isLarge, admittedName, ofCollection } = origin
  return {
    version,
    namespace,
    name,
    subresource,
    user,
    verb,
    dryRun,
    fieldManager,
    applies,
    options,
    warn,
    annotate,
    waited,
    isLarge,
    admittedName,
    ofCollection,
    origin,
  }
}

/**
 * Bodies and objects from which on the stages of a write (decode, managed fields, admission, rules, text, answer) are
 * turns of their own. Smaller ones go through in one turn, at no cost.
 */
const largeBytes = 64 * 1024

export const isLarge = (bytes: number): boolean => bytes > largeBytes

export interface AdmissionSubject {
  readonly operation: AdmissionOperation
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

export function admissionRequest(
  registry: Registry,
  request: WriteRequest,
  subject: AdmissionSubject,
): AdmissionRequest {
  const { definition } = registry
  const { version, namespace, subresource, user, dryRun, options, warn, annotate, waited } = request
  const { operation, name, object, oldObject } = subject
  return {
    operation,
    name,
    object,
    oldObject,
    resource: { group: definition.group, version: version.version, resource: definition.resource },
    subresource,
    kind: version,
    namespace,
    user,
    dryRun,
    options,
    convert: (given, apiVersion) => definition.model.versions.convert(definition, given, apiVersion),
    warn,
    annotate,
    waited,
  }
}
