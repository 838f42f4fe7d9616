/**
 * What a path and method ask for: group, version, namespace, resource, name, subresource and verb. The rules are the
 * reference's, oddities included, since authorization rules are written against them.
 */
import { unescapePercent } from './byte-text.ts'
import { QueryParameters } from './query-parameters.ts'
import { fieldSelectorOf, labelSelectorOf } from './query-selectors.ts'

export interface RequestInfo {
  readonly path: string
  readonly isResourceRequest: boolean
  readonly verb: string
  /** The verb that the path begins with; empty when it does not. */
  readonly pathVerb: string
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

/** Of a query that may be long, `queryInTurns` makes the parameters. */
export function requestInfo(
  { method, path, query }: RequestTarget,
  parameters: QueryParameters = QueryParameters.parse(query),
): RequestInfo {
  const decoded = decodePath(path)
  const parts = splitPath(decoded)
  const apiPrefix = parts[0] ?? ''
  if (parts.length < 3 || (apiPrefix !== 'api' && apiPrefix !== 'apis')) {
    return nonResource(method, decoded, '', parameters)
  }
  const grouped = apiPrefix === 'apis'
  if (grouped && parts.length < 4) return nonResource(method, decoded, apiPrefix, parameters)
  const first = parts[grouped ? 3 : 2] ?? ''
  const special = specialVerbs.has(first)
  const segments = parts.slice((grouped ? 3 : 2) + (special ? 1 : 0))
  const named = special && segments.length === 0 ? noResource : scope(segments)
  const verb = special ? first : (verbOfMethod[method] ?? '')
  const asked = askedOf(named.parts, { method, verb }, parameters)
  return {
    path: decoded,
    isResourceRequest: true,
    verb: asked.verb,
    pathVerb: special ? first : '',
    apiPrefix,
    group: grouped ? (parts[1] ?? '') : '',
    version: parts[grouped ? 2 : 1] ?? '',
    namespace: named.namespace,
    resource: named.parts[0] ?? '',
    subresource: special ? '' : (named.parts[2] ?? ''),
    name: asked.name,
    parts: named.parts,
    query: parameters,
  }
}

function nonResource(method: string, path: string, apiPrefix: string, query: QueryParameters): RequestInfo {
  return {
    path,
    isResourceRequest: false,
    verb: method.toLowerCase(),
    pathVerb: '',
    apiPrefix,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    query,
  }
}

/** A special verb with nothing behind it. */
const noResource = { namespace: '', parts: [] }

/** The verb, which for collections and watches is not the method's, and the name that it is about. */
function askedOf(
  parts: readonly string[],
  { method, verb }: { readonly method: string; readonly verb: string },
  query: QueryParameters,
): { verb: string; name: string } {
  const name = parts[1] ?? ''
  if (name === '') {
    if (verb === 'delete') return { verb: 'deletecollection', name }
    if (verb !== 'get') return { verb, name }
    return { verb: isSet(query, 'watch') ? 'watch' : 'list', name: nameOfSelector(query) }
  }
  const mayWatch = verb === 'get' && method === 'GET' && parts.length === 2
  if (mayWatch && !query.isEmpty && isSet(query, 'watch')) return { verb: 'watch', name }
  return { verb, name }
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

/**
 * A list that asks for one name by its field selector is authorized for that name, unless its options cannot be read. Mirrors
 * apiserver/pkg/endpoints/request: RequestInfoFactory.NewRequestInfo.
 */
function nameOfSelector(query: QueryParameters): string {
  const text = query.get('fieldSelector')
  if (text === undefined || !text.includes('metadata.name')) return ''
  const isNumber = (name: string): boolean => /^(?:[+-]?\d{1,18})?$/.test(query.get(name) ?? '')
  if (!isNumber('limit') || !isNumber('timeoutSeconds')) return ''
  try {
    labelSelectorOf(query)
    const equal = fieldSelectorOf(query).filter(({ field, operator }) => field === 'metadata.name' && operator !== '!=')
    const name = equal[0]?.value ?? ''
    return /[/%]/.test(name) || name === '.' || name === '..' ? '' : name
  } catch {
    return ''
  }
}

/** Broken escapes were refused by the listener. */
const decodePath = (path: string): string => unescapePercent(path) ?? path

/** As `split` would, which takes much longer with so few parts of so short a text. */
function splitPath(path: string): string[] {
  let begin = 0
  let end = path.length
  while (begin < end && path.charCodeAt(begin) === slash) begin++
  while (end > begin && path.charCodeAt(end - 1) === slash) end--
  const parts: string[] = []
  if (begin === end) return parts
  for (let at = begin; at < end; at++) {
    if (path.charCodeAt(at) !== slash) continue
    parts.push(path.slice(begin, at))
    begin = at + 1
  }
  parts.push(path.slice(begin, end))
  return parts
}

const slash = 0x2f
