/** An answer that is no success, as an error. */
import type { Answer, RequestError } from './api/calls.ts'
import type { ApiObject } from './api/objects.ts'

export class RequestFailure extends Error implements RequestError {
  readonly status: number
  readonly body: ApiObject
  readonly headers: RequestError['headers']
  readonly warnings: RequestError['warnings']
  readonly auditAnnotations: RequestError['auditAnnotations']

  constructor(what: string, { status, body: given, headers, warnings, auditAnnotations }: Answer<object>) {
    const body = given as ApiObject
    super(`${what}: ${status} ${body['message'] ?? body['text'] ?? ''}`)
    this.name = 'RequestFailure'
    this.status = status
    this.body = body
    this.headers = headers
    this.warnings = warnings
    this.auditAnnotations = auditAnnotations
  }
}
