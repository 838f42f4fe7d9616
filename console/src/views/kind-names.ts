// Which kinds stand first, and how they are found by what a user types.
import type { Kind } from '../api/discovery.ts'
import { canList } from '../api/discovery.ts'

const common = [
  'pods',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'jobs.batch',
  'services',
  'configmaps',
  'secrets',
  'events',
  'nodes',
  'namespaces',
]

export const kindId = ({ group, resource }: Pick<Kind, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`

/** What every cluster has and everyone looks at, then what was defined here. */
export function commonKinds(kinds: readonly Kind[]): Kind[] {
  const preferred = kinds.filter((kind) => kind.preferred && canList(kind))
  return common.flatMap((id) => preferred.find((kind) => kindId(kind) === id) ?? [])
}

/** Groups in order: core and the workload groups first, then by name. */
export function kindsByGroup(kinds: readonly Kind[]): [string, Kind[]][] {
  const groups = new Map<string, Kind[]>()
  for (const kind of kinds.filter((each) => each.preferred && canList(each))) {
    const group = groups.get(kind.group)
    if (group === undefined) groups.set(kind.group, [kind])
    else group.push(kind)
  }
  const rank = (group: string) => ['', 'apps', 'batch'].indexOf(group)
  return [...groups]
    .sort(([a], [b]) => (rank(b) >= 0 ? 1 : 0) - (rank(a) >= 0 ? 1 : 0) || rank(a) - rank(b) || a.localeCompare(b))
    .map(([group, list]) => [group, list.sort((a, b) => a.kind.localeCompare(b.kind))])
}

/** Kinds that a text names, the best first. */
export function matchKinds(kinds: readonly Kind[], text: string): Kind[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const scored = kinds
    .filter((kind) => kind.preferred && canList(kind))
    .flatMap((kind) => {
      const score = scoreOf(kind, wanted)
      return score > 0 ? [{ kind, score }] : []
    })
  return scored
    .sort((a, b) => b.score - a.score || kindId(a.kind).localeCompare(kindId(b.kind)))
    .map(({ kind }) => kind)
}

function scoreOf(kind: Kind, wanted: string): number {
  const names = [kind.resource, kind.singular, kind.kind.toLowerCase(), kindId(kind)]
  if (kind.shortNames.includes(wanted)) return 4
  if (names.includes(wanted)) return kind.group === '' ? 4 : 3.5
  if (names.some((name) => name.startsWith(wanted))) return kind.group === '' ? 2.5 : 2
  return names.some((name) => name.includes(wanted)) || kind.categories.includes(wanted) ? 1 : 0
}
