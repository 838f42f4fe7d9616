/** An answer that is no success, as an error. */
import type { ApiObject, RequestError } from './api.ts'

export class RequestFailure extends Error implements RequestError {
  readonly status: number
  readonly body: ApiObject

  constructor(what: string, status: number, body: ApiObject) {
    super(`${what}: ${status} ${body['message'] ?? body['text'] ?? ''}`)
    this.name = 'RequestFailure'
    this.status = status
    this.body = body
  }
}
