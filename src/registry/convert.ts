/** Between the hub version of a resource and its served versions. */
import type { KubeObject } from '../api/object.ts'
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

/** A version in which the objects of a resource are served, by any group that serves them. */
export function anyVersion(definition: ResourceDefinition, apiVersion: string): ResourceVersion | undefined {
  const isIt = (version: ResourceVersion): boolean => version.apiVersion === apiVersion
  const { hub, versions, inOtherGroups, otherGroups } = definition
  const own = versions.find(isIt)
  if (own !== undefined || otherGroups === undefined) return own
  return isIt(hub) ? hub : inOtherGroups?.().find(isIt)
}

/** An object that a write works on, in another served version. */
export function convertWorking(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
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
): KubeObject | Promise<KubeObject> {
  return definition.structural ? inVersion(definition, version, object) : object
}

/** What a write made, as it is stored. What was written in another version gets the defaults of the stored one, too. */
export function storedForm(
  definition: ResourceDefinition,
  object: KubeObject,
  { version: written }: { readonly version: ResourceVersion },
): KubeObject | Promise<KubeObject> {
  const { hub, versions, structural } = definition
  if (!structural) return written === hub ? object : ((hub.withDefaults?.(object) ?? object) as KubeObject)
  if (object.apiVersion === hub.apiVersion) return object
  const version = versions.find((served) => served.apiVersion === object.apiVersion)
  if (definition.remoteConversion !== undefined) return convertOne(definition, object, hub.apiVersion)
  return version === undefined ? object : toHub(definition, version, object)
}

/** A stored object in a served version. */
export function inVersion(
  definition: ResourceDefinition,
  version: ResourceVersion,
  object: KubeObject,
): KubeObject | Promise<KubeObject> {
  if (object.apiVersion === version.apiVersion) return object
  if (definition.remoteConversion !== undefined) return convertOne(definition, object, version.apiVersion)
  return fromHub(version, object)
}

/** Many stored objects in a served version. */
export function allInVersion(
  definition: ResourceDefinition,
  version: ResourceVersion,
  objects: readonly KubeObject[],
): readonly KubeObject[] | Promise<readonly KubeObject[]> {
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
