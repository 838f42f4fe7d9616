/** What the rules for known differences ask of a difference. */
import { Quantity } from '../../src/api/quantity.ts'
import type { Hook } from './case.ts'
import type { Place } from './compare.ts'
import type { Difference } from './execute.ts'
import { isList, isMap, type Json, ordered, valueAt } from './json.ts'
import type { Observed } from './normalise.ts'
import { yamlObject } from './parsed-yaml.ts'

export const stepOf = ({ case: { steps }, step }: Difference) => steps[step]
/** Of a Status in JSON, YAML, CBOR or Protobuf, where its fields are numbers. */
export const messageOf = (body: Json): string => {
  const parsed = yamlObject(body)
  if (parsed !== undefined) return messageOf(parsed)
  if (typeof body === 'string') return body
  const fields = isList(body) ? valueAt(body, [1, '2']) : undefined
  const numbered = isList(fields) ? fields.map((field) => valueAt(field, ['3'])).find((text) => text !== undefined) : ''
  const message = valueAt(body, ['message']) ?? numbered
  return typeof message === 'string' ? message : ''
}
export const contentType = (difference: Difference): string => stepOf(difference)?.headers?.['content-type'] ?? ''
export const onlyPlaces = ({ places }: Difference, fits: (path: string) => boolean): boolean =>
  places.every(({ path }) => fits(path.join('.')))

/** The server's items are the first of the reference's, and nothing but the page differs. */
export function isFirstPage({ reference, server, places }: Difference): boolean {
  const list = ['items', 'rows'].find((key) => isList(valueAt(server.body, [key])))
  if (list === undefined || reference.status !== 200 || server.status !== 200) return false
  const page = valueAt(server.body, [list]) as readonly Json[]
  const ofPage = [`body.${list}`, 'body.metadata.continue', 'body.metadata.remainingItemCount']
  return places.every(({ path }) => {
    const at = path.join('.')
    return ofPage.some((prefix) => at.startsWith(prefix)) && !(path[1] === list && Number(path[2]) < page.length)
  })
}

/** The same of a list in Protobuf: `[magic, { 2: [metadata, item, …] }]`, where metadata has `continue` as its third field. */
export function isFirstProtobufPage({ reference, server, places }: Difference): boolean {
  const items = (side: Observed): readonly Json[] | undefined => {
    const fields = valueAt(side.body, ['1', '2'])
    return isList(fields) ? fields : undefined
  }
  const [theirs, ours] = [items(reference), items(server)]
  if (theirs === undefined || ours === undefined) return false
  return places.every(({ path: [body, message, raw, index, ...rest] }) => {
    if (body !== 'body' || String(message) !== '1' || String(raw) !== '2') return false
    return String(index) === '0' ? rest.length > 0 : Number(index) >= ours.length
  })
}

/** A quantity below a list that is not in its canonical form, or null. */
export function listsUnusualQuantity(value: Json | undefined, isListed = false): boolean {
  if (isList(value)) return value.some((item) => listsUnusualQuantity(item, true))
  if (isMap(value)) return Object.values(value).some((member) => listsUnusualQuantity(member, isListed))
  if (value === null) return isListed
  if (!isListed || typeof value !== 'string' || Quantity.check(value) !== undefined) return false
  return String(Quantity.parse(value)) !== value
}

/** A text that was sent as it is, and is none. */
export function isNoJson(body: unknown): boolean {
  if (typeof body !== 'string') return false
  try {
    JSON.parse(body)
    return false
  } catch {
    return true
  }
}

/** What comes of an apply without the fields that are not known: any other refusal, where a warning tells of them. */
export function wentOnWithout({ server }: Difference): boolean {
  if (server.warnings.some((text) => text.includes('unknown field'))) return true
  if ([200, 201, 400, 409, 422].includes(server.status)) return true
  return server.status === 500 && /^failed to (create typed patch|convert new) object/.test(messageOf(server.body))
}

/** The webhook that refused, or could not be asked. */
export const refusingWebhook = (body: Json): string | undefined =>
  /(?:admission webhook|failed calling webhook) "([^"]+)"/.exec(messageOf(body))?.[1]

export const callsOf = ({ calls }: Observed): readonly Json[] => (isList(calls) ? calls : [])

