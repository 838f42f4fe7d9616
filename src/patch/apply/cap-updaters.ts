/**
 * Bounds the list: of more than ten updaters the oldest of one version are united under `ancient-changes`, until ten
 * are left.
 */
import { compareTimes, type FieldManager, type ManagedFields, managerIdentity } from './managed-fields.ts'

const maxUpdaters = 10
const bucketName = 'ancient-changes'

export function capUpdaters(managers: ManagedFields): ManagedFields {
  if (managers.size <= maxUpdaters) return managers
  const updaters = [...managers].filter(([, { applied }]) => !applied)
  if (updaters.length <= maxUpdaters) return managers
  updaters.sort(([a, { time: left }], [b, { time: right }]) => compareTimes(left, right) || (a < b ? -1 : 1))

  const capped = new Map(managers)
  /** By version: the oldest updater, which nothing is united with until a second one comes. */
  const first = new Map<string, string>()
  let count = updaters.length
  for (const [identity, owner] of updaters) {
    if (count <= maxUpdaters) break
    const oldest = first.get(owner.apiVersion)
    if (oldest === undefined) {
      first.set(owner.apiVersion, identity)
      continue
    }
    uniteInto(capped, oldest, [identity, owner])
    count--
  }
  return capped
}

function uniteInto(
  managers: Map<string, FieldManager>,
  oldest: string,
  [identity, owner]: [string, FieldManager],
): void {
  const { apiVersion, time } = owner
  const key = { manager: bucketName, operation: 'Update', apiVersion, subresource: '' } as const
  const bucket = managerIdentity(key)
  const base = managers.get(bucket) ?? managers.get(oldest)
  if (!managers.has(bucket)) managers.delete(oldest)
  managers.delete(identity)
  const set = base ? owner.set.union(base.set) : owner.set
  managers.set(bucket, { ...key, set, time, applied: false })
}
