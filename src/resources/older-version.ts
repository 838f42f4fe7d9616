/**
 * A removed version of a resource, made to work like any other: converted to the hub version and back, and filled in
 * with its own defaults first and those of the hub version after.
 */
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import { canonicalize } from '../schema/canonicalize.ts'
import type { OlderConversion } from './conversions/older/parts.ts'

/** What an older version needs to know of the version that its objects are kept in. */
export type HubParts = Pick<ResourceVersion, 'apiVersion' | 'kind' | 'schema' | 'withDefaults'>

export type OlderVersionParts = Required<
  Pick<ResourceVersion, 'toHub' | 'fromHub' | 'withDefaults' | 'withDefaultsInSteps'>
>

export function olderVersion(older: HubParts, hub: HubParts, conversion: OlderConversion): OlderVersionParts {
  const toHub = (object: KubeObject): KubeObject => inShapeOf(hub, conversion.toHub?.(object) ?? object)
  const fromHub = (object: KubeObject): KubeObject => inShapeOf(older, conversion.fromHub?.(object) ?? object)
  return {
    toHub,
    fromHub,
    withDefaults(object) {
      const own = inShapeOf(older, conversion.defaults?.(object as KubeObject) ?? (object as KubeObject))
      const hubObject = toHub(own)
      const filled = hub.withDefaults?.(hubObject) ?? hubObject
      return fromHub(filled as KubeObject)
    },
    withDefaultsInSteps: undefined,
  }
}

/** Keys in the order of the wire, what is always written written, and nothing that the type does not have. */
function inShapeOf({ apiVersion, kind, schema }: HubParts, object: KubeObject): KubeObject {
  const named: JsonObject = { ...object, apiVersion, kind }
  return canonicalize(named, schema, { empties: 'given' }) as KubeObject
}