/** Only one of the two has accepted the names yet. What webhooks were sent is not looked at. */
export const isAcceptedMeanwhile = (difference: Difference): boolean =>
  isAwaitingNames(difference.reference.body) !== isAwaitingNames(difference.server.body) &&
  onlyPlaces(difference, (path) =>
    /^(?:body\.(?:status\.(?:conditions|acceptedNames)|metadata\.managedFields)|calls)\b/.test(path),
  )

/** Its controller has not looked at a definition, or has not said yet that it is served. */
const isAwaitingNames = (body: Json): boolean => {
  const conditions = valueAt(body, ['status', 'conditions'])
  return (
    conditions === null ||
    (Array.isArray(conditions) && conditions.some((each) => isMap(each) && each['reason'] === 'Installing'))
  )
}

/** Once a definition is established, its scope and kind are immutable, too: only one of the two says so yet. */
export const isEstablishedMeanwhile = (difference: Difference): boolean => {
  const refusals = [difference.reference, difference.server].map(({ status, body }) =>
    status === 422 ? messageOf(body) : '',
  )
  const rest = refusals.map((message) => message.replaceAll(immutableOnceEstablished, ''))
  return (
    rest[0] === rest[1] &&
    refusals.filter((message, i) => message !== rest[i]).length === 1 &&
    onlyPlaces(difference, (path) => /^body\.(?:message|details\.causes)\b/.test(path))
  )
}

const immutableOnceEstablished =
  /spec\.(?:scope|names\.kind): Invalid value: "(?:[^"\\]|\\.)*": field is immutable(?:, )?/g

/** What a patch that cannot be decoded leaves is told whole, with the status of that moment. */
export const isToldMeanwhile = (difference: Difference): boolean => {
  const { reference, server } = difference
  const messages = [messageOf(reference.body), messageOf(server.body)]
  const around = messages.map((message) => /^(.* is invalid: patch: Invalid value: ").*(": json: .*)$/s.exec(message))
  return (
    onlyPlaces(difference, (path) => /^body\.(?:message|details\.causes)\b/.test(path)) &&
    around[0] != null &&
    around[0][1] === around[1]?.[1] &&
    around[0][2] === around[1]?.[2] &&
    messages.filter((message) => message.includes('\\"conditions\\":null')).length === 1
  )
}

/** The status of a definition after the case has written to it itself, which its controller mends. */
export const isOwnStatus = (difference: Difference): boolean =>
  difference.case.steps.some(
    ({ method, path }) => method !== 'GET' && /\/customresourcedefinitions\/[^/?]+\/status/.test(path),
  ) && onlyPlaces(difference, (path) => /^body\.(?:status|metadata\.(?:managedFields|resourceVersion))\b/.test(path))

/** Calls about one object that differ in its status alone, and in how often they were made. */
export function sameButStatus(theirs: readonly Json[], ours: readonly Json[]): boolean {
  const shapes = (calls: readonly Json[]): string[] => [...new Set(calls.map((call) => withoutStatus(call)))].sort()
  return JSON.stringify(shapes(theirs)) === JSON.stringify(shapes(ours))
}

const withoutStatus = (call: Json): string =>
  JSON.stringify(ordered(call), (key, value: Json) =>
    ['status', 'managedFields', 'generation'].includes(key) ? undefined : value,
  )

/** A webhook that asks to be called later is called until its time is over. */
export const asksForLater = ({ headers }: Hook): boolean => headers?.['retry-after'] !== undefined

/** Nothing but calls differs, and of these only how often some hooks were called. */
export function sameCallsBut(
  { case: { hooks = {} }, reference, server, places }: Difference,
  isFree: (hook: Hook) => boolean,
): boolean {
  const hookOf = (call: Json): Hook => hooks[String(valueAt(call, ['hook']))] ?? {}
  const text = (call: Json): string => JSON.stringify(ordered(call))
  const texts = (side: Observed): string[] => callsOf(side).map(text)
  const others = (side: Observed): string[] =>
    callsOf(side)
      .filter((call) => !isFree(hookOf(call)))
      .map(text)
  const [theirs, ours] = [new Set(texts(reference)), new Set(texts(server))]
  return (
    places.every(({ path }) => path[0] === 'calls') &&
    JSON.stringify(others(reference)) === JSON.stringify(others(server)) &&
    [...theirs].every((call) => ours.has(call)) &&
    [...ours].every((call) => theirs.has(call))
  )
}

export const hasUnreadableQuery = (path: string): boolean => /\?.*(?:;|%(?![0-9a-fA-F]{2}))/.test(path)

