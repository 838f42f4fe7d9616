/** The query parameters of writes: dryRun, fieldManager, fieldValidation, force; checked as the reference checks them. */
import { textOfHeader, wellFormed } from '../api/byte-text.ts'
import { type FieldError, forbidden, notSupported, required } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { JsonObject } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { invalid } from '../api/status-error.ts'
import { validateDryRun } from '../registry/delete-options.ts'
import { isPlainManager, validateFieldManager } from '../registry/object-meta.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import { isLarge, type WriteRequest } from '../registry/write-request.ts'
import { flag } from './parameters.ts'
import type { FieldValidation } from './request-body.ts'

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly force: boolean | undefined
  /** As admission sees it. */
  readonly object: JsonObject
}

export function writeOptions(context: RequestContext, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = context.info
  if (query.isEmpty && !isApply) return plainOptions(context, kind)
  const dryRun = query.all('dryRun').filter((value) => value !== '')
  const fieldManager = wellFormed(query.get('fieldManager') ?? '')
  const fieldValidation = query.get('fieldValidation') ?? ''
  const force = flag(query, 'force')
  const errors = [
    ...(kind === 'PatchOptions' ? patchErrors(fieldManager, force, isApply) : []),
    ...validateFieldManager(fieldManager, FieldPath.of('fieldManager')),
    ...validateDryRun(dryRun),
    ...validationErrors(fieldValidation),
  ]
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager === '' ? managerOfAgent(context.header('user-agent')) : fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force,
    object: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(force === undefined ? {} : { force }),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === '' ? {} : { fieldValidation }),
    },
  }
}

/** The usual write: nothing is asked for. */
const plainOptions = (context: RequestContext, kind: OptionsKind): WriteOptions => ({
  dryRun: false,
  fieldManager: managerOfAgent(context.header('user-agent')),
  fieldValidation: 'Warn',
  force: undefined,
  object: { kind, apiVersion: 'meta.k8s.io/v1' },
})

function patchErrors(fieldManager: string, force: boolean | undefined, isApply: boolean): FieldError[] {
  if (!isApply) return force === undefined ? [] : [forbidden('force', 'may not be specified for non-apply patch')]
  return fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []
}

function validationErrors(value: string): FieldError[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return []
  return [notSupported('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn'])]
}

/**
 * Without a name of its own a manager is called by the first word of its user agent: what of it can be printed, as many
 * whole characters as fit. Mirrors apiserver/pkg/endpoints/handlers: prefixFromUserAgent.
 */
function managerOfAgent(agent = ''): string {
  const slash = agent.indexOf('/')
  const octets = slash < 0 ? agent : agent.slice(0, slash)
  if (isPlainManager(octets)) return octets
  let name = ''
  for (const char of wellFormed(textOfHeader(octets))) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) continue
    if (Buffer.byteLength(name + char) > maxManagerBytes) break
    name += char
  }
  return name
}

const maxManagerBytes = 128

/** The facts of this write for the registry. */
export function writeRequest(
  context: RequestContext,
  { registry, version }: ServedResource,
  options: Pick<WriteOptions, 'dryRun' | 'fieldManager' | 'object'>,
  { applies = false }: { applies?: boolean } = {},
): WriteRequest {
  const { info, user } = context
  return {
    version,
    namespace: registry.definition.namespaced ? info.namespace : '',
    name: info.name,
    subresource: info.subresource,
    user,
    verb: info.verb,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    applies,
    options: options.object,
    warn: (text) => context.warn(text),
    annotate: (...annotation) => context.annotateAdmission(...annotation),
    waited: (what, ms) => context.waited(what, ms),
    isLarge: isLarge(context.bodyBytes),
  }
}
