/**
 * Which encoding and which view an answer takes, and which encoding a body has. Pure functions of headers and of what
 * the endpoint supports. There are two gates, as in the reference: the route compares media types as text, and knows
 * no wildcard but the one for everything; behind it the endpoint parses the header with quality values, wildcards and parameters.
 */
import type { GroupVersionKind } from '../api/group-version.ts'
import { type ApiError, notAcceptable, routeError, unsupportedMediaType } from '../api/status-error.ts'

export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor'

export interface MediaType {
  readonly encoding: Encoding
  /** `application/json` */
  readonly name: string
  /** How the refusal of a stream names it; undefined where the encoding has no stream form. */
  readonly streamName?: string
  /** The content type of a stream. */
  readonly streamContentType?: string
}

const json: MediaType = {
  encoding: 'json',
  name: 'application/json',
  streamName: 'application/json;stream=watch',
  streamContentType: 'application/json',
}
const yaml: MediaType = { encoding: 'yaml', name: 'application/yaml' }
const protobuf: MediaType = {
  encoding: 'protobuf',
  name: 'application/vnd.kubernetes.protobuf',
  streamName: 'application/vnd.kubernetes.protobuf;stream=watch',
  streamContentType: 'application/vnd.kubernetes.protobuf;stream=watch',
}
const cbor: MediaType = {
  encoding: 'cbor',
  name: 'application/cbor',
  streamName: 'application/cbor-seq',
  streamContentType: 'application/cbor-seq',
}

/** In the order in which refusals list them; the first is the default. */
export const mediaTypes: readonly MediaType[] = [json, yaml, protobuf]
export const mediaTypesWithCbor: readonly MediaType[] = [...mediaTypes, cbor]

export const mediaTypeNames = (supported: readonly MediaType[]): string[] => supported.map(({ name }) => name)
export const streamNames = (supported: readonly MediaType[]): string[] =>
  supported.flatMap(({ streamName }) => streamName ?? [])

/** What the answer turns the object into: `as`, `g` and `v` of the accepted clause. */
export type RequestedKind = GroupVersionKind

export interface NegotiatedType {
  readonly mediaType: MediaType
  readonly convert: RequestedKind | undefined
  /** `watch`, or empty. */
  readonly stream: string
  /** The clause asked for indented output. */
  readonly pretty: boolean
}

/** What an endpoint allows. */
export interface Restrictions {
  allowsConversion(encoding: Encoding, target: RequestedKind | undefined): boolean
  /** The version of `sv`; without it no `sv` is allowed. */
  readonly serverVersion?: string
}

/** Endpoints that only show objects as they are, and errors. */
export const plainRestrictions: Restrictions = { allowsConversion: (_, target) => target === undefined }

const isMetaVersion = ({ group, version }: RequestedKind): boolean =>
  group === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1')

export interface ResourceRestrictions {
  /** Encodings of the object itself; the metadata view is there in every one. */
  readonly encodings?: ReadonlySet<Encoding>
  readonly table?: boolean
}

/** Endpoints of resources: Table in text encodings, metadata only in all of them. */
export function resourceRestrictions({ encodings, table = true }: ResourceRestrictions = {}): Restrictions {
  return {
    serverVersion: 'v1',
    allowsConversion(encoding, target) {
      if (target === undefined) return encodings === undefined || encodings.has(encoding)
      if (!isMetaVersion(target)) return false
      if (target.kind === 'Table') return table && (encoding === 'json' || encoding === 'yaml')
      return target.kind === 'PartialObjectMetadata' || target.kind === 'PartialObjectMetadataList'
    },
  }
}

/** `/api` and `/apis`: aggregated discovery besides the plain documents. */
export const aggregatedDiscoveryRestrictions: Restrictions = {
  allowsConversion: (_, target) =>
    target === undefined ||
    (target.group === 'apidiscovery.k8s.io' && target.version === 'v2' && target.kind === 'APIGroupDiscoveryList'),
}

interface Clause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly params: ReadonlyMap<string, string>
}

