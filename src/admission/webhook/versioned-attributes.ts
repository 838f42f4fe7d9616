/**
 * The objects of a request as a chain of webhooks or policies sees them: in the version of the last one called. What
 * one of them made is brought back into the version of the request when the next one wants another version, and at the
 * end; so that no conversion comes between those that want the same.
 *
 * Mirrors k8s.io/apiserver/pkg/admission: VersionedAttributes, ConvertVersionedAttributes.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { formatGroupVersion } from '../../api/group-version.ts'
import { equalJson, isJsonObject, isOmitted, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { jsonText } from '../../api/json-text.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { ServedForm } from '../matching/rules.ts'
import { type VersionedObjects, versionedObjects } from './review.ts'

/** Brings an object of any version into the one that the request's objects have. `before`: what it was made of, in that one. */
export type RestoreVersion = (
  request: AdmissionRequest,
  object: KubeObject,
  before: KubeObject | undefined,
) => Awaitable<KubeObject>

export class VersionedAttributes {
  readonly #restoreVersion: RestoreVersion
  #request: AdmissionRequest
  #kind = ''
  #objects: VersionedObjects | undefined
  /** The object before the changes that were not restored yet. */
  #before: KubeObject | undefined
  #isDirty = false
  #isPatched: boolean

  /** `isPatched`: an earlier round has changed the object. */
  constructor(request: AdmissionRequest, restoreVersion: RestoreVersion, isPatched = false) {
    this.#isPatched = isPatched
    this.#request = request
    this.#before = request.object
    this.#restoreVersion = restoreVersion
  }

  get isPatched(): boolean {
    return this.#isPatched
  }

  /** With the object as it is now, in whatever version. */
  get request(): AdmissionRequest {
    return this.#request
  }

  /**
   * Whether the object has times of this very request, which still have their fractions of a second: the reference finds any
   * patch to have changed it, as JSON has none. A write that takes a field sets the time of its owner, even to the same second
   * as before; one that only removes fields takes none.
   */
  get hasExactTimes(): boolean {
    if (this.#isPatched) return false
    const { object, oldObject } = this.#request
    const timed = (object?.metadata?.managedFields ?? []).filter((entry) => entry['time'] != null)
    if (object === undefined || timed.length === 0) return false
    if (oldObject === undefined || takesFields(ownable(object), ownable(oldObject))) return true
    const before = new Set((oldObject.metadata?.managedFields ?? []).map(timedOwner))
    return timed.some((entry) => !before.has(timedOwner(entry)))
  }

  /** Both objects in a form. */
  async objectsIn(form: ServedForm): Promise<VersionedObjects> {
    const kind = `${formatGroupVersion(form.kind)} ${form.kind.kind}`
    if (this.#objects !== undefined && this.#kind === kind) return this.#objects
    await this.restore()
    this.#objects = await versionedObjects(this.#request, form)
    this.#kind = kind
    return this.#objects
  }

  /** The object, in the form that was asked for last, has changed. */
  change(object: KubeObject): void {
    this.#objects = { object, oldObject: this.#objects?.oldObject }
    this.#request = { ...this.#request, object }
    this.#isDirty = true
    this.#isPatched = true
  }

  /** The object in the version of the request. */
  async restore(): Promise<KubeObject | undefined> {
    const { object } = this.#request
    if (!this.#isDirty || object === undefined) return object
    const restored = await this.#restoreVersion(this.#request, object, this.#before)
    this.#before = restored
    this.#request = { ...this.#request, object: restored }
    this.#isDirty = false
    return restored
  }
}

/** An entry but for what it owns. */
const timedOwner = ({ manager, operation, apiVersion, subresource, time }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, apiVersion, subresource, time])

/** Whether JSON shows anything that was not there before: items of a list count wherever they are. */
function takesFields(value: JsonValue, before: JsonValue | undefined): boolean {
  if (value === before || isOmitted(value)) return false
  if (Array.isArray(value) && Array.isArray(before)) {
    const known = new Set(before.map((item) => jsonText(item)))
    return value.some((item) => !known.has(jsonText(item)))
  }
  if (!isJsonObject(value) || !isJsonObject(before)) return before === undefined || !equalJson(value, before)
  return Object.keys(value).some((key) => takesFields(value[key] ?? null, ownValue(before, key)))
}

/** The object without the fields that no manager ever owns. */
function ownable({ metadata, ...content }: KubeObject): JsonObject {
  const {
    managedFields: _,
    uid: _uid,
    creationTimestamp: _created,
    resourceVersion: _version,
    generation: _generation,
    selfLink: _link,
    ...owned
  } = metadata ?? {}
  return { ...content, metadata: owned } as JsonObject
}
