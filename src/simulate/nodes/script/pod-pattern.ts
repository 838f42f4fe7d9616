/** Which pods a script is about. */
import type { Pod } from '../../objects.ts'
import { ScriptError } from './pod-script.ts'

export interface PodPattern {
  /** `*` stands for any text. */
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  readonly node?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

const known: ReadonlySet<string> = new Set(['name', 'namespace', 'node', 'labels'])
const segment = /^[a-z0-9.*-]+$/

/** `web-*` (in any namespace), `shop/web-*`, or its parts by name. Throws a `ScriptError`. */
export function readPattern(given: string | PodPattern): PodPattern {
  const pattern = typeof given === 'string' ? split(given) : given
  for (const key of Object.keys(pattern)) {
    if (!known.has(key)) throw new ScriptError(`unknown name "${key}" in a pattern; known are ${[...known].join(', ')}`)
  }
  for (const text of [pattern.name, pattern.namespace, pattern.node]) {
    if (text !== undefined && !segment.test(text))
      throw new ScriptError(`${JSON.stringify(text)} is no pattern of names`)
  }
  return pattern
}

function split(text: string): PodPattern {
  const at = text.indexOf('/')
  return at < 0 ? { name: text } : { namespace: text.slice(0, at), name: text.slice(at + 1) }
}

export function podMatches({ name, namespace, node, labels }: PodPattern, { metadata, spec }: Pod): boolean {
  return (
    (name === undefined || globMatches(name, metadata.name ?? '')) &&
    (namespace === undefined || globMatches(namespace, metadata.namespace ?? '')) &&
    (node === undefined || globMatches(node, spec.nodeName ?? '')) &&
    (labels === undefined || Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value))
  )
}

/** In linear time for every star: the parts between stars are looked for one after the other. */
export function globMatches(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const [first = ''] = parts
  if (parts.length === 1) return pattern === text
  const last = parts[parts.length - 1] ?? ''
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
