/**
 * What of an answer is compared: everything but what must differ between any two servers (uids, versions, the present
 * time, addresses and ports that were allocated) and what the reference orders at random (errors that were collected from
 * a map). Masks keep that something is there.
 */
import { decodeFirst } from 'cborg'
import { converter, sentinel } from './case.ts'
import type { Answer } from './endpoint.ts'
import { withoutGenerated } from './generated-names.ts'
import type { Call } from './hook-server.ts'
import { isList, isMap, type Json, type JsonMap, mapStrings, ordered, valueAt } from './json.ts'
import { parseWire } from './wire.ts'

export interface Observed {
  readonly status: number
  readonly contentType: string
  /** Those that clients act on. */
  readonly headers: JsonMap
  /** How JSON is laid out: the value is compared without it. */
  readonly layout: string
  readonly warnings: readonly string[]
  readonly body: Json
  /** What the server called meanwhile. */
  readonly calls?: Json
  /** What the server recorded of the request. */
  readonly events?: Json
}

/** What differs between the two sides by their nature, in texts and as a number. */
export interface Mask {
  (text: string): string
  readonly port?: number
}

export function normalised(answer: Answer, masked: Mask): Observed {
  return {
    status: answer.status,
    contentType: answer.contentType.replace(/;\s*/g, ';'),
    headers: comparedHeaders(answer, masked),
    layout: layoutOf(answer),
    warnings: answer.warnings
      .flatMap(splitWarnings)
      .map((text) => maskText(masked(text)))
      .sort(),
    body: normalisedBody(answer, masked),
  }
}

/** Several warnings may share one header line. */
function splitWarnings(header: string): string[] {
  return header.split(/, (?=299 )/)
}

const headersCompared = [
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'location',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-hook',
]

function comparedHeaders({ headers }: Answer, masked: Mask): JsonMap {
  const present = headersCompared.filter((name) => headers[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, maskText(masked(String(headers[name])))]))
}

function layoutOf({ contentType, body }: Answer): string {
  if (!contentType.startsWith('application/json') || contentType.includes('stream=')) return ''
  const indented = body[0] === 0x7b && body[1] === 0x0a
  return `${indented ? 'indented' : 'compact'}${body.at(-1) === 0x0a ? ', newline' : ''}`
}

function normalisedBody({ contentType, body }: Answer, masked: Mask): Json {
  return maskedValue(withoutPeriodicBookmarks(decoded(contentType, body)), masked)
}

const maskedValue = (value: Json, masked: Mask): Json =>
  maskValue(withoutPort(mapStrings(withoutGenerated(value), masked), masked.port), undefined)

function withoutPort(value: Json, port: number | undefined): Json {
  if (value === port) return 'PORT'
  if (isList(value)) return value.map((item) => withoutPort(item, port))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutPort(item, port)]))
}

/** Headers of a call that depend on the connection, or on lengths that depend on masked values. */
const volatileHeaders = new Set([
  'host',
  'content-length',
  'connection',
  'traceparent',
  'audit-id',
  // Go's client takes compressed answers unasked.
  'accept-encoding',
])

/**
 * Validating webhooks are called all at once; what waits for a server to notice something is not compared, nor how often a
 * server converts, of which only the outcome counts.
 */
export function normalisedCalls(calls: readonly Call[], masked: Mask): Json {
  const shown = calls
    .filter(({ hook }) => !hook.startsWith(sentinel) && hook !== converter)
    .filter((call) => !isOfServer(call))
    .map((call) => ({
      hook: call.hook,
      method: call.method,
      path: masked(call.path),
      headers: maskedValue(callHeaders(call), masked),
      body: maskedValue(parsedLines(call.body), masked),
    }))
  return shown.every(({ hook }) => hook.startsWith('m')) ? shown : sorted(shown)
}

/** What a server writes for itself, in as many steps as it takes, and when it gets to it. */
const isOfServer = ({ body }: Call): boolean =>
  valueAt(parsedLines(body), ['request', 'userInfo', 'username']) === 'system:apiserver'