/** Beyond this many clauses a header is a nuisance, and the rest of it is not read. */
const maxClauses = 100

/** Preferred first. Clauses that are no media range are left out. */
export function parseAccept(header: string): Clause[] {
  const clauses = header
    .split(',', maxClauses)
    .map(parseClause)
    .filter((clause) => clause !== undefined)
  // Insertion by the reference's comparison, which is no total order: where it is ambiguous the algorithm decides.
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && precedes(clauses[j] as Clause, clauses[j - 1] as Clause); j--) {
      clauses.splice(j - 1, 2, clauses[j] as Clause, clauses[j - 1] as Clause)
    }
  }
  return clauses
}

function precedes(a: Clause, b: Clause): boolean {
  return a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*')
}

function parseClause(text: string): Clause | undefined {
  const [range = '', ...paramTexts] = text.trim().split(';')
  const [type = '', subtype, ...more] = range.split('/').map((part) => part.trim())
  if (more.length > 0 || (subtype === undefined && type !== '*') || subtype === '') return undefined
  const params = new Map<string, string>()
  let quality = 1
  for (const paramText of paramTexts) {
    const [key = '', value, ...rest] = paramText.split('=')
    if (value === undefined || value === '' || rest.length > 0) continue
    if (key.trim() === 'q') quality = parseQuality(value)
    else params.set(key.trim(), value.trim())
  }
  return { type, subtype: subtype ?? '*', quality, params }
}

/** What cannot be read counts as zero, which is the least preferred and still accepted. */
function parseQuality(text: string): number {
  const quality = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : 0
  return Number.isFinite(quality) ? quality : 0
}

/** The first supported media type that the header accepts and the endpoint allows; undefined when there is none. */
export function negotiate(
  accept: string | undefined,
  supported: readonly MediaType[],
  restrictions: Restrictions,
): NegotiatedType | undefined {
  const fallback = supported[0]
  if ((accept === undefined || accept === '') && fallback !== undefined) return plainChoice(fallback)
  const exact = supported.find(({ name }) => name === accept)
  if (exact !== undefined && restrictions.allowsConversion(exact.encoding, undefined)) return plainChoice(exact)
  for (const clause of parseAccept(accept ?? '')) {
    for (const mediaType of supported) {
      const choice = matches(clause, mediaType.name) ? acceptClause(clause, mediaType, restrictions) : undefined
      if (choice !== undefined) return choice
    }
  }
  return undefined
}

const plainChoice = (mediaType: MediaType): NegotiatedType => ({
  mediaType,
  convert: undefined,
  stream: '',
  pretty: false,
})

function matches({ type, subtype }: Clause, name: string): boolean {
  const slash = name.indexOf('/')
  if (type === '*') return subtype === '*'
  return type === name.slice(0, slash) && (subtype === '*' || subtype === name.slice(slash + 1))
}

function acceptClause(
  { params }: Clause,
  mediaType: MediaType,
  restrictions: Restrictions,
): NegotiatedType | undefined {
  const stream = params.get('stream') ?? ''
  if (stream !== '' && (mediaType.streamName === undefined || stream !== 'watch')) return undefined
  const serverVersion = params.get('sv') ?? ''
  if (serverVersion !== '' && serverVersion !== restrictions.serverVersion) return undefined
  const convert = conversionOf(params)
  if (!restrictions.allowsConversion(mediaType.encoding, convert)) return undefined
  return { mediaType, convert, stream, pretty: params.get('pretty') === '1' }
}

function conversionOf(params: ReadonlyMap<string, string>): RequestedKind | undefined {
  if (!params.has('as') && !params.has('g') && !params.has('v')) return undefined
  return { kind: params.get('as') ?? '', group: params.get('g') ?? '', version: params.get('v') ?? '' }
}

/** As `negotiate`; throws the 406 that lists what there is. */
export function negotiateAnswer(
  accept: string | undefined,
  supported: readonly MediaType[],
  restrictions: Restrictions,
): NegotiatedType {
  const choice = negotiate(accept, supported, restrictions)
  if (choice === undefined) throw notAcceptable(mediaTypeNames(supported))
  return choice
}

