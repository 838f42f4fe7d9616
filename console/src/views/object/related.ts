// What is connected with an object: what it refers to, what refers to it, and owners where the server cannot be asked for them.
import type { Listed } from '../../api/changed.ts'
import { apiVersionOf, type Kind, kindOf, kinds, pathOf } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import { type ApiList, type ApiObject, metadataOnly } from '../../api/objects.ts'
import { type Reference, referencesOf, referrersOf } from '../../lib/relations.ts'
import { selectorText, selects } from '../../lib/selectors.ts'
import { type GraphNode, idOf } from './graph.ts'

const maxScanned = 500

/** One look at what is connected, and the lists that it read. */
export interface Look {
  readonly focus: GraphNode
  readonly object: ApiObject
  readonly signal: AbortSignal
  readonly lists: Listed[]
}

interface Wanted {
  readonly kind: Kind
  readonly namespace?: string | undefined
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Whole objects, where their contents are needed. */
  readonly whole?: boolean
}

async function listed(look: Look, { kind, namespace, query = {}, whole = false }: Wanted): Promise<ApiObject[]> {
  const path = pathOf(kind, namespace === undefined ? {} : { namespace })
  const { metadata, items } = await get<ApiList>(path, {
    query: { ...query, limit: String(maxScanned) },
    accept: whole ? 'application/json' : metadataOnly,
    signal: look.signal,
  })
  look.lists.push({ path, query, resourceVersion: metadata.resourceVersion })
  // The items of a list have no kind of their own.
  return (items ?? []).map((item) => ({ ...item, kind: kind.kind, apiVersion: apiVersionOf(kind) }))
}

const preferred = (group: string, name: string): Kind | undefined =>
  kinds.value.find((kind) => kind.group === group && kind.kind === name && kind.preferred)

function objectNode(kind: Kind, { metadata }: ApiObject, at: Pick<GraphNode, 'depth' | 'relation' | 'parent'>) {
  const { namespace, name, uid } = metadata
  return { id: idOf(kind.kind, namespace, name), kind, kindName: kind.kind, namespace, name, uid, ...at }
}

/** What the object refers to, to the right of it, and what that leads on to, further on. */
export async function referenceNodes(look: Look): Promise<GraphNode[]> {
  const found = await inTurn(referencesOf(look.object), (reference) => referenced(look, reference))
  return found.flat()
}

async function referenced(look: Look, reference: Reference): Promise<GraphNode[]> {
  const { relation, selector, name, namespace, onward } = reference
  const kind = preferred(reference.group, reference.kind)
  const at = { depth: 1, relation, parent: look.focus.id }
  const isLooked = kind !== undefined && (name === undefined || onward !== undefined)
  if (!isLooked) return name === undefined ? [] : [namedNode(reference, at)]
  const query =
    name === undefined ? { labelSelector: selectorText(selector ?? {}) } : { fieldSelector: `metadata.name=${name}` }
  const items = await listed(look, { kind, namespace, query, whole: onward !== undefined })
  const nodes = items.flatMap((item) => {
    const node = objectNode(kind, item, at)
    const further = referencesOf(item).filter((each) => each.name !== undefined && each.relation === onward)
    return [node, ...further.map((each) => namedNode(each, { depth: 2, relation: each.relation, parent: node.id }))]
  })
  return nodes.length === 0 && name !== undefined ? [namedNode(reference, at)] : nodes
}

/** An object that is known by its name alone. */
function namedNode(
  { group, kind, namespace, name = '' }: Reference,
  at: Pick<GraphNode, 'depth' | 'relation' | 'parent'>,
): GraphNode {
  return { id: idOf(kind, namespace, name), kind: preferred(group, kind), kindName: kind, namespace, name, ...at }
}

/** What refers to the object, to the left of it. */
export async function referrerNodes(look: Look): Promise<GraphNode[]> {
  const { object } = look
  const { namespace, name } = object.metadata
  const found = await inTurn(referrersOf(object), async (id) => {
    const [group = '', kindName = ''] = id.split('/')
    const kind = preferred(group, kindName)
    if (kind === undefined) return []
    const query = object.kind === 'Node' && kindName === 'Pod' ? { fieldSelector: `spec.nodeName=${name}` } : {}
    const items = await listed(look, { kind, query, whole: true, ...(kind.namespaced ? { namespace } : {}) })
    return items.flatMap((item) => referrer(look, item, kind))
  })
  return found.flat()
}

function referrer({ focus, object }: Look, item: ApiObject, kind: Kind): GraphNode[] {
  const { namespace = '', name, labels = {} } = object.metadata
  const hit = referencesOf(item).find(
    (reference) =>
      reference.kind === object.kind &&
      (reference.namespace ?? '') === namespace &&
      (reference.name === name || (reference.selector !== undefined && selects(reference.selector, labels))),
  )
  if (hit === undefined) return []
  return [objectNode(kind, item, { depth: -1, relation: `${hit.relation} it`, parent: focus.id })]
}

/** For servers that cannot be asked: owners as the object names them, and what names it as owner among the metadata of each kind. */
export async function scannedOwners({ focus, object, signal }: Look): Promise<GraphNode[]> {
  const { namespace, uid, ownerReferences = [] } = object.metadata
  const up = ownerReferences.map((owner): GraphNode => {
    const kind = kindOf(owner.apiVersion, owner.kind)
    const at = kind?.namespaced ? namespace : undefined
    return {
      id: idOf(owner.kind, at, owner.name),
      kind,
      kindName: owner.kind,
      namespace: at,
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
  // Too many kinds for a watch of each.
  const unwatched: Look = { focus, object, signal, lists: [] }
  const lists = await inTurn(candidates, async (kind) => {
    const items = await listed(unwatched, { kind, namespace })
    return items
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .map((item): GraphNode => objectNode(kind, item, { depth: 1, relation: 'owned', parent: focus.id }))
  })
  return [...up, ...lists.flat()]
}

/** Four at a time, so that a browser's connections are not used up; what is refused is empty. Answers are in the order of the items. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<(readonly R[])[]> {
  const waiting = [...items.entries()]
  const results: (readonly R[])[] = items.map(() => [])
  const next = async (): Promise<void> => {
    for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
      const [index, item] = turn
      results[index] = await work(item).catch(() => [])
    }
  }
  await Promise.all([next(), next(), next(), next()])
  return results
}
