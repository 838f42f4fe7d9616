/** One served resource with everything that its verbs need. The verbs are functions over this, one file each. */
import type { Admission } from '../api/admission.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { Clock } from '../lib/clock.ts'
import type { ObjectStorage } from './object-storage.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'
import type { WriteContext } from './strategy.ts'
import type { WriteRequest } from './write-request.ts'

export interface Registry {
  readonly definition: ResourceDefinition
  readonly storage: ObjectStorage
  readonly admission: Admission
  readonly clock: Clock
  readonly gate: (name: string) => boolean
}

/** An object that was written, or would have been: either holds its text and its parsed form. */
export type Written = Pick<CacheEntry, 'size' | 'jsonLine' | 'object'> & Partial<Pick<CacheEntry, 'objectInSteps'>>

export function writeContext({ clock, gate }: Registry, request: WriteRequest): WriteContext {
  const { user, namespace, verb, dryRun, subresource, warn, version } = request
  return { user, namespace, verb, dryRun, subresource, warn, apiVersion: version.apiVersion, now: clock.now(), gate }
}

export function findVersion(definition: ResourceDefinition, apiVersion: string): ResourceVersion | undefined {
  if (definition.hub.apiVersion === apiVersion) return definition.hub
  return definition.versions.find((version) => version.apiVersion === apiVersion)
}
