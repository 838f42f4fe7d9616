/**
 * The one error that a client ever sees: a Status, thrown anywhere below a handler and written in one place. All of
 * them are made here, worded as the reference words them.
 */
import { aggregateText } from './aggregate-text.ts'
import { wellFormed } from './byte-text.ts'
import type { FieldError } from './field-error.ts'
import { quote } from './golang/quote.ts'
import { quotedText, shownText } from './golang/quoted-items.ts'
import { formatGroupResource, type GroupResource, type GroupVersionKind } from './group-version.ts'
import type { JsonObject } from './json.ts'
import { hasChange, type ReleaseChange } from './release-changes.ts'
import { errorsAtRelease } from './release-wordings.ts'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusBody {
  readonly code: number
  readonly reason?: string
  readonly message: string
  readonly details?: StatusDetails
  readonly metadata?: JsonObject
  /** `Failure` unless a webhook says otherwise. */
  readonly status?: string
}

export class ApiError extends Error {
  readonly status: StatusBody
  /** Response headers that go with the error, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the choice of a route, in which the reference knows fewer encodings than its resources do. */
  readonly isOfRoute: boolean
  /** The same error as a later release words it; absent where all say the same. */
  atRelease?: (release: number) => ApiError

  constructor(status: StatusBody, headers: Readonly<Record<string, string>> = {}, isOfRoute = false) {
    super(status.message)
    this.name = 'ApiError'
    this.status = status
    this.headers = headers
    this.isOfRoute = isOfRoute
  }

  get code(): number {
    return this.status.code
  }

  /** The same error with more headers. */
  withHeaders(headers: Readonly<Record<string, string>>): ApiError {
    return new ApiError(this.status, { ...this.headers, ...headers })
  }

  /** The same error in other words. */
  withMessage(message: string): ApiError {
    return new ApiError({ ...this.status, message }, this.headers)
  }

  /** The Status object as it goes over the wire, in wire order. */
  toStatus(): JsonObject {
    const { code, reason, message, details, metadata, status = 'Failure' } = this.status
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: metadata ?? {},
      status: wellFormed(status),
      message: shownMessage(message),
      ...(reason ? { reason } : {}),
      ...(details ? { details: statusDetails(details) } : {}),
      code,
    }
  }
}

function statusDetails(details: StatusDetails): JsonObject {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details
  return {
    ...(name ? { name: wellFormed(shownText(name)) } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes?.length ? { causes: causes.map(wellFormedCause) } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  }
}

const wellFormedCause = (cause: StatusCause): JsonObject =>
  cause.message === undefined ? { ...cause } : { ...cause, message: shownMessage(cause.message) }

/** Room for one message, in characters: what quotes values is shorter, but for a value that is nothing but escapes. */
const maxMessage = 512 * 1024

const shownMessage = (message: string): string => wellFormed(shownText(message, maxMessage))

const resourceDetails = ({ group, resource }: GroupResource, name?: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(group ? { group } : {}),
  kind: resource,
})

export const badRequest = (message: string): ApiError => new ApiError({ code: 400, reason: 'BadRequest', message })

export const unauthorized = (message = 'Unauthorized'): ApiError =>
  new ApiError({ code: 401, reason: 'Unauthorized', message })

export const forbidden = (resource: GroupResource, name: string, why: string): ApiError => {
  const what = formatGroupResource(resource)
  const message =
    what === ''
      ? `forbidden: ${why}`
      : name === ''
        ? `${what} is forbidden: ${why}`
        : `${what} ${quotedText(name)} is forbidden: ${why}`
  return new ApiError({ code: 403, reason: 'Forbidden', message, details: resourceDetails(resource, name) })
}

export const notFound = (resource: GroupResource, name: string): ApiError =>
  new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${formatGroupResource(resource)} ${quotedText(name)} not found`,
    details: resourceDetails(resource, name),
  })

/** Of a request for which there is no route, or none that can answer it. */
export const routeError = (status: StatusBody): ApiError => new ApiError(status, {}, true)

/** The answer to a path that leads to no resource of a known group. */
export const pathNotFound = (): ApiError =>
  routeError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })

export const methodNotSupported = (resource: GroupResource, action: string): ApiError =>
  new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind ${quote(formatGroupResource(resource))}`,
    details: resourceDetails(resource),
  })