const callHeaders = ({ headers }: Call): Json =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !volatileHeaders.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )

/**
 * Without what every request has of its own. Events overtake each other on their way: only the last of a request, which has
 * all that the others have, is sure to be there.
 */
export function normalisedEvents(events: readonly JsonMap[], masked: Mask): Json {
  return events
    .filter(({ stage }) => stage === 'ResponseComplete' || stage === 'Panic')
    .map((event) => maskedValue(event, masked))
    .map((event) =>
      isMap(event) ? { ...event, sourceIPs: 'IPS', annotations: normalisedAnnotations(event['annotations']) } : event,
    )
}

/**
 * Slow requests say where their time went. Webhooks are counted with those of other cases: only their order is the
 * request's own.
 */
function normalisedAnnotations(annotations: Json | undefined): Json {
  if (!isMap(annotations)) return {}
  const seen = new Map<string, number>()
  return Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => !key.startsWith('apiserver.latency.k8s.io/'))
      .sort(([a], [b]) => indexIn(a) - indexIn(b))
      .map(([key, value]) => [key.replace(webhookIndex, (_, round: string) => `${round}${nextOf(seen, key)}`), value]),
  )
}

const webhookIndex = /(\/round_\d+_index_)(\d+)$/
const indexIn = (key: string): number => Number(webhookIndex.exec(key)?.[2] ?? -1)

function nextOf(seen: Map<string, number>, key: string): number {
  const series = key.replace(webhookIndex, '$1')
  const next = seen.get(series) ?? 0
  seen.set(series, next + 1)
  return next
}

export function decoded(contentType: string, body: Buffer): Json {
  if (body.length === 0) return ''
  if (contentType.startsWith('websocket ')) return messages(contentType.slice('websocket '.length), body)
  if (contentType.startsWith('application/json')) return parsedLines(body.toString('utf8'))
  if (contentType.startsWith('application/vnd.kubernetes.protobuf'))
    return contentType.includes('stream=') ? framedProtobuf(body) : parsedProtobuf(body)
  if (contentType.startsWith('application/cbor')) return attempt(() => parsedCbor(body)) ?? hex(body)
  return body.toString('utf8')
}

/** The messages of a WebSocket, which come in hexadecimal. */
function messages(accept: string, body: Buffer): Json {
  const type = accept.startsWith('application/vnd.kubernetes.protobuf') ? `${contentTypeOf(accept)};stream=` : accept
  return (JSON.parse(body.toString()) as string[]).map((text) => {
    const bytes = Buffer.from(text, 'hex')
    return type.includes('stream=') ? (parsedEvent(bytes) ?? hex(bytes)) : decoded(contentTypeOf(type), bytes)
  })
}

const contentTypeOf = (accept: string): string => accept.split(/[;,]/)[0] ?? ''

/** One item, or a sequence of them. */
function parsedCbor(body: Uint8Array): Json {
  const items: Json[] = []
  for (let rest = body; rest.length > 0; ) {
    const [item, remainder] = decodeFirst(rest, cborOptions) as [unknown, Uint8Array]
    items.push(plainCbor(item))
    rest = remainder
  }
  return items.length === 1 ? (items[0] as Json) : items
}

/** Self-described data, times, and bytes that JSON shows in base64 or base16: the mark says nothing that the value lacks. */
const cborTags: ((decode: () => unknown) => unknown)[] = []
for (const tag of [0, 21, 22, 23, 55799]) cborTags[tag] = (decode) => decode()
const cborOptions = { tags: cborTags as never, useMaps: true }

/** Go strings come as byte strings, the keys of maps, too. */
function plainCbor(value: unknown): Json {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  if (Array.isArray(value)) return value.map(plainCbor)
  if (typeof value === 'bigint') return `${value}`
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(plainCbor(key)), plainCbor(item)]))
  return value as Json
}

