/** Under which resource objects are kept, where that is another than the one that is served: for encryption and for stores. */
import type { GroupResource } from '../api/group-version.ts'

export function storedAs({ group, resource }: GroupResource): GroupResource {
  // Events of both groups are stored as those of the older one.
  if (group === 'events.k8s.io') return { group: '', resource }
  // The books of addresses and ports belong to the services.
  if (group === '' && resource === 'ranges') return { group, resource: 'services' }
  return { group, resource }
}