export const methodNotAllowed = (): ApiError =>
  routeError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  })

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  })

export const alreadyExists = (resource: GroupResource, name: string): ApiError =>
  new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${formatGroupResource(resource)} ${quotedText(name)} already exists`,
    details: resourceDetails(resource, name),
  })

export const generatedNameTaken = (resource: GroupResource, name: string): ApiError =>
  new ApiError(
    {
      code: 409,
      reason: 'AlreadyExists',
      message: `${formatGroupResource(resource)} ${quotedText(name)} already exists, the server was not able to generate a unique name for the object`,
      details: { ...resourceDetails(resource, name), retryAfterSeconds: 1 },
    },
    { 'Retry-After': '1' },
  )

export const conflict = (resource: GroupResource, name: string, why: string): ApiError =>
  new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${quotedText(name)}: ${why}`,
    details: resourceDetails(resource, name),
  })

export const resourceExpired = (message: string): ApiError => new ApiError({ code: 410, reason: 'Expired', message })

export const requestEntityTooLarge = (message: string): ApiError =>
  new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${message}` })

export const unsupportedMediaType = (supported: readonly string[]): ApiError =>
  new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  })

/** A 422 that does not say what is wrong: a patch that does not apply. */
export const rejected = (): ApiError =>
  new ApiError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  })

/** A 422 with one cause per field error; the message joins them, a single one without brackets. */
export const invalid = (
  { group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): ApiError => {
  const what = group === '' ? kind : `${kind}.${group}`
  const fields = (all: readonly FieldError[]): StatusBody => {
    const causes = shownCauses(all)
    const texts = new Set(causes.map(({ field, message }) => `${field}: ${message}`))
    if (causes.length < all.length) texts.add('and more errors')
    return {
      code: 422,
      reason: 'Invalid',
      message: `${what} ${quotedText(name)} is invalid: ${aggregateText([...texts])}`,
      details: { ...(name ? { name } : {}), ...(group ? { group } : {}), kind, causes },
    }
  }
  const made = new ApiError(fields(errors))
  made.atRelease = (release) => new ApiError(fields(errorsAtRelease(errors, release)))
  return made
}

/** An error that is another one since a release. */
export function changedSince(change: ReleaseChange, error: ApiError, later: ApiError): ApiError {
  error.atRelease = (release) => (hasChange(release, change) ? later : error)
  return error
}

/**
 * Room for the texts of errors in an answer, in characters. The reference shows all of them, however many a body has and
 * although one error may quote the whole body: 30 KB can make 100 MB.
 */
const maxErrorText = 128 * 1024

/** The first errors, as many as there is room for, and at least one. */
function shownCauses(errors: readonly FieldError[]): Required<StatusCause>[] {
  const causes: Required<StatusCause>[] = []
  let size = 0
  for (const { reason, message, field } of errors) {
    size += message.length + field.length
    if (size > maxErrorText && causes.length > 0) break
    causes.push({ reason, message, field })
  }
  return causes
}

/** `[a, b]` for several different texts, `a` for one, as an aggregate of errors prints itself. */
export function aggregate(errors: readonly FieldError[]): string {
  return aggregateText(errors.map(({ field, message }) => `${field}: ${message}`))
}

export const tooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  new ApiError(
    { code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } },
    { 'Retry-After': String(retryAfterSeconds) },
  )

export const internalError = (why: string): ApiError =>
  new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  })

/** A 500 without a reason that a typed constructor would add: the text is all there is. */
export const unknownError = (message: string): ApiError => new ApiError({ code: 500, message })

export const serviceUnavailable = (message: string): ApiError =>
  new ApiError({ code: 503, reason: 'ServiceUnavailable', message })

export const timeout = (message: string, retryAfterSeconds = 0): ApiError =>
  new ApiError(
    {
      code: 504,
      reason: 'Timeout',
      message: `Timeout: ${message}`,
      details: retryAfterSeconds ? { retryAfterSeconds } : {},
    },
    retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {},
  )
