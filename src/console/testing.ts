/** `/console/v1/testing/…`: what a test may do to its server, for the person who looks at it. Only of test servers. */
import type { RequestContext } from '../api/request-context.ts'
import { ApiError } from '../api/status-error.ts'
import { answerJson } from './answers.ts'
import { answerState } from './every-second.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'

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

export function testingEndpoints(services: ConsoleServices): Endpoint[] {
  const { testing: controls } = services
  if (controls === undefined) return []
  const handle = (context: RequestContext): Promise<void> => act(context, controls)
  const methods = { GET: handle, POST: handle, DELETE: handle }
  return [
    { path: prefix, methods: { ...methods, GET: (context) => stateOf(context, services, controls) } },
    { path: `${prefix}/`, methods },
  ]
}

/** What there is to see, live: the summary with the faults and scripts themselves. */
async function stateOf(context: RequestContext, services: ConsoleServices, controls: TestingControls): Promise<void> {
  const follows = new Query(context, ['follow']).flag('follow')
  const read = (path: string): Promise<object> => controls.act({ method: 'GET', path, query: '', text: '' })
  const look = async (): Promise<object> => {
    const [summary, faults, scripts] = [await read(''), await read('/faults'), await read('/pods/scripts')]
    return follows ? { ...summary, faultList: itemsOf(faults), scripts: itemsOf(scripts) } : summary
  }
  return answerState(context, services, { type: 'TESTING', follows, look })
}

const itemsOf = (answer: object): unknown => (answer as { readonly items?: unknown }).items ?? []

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
