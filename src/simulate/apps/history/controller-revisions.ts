/**
 * The history of a template as ControllerRevisions: one a template, numbered in the order in which they were the present one.
 * Mirrors pkg/controller/history: realHistory. Mirrors pkg/controller/daemon: DaemonSetsController.constructHistory.
 */
import { equalSemantic, type JsonObject, type JsonValue } from '../../../api/json.ts'
import type { LabelSelector } from '../../../api/label-selector.ts'
import { ApiError } from '../../../api/status-error.ts'
import type { ControllerRevision } from '../../../catalog/types/apps-v1.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import type { ObjectMeta } from '../../../catalog/types/meta-v1.ts'
import { sortKeys } from '../../../schema/json-shape.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { Index } from '../../framework/informer.ts'
import { claimObjects, controllerOf, controllerReference } from '../../framework/owners.ts'
import type { Writer } from '../../framework/writer.ts'
import { revisionHash, templateHash } from './template-hash.ts'

const revisionsByController: Index<ControllerRevision> = {
  name: 'controller',
  keys: (revision) => [controllerOf(revision)?.uid ?? `/${revision.metadata.namespace}`],
}

/** On pods: which revision they have. */
export const revisionHashLabel = 'controller-revision-hash'

export interface HistoryOwner {
  readonly metadata: ObjectMeta
  readonly spec: { readonly template: PodTemplateSpec; readonly revisionHistoryLimit?: number }
  readonly status: { readonly collisionCount?: number }
}

export interface HistoryOptions {
  readonly owner: HistoryOwner
  readonly kind: string
  readonly selector: LabelSelector
  readonly writer: Writer
  /** The label of a revision that has its hash. */
  readonly hashLabel: string
}

/** As a patch that brings the template back. Sorted as Go sorts: clients compare it byte by byte. */
const revisionData = ({ spec }: HistoryOwner): JsonObject =>
  sortKeys({ spec: { template: { ...spec.template, $patch: 'replace' } as unknown as JsonValue } }) as JsonObject

/** Those of the owner, the oldest first. */
export async function ownRevisions(context: SimulationContext, options: HistoryOptions): Promise<ControllerRevision[]> {
  const { owner, kind, selector, writer } = options
  const informer = context.informer<ControllerRevision>('apps', 'controllerrevisions')
  const own = informer.byIndex(revisionsByController, owner.metadata.uid ?? '')
  const orphans = informer.byIndex(revisionsByController, `/${owner.metadata.namespace}`)
  const claim = { owner, apiVersion: 'apps/v1', kind, selector, writer, group: 'apps', resource: 'controllerrevisions' }
  const claimed = await claimObjects(claim, [...own, ...orphans])
  return claimed.sort((a, b) => a.revision - b.revision)
}

/** Thrown when the name of a revision is taken by another: with more collisions it gets another name. */
export class RevisionCollision extends Error {}

/** The revision of the present template, as the newest; made where there is none. */
export async function presentRevision(
  options: HistoryOptions,
  revisions: readonly ControllerRevision[],
): Promise<ControllerRevision> {
  const { owner, writer } = options
  const data = revisionData(owner)
  const equal = revisions.filter((revision) => equalSemantic(revision.data, data))
  const found = equal.at(-1)
  const newest = Math.max(0, ...revisions.filter((revision) => revision !== found).map(({ revision }) => revision))
  if (found === undefined) return createRevision(options, data, newest + 1)
  if (found.revision > newest) return found
  const { namespace = '', name = '' } = found.metadata
  return writer.update<ControllerRevision>('apps', 'controllerrevisions', { namespace, name }, (current) => ({
    ...current,
    revision: newest + 1,
  }))
}

async function createRevision(
  options: HistoryOptions,
  data: JsonObject,
  revision: number,
): Promise<ControllerRevision> {
  const { owner, kind, writer, hashLabel } = options
  const { name = '', namespace = '', annotations } = owner.metadata
  const { collisionCount } = owner.status
  const hash =
    kind === 'StatefulSet' ? revisionHash(data, collisionCount ?? 0) : templateHash(owner.spec.template, collisionCount)
  const made: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.spec.template.metadata.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner, 'apps/v1', kind)],
      creationTimestamp: null,
    },
    data,
    revision,
  }
  try {
    return await writer.create('apps', 'controllerrevisions', made)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error
    throw new RevisionCollision(error.message)
  }
}

/** Deletes the oldest of those that are not in use any more, but for so many. */
export async function truncateHistory(options: HistoryOptions, dead: readonly ControllerRevision[]): Promise<void> {
  const surplus = dead.length - (options.owner.spec.revisionHistoryLimit ?? 10)
  for (const { metadata } of dead.slice(0, Math.max(0, surplus))) {
    const { namespace = '', name = '' } = metadata
    await options.writer.delete('apps', 'controllerrevisions', { namespace, name })
  }
}