/** When a watch gets its next bookmark is chance; that which ends the initial events comes always. */
function withoutPeriodicBookmarks(body: Json): Json {
  const isPeriodic = (event: Json): boolean =>
    (valueAt(event, ['type']) ?? valueAt(event, [0, '1'])) === 'BOOKMARK' &&
    !JSON.stringify(event).includes('k8s.io/initial-events-end')
  if (!isList(body)) return isPeriodic(body) ? '' : body
  const events = body.filter((event) => !isPeriodic(event))
  if (events.length === body.length) return body
  // A stream of one JSON event is no list.
  return events.length === 1 && isMap(events[0]) ? (events[0] as Json) : events.length === 0 ? '' : events
}

/** One value, or a stream of them. */
function parsedLines(text: string): Json {
  const one = attempt(() => JSON.parse(text) as Json)
  if (one !== undefined) return one
  const lines = text.split('\n').filter((line) => line !== '')
  return attempt(() => lines.map((line) => JSON.parse(line) as Json)) ?? text
}

function parsedProtobuf(body: Buffer): Json {
  const message = body.subarray(0, 4).toString('latin1') === 'k8s\u0000' ? parseWire(body.subarray(4)) : undefined
  return message === undefined ? hex(body) : normalisedMessage(withoutVersions(message))
}

/** The causes of a Status are field 4 of its details, which are field 5; the rules of a review make up its status, field 3; groups are field 1 of their index. */
function normalisedMessage(envelope: Json): Json {
  const kind = valueAt(envelope, [0, '1', 1, '2'])
  const sort = (message: Json): Json => {
    if (kind === 'Status') return inFields(message, '5', sortedWireCauses)
    if (kind === 'SelfSubjectRulesReview')
      return inFields(message, '3', (status) => (isList(status) ? sorted(status) : status))
    if (kind === 'APIGroupList' && isList(message))
      return message.filter((field) => isShared({ name: valueAt(field, ['1', 0, '1']) ?? '' }))
    return message
  }
  return inFields(envelope, '2', sort)
}

function sortedWireCauses(details: Json): Json {
  if (!isList(details)) return details
  const isCause = (field: Json): boolean => valueAt(field, ['4']) !== undefined
  return [...details.filter((field) => !isCause(field)), ...sorted(details.filter(isCause))]
}

/** With every field of that number changed, of a message or of one field of it. */
const inFields = (message: Json, number: string, change: (value: Json) => Json): Json => {
  if (isList(message)) return message.map((field) => inFields(field, number, change))
  return isMap(message) && number in message ? { [number]: change(message[number] as Json) } : message
}

/** A watch in Protobuf: each event with its length in front. */
function framedProtobuf(body: Buffer): Json {
  const events: Json[] = []
  for (let at = 0; at + 4 <= body.length; ) {
    const end = at + 4 + body.readUInt32BE(at)
    events.push(parsedEvent(body.subarray(at + 4, end)) ?? hex(body.subarray(at + 4, end)))
    at = end
  }
  return events.length === 0 ? hex(body) : events
}

function parsedEvent(bytes: Buffer): Json | undefined {
  const message = parseWire(bytes)
  return message === undefined ? undefined : withoutVersions(message)
}

/**
 * ObjectMeta has the uid as field 5 and the version as field 6, in that order; a list's version is field 2, after its
 * selfLink as field 1. The node port of a service's port is field 5, that of its health checks field 12.
 */
function withoutVersions(message: Json): Json {
  if (isMap(message))
    return Object.fromEntries(Object.entries(message).map(([key, item]) => [key, withoutVersions(item)]))
  if (!isList(message)) return message
  return message.map((field, i) => {
    const isVersion = isDigits(valueAt(field, ['6'])) && valueAt(message, [i - 1, '5']) !== undefined
    const isListVersion = isDigits(valueAt(field, ['2'])) && valueAt(message, [i - 1, '1']) === ''
    for (const number of ['5', '12']) if (isAllocatedPort(valueAt(field, [number]))) return { [number]: 'NODEPORT' }
    return isVersion ? { '6': 'RV' } : isListVersion ? { '2': 'RV' } : withoutVersions(field)
  })
}

