/** The scale subresource: one object seen as an `autoscaling/v1` Scale. */
import type { RequestContext } from '../api/request-context.ts'
import { methodNotAllowed, notFound } from '../api/status-error.ts'
import { entryKey } from '../cache/snapshot.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { negotiateAnswer, type Restrictions } from '../codec/negotiation.ts'
import type { ScaleSubresource } from '../registry/subresource.ts'
import { type AnswerSettings, answerValue } from './answer.ts'
import { freshCache } from './read-version.ts'
import type { ServedResource } from './served-resource.ts'

export async function handleScale(
  context: RequestContext,
  settings: AnswerSettings,
  target: ServedResource & { readonly restrictions: Restrictions },
  scale: ScaleSubresource,
): Promise<void> {
  const { info } = context
  if (info.verb !== 'get') throw methodNotAllowed()
  const choice = negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const cache = await freshCache(target.registry)
  const entry = cache.get(entryKey(info.namespace, info.name))
  if (entry === undefined) throw notFound(target.registry.definition, info.name)
  const schema = typeSchema('autoscaling.v1.Scale')
  answerValue(context, settings, { status: 200, value: scale.toScale(entry.object()), schema, choice })
}
