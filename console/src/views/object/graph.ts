// The graph around an object: its nodes, what the server knows of owners, and where each is drawn.
import { findKind, type Kind, preferredKind } from '../../api/discovery.ts'
import type { ApiObject } from '../../api/objects.ts'
import type { Dependents, Relative } from './deletion-preview.tsx'

export interface GraphNode {
  readonly id: string
  readonly kind: Kind | undefined
  readonly kindName: string
  readonly namespace?: string | undefined
  readonly name: string
  readonly uid?: string
  /** Negative: what stands above or in front of the object. */
  readonly depth: number
  readonly relation: string
  readonly parent: string
  /** Instead of an object: how many more there are. */
  readonly more?: number
}

/** Children of one node that are drawn; a graph of thousands shows nothing. */
const maxChildren = 14
const maxNodes = 160

export const idOf = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${namespace ?? ''}/${name}`

export function focusNode(kind: Kind, { metadata }: ApiObject): GraphNode {
  const { namespace, name, uid } = metadata
  return {
    id: idOf(kind.kind, namespace, name),
    kind,
    kindName: kind.kind,
    namespace,
    name,
    uid,
    depth: 0,
    relation: '',
    parent: '',
  }
}

/** Owners above and dependants below, as the server's own garbage collector sees them. */
export function ownerNodes(focus: GraphNode, found: Dependents): GraphNode[] {
  const byUid = new Map<string, GraphNode>([[found.object.uid, focus]])
  const up = found.owners.map((owner) =>
    relativeNode(owner, { depth: -1, relation: owner.exists === false ? 'owner, gone' : 'owner', parent: focus.id }),
  )
  const down = found.dependents.flatMap((each) => {
    const parent = (each.owners ?? []).map(({ uid }) => byUid.get(uid)).find((node) => node !== undefined)
    if (parent === undefined) return []
    const node = relativeNode(each, { depth: parent.depth + 1, relation: 'owned', parent: parent.id })
    byUid.set(each.uid, node)
    return [node]
  })
  return [...up, ...down]
}

type Connection = Pick<GraphNode, 'depth' | 'relation' | 'parent'>

function relativeNode({ group, version, resource, kind, namespace, name, uid }: Relative, at: Connection): GraphNode {
  const found = findKind(group, version, resource) ?? preferredKind(group, resource)
  return { id: idOf(kind, namespace, name), kind: found, kindName: kind, namespace, name, uid, ...at }
}

export interface Placed extends GraphNode {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly nodes: readonly Placed[]
  readonly edges: readonly { readonly from: Placed; readonly to: Placed }[]
  readonly width: number
  readonly height: number
  readonly left: number
}

export const nodeSize = { width: 196, height: 40, gapX: 70, gapY: 10 }

/** A column a depth; children near their parents; what is too much becomes one node that counts. */
export function layOut(focus: GraphNode, others: readonly GraphNode[]): Layout {
  const shown = bounded(focus, others)
  const depths = [...new Set(shown.map(({ depth }) => depth))].sort((a, b) => a - b)
  const order = new Map<string, number>()
  const columns = depths.map((depth) => {
    const column = shown.filter((node) => node.depth === depth)
    const rank = ({ parent }: GraphNode) => order.get(parent) ?? 0
    const sorted = depth > 0 ? column.sort((a, b) => rank(a) - rank(b)) : column
    for (const [index, node] of sorted.entries()) order.set(node.id, index)
    return sorted
  })
  const rowHeight = nodeSize.height + nodeSize.gapY
  const tallest = Math.max(...columns.map((column) => column.length))
  const nodes = columns.flatMap((column, index) =>
    column.map(
      (node, row): Placed => ({
        ...node,
        x: index * (nodeSize.width + nodeSize.gapX),
        y: ((tallest - column.length) * rowHeight) / 2 + row * rowHeight,
      }),
    ),
  )
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const edges = nodes.flatMap((node) => {
    const parent = byId.get(node.parent)
    if (parent === undefined) return []
    return [node.depth < parent.depth ? { from: node, to: parent } : { from: parent, to: node }]
  })
  const width = depths.length * (nodeSize.width + nodeSize.gapX) - nodeSize.gapX
  return {
    nodes,
    edges,
    width,
    height: tallest * rowHeight,
    left: depths.indexOf(0) * (nodeSize.width + nodeSize.gapX),
  }
}

function bounded(focus: GraphNode, others: readonly GraphNode[]): GraphNode[] {
  const seen = new Set([focus.id])
  const children = new Map<string, number>()
  const left = new Map<string, GraphNode & { more: number }>()
  const kept: GraphNode[] = [focus]
  for (const node of others) {
    if (seen.has(node.id)) continue
    seen.add(node.id)
    const key = `${node.parent} ${node.depth} ${node.kindName}`
    const count = (children.get(key) ?? 0) + 1
    children.set(key, count)
    if (count <= maxChildren && kept.length < maxNodes) kept.push(node)
    else left.set(key, { ...node, id: `more ${key}`, name: '', more: (left.get(key)?.more ?? 0) + 1 })
  }
  const ids = new Set(kept.map(({ id }) => id))
  return [
    ...kept.filter((node) => node === focus || ids.has(node.parent)),
    ...[...left.values()].filter(({ parent }) => ids.has(parent)),
  ]
}
