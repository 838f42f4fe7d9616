/** The 409 of an apply that would change what others own: one cause a field, and a message that lists them. */
import { quote } from '../../api/field-error.ts'
import { ApiError } from '../../api/status-error.ts'
import type { FieldManager } from './managed-fields.ts'
import { formatPath } from './path-element.ts'
import type { Conflict } from './update-sets.ts'

export function conflictError(conflicts: readonly Conflict[], managers: ReadonlyMap<string, FieldManager>): ApiError {
  const sorted = [...conflicts].sort((a, b) => (a.manager === b.manager ? 0 : a.manager < b.manager ? -1 : 1))
  const describe = ({ manager }: Conflict): string => describeManager(managers.get(manager))
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: conflictMessage(sorted, describe),
    details: {
      causes: sorted.map((conflict) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${describe(conflict)}`,
        field: formatPath(conflict.path),
      })),
    },
  })
}

function conflictMessage(sorted: readonly Conflict[], describe: (conflict: Conflict) => string): string {
  const [only] = sorted
  if (only !== undefined && sorted.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${describe(only)}: ${formatPath(only.path)}`
  }
  const lines: string[] = []
  for (const [i, conflict] of sorted.entries()) {
    if (sorted[i - 1]?.manager !== conflict.manager) lines.push(`conflicts with ${describe(conflict)}:`)
    lines.push(`- ${formatPath(conflict.path)}`)
  }
  return `Apply failed with ${sorted.length} conflicts: ${lines.join('\n')}`
}

function describeManager(owner: FieldManager | undefined): string {
  const { manager = '', operation, apiVersion, subresource } = owner ?? {}
  const part = subresource ? ` with subresource ${quote(subresource)}` : ''
  return `${quote(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
