/** The Status that the server would send with a code, were something really wrong. */
import type { RequestInfo } from '../api/request-info.ts'
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  internalError,
  notFound,
  resourceExpired,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
} from '../api/status-error.ts'
import type { FaultSpec } from './api/faults.ts'

export function faultStatus(error: NonNullable<FaultSpec['error']>, info: RequestInfo): ApiError {
  if (typeof error === 'number') return usualStatus(error, info, 1)
  const usual = usualStatus(error.code, info, error.retryAfter ?? 1)
  const { status, headers } = usual
  const { retryAfter: seconds } = error
  return new ApiError(
    {
      ...status,
      ...(error.reason === undefined ? {} : { reason: error.reason }),
      message: error.message ?? status.message,
      ...(seconds === undefined ? {} : { details: { ...status.details, retryAfterSeconds: seconds } }),
    },
    seconds === undefined ? headers : { ...headers, 'Retry-After': String(seconds) },
  )
}

const changedMeanwhile = 'the object has been modified; please apply your changes to the latest version and try again'

function usualStatus(code: number, info: RequestInfo, retryAfter: number): ApiError {
  const { verb, name } = info
  switch (code) {
    case 400:
      return badRequest('the server rejected our request for an unknown reason')
    case 401:
      return unauthorized()
    case 403:
      return forbidden(info, name, 'refused by a test')
    case 404:
      return notFound(info, name)
    case 409:
      return verb === 'create' ? alreadyExists(info, name) : conflict(info, name, changedMeanwhile)
    case 410:
      return resourceExpired('The resourceVersion for the provided list is too old.')
    case 429:
      return tooManyRequests('Too many requests, please try again later.', retryAfter)
    case 500:
      return internalError('broken by a test')
    case 503:
      return serviceUnavailable('the server is currently unable to handle the request')
    case 504:
      return timeout('request did not complete within the allotted timeout')
    default:
      if (code >= 400 && code < 600) return new ApiError({ code, message: `broken by a test with ${code}` })
      throw new RangeError(`${code} is the code of no error`)
  }
}
