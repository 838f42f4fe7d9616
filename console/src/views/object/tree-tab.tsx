// Owners, dependants, selectors and references around an object, as a graph in which every node leads to its own.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { changed, type Listed } from '../../api/changed.ts'
import { apiVersionOf } from '../../api/discovery.ts'
import { isAborted } from '../../api/http.ts'
import { has } from '../../api/session.ts'
import { messageOf } from '../../lib/message.ts'
import { listHref, objectHref, param } from '../../lib/router.ts'
import { Badge, Empty, Notice, Select } from '../../ui/parts.tsx'
import { isAggregated } from '../counts.ts'
import { type Dependents, useDependents } from './deletion-preview.tsx'
import { focusNode, type GraphNode, layOut, nodeSize, ownerNodes, type Placed } from './graph.ts'
import type { ObjectProps } from './object.tsx'
import { type Look, referenceNodes, referrerNodes, scannedOwners } from './related.ts'
import './tree.css'

type Policy = 'background' | 'foreground' | 'orphan' | ''

const policies: readonly Policy[] = ['background', 'foreground', 'orphan']

export function TreeTab({ kind, object }: ObjectProps) {
  const focus = useMemo(() => focusNode(kind, object), [object.metadata.uid])
  const { found, failure } = useDependents(kind, object)
  const { nodes, problem, loading } = useReferences({ kind, object }, focus)
  const [policy, setPolicy] = param('deletion') as [Policy, (value: string) => void]
  const [only, setOnly] = param('kind')
  const owners = found === undefined ? [] : ownerNodes(focus, found)
  const all = [...owners, ...nodes]
  const kindsThere = [...new Set(all.map(({ kindName }) => kindName))].sort()
  const layout = layOut(focus, only === '' ? all : all.filter(({ kindName }) => kindName === only))
  const fate = policies.includes(policy) ? found?.deletion[policy as Exclude<Policy, ''>] : undefined
  return (
    <>
      <div class="toolbar">
        <Select
          label="Kind"
          hideLabel
          value={only}
          options={[['', 'All kinds'], ...kindsThere.map((name) => [name, `Only ${name}`] as const)]}
          onChange={setOnly}
        />
        {found !== undefined && (
          <Select
            label="Deletion"
            hideLabel
            value={policy}
            options={[
              ['', 'Nothing is deleted'],
              ['background', 'If it were deleted'],
              ['foreground', 'If it were deleted, what it owns first'],
              ['orphan', 'If it were deleted, and what it owns kept'],
            ]}
            onChange={setPolicy}
          />
        )}
        {fate !== undefined && <Badge tone="bad">{fate.deletes.length} would be deleted</Badge>}
        {fate !== undefined && fate.keeps.length + fate.releases.length > 0 && (
          <Badge tone="ok">{fate.keeps.length + fate.releases.length} would stay</Badge>
        )}
        {only !== '' && <Badge tone="info">only {only} is shown</Badge>}
        <span class="quiet">
          {new Set(all.map(({ id }) => id)).size} connected{loading ? ', looking for more' : ''}
          {(found?.hidden ?? 0) > 0 && `, ${found?.hidden} that you may not see`}
          {found?.truncated && ', and more than are listed'}
        </span>
      </div>
      {(failure !== '' || problem !== '') && <Notice tone="warn">{failure || problem}</Notice>}
      {all.length === 0 && !loading && <Empty>It is connected with nothing.</Empty>}
      <Graph layout={layout} focus={focus} fate={fate} />
    </>
  )
}

interface GraphProps {
  readonly layout: ReturnType<typeof layOut>
  readonly focus: GraphNode
  readonly fate: Dependents['deletion']['background'] | undefined
}

