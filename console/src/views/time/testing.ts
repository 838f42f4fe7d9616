// The controls of a test server.
import { call } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import type { StreamLine } from '../../api/stream.ts'

export interface Fault {
  readonly id: string
  readonly hits: number
  readonly [member: string]: Json
}

export interface Script {
  readonly id: string
  readonly pods: Json
  readonly script: Json
}

export interface TestState extends StreamLine {
  readonly now: number
  readonly isPaused?: boolean
  readonly snapshots: readonly string[]
  readonly faults: number
  readonly faultList: readonly Fault[]
  readonly scripts: readonly Script[]
  readonly forks: readonly { readonly id: string; readonly link?: string; readonly url?: string }[]
  readonly simulated: boolean
}

/** Does something, and says that it is done. */
export type Run = (done: string, work: () => Promise<unknown>) => void

export const testingRoot = '/console/v1/testing'

export const remove = (path: string): Promise<unknown> => call(`${testingRoot}${path}`, { method: 'DELETE' })

export const post = async <T>(path: string, body: object = {}): Promise<T> =>
  (await call<T>(`${testingRoot}${path}`, { method: 'POST', body })).body
