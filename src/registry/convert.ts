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

export function convertFromHub(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  const version = definition.versions.find((served) => served.apiVersion === apiVersion)
  return version === undefined ? object : fromHub(version, object)
}

function renamed(object: KubeObject, { apiVersion, kind }: ResourceVersion): KubeObject {
  return { ...object, apiVersion, kind }
}
