/** Virtual resources: objects that are computed on request and stored nowhere. Get and list, with selectors and views. */
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { methodNotSupported, notFound } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { selects } from '../cache/selection.ts'
import { encodeJson } from '../codec/json.ts'
import { negotiateAnswer, type Restrictions } from '../codec/negotiation.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { type AnswerSettings, answerObject } from './answer.ts'
import { answerList } from './list.ts'
import { listOptions, selectionOf } from './list-options.ts'

type VirtualTarget = ServedResource & { readonly restrictions: Restrictions }

/** `compute` makes all objects, in the hub version. */
export async function handleVirtual(
  context: RequestContext,
  settings: AnswerSettings,
  target: VirtualTarget,
  compute: () => Promise<readonly KubeObject[]>,
): Promise<void> {
  const { info } = context
  const { definition } = target.registry
  if (target.version.deprecation !== undefined) {
    context.warn(target.version.deprecation.warning)
    context.annotate('k8s.io/deprecated', 'true')
  }
  const options = info.verb === 'get' ? undefined : listOptions(info.query, false)
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  if (options === undefined) {
    const object = (await compute()).find(({ metadata }) => metadata.name === info.name)
    if (object === undefined) throw notFound({ ...definition, resource: definition.singular }, info.name)
    const written = { size: 0, jsonLine: () => Buffer.from(`${encodeJson(object)}\n`), object: () => object }
    return answerObject(context, settings, target, { status: 200, written })
  }
  const selection = selectionOf(info, target, options)
  if (info.verb === 'watch') throw methodNotSupported(definition, 'watch')
  const objects = (await compute()).filter((object) => selects(selection, facts(object)))
  return answerList(context, settings, { target, choice, objects, metadata: {} })
}

/** What selectors look at. */
function facts({ metadata }: KubeObject): CacheEntry {
  const { name = '', namespace = '', labels } = metadata
  return { name, namespace, labels, fields: undefined } as CacheEntry
}
