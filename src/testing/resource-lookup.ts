/** Finds the resource that a test means: by its name, its group, its kind or a short name. */
import { nearestNames } from '../config/nearest-names.ts'
import type { Registries } from '../registry/registries.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import type { ApiObject } from './api/objects.ts'

export interface FoundResource {
  readonly registry: Registry
  readonly version: ResourceVersion
}

/** `pods`, `deployments.apps`, `Deployment`, `deploy`. Throws when there is none. */
export function lookUpResource(registries: Registries, wanted: string): FoundResource {
  if (typeof wanted !== 'string') throw new TypeError(`a resource is a name, such as 'pods', not ${String(wanted)}`)
  const named = [...registries.all()].find(({ definition }) => namesOf(definition).includes(wanted))
  const version = named?.definition.versions[0]
  if (named !== undefined && version !== undefined) return { registry: named, version }
  const known = [...registries.all()].map(({ definition }) => definition.resource)
  const near = nearestNames(wanted, known)
  throw new Error(`there is no resource ${wanted}${near.length === 0 ? '' : `: did you mean ${near.join(' or ')}?`}`)
}

function namesOf({ resource, group, kind, singular, shortNames }: Registry['definition']): string[] {
  return [resource, `${resource}.${group}`, kind, `${kind}.${group}`, singular, ...shortNames]
}

/** The resource of an object's kind. Throws when it is not served. */
export function resourceOf(registries: Registries, { apiVersion, kind }: ApiObject): FoundResource {
  for (const registry of registries.all()) {
    const version = registry.definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind)
    if (version !== undefined) return { registry, version }
  }
  throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`)
}

/** Where a resource, or one object of it, is served. */
export function pathOf({ registry, version }: FoundResource, namespace: string | undefined, name?: string): string {
  const { definition } = registry
  const root = version.group === '' ? `/api/${version.version}` : `/apis/${version.group}/${version.version}`
  const scope = definition.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}${scope}/${definition.resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}
