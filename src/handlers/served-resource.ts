/** A resource in one of its served versions: what a path leads to. */
import type { Registry } from '../registry/registry.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'

export interface ServedResource {
  readonly registry: Registry
  readonly version: ResourceVersion
}

/** What is served now, by group version and resource name. Changes when custom definitions come and go. */
export interface ResourceTable {
  find(group: string, version: string, resource: string): ServedResource | undefined
  hasGroupVersion(group: string, version: string): boolean
}
