/** Delete and deletecollection: options from the body or the query, the registry's verb, and the answer. */

import { invalid as invalidField } from '../api/field-error.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest, invalid } from '../api/status-error.ts'
import { negotiateAnswer, negotiateBody } from '../codec/negotiation.ts'
import { forEachLimited } from '../lib/for-each.ts'
import { inTurns } from '../lib/in-turns.ts'
import { remove, validateDeleteOptions } from '../registry/delete.ts'
import type { DeleteOptions } from '../registry/delete-options.ts'
import { removeUnreadable, unsafeDeletionGate } from '../registry/delete-unreadable.ts'
import { type AnswerSettings, answerObject, answerStatus } from './answer.ts'
import { auditObject } from './audited-body.ts'
import { optionsOfBody } from './delete-options-body.ts'
import { answerList, listPage, objectsOf, shardInfo } from './list.ts'
import { listOptions, shardedSelectionOf } from './list-options.ts'
import { flag, integerParameter } from './parameters.ts'
import { readRequestBody } from './request-body.ts'
import { viewedVersion } from './request-view.ts'
import type { WriteTarget } from './write.ts'
import { writeRequest } from './write-options.ts'

const metaVersion = 'meta.k8s.io/v1'

export async function handleDelete(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
): Promise<void> {
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const options = await deleteOptions(context, settings, target)
  const { registry } = target
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) return deleteUnread(context, settings, target)
  const request = writeRequest(context, target, forRegistry(options))
  const { written, removed } = await remove(registry, options, request)
  const status = !removed && options.orphanDependents === false ? 202 : 200
  const object = written.object()
  if (removed && !registry.definition.returnsDeleted) {
    answerStatus(context, settings, { status, value: success(target, object), restrictions: target.restrictions })
    return
  }
  await answerObject(context, settings, target, { status, written })
}

/** The object is not looked at, so nothing of it can be shown. */
async function deleteUnread(context: RequestContext, settings: AnswerSettings, target: WriteTarget): Promise<void> {
  const { registry, restrictions, version } = target
  const { name, namespace } = context.info
  context.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '')
  await settings.authorizeUnsafeDelete(context)
  await removeUnreadable(registry, registry.definition.namespaced ? namespace : '', name)
  const value = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, kind: version.kind },
    code: 200,
  }
  answerStatus(context, settings, { status: 200, value, restrictions })
}

function forRegistry(options: DeleteOptions) {
  const dryRun = (options.dryRun?.length ?? 0) > 0
  return { dryRun, fieldManager: '', object: { ...options, kind: 'DeleteOptions', apiVersion: metaVersion } }
}

function success({ registry }: WriteTarget, { metadata }: KubeObject): JsonObject {
  const { group, resource } = registry.definition
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: metadata.name, ...(group === '' ? {} : { group }), kind: resource, uid: metadata.uid },
  }
}

/** Deletes what the selectors select, and answers with the list of it. */
export async function handleDeleteCollection(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
): Promise<void> {
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const asked = listOptions(context.info.query, true)
  // It goes by pages in any case: a version is the very one that is meant.
  const list = asked.limit > 0 ? asked : { ...asked, limit: Number.MAX_SAFE_INTEGER }
  const selection = await shardedSelectionOf(context, settings, target, list)
  const options = await deleteOptions(context, settings, target)
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const why = 'is not allowed with DELETECOLLECTION, try again after removing the option'
    const error = invalidField('ignoreStoreReadErrorWithClusterBreakingPotential', true, why)
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error])
  }
  const page = await listPage(target, list, selection)
  const { registry } = target
  const request = writeRequest(context, target, forRegistry(options))
  // Once for the request, whether or not there is anything to delete.
  for (const warning of registry.definition.strategy.warningsOnDelete?.(options) ?? []) context.warn(warning)
  let failure: Error | undefined
  await forEachLimited(page.entries, settings.deleteCollectionWorkers, async (entry) => {
    // After a failure the rest is left alone.
    if (failure !== undefined) return
    try {
      const one = { ...request, name: entry.name, namespace: entry.namespace, admittedName: '', ofCollection: true }
      await remove(registry, options, one)
    } catch (error) {
      // Another client deleted it first: idempotent.
      if (error instanceof ApiError && error.code === 404) return
      failure = error instanceof Error ? error : new Error(String(error))
    }
  })
  if (failure !== undefined) throw failure
  const viewed = viewedVersion(target, choice)
  const objects = await objectsOf(registry.definition, viewed, page.entries)
  const shard = shardInfo(target, choice, selection)
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.token === undefined ? {} : { continue: page.token }),
    ...(page.remaining ? { remainingItemCount: page.remaining } : {}),
    ...(shard === undefined ? {} : { shardInfo: shard }),
  }
  await answerList(context, settings, { target, choice, objects, metadata })
}

/** A body makes the query parameters count for nothing. */
async function deleteOptions(
  context: RequestContext,
  settings: AnswerSettings,
  { registry }: WriteTarget,
): Promise<DeleteOptions> {
  const bytes = await readRequestBody(context)
  const given = bytes.length > 0 ? await readOptions(context, settings, { registry, bytes }) : optionsOfQuery(context)
  if (bytes.length > 0) {
    // Recorded in the version in which the reference reads them, whatever they say.
    await auditObject(context, { ...given, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' })
  }
  const options = registry.gate(unsafeDeletionGate) ? given : withoutUnsafe(given)
  validateDeleteOptions(options)
  return options
}

interface OptionsBody {
  readonly registry: WriteTarget['registry']
  readonly bytes: Buffer
}

/** What cannot be read is a failure of the server, or a bad request since a later release. */
async function readOptions(
  context: RequestContext,
  settings: AnswerSettings,
  body: OptionsBody,
): Promise<DeleteOptions> {
  const { encoding } = negotiateBody(context.header('content-type'), settings.mediaTypes)
  try {
    return await inTurns(optionsOfBody(encoding, body.bytes))
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.status.code === 500
    throw isUnknown && body.registry.gate('release:badDeleteOptions') ? badRequest(error.message) : error
  }
}

/** Without the gate the option is unknown. */
function withoutUnsafe(options: DeleteOptions): DeleteOptions {
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === undefined) return options
  const { ignoreStoreReadErrorWithClusterBreakingPotential: _, ...others } = options
  return others
}

function optionsOfQuery({ info }: RequestContext): DeleteOptions {
  const { query } = info
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds')
  const orphanDependents = flag(query, 'orphanDependents')
  const propagationPolicy = query.get('propagationPolicy')
  const dryRun = query.all('dryRun').filter((value) => value !== '')
  const uid = query.get('uid') ?? ''
  const resourceVersion = query.get('resourceVersion') ?? ''
  const preconditions = { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) }
  const ignoring = flag(query, 'ignoreStoreReadErrorWithClusterBreakingPotential')
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === '' && resourceVersion === '' ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(ignoring === undefined ? {} : { ignoreStoreReadErrorWithClusterBreakingPotential: ignoring }),
  }
}
