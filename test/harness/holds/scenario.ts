/** What a hold is measured in when it takes more than one request: a server with some state, and what is done to it. */
import type { JsonObject, JsonValue } from '../../../src/api/json.ts'
import type { Target, TargetAnswer } from '../fuzz/target.ts'

export interface Scenario {
  readonly name: string
  /** Of a server of its own; scenarios with the same ones share a server. */
  readonly flags?: readonly string[]
  /** Before the measurement; what it takes does not count. */
  readonly prepare?: (server: Caller) => Promise<void>
  /** Runs several times: it leaves the server as it found it, or makes something new each time. */
  readonly act: (server: Caller, attempt: number) => Promise<unknown>
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: JsonValue | string | Buffer
  readonly type?: string
  readonly accept?: string
  readonly as?: string
  /** Of the answer; any success unless it is told. Another one throws: a refusal is soon made, and would measure nothing. */
  readonly status?: number
  /** Any answer will do. Only to prepare and to wait, never what is measured. */
  readonly mayFail?: boolean
}

const json = 'application/json'

/** Sends requests to the handler of a server in this process. */
export class Caller {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  get port(): number {
    return this.#target.port
  }

  async call(call: Call): Promise<TargetAnswer> {
    const { path, body, type = json, accept = json, as } = call
    const { method = body === undefined ? 'GET' : 'POST' } = call
    const bytes = body === undefined ? undefined : bytesOf(body)
    const headers = {
      accept,
      ...(bytes === undefined ? {} : { 'content-type': type, 'content-length': String(bytes.length) }),
      ...(as === undefined ? {} : { 'impersonate-user': as }),
    }
    const answer = await this.#target.send({ method, path, headers, body: bytes })
    const isExpected = call.status === undefined ? answer.status < 400 : answer.status === call.status
    if (!isExpected && call.mayFail !== true)
      throw new Error(`${method} ${path} is answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`)
    return answer
  }

  async read(path: string): Promise<JsonObject> {
    return JSON.parse((await this.call({ path })).body.toString()) as JsonObject
  }

  /** Makes many objects, some at a time. */
  async fill(count: number, make: (i: number) => Call): Promise<void> {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < count) await this.call(make(next++))
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  }

  /** Asks again and again, giving way in between. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 300_000; Date.now() < end; ) {
      if (await isSo()) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`not in time: ${what}`)
  }
}

function bytesOf(body: Exclude<Call['body'], undefined>): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))

export const mapOf = (count: number, key: (i: number) => string, value: JsonValue): JsonObject =>
  Object.fromEntries(many(count, (i) => [key(i), value]))