const isAllocatedPort = (value: Json | undefined): boolean =>
  isDigits(value) && Number(value) >= 30_000 && Number(value) <= 32_767

const isDigits = (value: Json | undefined): boolean => typeof value === 'string' && /^\d+$/.test(value)

const hex = (body: Buffer): string => body.toString('hex')

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

const nodePorts = new Set(['nodePort', 'healthCheckNodePort'])

/** Without what differs from server to server, and with errors in one order. */
export function maskValue(value: Json, key?: string): Json {
  if (typeof value === 'string') return maskMember(value, key)
  if (typeof value === 'number')
    return key !== undefined && nodePorts.has(key) && value >= 30000 && value <= 32767 ? 'NODEPORT' : value
  if (isList(value)) return value.map((item) => maskValue(item, key === 'cells' ? 'cell' : key))
  if (!isMap(value)) return value
  return maskMap(value)
}

function maskMap(map: JsonMap): Json {
  const entries = Object.entries(map).map(([key, item]) => [key, maskValue(item, key)] as const)
  const result: Record<string, Json> = Object.fromEntries(entries)
  if (result['kind'] === 'SelfSubjectRulesReview' && isMap(result['status']))
    result['status'] = sortedRules(result['status'])
  for (const index of ['paths', 'groups']) if (isList(result[index])) result[index] = result[index].filter(isShared)
  const isStatus = result['kind'] === 'Status' || result['status'] === 'Failure'
  if (isStatus && isMap(result['details'])) result['details'] = sortedCauses(result['details'])
  if (isStatus && typeof result['message'] === 'string') result['message'] = sortedMessage(result['message'])
  // The cause of a field error.
  if (String(map['field']).endsWith('.nodePort') && typeof result['message'] === 'string')
    result['message'] = result['message'].replace(/^(Duplicate value: )3\d{4}$/, '$1NODEPORT')
  return result
}

/** Indexes name the groups that other cases make. */
const isShared = (entry: Json): boolean =>
  !/^(?:\/apis\/)?[a-z0-9-]+\.example\.com(?:\/|$)/.test(String(isMap(entry) ? entry['name'] : entry))

/** They come from the informers' maps. */
function sortedRules(status: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(status).map(([key, rules]) => [key, isList(rules) ? sorted(rules) : rules]))
}

const sorted = (list: readonly Json[]): readonly Json[] =>
  list
    .map((item) => JSON.stringify(ordered(item)))
    .sort()
    .map((text) => JSON.parse(text) as Json)

function sortedCauses(details: JsonMap): JsonMap {
  const causes = details['causes']
  if (!isList(causes)) return details
  return { ...details, causes: sorted(causes) }
}

/** Errors of one field stay in their order; the fields' own order is that of a Go map now and then. */
function sortedMessage(message: string): string {
  const [first = '', ...lines] = message.split('\n  .')
  if (lines.length > 1) return [first, ...lines.sort()].join('\n  .')
  const [, head, list, tail] = /^(.*? is invalid: |.*?)\[(.*)\](.*)$/s.exec(message) ?? []
  if (list === undefined) return message
  const errors = list.split(/, (?=\.?[a-z<](?:[\w.()/<>-]|\[[^\]]*\])*: )/).sort()
  return `${head}[${errors.filter(isTold).join(', ')}]${tail}`
}

/** Go tells an error once, unless it prints a pointer, which is another one every time. */
const isTold = (error: string, i: number, all: readonly string[]): boolean =>
  !error.includes('POINTER') || error !== all[i - 1]

