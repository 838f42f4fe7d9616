/** The parameters of a pod's log, checked as the reference checks them. */
import { type FieldError, forbidden, invalid } from '../../api/field-error.ts'
import type { QueryParameters } from '../../api/query-parameters.ts'
import { badRequest, invalid as invalidObject } from '../../api/status-error.ts'
import { canonicalTime, TimeError } from '../../api/time.ts'
import { flag, integerParameter } from '../parameters.ts'

/** The query for the kubelet. */
export function logQuery(query: QueryParameters, pod: string): URLSearchParams {
  // In the order of the type's fields: the first that cannot be read is reported.
  const sinceSeconds = integerParameter(query, 'sinceSeconds')
  const sinceTime = time(query, 'sinceTime')
  const tailLines = integerParameter(query, 'tailLines')
  const limitBytes = integerParameter(query, 'limitBytes')
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'))
  }
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'))
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'))
  }
  if (query.has('stream')) errors.push(forbidden('stream', 'may not be specified'))
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, pod, errors)
  const forwarded = new URLSearchParams()
  for (const name of ['follow', 'previous', 'timestamps']) if (flag(query, name)) forwarded.set(name, 'true')
  const since = sinceTime === zeroTime ? undefined : sinceTime
  const numbers = { tailLines, limitBytes, sinceSeconds, sinceTime: since }
  for (const [name, value] of Object.entries(numbers)) if (value !== undefined) forwarded.set(name, String(value))
  return forwarded
}

const zeroTime = '0001-01-01T00:00:00Z'

/** What is there without a value is the beginning of time. */
function time(query: QueryParameters, name: string): string | undefined {
  const text = query.get(name)
  if (text === undefined) return undefined
  if (text === '' || text === 'null') return zeroTime
  try {
    return canonicalTime(text) ?? zeroTime
  } catch (error) {
    throw error instanceof TimeError ? badRequest(error.message) : error
  }
}
