/** How the paths of custom resources differ from those of built-in ones: less is said, and as the reference says it. */
import type { GroupVersionKind } from '../../api/group-version.ts'
import type { OpenApiOperation, PathItem } from './operations.ts'
import { listParameters, resourceVersion } from './parameters.ts'

/** `kind` is the custom kind: subresources of another kind carry it, too. */
export function customPaths(paths: readonly PathItem[], kind: GroupVersionKind): PathItem[] {
  return paths
    .filter(({ operations }) => !operations.some(({ action = '' }) => action.startsWith('watch')))
    .map((item) => ({ ...item, operations: item.operations.map((operation) => customOperation(operation, kind)) }))
}

function customOperation(operation: OpenApiOperation, kind: GroupVersionKind): OpenApiOperation {
  const { isPatch, action, parameters, statuses } = operation
  if (action === 'deletecollection') {
    const { body: _, ...others } = operation
    return { ...others, kind, parameters: listParameters }
  }
  return {
    ...operation,
    kind,
    parameters: action === 'get' ? [resourceVersion, ...parameters] : parameters,
    statuses: isPatch ? [200] : statuses,
  }
}
