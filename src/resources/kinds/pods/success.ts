/** The answer of actions that leave nothing to show. */
import type { ActionResult } from '../../../registry/subresource.ts'

export const success = (code: number): ActionResult => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code },
})
