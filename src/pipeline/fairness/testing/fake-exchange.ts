/** A request without a network, for tests of filters: what was answered is remembered. */
import type { Exchange } from '../../../api/exchange.ts'
import { RequestContext } from '../../../api/request-context.ts'
import { requestInfo } from '../../../api/request-info.ts'
import type { UserInfo } from '../../../api/user.ts'

export interface FakeRequest {
  readonly method?: string
  readonly path: string
  readonly query?: string
  readonly user: UserInfo
}

export interface FakeAnswer {
  status: number
  body: string
  readonly headers: Map<string, string>
}

export interface FakeCall {
  readonly context: RequestContext
  readonly answer: FakeAnswer
  /** The client goes away. */
  leave(): void
}

export function fakeCall({ method = 'GET', path, query = '', user }: FakeRequest): FakeCall {
  const answer: FakeAnswer = { status: 0, body: '', headers: new Map() }
  const gone = new AbortController()
  const ends: ((status: number, bytes: number) => void)[] = []
  const exchange = {
    method,
    path,
    query,
    headers: {},
    httpVersion: '2.0',
    peer: { remoteAddress: '127.0.0.1', certificates: () => [] },
    signal: gone.signal,
    answered: false,
    complete: false,
    addHeader: (name: string, value: string) => void answer.headers.set(name.toLowerCase(), value),
    respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string) {
      if (exchange.answered) return
      exchange.answered = true
      exchange.complete = true
      answer.status = status
      answer.body = String(body)
      for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
      for (const end of ends) end(status, answer.body.length)
    },
    onEnd: (listener: (status: number, bytes: number) => void) => void ends.push(listener),
    cut() {
      exchange.answered = true
      exchange.complete = true
      for (const end of ends) end(0, 0)
    },
  }
  const context = new RequestContext(exchange as unknown as Exchange, requestInfo({ method, path, query }), user)
  return { context, answer, leave: () => gone.abort() }
}

export const userOf = (name: string, ...groups: string[]): UserInfo => ({
  name,
  groups: [...groups, 'system:authenticated'],
  extra: new Map(),
})
