// The text that an object is edited as, and back.
import { parseDocument, stringify } from 'yaml'
import type { Json } from '../api/objects.ts'

/** Set by the server alone: not part of what anyone would write. */
const serverSet = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'selfLink',
  'managedFields',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

export function editable(object: Json): Json {
  const { status, metadata = {}, ...rest } = object
  const own = Object.fromEntries(Object.entries(metadata).filter(([name]) => !serverSet.includes(name)))
  const { apiVersion, kind, ...others } = rest
  return { apiVersion, kind, metadata: own, ...others }
}

export const toYaml = (value: Json): string =>
  stringify(value, { lineWidth: 0, indentSeq: false, aliasDuplicateObjects: false })

export interface Parsed {
  readonly object?: Json
  readonly error?: { readonly message: string; readonly line: number }
}

export function parseYaml(text: string): Parsed {
  const { object, error } = parseValue(text)
  if (error !== undefined) return { error }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    return { error: { message: 'an object is needed', line: 0 } }
  }
  return { object }
}

/** Any value. Aliases are bounded: a text of a few lines must not become gigabytes. */
export function parseValue(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) {
    return { error: { message: error.message.split('\n')[0] ?? '', line: (error.linePos?.[0].line ?? 1) - 1 } }
  }
  try {
    return { object: document.toJS({ maxAliasCount: 100 }) }
  } catch (reason) {
    return { error: { message: reason instanceof Error ? reason.message : String(reason), line: 0 } }
  }
}
