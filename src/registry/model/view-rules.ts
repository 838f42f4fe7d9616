/** How objects of a resource are shown: in lists, tables, errors and OpenAPI. */

import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceDefinition, ResourceVersion } from '../resource-definition.ts'

export interface ViewRules {
  /** Where in the text of an object that which items of a list show begins: those of built-in kinds leave out their kind. */
  itemOffset(version: ResourceVersion): number
  /** An object as an item of a list. */
  listItem(object: KubeObject): JsonObject
  emptyList(listKind: string, apiVersion: string): JsonObject
  /** The version of the objects that tables and metadata alone are made of. */
  viewedVersion(definition: ResourceDefinition, version: ResourceVersion): ResourceVersion
  /** Such an object, shown whole in the version of the request. */
  whole(version: ResourceVersion, object: JsonObject): JsonObject
  /** The Go type of what is shown. */
  goType(definition: NamedType): string
  /** The type of stored values, as errors of lists name it. */
  storedType(definition: NamedType): string
  /** Its OpenAPI is made of the schema of each version, and not of the catalogue. */
  readonly describesItself: boolean
}

export type NamedType = Pick<ResourceDefinition, 'group' | 'kind'> & {
  readonly hub: Pick<ResourceVersion, 'version'>
}