/** The first event says that the watch begins too early. */
export const isTooOld = (body: Json): boolean =>
  JSON.stringify([body].flat()[0] ?? '').includes('too old resource version')

export const isOneObject = (body: Json): boolean =>
  isMap(valueAt(body, ['metadata'])) && valueAt(body, ['items']) === undefined
export const isEventStream = (body: Json): boolean =>
  [body].flat().every((event) => isMap(event) && typeof event['type'] === 'string' && isMap(event['object']))

/** What an event of a watch is, in JSON or in Protobuf. */
const eventType = (event: Json): Json | undefined => valueAt(event, ['type']) ?? valueAt(event, [0, '1'])

/** Events, but for the steps in which a definition goes, and its end; columns are described in other words. */
export function withoutTermination(body: Json): string {
  const isStep = (event: Json): boolean =>
    eventType(event) === 'DELETED' || (eventType(event) === 'MODIFIED' && isTerminating(event))
  const events = Array.isArray(body) ? body : [body]
  return JSON.stringify(events.filter((event) => !isStep(event)).map((event) => ordered(withoutColumns(event))))
}

/** Only the first event of a table has them. */
function withoutColumns(event: Json): Json {
  const object = valueAt(event, ['object'])
  if (!isMap(event) || !isMap(object) || object['columnDefinitions'] === undefined) return event
  return { ...event, object: { ...object, columnDefinitions: null } }
}

/** The definition has gone here, and there in the same way, or not yet. */
export function endsAlike(reference: Json, server: Json): boolean {
  const last = (body: Json): Json | undefined =>
    Array.isArray(body) ? body.find((event) => eventType(event) === 'DELETED') : undefined
  const [theirs, ours] = [last(reference), last(server)]
  return (
    ours !== undefined &&
    (theirs === undefined || withoutStatus(withoutColumns(theirs)) === withoutStatus(withoutColumns(ours)))
  )
}

/** In Protobuf the time is the ninth field of the metadata, which are the first of an object. */
function isTerminating(event: Json): boolean {
  const shown = [valueAt(event, ['object']), valueAt(event, ['object', 'rows', 0, 'object'])]
  if (shown.some((object) => valueAt(object, ['metadata', 'deletionTimestamp']) !== undefined)) return true
  const fields = valueAt(event, [1, '2', 0, '1', 1, '2', 0, '1'])
  return Array.isArray(fields) && fields.some((field) => isMap(field) && field['9'] !== undefined)
}

/** Its answer is a JSON patch that sets the managed fields to an empty list. */
export function emptiesManagedFields({ body = null }: Hook): boolean {
  const patch = valueAt(body, ['response', 'patch'])
  const text = typeof patch === 'string' ? Buffer.from(patch, 'base64').toString() : ''
  return text.includes('"path":"/metadata/managedFields"') && text.includes('"value":[]')
}

/** An audit annotation that tells of a mutating webhook, but for whether it changed anything. */
export function isOnlyMutated({ path, reference, server }: Place): boolean {
  const isAnnotation = path[0] === 'events' && String(path.at(-1)).startsWith('mutation.webhook.admission.k8s.io/')
  const [theirs, ours] = [reference, server].map((text) => String(text).replace(/"mutated":(?:true|false)/, ''))
  return isAnnotation && theirs === ours
}

/** A refusal that names what can be answered: forms of streams, too, where the request is a watch. */
export function listsStreams({ reference, server, places }: Difference): boolean {
  const [theirs, ours] = [messageOf(reference.body), messageOf(server.body)]
  const streams = /, (?:application\/\S+;stream=watch|application\/cbor-seq)(?=,|$)/g
  return reference.status === 406 && places.length === 1 && theirs !== ours && theirs === ours.replaceAll(streams, '')
}

/** One object in YAML there; here a refusal, since a watch of it has no form in YAML. */
export function hasNoStreamForm({ reference, server }: Difference): boolean {
  const isYaml =
    reference.contentType === 'application/yaml' && isOneObject(yamlObject(reference.body) ?? reference.body)
  const forms = /only the following media types are accepted: application\/json;stream=watch,/
  return reference.status === 200 && isYaml && server.status === 406 && forms.test(messageOf(server.body))
}

/** With the owners of every object in it, the answer or what webhooks and the audit were shown, in one order. */
export function sortedOwners(value: Json): Json {
  if (isList(value)) return value.map((item) => sortedOwners(item))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'managedFields' && isList(item)
        ? item.map((owner) => JSON.stringify(ordered(owner))).sort()
        : sortedOwners(item),
    ]),
  )
}

