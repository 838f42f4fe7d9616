// The graph around an object: gathered from what it says, what others say of it, and what the server knows of owners.
import { findKind, type Kind, kindOf, kinds, pathOf, preferredKind } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import type { ApiList, ApiObject } from '../../api/objects.ts'
import { metadataOnly } from '../../api/objects.ts'
import { type Reference, referencesOf, referrersOf } from '../../lib/relations.ts'
import { selectorText, selects } from '../../lib/selectors.ts'
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
const maxScanned = 500

const idOf = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${namespace ?? ''}/${name}`

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

/** For servers that cannot be asked: owners as the object names them, and what names it as owner among the metadata of each kind. */
export async function scannedOwners(focus: GraphNode, object: ApiObject, signal: AbortSignal): Promise<GraphNode[]> {
  const up = (object.metadata.ownerReferences ?? []).map((owner): GraphNode => {
    const kind = kindOf(owner.apiVersion, owner.kind)
    const namespace = kind?.namespaced ? object.metadata.namespace : undefined
    return {
      id: idOf(owner.kind, namespace, owner.name),
      kind,
      kindName: owner.kind,
      namespace,
      name: owner.name,
      uid: owner.uid,
      depth: -1,
      relation: 'owner',
      parent: focus.id,
    }
  })
  const candidates = kinds.value.filter(
    (kind) => kind.preferred && kind.namespaced && kind.verbs.includes('list') && kind.resource !== 'events',
  )
  const at = object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }
  const lists = await inTurn(candidates, async (kind) => {
    const list = await get<ApiList>(pathOf(kind, at), {
      query: { limit: String(maxScanned) },
      accept: metadataOnly,
      signal,
    })
    return list.items
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid))
      .map(
        ({ metadata }): GraphNode => ({
          id: idOf(kind.kind, metadata.namespace, metadata.name),
          kind,
          kindName: kind.kind,
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
          depth: 1,
          relation: 'owned',
          parent: focus.id,
        }),
      )
  })
  return [...up, ...lists.flat()]
}

/** Four at a time, so that a browser's connections are not used up; what is refused is empty. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<(readonly R[])[]> {
  const waiting = [...items]
  const results: (readonly R[])[] = []
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      results.push(await work(item).catch(() => []))
  }
  await Promise.all([next(), next(), next(), next()])
  return results
}

/** What the object refers to, to the right of it. */
export async function referenceNodes(focus: GraphNode, object: ApiObject, signal: AbortSignal): Promise<GraphNode[]> {
  const found = await inTurn(referencesOf(object), async (reference) => referenced(focus, reference, signal))
  return found.flat()
}

async function referenced(focus: GraphNode, reference: Reference, signal: AbortSignal): Promise<GraphNode[]> {
  const kind = kinds.value.find(
    (each) => each.group === reference.group && each.kind === reference.kind && each.preferred,
  )
  const at = { depth: 1, relation: reference.relation, parent: focus.id }
  const node = (name: string, namespace: string | undefined, uid?: string): GraphNode => ({
    id: idOf(reference.kind, namespace, name),
    kind,
    kindName: reference.kind,
    namespace,
    name,
    ...(uid === undefined ? {} : { uid }),
    ...at,
  })
  if (reference.name !== undefined) return [node(reference.name, reference.namespace)]
  if (kind === undefined || reference.selector === undefined) return []
  const query = { labelSelector: selectorText(reference.selector), limit: String(maxScanned) }
  const place = reference.namespace === undefined ? {} : { namespace: reference.namespace }
  const list = await get<ApiList>(pathOf(kind, place), { query, accept: metadataOnly, signal })
  return list.items.map(({ metadata }) => node(metadata.name, metadata.namespace, metadata.uid))
}

/** What refers to the object, to the left of it. */
export async function referrerNodes(focus: GraphNode, object: ApiObject, signal: AbortSignal): Promise<GraphNode[]> {
  const found = await inTurn(referrersOf(object), async (id) => {
    const [group = '', name = ''] = id.split('/')
    const kind = kinds.value.find((each) => each.group === group && each.kind === name && each.preferred)
    if (kind === undefined) return []
    const at =
      kind.namespaced && object.metadata.namespace !== undefined ? { namespace: object.metadata.namespace } : {}
    const fieldSelector = object.kind === 'Node' && name === 'Pod' ? `spec.nodeName=${object.metadata.name}` : undefined
    const list = await get<ApiList>(pathOf(kind, at), { query: { limit: String(maxScanned), fieldSelector }, signal })
    return list.items.flatMap((item) =>
      referrer(
        focus,
        object,
        { ...item, kind: kind.kind, apiVersion: group === '' ? kind.version : `${group}/${kind.version}` },
        kind,
      ),
    )
  })
  return found.flat()
}

function referrer(focus: GraphNode, object: ApiObject, item: ApiObject, kind: Kind): GraphNode[] {
  const { metadata } = item
  const hit = referencesOf(item).find(
    (reference) =>
      reference.kind === object.kind &&
      (reference.namespace ?? '') === (object.metadata.namespace ?? '') &&
      (reference.name === object.metadata.name ||
        (reference.selector !== undefined && selects(reference.selector, object.metadata.labels ?? {}))),
  )
  if (hit === undefined) return []
  const { namespace, name, uid } = metadata
  return [
    {
      id: idOf(kind.kind, namespace, name),
      kind,
      kindName: kind.kind,
      namespace,
      name,
      uid,
      depth: -1,
      relation: `${hit.relation} it`,
      parent: focus.id,
    },
  ]
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
