// The controls of a test server.
import { call } from '../../api/http.ts'

export interface TestState {
  readonly now: number
  readonly isPaused?: boolean
  readonly snapshots: readonly string[]
  readonly faults: number
  readonly forks: readonly { readonly id: string; readonly link?: string; readonly url?: string }[]
  readonly simulated: boolean
}

export const testingRoot = '/console/v1/testing'

export const post = async <T>(path: string, body: object = {}): Promise<T> =>
  (await call<T>(`${testingRoot}${path}`, { method: 'POST', body })).body
