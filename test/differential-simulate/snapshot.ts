/** All that a scenario left behind: its objects and events, and the answers that told of something. */
import { isMap, type Json, type JsonMap, valueAt } from '../differential/json.ts'
import { type Client, collectionPath } from './client.ts'
import { eventTally } from './events.ts'
import { maskedAnswers, maskedObject } from './masking.ts'
import { scenarioLabel } from './scenario.ts'

export interface Snapshot {
  /** By resource, then by the form of their names. */
  readonly objects: Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>
  readonly events: Readonly<Record<string, string>>
  /** How many pods of an app each node has, in ascending order. */
  readonly spread: Readonly<Record<string, readonly number[]>>
  readonly answers: readonly Json[]
  readonly counts: { readonly objects: number; readonly events: number }
}

/** Events are looked at by themselves; leases and nodes are never the same twice. */
const notCompared = /^(?:v1\/events|v1\/nodes|events\.k8s\.io|coordination\.k8s\.io)/

export async function snapshotOf(client: Client, namespace: string, answers: readonly Json[]): Promise<Snapshot> {
  const found = new Map<string, readonly JsonMap[]>()
  for (const kind of client.kinds) {
    const id = `${kind.groupVersion}/${kind.name}`
    if (notCompared.test(id)) continue
    const selector = kind.namespaced ? '' : `?labelSelector=${scenarioLabel}%3D${namespace}`
    const items = await client.list(collectionPath(kind, namespace) + selector)
    if (items.length > 0) found.set(id, items)
  }
  const events = await client.list(`/api/v1/namespaces/${namespace}/events`)
  const objects = [...found].map(
    ([id, items]) => [id, byNameForm(items.map((item) => maskedObject(id, item)))] as const,
  )
  return {
    objects: Object.fromEntries(objects),
    events: eventTally(events),
    spread: spreadOf(found.get('v1/pods') ?? []),
    answers: maskedAnswers(answers),
    counts: { objects: [...found.values()].flat().length, events: events.length },
  }
}

function byNameForm(objects: readonly JsonMap[]): Record<string, Json[]> {
  const forms: Record<string, Json[]> = {}
  for (const masked of objects) {
    const name = String(valueAt(masked, ['metadata', 'name']))
    forms[name] = [...(forms[name] ?? []), masked]
  }
  for (const same of Object.values(forms)) same.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return Object.fromEntries(Object.entries(forms).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function spreadOf(pods: readonly JsonMap[]): Record<string, number[]> {
  const counts: Record<string, Record<string, number>> = {}
  for (const pod of pods) {
    const labels = valueAt(pod, ['metadata', 'labels'])
    const app = isMap(labels) ? String(labels['app'] ?? '') : ''
    const node = String(valueAt(pod, ['spec', 'nodeName']) ?? 'none')
    counts[app] ??= {}
    counts[app][node] = (counts[app][node] ?? 0) + 1
  }
  return Object.fromEntries(
    Object.entries(counts).map(([app, nodes]) => [app, Object.values(nodes).sort((a, b) => a - b)]),
  )
}
