/** Object references as strings: the keys of the owner graph and of the work queue. */
import type { OwnerReference } from '../../api/object.ts'
import type { Registry } from '../../registry/registry.ts'

export interface ObjectAddress {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** An owner as its dependents in one namespace see it; it need not exist. */
export interface OwnerAddress {
  readonly reference: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>
  /** The namespace of the dependents. */
  readonly namespace: string
}

/** What the queue holds: an object to look at, or an owner whose existence is in doubt. */
export type GarbageTask =
  | { readonly type: 'object'; readonly address: ObjectAddress }
  | { readonly type: 'owner'; readonly address: OwnerAddress }

// No name, group or kind contains it.
const separator = '\0'

/** What the keys of all objects of a resource begin with. */
export const resourcePrefix = ({ definition }: Registry): string =>
  `object${separator}${definition.group}${separator}${definition.resource}${separator}`

export const objectKey = (registry: Registry, namespace: string, name: string): string =>
  `${resourcePrefix(registry)}${namespace}${separator}${name}`

export const ownerKey = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  ['owner', apiVersion, kind, name, uid, namespace].join(separator)

export function parseKey(key: string): GarbageTask {
  const [type, ...parts] = key.split(separator)
  if (type === 'owner') {
    const [apiVersion = '', kind = '', name = '', uid = '', namespace = ''] = parts
    return { type, address: { reference: { apiVersion, kind, name, uid }, namespace } }
  }
  const [group = '', resource = '', namespace = '', name = ''] = parts
  return { type: 'object', address: { group, resource, namespace, name } }
}