/** Throws the 406 that lists what there is unless the encoding of the choice has a stream form. */
export function checkStream({ mediaType }: NegotiatedType, supported: readonly MediaType[]): void {
  if (mediaType.streamName === undefined) throw notAcceptable(streamNames(supported))
}

/** How an error is written; undefined when the client accepts nothing that there is. */
export function negotiateError(
  accept: string | undefined,
  supported: readonly MediaType[],
): NegotiatedType | undefined {
  return negotiate(accept, supported, plainRestrictions)
}

/** Whether output is indented: the query parameter decides if it has a value, else the kind of client. */
export function isPretty(choice: NegotiatedType, pretty: string | undefined, userAgent: string | undefined): boolean {
  if (choice.mediaType.encoding !== 'json') return false
  if (choice.pretty) return true
  if (pretty !== undefined && pretty !== '') return goTrue.has(pretty)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? '')
}

const goTrue: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** The first gate of an answer: does the route produce one of the media types, compared as text. */
export function routeProduces(accept: string | undefined, produced: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true
  return accept.split(',').some((clause) => {
    const name = bareName(clause)
    return name === '*/*' || produced.includes(name)
  })
}

/** The first gate of a body, for routes that take some media types only. Without a type a body is `application/octet-stream`. */
export function routeConsumes(contentType: string | undefined, consumed: readonly string[]): boolean {
  return (contentType || 'application/octet-stream').split(',').some((clause) => consumed.includes(bareName(clause)))
}

const bareName = (clause: string): string => (clause.split(';', 1)[0] ?? '').replace(/^ +| +$/g, '')

/**
 * The refusals of the first gate. Mirrors go-restful's RouterJSR311: a write whose length is not declared is refused by the
 * code for its body, although it is the answer's type that is missing.
 */
export const routeNotAcceptable = (produced: readonly string[], { isUnsizedWrite = false } = {}): ApiError =>
  routeError({
    code: isUnsizedWrite ? 415 : 406,
    reason: isUnsizedWrite ? 'UnsupportedMediaType' : 'NotAcceptable',
    message: `${isUnsizedWrite ? '415: Unsupported Media Type' : '406: Not Acceptable'}\n\nAvailable representations: ${produced.join(', ')}`,
    details: {},
  })

export const routeUnsupportedMediaType = (): ApiError =>
  routeError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} })

/** The encoding of a body; without a content type it is the default. Throws the 415 that lists what there is. */
export function negotiateBody(contentType: string | undefined, supported: readonly MediaType[]): MediaType {
  const fallback = supported[0]
  if ((contentType === undefined || contentType === '') && fallback !== undefined) return fallback
  const exact = supported.find(({ name }) => name === contentType)
  if (exact !== undefined) return exact
  const name = parseMediaType(contentType ?? '')
  const found = supported.find((mediaType) => mediaType.name === name)
  if (found === undefined) throw unsupportedMediaType(mediaTypeNames(supported))
  return found
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const mediaTypePattern = new RegExp(`^\\s*(${token}(?:/${token})?)\\s*((?:;.*)?)$`, 's')
const parameterPattern = new RegExp(`;\\s*(${token})\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*`, 'sy')

/** The media type in lower case, without its parameters; undefined if the text is not well formed. */
export function parseMediaType(text: string): string | undefined {
  const [, name, rest = ''] = mediaTypePattern.exec(text) ?? []
  return name !== undefined && areParameters(rest.trim()) ? name.toLowerCase() : undefined
}

function areParameters(text: string): boolean {
  const seen = new Set<string>()
  parameterPattern.lastIndex = 0
  let at = 0
  while (at < text.length) {
    if (/^;\s*$/.test(text.slice(at))) return true
    const [, name] = parameterPattern.exec(text) ?? []
    if (name === undefined || seen.has(name.toLowerCase())) return false
    seen.add(name.toLowerCase())
    at = parameterPattern.lastIndex
  }
  return true
}
