/**
 * Which ReplicaSet stands for the template of a Deployment, and the history of those that did.
 * Mirrors pkg/controller/deployment/util: SetNewReplicaSetAnnotations, EqualIgnoreHash, FindNewReplicaSet, LastRevision.
 */
import { equalSemantic } from '../../../api/json.ts'
import type { Deployment, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import { byAge, desiredReplicasAnnotation, fenceposts, maxReplicasAnnotation, replicasOf } from './rollout.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
const historyAnnotation = 'deployment.kubernetes.io/revision-history'
export const rollbackAnnotation = 'deprecated.deployment.rollback.to'
export const hashLabel = 'pod-template-hash'
const maxHistoryLength = 2000

type Annotations = Readonly<Record<string, string>>

/** Annotations that are the controller's own, or a client's about the one object. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
])

export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { labels, ...metadata } = template.metadata
  const { [hashLabel]: _, ...others } = labels ?? {}
  return { ...template, metadata: { ...metadata, ...(Object.keys(others).length === 0 ? {} : { labels: others }) } }
}

export const sameTemplate = (a: PodTemplateSpec, b: PodTemplateSpec): boolean =>
  equalSemantic(withoutHash(a), withoutHash(b))

/** Several may have the template: the oldest is it, as every controller would find. */
export function findNewSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return byAge(sets).find(({ spec }) => sameTemplate(spec.template, deployment.spec.template))
}

/** A revision is an int64; undefined: no number. */
export function parseRevision(text: string): bigint | undefined {
  if (!/^[-+]?\d{1,19}$/.test(text)) return undefined
  const revision = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, revision) === revision ? revision : undefined
}

export const revisionOf = ({ metadata }: ReplicaSet): bigint =>
  parseRevision(metadata.annotations?.[revisionAnnotation] ?? '') ?? 0n

export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  let max = 0n
  for (const revision of sets.map(revisionOf)) if (revision > max) max = revision
  return max
}

/** The one before the newest; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  let [max, second] = [0n, 0n]
  for (const revision of sets.map(revisionOf)) {
    if (revision >= max) [max, second] = [revision, max]
    else if (revision > second) second = revision
  }
  return second
}

/** What the newest set is annotated with: as its Deployment, and with its place in history. */
export function newSetAnnotations(deployment: Deployment, present: Annotations, revision: bigint): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key))
  const annotations: Record<string, string> = { ...present, ...Object.fromEntries(copied) }
  const before = present[revisionAnnotation]
  const known = before === undefined ? 0n : parseRevision(before)
  if (known === undefined || known >= revision) return annotations
  annotations[revisionAnnotation] = String(revision)
  if (before !== undefined) annotations[historyAnnotation] = withHistory(present[historyAnnotation] ?? '', before)
  return annotations
}

/** The oldest give way when the text gets too long. */
function withHistory(history: string, revision: string): string {
  const revisions = history === '' ? [] : history.split(',')
  revisions.push(revision)
  while (revisions.length > 1 && revisions.join(',').length > maxHistoryLength) revisions.shift()
  return revisions.join(',')
}

export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = replicasOf(deployment)
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + fenceposts(deployment).surge),
  }
}

/** What a Deployment is annotated with when it goes back to a set. */
export function rolledBackAnnotations(deployment: Deployment, to: ReplicaSet): Annotations {
  const entries = (annotations: Annotations | undefined, keep: boolean) =>
    Object.entries(annotations ?? {}).filter(([key]) => notCopied.has(key) === keep && key !== rollbackAnnotation)
  return Object.fromEntries([
    ...entries(deployment.metadata.annotations, true),
    ...entries(to.metadata.annotations, false),
  ])
}
