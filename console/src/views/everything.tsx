// All kinds that the server has, by group, with how many objects there are of each.
import { type Kind, kinds } from '../api/discovery.ts'
import { useObjects } from '../api/live.ts'
import { metadataOnly } from '../api/objects.ts'
import { flagParam, listHref, param, setQuery } from '../lib/router.ts'
import { Button, Empty, Input } from '../ui/parts.tsx'
import { counts, namespaceNow } from './counts.ts'
import { kindId, kindsByGroup, matchKinds } from './kind-names.ts'
import './everything.css'

export function EverythingView() {
  const [text, setText] = param('q')
  const [all, setAll] = flagParam('all', true)
  const shown = text === '' ? kinds.value : matchKinds(kinds.value, text)
  const groups = kindsByGroup(shown)
    .map(
      ([group, list]) =>
        [group, all ? list : list.filter((kind) => (counts.value.get(kindId(kind)) ?? 0) > 0)] as const,
    )
    .filter(([, list]) => list.length > 0)
  const total = [...counts.value.values()].reduce((sum, count) => sum + count, 0)
  return (
    <div class="page">
      <div class="page-head">
        <h1>Everything</h1>
        <span class="quiet">
          {total.toLocaleString('en')} objects of {counts.value.size} kinds
          {namespaceNow.value !== '' && <> in {namespaceNow.value}</>}
        </span>
        <span class="grow" />
        <NamespaceInput />
        <Input label="Filter kinds" hideLabel id="filter" placeholder="Filter kinds" value={text} onInput={setText} />
        <Button pressed={!all} onClick={() => setAll(!all)}>
          Only kinds with objects
        </Button>
      </div>
      {groups.length === 0 && <Empty>{kinds.value.length === 0 ? 'Loading …' : 'No kind matches.'}</Empty>}
      <div class="kind-groups">
        {groups.map(([group, list]) => (
          <section key={group} class="kind-group">
            <h2>{group === '' ? 'core' : group}</h2>
            <ul>
              {list.map((kind) => (
                <KindLine key={kindId(kind)} kind={kind} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

function KindLine({ kind }: { readonly kind: Kind }) {
  const count = counts.value.get(kindId(kind))
  return (
    <li>
      <a href={listHref(kind, { ns: kind.namespaced ? namespaceNow.value : undefined })} class={count ? '' : 'none'}>
        <span class="ellipsis">{kind.kind}</span>{' '}
        <span class="count">{count === undefined ? '–' : count.toLocaleString('en')}</span>
      </a>
    </li>
  )
}

/** Suggests those that may be listed; any other can be typed. */
function NamespaceInput() {
  const { objects } = useObjects('/api/v1/namespaces', { accept: metadataOnly })
  return (
    <Input
      label="Namespace"
      hideLabel
      id="namespace"
      placeholder="All namespaces"
      value={namespaceNow.value}
      list={objects.map(({ metadata }) => metadata.name).sort()}
      onInput={(value) => setQuery({ ns: value.trim() })}
    />
  )
}
