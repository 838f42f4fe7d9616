/** What a terminating namespace says about its end: five conditions, in the reference's words. */
import type { NamespaceCondition } from '../../catalog/types/core-v1.ts'

/** What a pass over a namespace's content has found. */
export interface ContentReport {
  /** Why kinds of content could not be found out. */
  readonly discoveryErrors: readonly string[]
  readonly errors: readonly string[]
  /** `resource.group`, with the dot even where the group is empty, to the number of objects that are still there. */
  readonly remaining: ReadonlyMap<string, number>
  /** Finalizer to the number of objects that it holds. */
  readonly finalizers: ReadonlyMap<string, number>
}

type Finding = readonly [reason: string, message: string]

interface Rule {
  readonly type: string
  readonly good: Finding
  /** Undefined when all is well. */
  bad(report: ContentReport): Finding | undefined
}

const rules: readonly Rule[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    good: ['ResourcesDiscovered', 'All resources successfully discovered'],
    bad({ discoveryErrors: errors }) {
      if (errors.length === 0) return undefined
      const failed = `unable to retrieve the complete list of server APIs: ${errors.join(', ')}`
      return ['DiscoveryFailed', `Discovery failed for some groups, ${errors.length} failing: ${failed}`]
    },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    bad: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    bad({ errors }) {
      if (errors.length === 0) return undefined
      const text = [...errors].sort().join(', ')
      return ['ContentDeletionFailed', `Failed to delete all resource types, ${errors.length} remaining: ${text}`]
    },
  },
  {
    type: 'NamespaceContentRemaining',
    good: ['ContentRemoved', 'All content successfully removed'],
    bad({ remaining }) {
      if (remaining.size === 0) return undefined
      const list = [...remaining].map(([name, count]) => `${name} has ${count} resource instances`)
      return ['SomeResourcesRemain', `Some resources are remaining: ${list.sort().join(', ')}`]
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    bad({ finalizers }) {
      if (finalizers.size === 0) return undefined
      const list = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
      const text = list.sort().join(', ')
      return ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${text}`]
    },
  },
]

/** The conditions after a pass; undefined when nothing is new. Conditions of others stay as they are. */
export function updatedConditions(
  current: readonly NamespaceCondition[],
  report: ContentReport,
  now: string,
): NamespaceCondition[] | undefined {
  const next = [...current]
  let changed = false
  for (const { type, good, bad } of rules) {
    const problem = bad(report)
    const [reason, message] = problem ?? good
    const status = problem === undefined ? 'False' : 'True'
    const i = next.findIndex((condition) => condition.type === type)
    const old = next[i]
    if (old !== undefined && old.status === status && old.reason === reason && old.message === message) continue
    changed = true
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now
    const condition = { type, status, lastTransitionTime, reason, message }
    if (old === undefined) next.push(condition)
    else next[i] = condition
  }
  return changed ? next : undefined
}
