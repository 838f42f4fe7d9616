/** The options of list, watch and deletecollection: decoded, checked against each other, and made into a selection. */
import { type FieldError, forbidden, notSupported, ofNamedText } from '../api/field-error.ts'
import type { FieldSelector } from '../api/field-selector.ts'
import { quote } from '../api/golang/quote.ts'
import type { LabelSelector } from '../api/label-selector.ts'
import type { QueryParameters } from '../api/query-parameters.ts'
import { fieldSelectorOf, labelSelectorOf } from '../api/query-selectors.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { RequestInfo } from '../api/request-info.ts'
import { badRequest, invalid } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { LabelMatcher, Selection } from '../cache/selection.ts'
import { convertedFieldFilter } from '../registry/converted-fields.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import type { AnswerSettings } from './answer.ts'
import { flag, integerParameter } from './parameters.ts'
import { routeRules } from './route-rules.ts'

export interface ListOptions {
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  /** 0: no limit. */
  readonly limit: number
  readonly continue: string
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly timeoutSeconds: number | undefined
  readonly labels: LabelSelector
  /** As the client names them. */
  readonly fields: FieldSelector
  readonly shardSelector: string
}

/** Whether it is a watch is decided by the parameter alone: the old paths of watches take the options of lists. */
export function listOptions(query: QueryParameters, watchListEnabled: boolean): ListOptions {
  const given: ListOptions = {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: integerParameter(query, 'timeoutSeconds'),
    limit: Math.max(integerParameter(query, 'limit') ?? 0, 0),
    continue: query.get('continue') ?? '',
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    labels: wholeLabelSelector(query),
    fields: fieldSelectorOf(query),
    shardSelector: query.get('shardSelector') ?? '',
  }
  const isWatch = flag(query, 'watch') === true
  const options = isWatch && watchListEnabled ? withInitialEvents(given) : given
  const errors = isWatch ? watchErrors(options, watchListEnabled) : listErrors(options)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return options
}

/** A watch that would begin with the state anyway is a watch list. Mirrors internalversion: SetListOptionsDefaults. */
function withInitialEvents(options: ListOptions): ListOptions {
  const { sendInitialEvents, resourceVersionMatch, resourceVersion } = options
  if (sendInitialEvents !== undefined || resourceVersionMatch !== '') return options
  if (resourceVersion !== '' && resourceVersion !== '0') return options
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

/** To the reference's lexer a NUL ends the text: what follows would narrow nothing. */
function wholeLabelSelector(query: QueryParameters): LabelSelector {
  const text = query.get('labelSelector') ?? ''
  if (text.includes('\0')) throw badRequest(`unable to parse requirement: found '\\x00' in ${quote(text)}`)
  return labelSelectorOf(query)
}

const match = 'resourceVersionMatch'
const withContinue = forbidden(match, 'resourceVersionMatch is forbidden when continue is provided')

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersionMatch, resourceVersion } = options
  if (resourceVersionMatch !== '') {
    if (resourceVersion === '') {
      errors.push(forbidden(match, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (options.continue !== '') errors.push(withContinue)
    if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan') {
      errors.push(ofNamedText(notSupported(match, resourceVersionMatch, ['Exact', 'NotOlderThan', ''])))
    }
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(match, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors(options: ListOptions, watchListEnabled: boolean): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersionMatch, sendInitialEvents } = options
  if (sendInitialEvents !== undefined) {
    if (resourceVersionMatch !== 'NotOlderThan') {
      errors.push(forbidden(match, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
    }
    if (!watchListEnabled) {
      const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'
      errors.push(forbidden('sendInitialEvents', why))
    }
  }
  if (resourceVersionMatch === '') return errors
  if (sendInitialEvents === undefined) {
    errors.push(forbidden(match, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  }
  if (resourceVersionMatch !== 'NotOlderThan') {
    errors.push(ofNamedText(notSupported(match, resourceVersionMatch, ['NotOlderThan'])))
  }
  if (options.continue !== '') errors.push(withContinue)
  return errors
}

/** What the path and the selectors of a request are about. Fields that cannot be selected by are a 400. */
export function selectionOf(
  info: RequestInfo,
  { registry, version }: ServedResource,
  { labels, fields: asked }: ListOptions,
): Selection {
  const { definition } = registry
  const fields = asked.map((requirement) => {
    const field = version.fieldLabels.get(requirement.field)
    if (field === undefined) throw routeRules(definition).unknownField(requirement.field, version)
    return { ...requirement, field }
  })
  const named = fields.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=')
  const namespaced = fields.find(({ field, operator }) => field === 'metadata.namespace' && operator !== '!=')
  const namespace = definition.namespaced ? info.namespace || namespaced?.value || undefined : ''
  if (info.name !== '' && fields.length > 0 && named?.value !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  }
  const indexed = fields.find(({ field, operator }) => operator !== '!=' && definition.indexes.includes(field))
  const isConverted = ({ field }: { readonly field: string }): boolean =>
    definition.remoteConversion !== undefined && definition.storage.fields.has(field)
  const converted = fields.filter(isConverted)
  const stored = fields.filter((requirement) => !isConverted(requirement))
  return {
    namespace: namespace === '' && definition.namespaced ? undefined : namespace,
    name: info.parts.length > 1 ? info.name : named?.value,
    labels: labelMatcher(labels),
    fields: fieldPredicate(stored, [...definition.storage.fields.keys()]),
    indexed: indexed === undefined ? undefined : { index: indexed.field, value: indexed.value },
    refine: converted.length === 0 ? undefined : convertedFieldFilter(definition, version, converted),
  }
}

/** The same where shards are served. A shard that cannot be read refuses the request. */
export async function shardedSelectionOf(
  context: RequestContext,
  settings: AnswerSettings,
  target: ServedResource,
  options: ListOptions,
): Promise<Selection> {
  const selection = selectionOf(context.info, target, options)
  if (settings.shards !== true || options.shardSelector === '') return selection
  const { parseShardSelector } = await import('./shard-selector.ts')
  return { ...selection, shard: parseShardSelector(options.shardSelector) }
}

function labelMatcher(selector: LabelSelector): LabelMatcher | undefined {
  if (selector.isEmpty()) return undefined
  const equalities = selector.requirements
    .filter(
      ({ operator, values }) => (operator === '=' || operator === '==' || operator === 'in') && values.length === 1,
    )
    .map(({ key, values }) => ({ key, value: values[0] ?? '' }))
  return { matches: selector.matches, equalities }
}

function fieldPredicate(fields: FieldSelector, paths: readonly string[]): ((entry: CacheEntry) => boolean) | undefined {
  if (fields.length === 0) return undefined
  const checks = fields.map(({ field, operator, value }) => {
    const position = paths.indexOf(field)
    const wanted = operator !== '!='
    const read = (entry: CacheEntry): string => {
      if (field === 'metadata.name') return entry.name
      if (field === 'metadata.namespace') return entry.namespace
      return entry.fields?.[position] ?? ''
    }
    return (entry: CacheEntry): boolean => (read(entry) === value) === wanted
  })
  return (entry) => checks.every((check) => check(entry))
}