function Graph({ layout, focus, fate }: GraphProps) {
  const { nodes, edges, width, height } = layout
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
    <div class="graph" tabIndex={0} role="group" aria-label="Connected objects">
      <div class="graph-room" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map(({ from, to }) => (
            <path key={`${from.id} ${to.id}`} d={curve(from, to)} />
          ))}
        </svg>
        {nodes.map((node) => (
          <Node key={node.id} node={node} isFocus={node.id === focus.id} fate={fateOf(node, fate)} />
        ))}
      </div>
    </div>
  )
}

const curve = (from: Placed, to: Placed): string => {
  const [x1, y1] = [from.x + nodeSize.width, from.y + nodeSize.height / 2]
  const [x2, y2] = [to.x, to.y + nodeSize.height / 2]
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

function fateOf({ uid = '' }: GraphNode, fate: GraphProps['fate']): string {
  if (fate === undefined) return ''
  if (fate.deletes.includes(uid)) return 'doomed'
  return fate.keeps.includes(uid) || fate.releases.includes(uid) ? 'kept' : ''
}

function Node({ node, isFocus, fate }: { readonly node: Placed; readonly isFocus: boolean; readonly fate: string }) {
  const style = { transform: `translate(${node.x}px, ${node.y}px)` }
  const look = `node ${isFocus ? 'focus' : ''} ${fate}`
  const caption = [node.kindName, node.relation].filter(Boolean).join(' · ')
  if (node.more !== undefined) {
    const text = `${node.more} more of ${node.kindName}`
    if (node.kind === undefined)
      return (
        <span class={`${look} more`} style={style}>
          {text}
        </span>
      )
    return (
      <a class={`${look} more`} style={style} href={listHref(node.kind, { ns: node.namespace })}>
        {text}
      </a>
    )
  }
  const contents = (
    <>
      <span class="ellipsis name">{node.name}</span> <span class="ellipsis caption">{caption}</span>
    </>
  )
  if (node.kind === undefined)
    return (
      <span class={look} style={style}>
        {contents}
      </span>
    )
  const title = `${node.kindName} ${node.namespace ? `${node.namespace}/` : ''}${node.name}`
  return (
    <a class={look} style={style} href={objectHref(node.kind, { ...node, tab: 'tree' })} title={title}>
      {contents}
    </a>
  )
}

/** A burst of changes is one look. */
const lookMs = 1000

/** Looked for again when the object changes, and when a list does that was looked through. */
function useReferences({ kind, object }: ObjectProps, focus: GraphNode) {
  const [nodes, setNodes] = useState<readonly GraphNode[]>([])
  const [problem, setProblem] = useState('')
  const [loading, setLoading] = useState(true)
  useEffect(() => {
    const abort = new AbortController()
    const look = { focus, object: { ...object, kind: kind.kind, apiVersion: apiVersionOf(kind) } }
    const scans = !has('dependents') || isAggregated(kind)
    const keepLooking = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        const lists: Listed[] = []
        setNodes(await related({ ...look, lists, signal: abort.signal }, scans))
        setLoading(false)
        if (lists.length === 0) return
        await firstChange(lists, abort.signal)
        await new Promise((resolve) => setTimeout(resolve, lookMs))
      }
    }
    keepLooking().catch((error: unknown) => isAborted(error) || setProblem(messageOf(error)))
    return () => abort.abort()
  }, [object.metadata.resourceVersion])
  return { nodes, problem, loading }
}

async function related(look: Look, scans: boolean): Promise<GraphNode[]> {
  const parts = [referenceNodes(look), referrerNodes(look), ...(scans ? [scannedOwners(look)] : [])]
  return (await Promise.all(parts)).flat()
}

/** The watches of the other lists end with the first change. */
async function firstChange(lists: readonly Listed[], signal: AbortSignal): Promise<void> {
  const others = new AbortController()
  const end = (): void => others.abort()
  signal.addEventListener('abort', end, { once: true })
  await Promise.race(lists.map((list) => changed(list, others.signal)))
  signal.removeEventListener('abort', end)
  end()
}
