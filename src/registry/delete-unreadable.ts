/**
 * Unsafe deletion of an object that cannot be decoded: it is removed from the store as bytes, past finalizers, preconditions, admission
 * and hooks. An object that can be decoded is refused.
 * Mirrors k8s.io/apiserver/pkg/registry/generic/registry: corruptObjectDeleter.
 */
import { invalid as invalidField } from '../api/field-error.ts'
import { conflict, invalid } from '../api/status-error.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { Registry } from './registry.ts'

export const unsafeDeletionGate = 'AllowUnsafeMalformedObjectDeletion'
const option = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const maxAttempts = 100

export async function removeUnreadable(registry: Registry, namespace: string, name: string): Promise<void> {
  const { storage, definition } = registry
  const refuse = (): never => {
    const why = 'is exclusively used to delete corrupt object(s), try again by removing this option'
    throw invalid({ group: definition.group, kind: definition.resource }, name, [invalidField(option, true, why)])
  }
  const known = (await storage.newest(entryKey(namespace, name))) ?? refuse()
  let current = (await storage.redecoded(known)) ?? refuse()
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (current.unreadable === undefined) refuse()
    const removed = await storage.remove(current)
    if ('revision' in removed || removed.lostTo === undefined) return
    current = removed.lostTo
  }
  throw conflict(definition, name, 'the object has been modified; please try again')
}
