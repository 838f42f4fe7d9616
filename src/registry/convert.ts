/** Between the hub version of a resource and its served versions. */

import type { KubeObject } from '../api/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'

/** A hub object in a served version. Objects that need no other shape are shared, not copied. */
export function fromHub(version: ResourceVersion, object: KubeObject): KubeObject {
  if (object.apiVersion === version.apiVersion) return object
  return version.fromHub === undefined ? renamed(object, version) : version.fromHub(object)
}

export function toHub(definition: ResourceDefinition, version: ResourceVersion, object: KubeObject): KubeObject {
  const { hub } = definition
  if (version.apiVersion === hub.apiVersion) return object
  return version.toHub === undefined ? renamed(object, hub) : version.toHub(object)
}

/** A version in which the objects of a resource are served, by any group that serves them; of custom ones any version. */
export function anyVersion(definition: ResourceDefinition, apiVersion: string): ResourceVersion | undefined {
  const isIt = (version: ResourceVersion): boolean => version.apiVersion === apiVersion
  const { hub, versions, custom, inOtherGroups, otherGroups } = definition
  const own = (custom?.versions ?? versions).find(isIt)
  if (own !== undefined || otherGroups === undefined) return own
  return isIt(hub) ? hub : inOtherGroups?.().find(isIt)
}

/** An object that a write works on, in another version. */
export function convertWorking(
  definition: ResourceDefinition,
  object: KubeObject,
  apiVersion: string,
): Awaitable<KubeObject> {
  if (definition.custom !== undefined) return definition.custom.convert(object, apiVersion)
  if (object.apiVersion === apiVersion) return object
  const version = anyVersion(definition, apiVersion)
  if (version === undefined) return object
  const from = anyVersion(definition, object.apiVersion)
  return fromHub(version, from === undefined ? object : toHub(definition, from, object))
}

/** What a write works on: the hub version, but the version of the request where every version has its own rules. */
export function toWorking(definition: ResourceDefinition, version: ResourceVersion, object: KubeObject): KubeObject {
  const isKept = definition.structural || object.apiVersion === definition.hub.apiVersion
  return isKept ? object : toHub(definition, version, object)
}

/** A stored object as a write works on it. */
export function workingForm(
  definition: ResourceDefinition,
  version: ResourceVersion,
  object: KubeObject,
): Awaitable<KubeObject> {
  return definition.structural ? inVersion(definition, version, object) : object
}

/** The version that a write was made in, and whether admission changed what it made. */
export interface WrittenForm {
  readonly version: ResourceVersion
  readonly isAdmitted: boolean
}

/**
 * What a write made, as it is read back from the store: in the stored version, with its defaults. A custom object that
 * admission changed is pruned, too: what was sent has been, when it was decoded.
 */
export function storedForm(
  definition: ResourceDefinition,
  object: KubeObject,
  { version: written, isAdmitted }: WrittenForm,
): Awaitable<KubeObject> {
  const { hub, custom } = definition
  if (custom === undefined) return written === hub ? object : ((hub.withDefaults?.(object) ?? object) as KubeObject)
  return object.apiVersion === hub.apiVersion && !isAdmitted ? object : custom.toStored(object)
}

/** A stored object in a served version. */
export function inVersion(
  definition: ResourceDefinition,
  version: ResourceVersion,
  object: KubeObject,
): Awaitable<KubeObject> {
  if (object.apiVersion === version.apiVersion) return object
  if (definition.remoteConversion !== undefined) return convertOne(definition, object, version.apiVersion)
  return fromHub(version, object)
}

/** Many stored objects in a served version. */
export function allInVersion(
  definition: ResourceDefinition,
  version: ResourceVersion,
  objects: readonly KubeObject[],
): Awaitable<readonly KubeObject[]> {
  const { remoteConversion } = definition
  if (remoteConversion === undefined) return objects.map((object) => fromHub(version, object))
  return remoteConversion.convert(objects, version.apiVersion)
}

async function convertOne(
  { remoteConversion }: ResourceDefinition,
  object: KubeObject,
  apiVersion: string,
): Promise<KubeObject> {
  const converted = await remoteConversion?.convert([object], apiVersion)
  return converted?.[0] ?? object
}

function renamed(object: KubeObject, { apiVersion, kind }: ResourceVersion): KubeObject {
  return { ...object, apiVersion, kind }
}
