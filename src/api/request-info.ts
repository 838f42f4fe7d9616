/**
 * What a path and method ask for: group, version, namespace, resource, name, subresource and verb. The rules are the
 * reference's, oddities included, since authorization rules are written against them.
 */
import { parseFieldSelector } from './field-selector.ts'
import { QueryParameters } from './query-parameters.ts'

export interface RequestInfo {
  readonly path: string
  readonly isResourceRequest: boolean
  readonly verb: string
  readonly apiPrefix: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The segments from the resource on: `[resource, name, subresource, …]`. */
  readonly parts: readonly string[]
  readonly query: QueryParameters
}

/** Words in place of the namespace or resource that name a verb. */
const specialVerbs: ReadonlySet<string> = new Set(['proxy', 'watch'])
/** Below `/namespaces/<name>/`, these belong to the namespace itself. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

export interface RequestTarget {
  readonly method: string
  readonly path: string
  readonly query: string
}

export function requestInfo({ method, path, query }: RequestTarget): RequestInfo {
  const parameters = QueryParameters.parse(query)
  const decoded = decodePath(path)
  const parts = splitPath(decoded)
  const none = {
    path: decoded,
    isResourceRequest: false,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    query: parameters,
  }
  const [apiPrefix = ''] = parts
  if (parts.length < 3 || (apiPrefix !== 'api' && apiPrefix !== 'apis')) return none
  const grouped = apiPrefix === 'apis'
  if (grouped && parts.length < 4) return { ...none, apiPrefix }
  const group = grouped ? (parts[1] ?? '') : ''
  const version = parts[grouped ? 2 : 1] ?? ''
  const resourceRequest = { ...none, isResourceRequest: true, apiPrefix, group, version }
  return resourceInfo(resourceRequest, parts.slice(grouped ? 3 : 2), method)
}

function resourceInfo(base: RequestInfo, segments: string[], method: string): RequestInfo {
  const first = segments[0] ?? ''
  const special = specialVerbs.has(first)
  if (special && segments.length < 2) return { ...base, verb: first }
  let verb = special ? first : (verbOfMethod[method] ?? '')
  const { namespace, parts } = scope(special ? segments.slice(1) : segments)
  const resource = parts[0] ?? ''
  let name = parts.length > 1 ? (parts[1] ?? '') : ''
  const subresource = parts.length > 2 && !special ? (parts[2] ?? '') : ''
  if (name === '' && verb === 'get') {
    verb = isSet(base.query, 'watch') ? 'watch' : 'list'
    name = nameOfSelector(base.query)
  }
  if (name !== '' && parts.length === 2 && verb === 'get' && isSet(base.query, 'watch')) verb = 'watch'
  if (name === '' && verb === 'delete') verb = 'deletecollection'
  return { ...base, verb, namespace, resource, name, subresource, parts }
}

function scope(segments: string[]): { namespace: string; parts: string[] } {
  if (segments[0] !== 'namespaces') return { namespace: '', parts: segments }
  const namespace = segments[1] ?? ''
  const inside = segments.length > 2 && !namespaceSubresources.has(segments[2] ?? '')
  return { namespace, parts: inside ? segments.slice(2) : segments }
}

/** A flag is set when it is there with no value, or with a value that reads as true. */
function isSet(query: QueryParameters, name: string): boolean {
  const value = query.get(name)
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}

/** A list that asks for one name by its field selector is authorized for that name. */
function nameOfSelector(query: QueryParameters): string {
  const text = query.get('fieldSelector')
  if (text === undefined || !text.includes('metadata.name')) return ''
  try {
    const equal = parseFieldSelector(text).filter(
      ({ field, operator }) => field === 'metadata.name' && operator !== '!=',
    )
    const name = equal[0]?.value ?? ''
    return /[/%]/.test(name) || name === '.' || name === '..' ? '' : name
  } catch {
    return ''
  }
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function splitPath(path: string): string[] {
  const trimmed = path.replace(/^\/+|\/+$/g, '')
  return trimmed === '' ? [] : trimmed.split('/')
}
