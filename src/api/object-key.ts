/**
 * The key of an object in the store. Its name is looked at where the object is, after everything that a request is refused
 * for before: how it wants its answer, its body, its options, but not the version it wants to read at. Only what is not there can
 * have such a name, so that the way of a plain request to an object never comes by here. Mirrors apiserver/pkg/registry/generic/registry: NamespaceKeyFunc.
 */
import { quote } from './golang/quote.ts'
import type { GroupResource } from './group-version.ts'
import { checkPathSegmentName } from './names.ts'
import { type ApiError, badRequest, notFound } from './status-error.ts'

function unusableName(name: string): ApiError | undefined {
  if (name === '') return badRequest('Name parameter required.')
  const problems = checkPathSegmentName(name)
  return problems.length === 0 ? undefined : badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(';')}`)
}

/** Throws for a name that no key can have. */
export function checkKeyName(name: string): void {
  const problem = unusableName(name)
  if (problem !== undefined) throw problem
}

/** Why there is no object of a name: a name that no object can have, or none has it. */
export const objectNotFound = (resource: GroupResource, name: string): ApiError =>
  unusableName(name) ?? notFound(resource, name)
