/**
 * Bounds the list: of more than ten updaters the oldest of one version are united under `ancient-changes`, until ten
 * are left.
 */
import { sortInSteps } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { FieldSet } from './field-set.ts'
import { compareTimes, type FieldManager, type ManagedFields, managerIdentity } from './managed-fields.ts'

const maxUpdaters = 10
const bucketName = 'ancient-changes'

/** A body may name tens of thousands, each with a set of fields. */
const updatersOfStep = 32

export function* capUpdaters(managers: ManagedFields): Steps<ManagedFields> {
  if (managers.size <= maxUpdaters) return managers
  const updaters = [...managers].filter(([, { applied }]) => !applied)
  if (updaters.length <= maxUpdaters) return managers
  const sorted = yield* sortInSteps(
    updaters,
    ([a, { time: left }], [b, { time: right }]) => compareTimes(left, right) || (a < b ? -1 : 1),
  )

  const capped = new Map(managers)
  /** By version: the oldest updater, which nothing is united with until a second one comes. */
  const first = new Map<string, string>()
  /** By the identities of the buckets: what they unite, all at once in the end. */
  const united = new Map<string, FieldSet[]>()
  let count = updaters.length
  for (const [identity, owner] of sorted) {
    if (count <= maxUpdaters) break
    if (count % updatersOfStep === 0) yield
    const oldest = first.get(owner.apiVersion)
    if (oldest === undefined) {
      first.set(owner.apiVersion, identity)
      continue
    }
    uniteInto(capped, united, { oldest, identity, owner })
    count--
  }
  for (const [bucket, sets] of united)
    capped.set(bucket, { ...(capped.get(bucket) as FieldManager), set: yield* unionOf(sets) })
  return capped
}

function uniteInto(
  managers: Map<string, FieldManager>,
  united: Map<string, FieldSet[]>,
  { oldest, identity, owner }: { oldest: string; identity: string; owner: FieldManager },
): void {
  const { apiVersion, time, set } = owner
  const key = { manager: bucketName, operation: 'Update', apiVersion, subresource: '' } as const
  const bucket = managerIdentity(key)
  const base = managers.get(bucket) ?? managers.get(oldest)
  if (!managers.has(bucket)) managers.delete(oldest)
  managers.delete(identity)
  const sets = united.get(bucket) ?? (base === undefined ? [] : [base.set])
  sets.push(set)
  united.set(bucket, sets)
  managers.set(bucket, { ...key, set, time, applied: false })
}

/** United in pairs: one by one, each would be walked again for every other. */
function* unionOf(sets: readonly FieldSet[]): Steps<FieldSet> {
  let rest = sets
  while (rest.length > 1) {
    const pairs: FieldSet[] = []
    for (let i = 0; i < rest.length; i += 2) {
      const [a, b] = [rest[i] as FieldSet, rest[i + 1]]
      pairs.push(b === undefined ? a : b.union(a))
      yield
    }
    rest = pairs
  }
  return rest[0] as FieldSet
}
