/** The view of an answer (object, Table, metadata only) as the request negotiated it, and the version that it is made of. */
import type { RequestContext } from '../api/request-context.ts'
import { typeSchema } from '../catalog/catalog.ts'
import type { NegotiatedType } from '../codec/negotiation.ts'
import { defaultTable } from '../codec/table.ts'
import { type View, type ViewContext, viewOf } from '../codec/views.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import type { ObjectSchema } from '../schema/schema.ts'

export interface RequestView {
  readonly view: View
  readonly context: ViewContext
  /** The type of what the view shows; undefined for the object itself. */
  readonly schema: ObjectSchema | undefined
}

const views: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'])

/** The version of the objects that an answer is made of: views of built-in kinds are those of the hub. */
export function viewedVersion({ version, registry }: ServedResource, { convert }: NegotiatedType): ResourceVersion {
  const { definition } = registry
  const isView = convert !== undefined && views.has(convert.kind)
  return isView ? definition.model.views.viewedVersion(definition, version) : version
}

/** Throws a 400 for an unknown `includeObject`. The view is one of objects in the `viewedVersion`. */
export function requestView(
  context: RequestContext,
  target: ServedResource,
  choice: NegotiatedType,
  now: number,
): RequestView {
  const { version, registry } = target
  const view = viewOf(choice.convert, context.info.query.get('includeObject'))
  const { definition } = registry
  const { views: rules } = definition.model
  return {
    view,
    context: {
      table: viewedVersion(target, choice).table ?? defaultTable,
      goType: rules.goType(definition),
      now,
      whole: (object) => rules.whole(version, object),
    },
    schema: view.kind === 'whole' ? undefined : typeSchema(`meta.v1.${view.kind}`),
  }
}
