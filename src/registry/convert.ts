/** Between the hub version of a resource and its served versions. */

import type { KubeObject } from '../api/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'

/** A hub object in a served version. Objects that need no other shape are shared, not copied. */
export function fromHub(version: ResourceVersion, object: KubeObject): KubeObject {
  if (object.apiVersion === version.apiVersion) return object
  return version.fromHub === undefined ? renamed(object, version) : version.fromHub(object)
}

/** `onto`: the hub object that it replaces, whose parts stay where the version cannot say them. */
export function toHub(
  definition: ResourceDefinition,
  version: ResourceVersion,
  object: KubeObject,
  onto?: KubeObject,
): KubeObject {
  const { hub } = definition
  if (version.apiVersion === hub.apiVersion) return object
  return version.toHub === undefined ? renamed(object, hub) : version.toHub(object, onto)
}

/** A version in which the objects of a resource are served, by any group that serves them; of custom ones any version. */
export function anyVersion(definition: ResourceDefinition, apiVersion: string): ResourceVersion | undefined {
  const isIt = (version: ResourceVersion): boolean => version.apiVersion === apiVersion
  const { hub, model, inOtherGroups, otherGroups } = definition
  const own = model.versions.all(definition).find(isIt)
  if (own !== undefined || otherGroups === undefined) return own
  return isIt(hub) ? hub : inOtherGroups?.().find(isIt)
}

/** A stored object in a served version. */
export function objectInVersion(
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
