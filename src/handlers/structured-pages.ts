/**
 * `/statusz` and `/flagz` since v1.35: text for people, or an object of `config.k8s.io` for who asks for one by its kind.
 * Mirrors k8s.io/apiserver/pkg/server/statusz: handleStatusz; .../flagz: handleFlagz.
 */
import type { JsonObject } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, notAcceptable } from '../api/status-error.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { type MediaType, mediaTypeNames, mediaTypes, mediaTypesWithCbor, parseAccept } from '../codec/negotiation.ts'
import { type AnswerSettings, answerError, answerValue } from './answer.ts'

export interface StructuredPage {
  readonly name: 'statusz' | 'flagz'
  readonly kind: 'Statusz' | 'Flagz'
  /** What the server is called there. */
  readonly component: string
  text(): string
  /** What its object says besides its metadata. */
  fields(): JsonObject
}

interface PageRules {
  readonly settings: AnswerSettings
  /** Since v1.36: there is a second version, the first is deprecated, and objects are in every encoding but Protobuf. */
  readonly hasBeta: boolean
}

const text = 'text/plain'
const textInUtf8 = 'text/plain; charset=utf-8'
const group = 'config.k8s.io'

interface Choice {
  readonly name: string
  /** The version of the object; undefined for text. */
  readonly version: string | undefined
  readonly pretty: boolean
}

export function answerPage(context: RequestContext, page: StructuredPage, rules: PageRules): void {
  const supported = supportedTypes(rules)
  const accept = context.header('accept') ?? ''
  const isPlainest = rules.hasBeta || page.name === 'flagz' || accept.trim() === ''
  const choice = accept.trim() === '' ? asText : negotiatePage(accept, supported, versionsOf(page, rules))
  const { exchange } = context
  if (choice?.name === text) {
    exchange.respond(200, { 'content-type': isPlainest ? textInUtf8 : text }, page.text())
    return
  }
  const refusal = choice === undefined ? notAcceptable(supported) : unsupported(choice, rules)
  const settings = { ...rules.settings, mediaTypes: encodingsOf(supported) }
  if (choice === undefined || refusal !== undefined) answerError(context, settings, refusal)
  else answerObject(context, page, { ...rules, settings, choice })
}

const asText: Choice = { name: text, version: undefined, pretty: false }

/** In the order in which refusals list them. */
function supportedTypes({ settings, hasBeta }: PageRules): string[] {
  const known = mediaTypeNames(hasBeta ? settings.mediaTypes : mediaTypes)
  const others = known.filter((name) => !isCbor(name) && (!hasBeta || name !== 'application/vnd.kubernetes.protobuf'))
  return [...others, text, ...known.filter(isCbor)]
}

const isCbor = (name: string): boolean => name === 'application/cbor'

const encodingsOf = (names: readonly string[]): MediaType[] =>
  mediaTypesWithCbor.filter(({ name }) => names.includes(name))

const versionsOf = ({ kind }: StructuredPage, { hasBeta }: PageRules): ReadonlySet<string> =>
  new Set((hasBeta ? ['v1alpha1', 'v1beta1'] : ['v1alpha1']).map((version) => `${group}/${version}/${kind}`))

/** The first type that the header accepts: text as it is, the others as an object of a kind that there is. */
function negotiatePage(accept: string, supported: readonly string[], kinds: ReadonlySet<string>): Choice | undefined {
  for (const { type, subtype, params } of parseAccept(accept)) {
    if ((params.get('stream') ?? '') !== '' || (params.get('sv') ?? '') !== '') continue
    const isKind = params.has('as') || params.has('g') || params.has('v')
    const version = params.get('v') ?? ''
    const isKnown = kinds.has(`${params.get('g') ?? ''}/${version}/${params.get('as') ?? ''}`)
    const name = supported.find((each) => matches(type, subtype, each) && (each === text ? !isKind : isKnown))
    if (name !== undefined) {
      return { name, version: name === text ? undefined : version, pretty: params.get('pretty') === '1' }
    }
  }
  return undefined
}

function matches(type: string, subtype: string, name: string): boolean {
  if (type === '*') return subtype === '*'
  return name === `${type}/${subtype}` || (subtype === '*' && name.startsWith(`${type}/`))
}

function unsupported({ name }: Choice, { hasBeta }: PageRules): ApiError | undefined {
  if (hasBeta || name === 'application/json') return undefined
  const message = `content negotiation failed: unsupported media type '${name}'`
  return new ApiError({ code: 500, reason: '', message })
}

function answerObject(
  context: RequestContext,
  page: StructuredPage,
  { settings, hasBeta, choice }: PageRules & { readonly choice: Choice },
): void {
  const { name, version = '', pretty } = choice
  const mediaType = settings.mediaTypes.find((each) => each.name === name) as MediaType
  if (hasBeta && version === 'v1alpha1') {
    const why = `This version of the ${page.name} endpoint is deprecated. Please use a newer version.`
    context.exchange.addHeader('warning', `299 - "${why}"`)
  }
  const metadata = { name: page.component }
  const value = { kind: page.kind, apiVersion: `${group}/${version}`, metadata, ...page.fields() }
  answerValue(context, settings, {
    status: 200,
    value,
    schema: typeSchema('meta.v1.Status'),
    choice: { mediaType, convert: { group, version, kind: page.kind }, stream: '', pretty },
    contentType: `${name};g=${group};v=${version};as=${page.kind}`,
  })
}
