/** What the reference makes of another server's failure: one reason and one text for each status. */
import { quote } from './golang/quote.ts'

interface Words {
  readonly reason: string
  /** Absent: the other server's own words. */
  readonly message?: string
}

const statuses: Readonly<Record<number, Words>> = {
  400: { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' },
  403: { reason: 'Forbidden' },
  404: { reason: 'NotFound', message: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
  406: {
    reason: 'NotAcceptable',
    message: 'the server was unable to respond with a content type that the client supports',
  },
  409: { reason: 'Conflict', message: 'the server reported a conflict' },
  415: { reason: 'UnsupportedMediaType' },
  422: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  429: {
    reason: 'TooManyRequests',
    message: 'the server has received too many requests and has asked us to try again later',
  },
  503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
}

export interface ServerFailure {
  readonly reason: string
  readonly message: string
}

/** `said` is what the other server sent, as `textOfBytes` has it: quoted, bytes that are no text are told apart. */
export function serverFailure(status: number, said: string): ServerFailure {
  const known = statuses[status]
  if (known !== undefined) {
    const isTold = known.message === undefined || (status === 406 && said !== '' && said !== 'unknown')
    return {
      reason: known.reason,
      message: isTold ? said.replaceAll(/\p{Surrogate}/gu, '\ufffd') : (known.message ?? said),
    }
  }
  return status >= 500
    ? {
        reason: 'InternalError',
        message: `an error on the server (${quote(said)}) has prevented the request from succeeding`,
      }
    : {
        reason: '',
        message: `the server responded with the status code ${status} but did not return more information`,
      }
}
