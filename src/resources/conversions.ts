/** Conversions between the versions of a kind, where they differ in more than their name. */
import type { GroupVersionResource } from '../api/group-version.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import type { KubeObject } from '../api/object.ts'

export interface Conversion {
  readonly toHub: (object: KubeObject) => KubeObject
  readonly fromHub: (object: KubeObject) => KubeObject
}

const conversions: Readonly<Record<string, Conversion>> = {}

export function conversionFor(resource: GroupVersionResource): Conversion | undefined {
  return conversions[`${formatGroupVersion(resource)}/${resource.resource}`]
}
