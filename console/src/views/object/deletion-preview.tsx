// What a deletion would take along, as the garbage collector would decide.
import type { Kind } from '../../api/discovery.ts'
import { preferredKind } from '../../api/discovery.ts'
import type { ApiObject } from '../../api/objects.ts'
import { has } from '../../api/session.ts'
import { type StreamLine, useFollowed } from '../../api/stream.ts'
import { objectHref } from '../../lib/router.ts'
import { Badge } from '../../ui/parts.tsx'
import { isAggregated } from '../counts.ts'

export interface Relative {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly owners?: readonly {
    readonly uid: string
    readonly controller?: boolean
    readonly blockOwnerDeletion?: boolean
  }[]
  readonly exists?: boolean
  readonly finalizers?: readonly string[]
}

interface Fate {
  readonly deletes: readonly string[]
  readonly keeps: readonly string[]
  readonly waitsFor: readonly string[]
  readonly releases: readonly string[]
}

export interface Dependents {
  readonly object: Relative
  readonly owners: readonly Relative[]
  readonly dependents: readonly Relative[]
  readonly deletion: { readonly background: Fate; readonly foreground: Fate; readonly orphan: Fate }
  readonly hidden: number
  readonly truncated: boolean
}

/** As the server tells, and again whenever it changes. Other servers do not tell. */
export function useDependents(
  kind: Kind,
  object: ApiObject,
): { readonly found?: Dependents; readonly failure: string } {
  const { namespace, name } = object.metadata
  const { line, state } = useFollowed<Dependents & StreamLine>(
    has('dependents') && !isAggregated(kind) ? '/console/v1/dependents' : undefined,
    { type: 'DEPENDENTS', query: { group: kind.group, resource: kind.resource, namespace, name } },
  )
  const failure = state.phase === 'refused' && line === undefined ? state.why : ''
  return line === undefined ? { failure } : { found: line, failure }
}

const maxShown = 50

interface PreviewProps {
  readonly kind: Kind
  readonly object: ApiObject
  readonly policy: string
}

export function DeletionPreview({ kind, object, policy }: PreviewProps) {
  const { found, failure } = useDependents(kind, object)
  if (failure !== '') return <p class="quiet">What it owns is not known: {failure}</p>
  if (found === undefined) return null
  const fate = found.deletion[policy.toLowerCase() as keyof Dependents['deletion']]
  const uids = (list: readonly string[]) => list.filter((uid) => uid !== object.metadata.uid)
  return (
    <div class="stack tight">
      <FateList title="is deleted along with it" tone="bad" uids={uids(fate.deletes)} of={found} />
      <FateList title="stays: it has another owner" tone="ok" uids={uids(fate.keeps)} of={found} />
      <FateList title="stays, and loses this owner" tone="ok" uids={uids(fate.releases)} of={found} />
      {found.hidden > 0 && <p class="quiet">{found.hidden} more that you may not see.</p>}
      {uids([...fate.deletes, ...fate.keeps, ...fate.releases]).length === 0 && <p class="quiet">It owns nothing.</p>}
    </div>
  )
}

interface FateListProps {
  readonly title: string
  readonly tone: 'ok' | 'bad'
  readonly uids: readonly string[]
  readonly of: Dependents
}

function FateList({ title, tone, uids, of }: FateListProps) {
  if (uids.length === 0) return null
  const byUid = new Map(of.dependents.map((each) => [each.uid, each]))
  return (
    <div>
      <p>
        <Badge tone={tone}>{uids.length}</Badge> {title}
      </p>
      <ul>
        {uids.slice(0, maxShown).map((uid) => {
          const each = byUid.get(uid)
          if (each === undefined) return null
          const kind = preferredKind(each.group, each.resource) ?? each
          return (
            <li key={uid} class="wrap">
              {each.kind} <a href={objectHref(kind, each)}>{each.name}</a>
            </li>
          )
        })}
      </ul>
      {uids.length > maxShown && <p class="quiet">and {uids.length - maxShown} more</p>}
    </div>
  )
}
