/** The view of a resource that a request asks for, and the type of what it shows. */
import { internalPackage } from '../api/group-version.ts'
import type { RequestContext } from '../api/request-context.ts'
import { typeSchema } from '../catalog/catalog.ts'
import type { Choice } from '../codec/negotiation.ts'
import { defaultTable } from '../codec/table.ts'
import { type View, type ViewContext, viewOf } from '../codec/views.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import type { ServedResource } from './served-resource.ts'

export interface RequestView {
  readonly view: View
  readonly context: ViewContext
  /** The type of what the view shows; undefined for the object itself. */
  readonly schema: ObjectSchema | undefined
}

/** Throws a 400 for an unknown `includeObject`. */
export function requestView(
  context: RequestContext,
  { version, registry }: ServedResource,
  choice: Choice,
  now: number,
): RequestView {
  const view = viewOf(choice.convert, context.info.query.get('includeObject'))
  const { definition } = registry
  const goType = definition.structural
    ? 'unstructured.Unstructured'
    : `${internalPackage(definition.group)}.${definition.kind}`
  return {
    view,
    context: { table: version.table ?? defaultTable, goType, now },
    schema: view.kind === 'whole' ? undefined : typeSchema(`meta.v1.${view.kind}`),
  }
}
