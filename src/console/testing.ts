/** `/console/v1/testing/…`: what a test may do to its server, for the person who looks at it. Only of test servers. */
import type { RequestContext } from '../api/request-context.ts'
import { ApiError } from '../api/status-error.ts'
import { answerJson } from './answers.ts'
import type { Endpoint } from './services.ts'

/** What the testing library does for the console. */
export interface TestingControls {
  /** The answer to a request below `/console/v1/testing`; rejects with a `ControlError` for what cannot be done. */
  act(request: ControlRequest): Promise<object>
}

export interface ControlRequest {
  readonly method: string
  /** `/clock/advance`; empty for the summary. */
  readonly path: string
  /** As sent. */
  readonly query: string
  readonly text: string
}

/** Something that cannot be done, with the status that says so. */
export interface ControlFailure extends Error {
  readonly status: number
}

const maxBodyBytes = 3 * 1024 * 1024
const prefix = '/console/v1/testing'

export function testingEndpoints(controls: TestingControls | undefined): Endpoint[] {
  if (controls === undefined) return []
  const handle = (context: RequestContext): Promise<void> => act(context, controls)
  const methods = { GET: handle, POST: handle, DELETE: handle }
  return [
    { path: prefix, methods },
    { path: `${prefix}/`, methods },
  ]
}

async function act(context: RequestContext, controls: TestingControls): Promise<void> {
  const { exchange, info } = context
  const text = exchange.method === 'GET' ? '' : (await exchange.readBody(maxBodyBytes)).toString('utf8')
  const path = info.path.slice(prefix.length)
  try {
    answerJson(context, await controls.act({ method: exchange.method, path, query: exchange.query, text }))
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error)) throw error
    const { status = 400 } = error as Partial<ControlFailure>
    const reason = status === 404 ? 'NotFound' : 'BadRequest'
    throw new ApiError({ code: status, reason, message: error.message })
  }
}
