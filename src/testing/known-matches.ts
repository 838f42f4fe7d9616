/** Refuses matches that nothing can fit: a mistyped verb or resource would let a test pass that tests nothing. */
import { nearestNames } from '../config/nearest-names.ts'
import type { Registries } from '../registry/registries.ts'
import type { RequestMatch } from './api/requests.ts'
import { textPattern } from './request-match.ts'

export const matchFields = ['verb', 'resource', 'namespace', 'name', 'user', 'userAgent', 'path', 'where'] as const

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy']
/** Of requests for no resource: the method. */
const methods = ['post', 'put', 'head', 'options', 'trace', 'connect']

export type CheckMatch = (match: RequestMatch) => void

/** Throws a `TypeError`. */
export function checkMatch(match: RequestMatch, registries: Pick<Registries, 'all' | 'actions'>): void {
  if (match.verb !== undefined) {
    for (const verb of listOf(match.verb)) checkKnown('verb', verb, [...verbs, ...methods])
  }
  if (match.resource !== undefined) {
    const known = resourceNames(registries)
    for (const resource of listOf(match.resource)) {
      if (!mayComeLater(resource, known)) checkKnown('resource', resource, ['', ...known])
    }
  }
  const { where } = match
  if (where !== undefined && typeof where !== 'function') throw new TypeError('where is a function of a request')
}

/** For what takes a match and nothing else. */
export function checkMatchAlone(match: RequestMatch, registries: Pick<Registries, 'all' | 'actions'>): void {
  for (const key of Object.keys(match)) checkKnown('field of a match', key, matchFields)
  checkMatch(match, registries)
}

const listOf = (given: string | readonly string[]): readonly string[] => (typeof given === 'string' ? [given] : given)

export function checkKnown(what: string, given: string, known: readonly string[]): void {
  const fits = textPattern(given)
  if (known.some(fits)) return
  const near = nearestNames(given, known)
  throw new TypeError(
    `there is no ${what} ${JSON.stringify(given)}${near.length === 0 ? '' : `: did you mean ${near.join(' or ')}?`}`,
  )
}

/** `pods`, `pods/status`, `deployments.apps`. */
function resourceNames(registries: Pick<Registries, 'all' | 'actions'>): string[] {
  const names = new Set<string>()
  for (const { definition } of registries.all()) {
    const name = nameOf(definition)
    names.add(name)
    for (const { subresources = definition.subresources } of definition.versions) {
      for (const subresource of subresources.keys()) names.add(`${name}/${subresource}`)
    }
  }
  for (const { definition } of registries.actions()) names.add(nameOf(definition))
  return [...names]
}

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === '' ? resource : `${resource}.${group}`

/** A custom group that is not served yet: its definitions, or its server, may come. */
function mayComeLater(resource: string, known: readonly string[]): boolean {
  const group = groupOf(resource)
  return group.includes('.') && !group.endsWith('.k8s.io') && !known.some((each) => groupOf(each) === group)
}

const groupOf = (resource: string): string => /^[^./]*\.([^/]*)/.exec(resource)?.[1] ?? ''
