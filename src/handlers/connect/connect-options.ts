/**
 * The options of a connection (PodExecOptions and its like), read from the query by their type: admission is asked
 * about this object, and what it makes of it is what happens.
 */
import { quote } from '../../api/golang/quote.ts'
import { formatGroupVersion, type GroupVersionKind } from '../../api/group-version.ts'
import { type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import type { QueryParameters } from '../../api/query-parameters.ts'
import type { RequestInfo } from '../../api/request-info.ts'
import { badRequest } from '../../api/status-error.ts'
import { schemaForKind } from '../../catalog/catalog.ts'
import type { Schema } from '../../schema/schema.ts'
import { flag } from '../parameters.ts'

/** Fields that have their zero value are left out. */
export function connectOptions(kind: GroupVersionKind, info: RequestInfo): JsonObject {
  const options: JsonObject = { kind: kind.kind, apiVersion: formatGroupVersion(kind) }
  const schema = schemaForKind(kind)
  if (schema === undefined) throw new Error(`nothing is known about ${kind.kind}`)
  for (const { name, schema: type } of schema.fields.values()) {
    if (name === 'kind' || name === 'apiVersion') continue
    const value = name === 'path' ? pathBelow(info) : parameter(type, info.query, name)
    if (value !== undefined && value !== '' && value !== false) setKey(options, name, value)
  }
  return options
}

/** What follows the subresource in the path, as it was written. */
export function pathBelow({ parts, path }: RequestInfo): string {
  const below = parts.slice(3).join('/')
  const led = below === '' ? '' : `/${below}`
  return path.endsWith('/') ? `${led}/` : led
}

function parameter(schema: Schema, query: QueryParameters, name: string): JsonValue | undefined {
  const given = query.all(name)
  if (given.length === 0) return undefined
  switch (schema.kind) {
    case 'boolean':
      return flag(query, name)
    case 'list':
      return schema.items.kind === 'integer' ? given.flatMap((text) => text.split(',').map(port)) : given
    default:
      return given[0]
  }
}

/** The only numbers among options are ports. */
function port(text: string): number {
  const why = !/^\d+$/.test(text) ? 'invalid syntax' : Number(text) > 65_535 ? 'value out of range' : undefined
  if (why === undefined) return Number(text)
  throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(text)}: ${why}`)
}
