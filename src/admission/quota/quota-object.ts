/** Resource quotas as objects, and how they are read and written. */

import { setKey } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../catalog/types/core-v1.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Amounts } from '../pod-resources.ts'

export type Quota = KubeObject & Partial<Pick<ResourceQuota, 'spec' | 'status'>>

/** Where quotas live. The write is the arbiter: of two that start from the same version one gets through. */
export interface QuotaStore {
  /** The quotas of a namespace, as new as this process knows them. */
  list(namespace: string): Awaitable<readonly Quota[]>
  /** `current` is what stands in the way; undefined when the quota is gone. */
  write(quota: Quota, status: Quota['status']): Promise<{ written: Quota } | { current: Quota | undefined }>
}

/** All conditions on what a quota counts, in one form. */
export function scopesOf({ spec }: Quota): ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }))
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])]
}

export function formatAmounts(amounts: Amounts): StringMap {
  const text: StringMap = {}
  for (const name of [...amounts.keys()].sort()) setKey(text, name, String(amounts.get(name)))
  return text
}

export const quotaKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`
