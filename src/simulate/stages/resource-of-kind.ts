/** Which resource the objects of a kind are: of the built-in kinds, and of those that definitions bring. */
import { parseGroupVersion } from '../../api/group-version.ts'
import type { KubeObject } from '../../api/object.ts'
import { catalogAt, defaultRelease } from '../../catalog/releases.ts'
import type { Informer } from '../framework/informer.ts'
import type { CustomResourceDefinition } from '../objects.ts'

export interface ResourceOfKind {
  readonly group: string
  readonly resource: string
  readonly namespaced: boolean
}

/** `apiVersion` is `v1`, `apps/v1` or the like. Undefined: there is none now. */
export function stageResource(
  definitions: Informer<KubeObject>,
  apiVersion: string,
  kind: string,
): ResourceOfKind | undefined {
  const version = parseGroupVersion(apiVersion)
  if (version === undefined) return undefined
  const { group } = version
  const built = catalogAt(defaultRelease).resources.find(
    (each) => each.group === group && each.version === version.version && each.kind === kind && each.subresource === '',
  )
  if (built !== undefined) return { group, resource: built.resource, namespaced: built.namespaced }
  const defined = (definitions.list() as readonly CustomResourceDefinition[]).find(
    ({ spec }) =>
      spec.group === group && spec.names.kind === kind && spec.versions?.some(({ name }) => name === version.version),
  )
  if (defined === undefined) return undefined
  return { group, resource: defined.spec.names.plural, namespaced: defined.spec.scope === 'Namespaced' }
}