function maskMember(text: string, key: string | undefined): string {
  if (key === 'resourceVersion' && /^\d+\s*$/.test(text)) return text === '0' ? '0' : text.replace(/\d+/, 'RV')
  if (key === 'serverAddress' || key === 'jwks_uri') return text.replace(/[\d.]+:\d+/, 'ADDRESS')
  if (key === 'continue' && text !== '') return 'TOKEN'
  if (key === 'cell' && /^(\d+[smhd])+$/.test(text)) return 'AGE'
  const masked = maskText(text)
  // Also where messages have no names, as in Protobuf.
  return masked.includes('" is invalid: [') ? sortedMessage(masked) : masked
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Members of a key set; each server has its own. */
const publicKey = /("(?:kid|n)":")[\w-]{40,}"/g
const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
/** `{"v":"meta.k8s.io/v1",…` in base64. */
const continueToken = /eyJ2IjoibWV0YS5rOHMuaW8vdjEi[\w=-]*/g
const goTime = /time\.Date\((\d{4},\s+time\.\w+,[\d,\s]+),\s+time\.\w+\)/g
/** Go's own are those of a process; this server has none, and says (0x0). */
const pointer = /\(?0x[0-9a-f]{10,12}\b\)?|\(0x0\)/g
/** As Go prints a map. */
const goNodePort = /\bnodePort:3[0-2]\d{3}\b/g
/** The name of the type that a rule's `self` has ends in a random number. */
const selfType = /\bselfType\d+/g
/** Those of an overload are numbered in the order of a Go map. */
const typeVariable = /\b_var\d+/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const day = 24 * 3600 * 1000
const seconds = /^1[789]\d{8}$/
/** Of the servers' own range, or of the one that cases add. */
const address = /\b(?:10\.0\.0|192\.168\.0)\.\d+\b/g

/** In texts of YAML, of errors, and of JSON inside errors. */
const version = /(resourceVersion(?:\\*": ?\\*"|: "|:|=)|in\s+record \(|ResourceVersion in object meta: )\d+/g

/** One that was sent with something beside its digits. */
const noVersion = /(strconv\.ParseUint: parsing \\*"\D*)\d+/g

/** Where a server says to be, in encodings without names of fields. */
const serverAddress = /^\d+\.\d+\.\d+\.\d+:\d+$/

/** The version that a watch could have begun at. */
const oldest = /(too old resource version: \d+ \()\d+/g

/** What `isShared` takes from indexes in other encodings. */
const groupInYaml = /^- name: [a-z0-9-]+\.example\.com\n(?: {2}.*\n)*/gm

/** How long a pointer is decides where YAML folds a line. */
function maskText(text: string): string {
  const masked = maskParts(text)
  return masked.includes('POINTER') ? masked.replaceAll(/\n +/g, ' ') : masked
}

function maskParts(text: string): string {
  if (seconds.test(text) && isNow(Number(text) * 1000)) return 'NOW'
  return (
    text
      .replace(uid, 'UID')
      .replace(groupInYaml, '')
      .replace(jwt, 'JWT')
      .replace(continueToken, 'TOKEN')
      .replace(goTime, (found, parts: string) => (parts.startsWith(`${new Date().getUTCFullYear()},`) ? 'NOW' : found))
      .replace(pointer, 'POINTER')
      .replace(goNodePort, 'nodePort:NODEPORT')
      .replace(publicKey, '$1KEY"')
      .replace(selfType, 'selfType')
      .replace(typeVariable, '_var')
      .replace(version, '$1RV')
      .replace(oldest, '$1RV')
      .replace(noVersion, '$1RV')
      .replace(serverAddress, 'ADDRESS')
      .replace(/(serverAddress: )[\d.]+:\d+/g, '$1ADDRESS')
      .replace(/([nN]odePort(?:\\*":|: |: Duplicate value: |: \{\w+ ))3\d{4}/g, '$1NODEPORT')
      // go-cmp chooses by chance, once a process, with which spaces it indents.
      .replaceAll('\u00a0', ' ')
      .replace(address, 'CLUSTERIP')
      .replace(time, (found, fraction?: string) =>
        isNow(Date.parse(found)) ? `NOW${fraction === undefined ? '' : '.fraction'}` : found,
      )
  )
}

const isNow = (moment: number): boolean => Math.abs(moment - Date.now()) < day
