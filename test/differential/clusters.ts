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

const placeKey = ({ path, reference, server }: Place): string => {
  const [theirs, ours] = distinct(valueText(reference), valueText(server))
  return `${path.map((step) => (typeof step === 'number' ? '*' : step)).join('.')}: ${theirs} here ${ours}`
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Of two lists of errors only the first that differs, and of that as much as tells its cause from others. */
function distinct(reference: string, server: string): [string, string] {
  const [theirs, ours] = [segments(reference), segments(server)]
  const at = theirs.findIndex((segment, i) => segment !== ours[i])
  const short = (text: string | undefined): string => blurred(text ?? '').slice(0, 90)
  return at < 0 ? [short(theirs.at(-1)), short(ours.at(-1))] : [short(theirs[at]), short(ours[at])]
}

const segments = (text: string): string[] => text.split(/(?:, |: \[)(?=[a-zA-Z<][\w.[\]()/<>-]*: )/)

/** Without what depends on the values sent. */
function blurred(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\[\d+\]/g, '[*]')
    .replace(/^\S+: (Invalid|Unsupported|Duplicate|Required)/, 'FIELD: $1')
    .replace(/\d+/g, 'N')
}

function textOf(body: Json): string {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body['message'] : undefined
  return blurred(typeof message === 'string' ? message : typeof body === 'string' ? body : '').slice(0, 160)
}
