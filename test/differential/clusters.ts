/** Differences of one cause together: alike in what was done, in the answers' codes and in where and how they differ. */
import type { Place } from './compare.ts'
import type { Difference } from './execute.ts'
import type { Json } from './json.ts'

export interface Cluster {
  readonly key: string
  count: number
  readonly resources: Set<string>
  /** Shrunk. */
  readonly example: Difference
}

const mostPlacesInKey = 3

export function clusterKey({ case: { steps }, step, reference, server, places }: Difference): string {
  const { method = '', path = '', headers = {} } = steps[step] ?? {}
  const type = headers['content-type'] ?? ''
  const patch = method === 'PATCH' ? ` ${type.split('/')[1]}` : ''
  const sub =
    /\/(status|scale|approval|finalize|eviction|binding|token|resize|ephemeralcontainers)(\?|$)/.exec(path)?.[1] ?? ''
  const codes = reference.status === server.status ? `${reference.status}` : `${reference.status} here ${server.status}`
  const told =
    reference.status === server.status ? relevant(places).map(placeKey) : [textOf(reference.body), textOf(server.body)]
  return [`${method}${patch}${sub && ` ${sub}`}: ${codes}`, ...told].join(' | ')
}

/** A message repeats its causes: where both differ the causes say more, but are often one for each field. */
function relevant(places: readonly Place[]): readonly Place[] {
  const message = places.find(({ path }) => path.join('.') === 'body.message')
  return message === undefined ? places.slice(0, mostPlacesInKey) : [message]
}

const placeKey = ({ path, reference, server }: Place): string =>
  `${path.map((step) => (typeof step === 'number' ? '*' : step)).join('.')}: ${valueKey(reference)} here ${valueKey(server)}`

function valueKey(value: Json | undefined): string {
  if (value === undefined) return 'absent'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return blurred(text).slice(0, 300)
}

/** Without what depends on the values sent. */
function blurred(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\[\d+\]/g, '[*]')
    .replace(/\d+/g, 'N')
}

function textOf(body: Json): string {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body['message'] : undefined
  return blurred(typeof message === 'string' ? message : typeof body === 'string' ? body : '').slice(0, 300)
}
