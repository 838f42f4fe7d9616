/** The 403 Forbidden of an admission plugin, and the name by which it shows the object. */
import type { AdmissionRequest } from '../api/admission.ts'
import { ApiError, forbidden } from '../api/status-error.ts'

type Subject = Pick<AdmissionRequest, 'resource' | 'name' | 'object'>

/** What messages call the object: a name that is yet to be generated shows as its beginning. */
export function admittedName({ name, object }: Subject): string {
  if (name !== '') return name
  const { metadata } = object ?? {}
  return metadata?.name || metadata?.generateName || 'Unknown'
}

/** A 403 that names the object; a 403 from elsewhere is returned as it is. */
export function denied(request: Subject, why: string | Error): ApiError {
  if (why instanceof ApiError && why.code === 403) return why
  return forbidden(request.resource, admittedName(request), why instanceof Error ? why.message : why)
}
