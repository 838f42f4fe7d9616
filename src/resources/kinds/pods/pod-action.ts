/** What actions on pods share: how they write, and the answer of those that leave nothing to show. */
import type { Registry } from '../../../registry/registry.ts'
import type { ActionRequest, ActionResult } from '../../../registry/subresource.ts'
import type { WriteRequest } from '../../../registry/write-request.ts'

export const successStatus = (code: number): ActionResult => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code },
})

/** The action itself was admitted; the writes that follow from it are not asked about again. */
export const withoutAdmission = (registry: Registry): Registry => ({
  ...registry,
  admission: { mutate: ({ object }) => object, validate: () => {} },
})

/** The facts of a write that follows from an action. */
export function writeRequestOf({ definition }: Registry, request: ActionRequest, subresource: string): WriteRequest {
  const { namespace, name, user, dryRun, fieldManager, warn, annotate } = request
  return {
    version: definition.hub,
    namespace,
    name,
    subresource,
    user,
    dryRun,
    fieldManager,
    options: {},
    warn,
    annotate,
  }
}
