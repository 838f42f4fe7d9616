/** What a trace shows, as data: requests, changes of objects, faults and time, in the order in which they happened. */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { RecordedRequest } from '../api/requests.ts'
import { shown } from '../request-match.ts'
import { objectHistories, read, type TracedObject, type TracedWrite, titleOf } from './object-history.ts'

export interface TraceEntry {
  readonly time: number
  readonly kind: 'request' | 'call' | 'change' | 'event' | 'fault' | 'clock' | 'state'
  readonly title: string
  readonly outcome?: string
  readonly isBad?: boolean
  readonly facts?: Readonly<Record<string, unknown>>
  readonly warnings?: readonly string[]
  readonly faults?: readonly string[]
  readonly body?: string | undefined
  readonly answer?: string | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /** The object that changed, and its revision then. */
  readonly object?: string
  readonly revision?: number
}

export interface TracedFault {
  readonly time: number
  readonly label: string
  readonly text: string
  readonly hits: number
  readonly spec: string
}

export interface TraceData {
  readonly title: string
  readonly errors: readonly string[]
  readonly server: string
  readonly begin: number
  /** There was more than is shown. */
  readonly isCut: boolean
  readonly entries: readonly TraceEntry[]
  readonly objects: readonly TracedObject[]
  readonly faults: readonly TracedFault[]
}

/** What was seen between two resets. */
export interface Segment {
  readonly begin: number
  readonly requests: readonly RecordedRequest[]
  readonly changes: readonly TracedWrite[]
  readonly notes: readonly TraceEntry[]
  readonly faults: readonly TracedFault[]
}

/** The newest so many entries, and characters of a body. */
const maxEntries = 5000
const maxBodyLength = 64 * 1024

export function traceData(segment: Segment, about: Pick<TraceData, 'title' | 'errors' | 'server'>): TraceData {
  const { begin, requests, changes, notes, faults } = segment
  const all = [...requests.map(requestEntry), ...changes.map(changeEntry), ...notes]
  const entries = all.sort((a, b) => a.time - b.time).slice(-maxEntries)
  const objects = objectHistories(changes)
  return { ...about, begin, isCut: all.length > maxEntries, entries, objects, faults }
}

function requestEntry(request: RecordedRequest): TraceEntry {
  const { method, path, query, status, duration, user, userAgent, headers, responseHeaders } = request
  const took = duration === undefined ? 'open' : `${Math.round(duration)} ms`
  return {
    time: request.time,
    kind: 'request',
    title: `${method} ${path}${query === '' ? '' : `?${query}`}`,
    outcome: status === 0 ? took : `${status}`,
    isBad: status >= 400 || (status === 0 && duration !== undefined),
    facts: { id: request.id, verb: request.verb, user, userAgent, took, headers: hidden(headers), responseHeaders },
    warnings: request.warnings,
    faults: request.faults,
    body: bodyText(request.body),
    answer: bodyText(request.response),
    annotations: request.auditAnnotations,
  }
}

/** Credentials are redacted from traces. */
const hidden = (headers: RecordedRequest['headers']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, /^(authorization|cookie)$/.test(name) ? '…' : value]),
  )

export function bodyText(body: unknown): string | undefined {
  if (body === undefined) return undefined
  const text = Buffer.isBuffer(body)
    ? `${body.length} bytes`
    : typeof body === 'string'
      ? body
      : JSON.stringify(body, null, 2)
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}\n… ${text.length - maxBodyLength} more`
}

function changeEntry({ time, key, revision, before, after }: TracedWrite): TraceEntry {
  const object = read(after) ?? read(before) ?? {}
  const outcome = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed'
  const place = { object: key, revision }
  if (object['kind'] === 'Event' && after !== undefined) return { ...eventEntry(object), time, ...place }
  return { time, kind: 'change', title: titleOf(object), outcome, isBad: outcome === 'deleted', ...place }
}

function eventEntry(event: JsonObject): Omit<TraceEntry, 'time'> {
  const about = [event['involvedObject'], event['regarding']].find(isJsonObject) ?? {}
  const message = String(event['message'] ?? event['note'] ?? '')
  const what = titleOf({
    kind: about['kind'] ?? '',
    metadata: { namespace: about['namespace'], name: about['name'] },
  } as JsonObject)
  const isBad = event['type'] === 'Warning'
  return { kind: 'event', title: `${what}: ${message}`, outcome: String(event['reason'] ?? ''), isBad }
}

export const faultText = (spec: object): string => shown(spec)