export function sortedFinalizers(body: Json): string {
  const finalizers = valueAt(body, ['metadata', 'finalizers'])
  return isList(finalizers) ? JSON.stringify([...finalizers].sort()) : ''
}

/** The status of a SelfSubjectRulesReview; empty for anything else. */
export function sortedRulesOf(body: Json): string {
  const [kind, status] = [valueAt(body, ['kind']), valueAt(body, ['status'])]
  if (kind !== 'SelfSubjectRulesReview' || !isMap(status)) return ''
  const sorted = Object.entries(status).map(([key, rules]) => [
    key,
    isList(rules) ? rules.map((rule) => JSON.stringify(ordered(rule))).sort() : rules,
  ])
  return JSON.stringify(sorted.sort())
}

const flowController = 'api-priority-and-fairness-config-consumer-v1'

/** Without what the servers themselves write to flow schemas: a status, that they own it, and what webhooks are told of that. */
export function withoutFlowStatus(value: Json): Json {
  if (isList(value)) {
    const kept = value
      .filter((item) => valueAt(item, ['manager']) !== flowController && !isFlowStatusCall(item))
      .map((item) => withoutFlowStatus(item))
    return kept.filter((item, i) => !isRepeatedCall(item, kept.slice(0, i)))
  }
  if (!isMap(value)) return value
  const members = Object.entries(value).filter(([key]) => key !== 'status' || value['kind'] !== 'FlowSchema')
  return Object.fromEntries(members.map(([key, item]) => [key, withoutFlowStatus(item)]))
}

function isFlowStatusCall(item: Json): boolean {
  const request = valueAt(item, ['body', 'request']) ?? null
  return valueAt(request, ['kind', 'kind']) === 'FlowSchema' && valueAt(request, ['subResource']) === 'status'
}

/** A write that lost to another is tried again, and its webhooks are asked again. */
const isRepeatedCall = (item: Json, before: readonly Json[]): boolean =>
  valueAt(item, ['hook']) !== undefined && before.some((each) => JSON.stringify(each) === JSON.stringify(item))

/** A message that names a part of an embedded object of a custom one, as what comes before it and the object's path. */
export function embeddedPartOf(message: string): string | undefined {
  const part = /^(.*: |)([^\s":]+)\.(?:apiVersion|kind|metadata(?:\.[^\s":]+)?): (?:Invalid|Required) value/s.exec(
    message,
  )
  return part === null ? undefined : `${part[1]}${part[2]}`
}

/** What comes before what Go says of a value that does not fit the field of a struct. */
export const typeErrorOf = (message: string): string | undefined =>
  /^(.*: Invalid value: .*": )(?:cannot convert \S+ to \S+|unrecognized type: \S+|cannot restore \S+ from \S+)$/s.exec(
    message,
  )?.[1]

const macroError =
  /(\n?)ERROR: <input>:\d+:\d+: (?:invalid argument to has\(\) macro|argument (?:must be a simple name|is not an identifier))\n \| [^\n]*\n \| [.．]*\^(\n?)/g
export const withoutMacroErrors = (text: Json | undefined): Json | undefined =>
  typeof text === 'string' ? text.replaceAll(macroError, (_, before, after) => before && after) : text

/** Causes are sorted by their texts, which macro errors are a part of. */
export function sameCausesButMacroErrors(theirs: Json, ours: Json): boolean {
  const shown = (body: Json): string => {
    const causes = valueAt(body, ['details', 'causes'])
    if (!isList(causes)) return ''
    return JSON.stringify(
      causes.map((cause) => `${valueAt(cause, ['field'])} ${withoutMacroErrors(valueAt(cause, ['message']))}`).sort(),
    )
  }
  return shown(theirs) !== '' && shown(theirs) === shown(ours)
}

export const isDescription = ({ path }: Place): boolean => /^body\.(.*\.)?description$/.test(path.join('.'))

/** An answer in YAML with pointers and a diff of Go values, whose lines were joined. */
export const isUnfolded = (body: Json): boolean =>
  typeof body === 'string' && body.startsWith('apiVersion: ') && body.includes('POINTER') && /\\n[-+]/.test(body)

/** Without what depends on where YAML folds a line. */
export const unfolded = (body: Json): Json => (typeof body === 'string' ? body.replaceAll(/\\(?= )|\s/g, '') : body)
