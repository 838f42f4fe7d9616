// One object: what it is, as YAML, who owns its fields, its history, what it is connected with.
import { useEffect, useState } from 'preact/hooks'
import { findKind, type Kind, kinds, pathOf } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import { useObjects } from '../../api/live.ts'
import type { ApiObject } from '../../api/objects.ts'
import { register } from '../../lib/keys.ts'
import { messageOf } from '../../lib/message.ts'
import { address, go, groupOfSegment, href, listHref, objectHref } from '../../lib/router.ts'
import { ageOf } from '../../lib/time.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Empty, Notice, Tabs } from '../../ui/parts.tsx'
import { Actions } from './actions.tsx'
import { HistoryTab } from './history-tab.tsx'
import { Overview } from './overview.tsx'
import { OwnersTab } from './owners-tab.tsx'
import { TreeTab } from './tree-tab.tsx'
import { YamlTab } from './yaml-tab.tsx'
import './object.css'

const tabs = [
  ['overview', 'Overview', 'v'],
  ['yaml', 'YAML', 'y'],
  ['owners', 'Who owns what', 'm'],
  ['history', 'History', 'h'],
  ['tree', 'Tree', 't'],
] as const

export interface ObjectProps {
  readonly kind: Kind
  readonly object: ApiObject
}

export function ObjectView() {
  const [, group = '', version = '', resource = '', namespace = '_', name = ''] = address.value.path
  const kind = findKind(groupOfSegment(group), version, resource)
  if (kinds.value.length === 0) return <Empty>Loading …</Empty>
  if (kind === undefined) {
    return (
      <Empty>
        The server has no kind “{resource}” in {group}/{version}.{' '}
        <a class="linked" href={href([])}>
          All kinds
        </a>
      </Empty>
    )
  }
  const at = { name, ...(namespace === '_' ? {} : { namespace }) }
  return <OneObject key={address.value.path.join('/')} kind={kind} at={at} />
}

interface PlaceProps {
  readonly kind: Kind
  readonly at: { readonly name: string; readonly namespace?: string }
}

function OneObject({ kind, at }: PlaceProps) {
  const { object, state, gone, failure } = useObject({ kind, at })
  const current = address.value.query['tab'] ?? 'overview'
  useEffect(
    () =>
      register([
        ...tabs.map(([tab, title, keys]) => ({ keys, title, run: () => go(objectHref(kind, { ...at, tab })) })),
        { keys: 'e', title: 'Edit', run: () => go(`${objectHref(kind, { ...at, tab: 'yaml' })}&edit=1`) },
        { keys: 'u', title: 'Up to the list', run: () => go(listHref(kind, { ns: at.namespace })) },
      ]),
    [],
  )
  const full = current === 'yaml' || current === 'owners' || current === 'tree'
  return (
    <div class={`page ${full ? 'full' : ''}`}>
      <div class="page-head">
        <h1 class="wrap">{at.name}</h1>
        <span class="quiet">{kind.kind}</span>
        <FreshnessBadge state={state} />
        {object !== undefined && !gone && <Standing object={object} />}
        {gone && <Badge tone="bad">deleted</Badge>}
        <span class="grow" />
        {object !== undefined && !gone && <Actions kind={kind} object={object} />}
      </div>
      <Tabs
        label="Parts of the object"
        current={current}
        tabs={tabs.map(([id, title]) => ({
          id,
          title,
          href: objectHref(kind, { ...at, tab: id === 'overview' ? undefined : id }),
        }))}
      />
      {failure !== '' && object === undefined && current !== 'history' && <Notice tone="bad">{failure}</Notice>}
      {current === 'history' && <HistoryTab kind={kind} at={at} live={gone ? undefined : object} />}
      {object !== undefined && <Tab current={current} kind={kind} object={object} />}
    </div>
  )
}

function Tab({ current, kind, object }: ObjectProps & { readonly current: string }) {
  switch (current) {
    case 'yaml':
      return <YamlTab kind={kind} object={object} />
    case 'owners':
      return <OwnersTab kind={kind} object={object} />
    case 'tree':
      return <TreeTab kind={kind} object={object} />
    case 'history':
      return null
    case 'overview':
      return <Overview kind={kind} object={object} />
    default:
      return <Empty>An object has no such part: {current}</Empty>
  }
}

function Standing({ object }: { readonly object: ApiObject }) {
  const { deletionTimestamp, creationTimestamp, finalizers } = object.metadata
  if (deletionTimestamp !== undefined) {
    return (
      <Badge tone="warn" title={finalizers?.join(', ')}>
        being deleted{finalizers?.length ? `, waits for ${finalizers.join(', ')}` : ''}
      </Badge>
    )
  }
  return <span class="quiet">{creationTimestamp === undefined ? '' : `${ageOf(creationTimestamp)} old`}</span>
}

/** Live by a watch of this name alone; the last state stays in sight when it is deleted. Kinds that cannot be watched are read once. */
function useObject({ kind, at }: PlaceProps) {
  const watchable = kind.verbs.includes('watch')
  const path = watchable ? pathOf(kind, at.namespace === undefined ? {} : { namespace: at.namespace }) : undefined
  const { objects, state } = useObjects(path, { query: { fieldSelector: `metadata.name=${at.name}` } })
  const [read, setRead] = useState<ApiObject | undefined>(undefined)
  const [last, setLast] = useState<ApiObject | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const refused = state.phase === 'refused'
  useEffect(() => {
    if (watchable && !refused) return
    // Who may get, but not list, still sees it.
    get<ApiObject>(pathOf(kind, at)).then(setRead, (error: unknown) => setFailure(messageOf(error)))
  }, [watchable, refused])
  const found = objects[0] ?? read
  useEffect(() => {
    if (found !== undefined) setLast(found)
  }, [found])
  const missing = state.phase === 'live' && found === undefined
  const why =
    missing && last === undefined
      ? `There is no ${kind.kind} “${at.name}”${at.namespace ? ` in ${at.namespace}` : ''}.`
      : failure
  return { object: found ?? last, state, gone: missing && last !== undefined, failure: why }
}
