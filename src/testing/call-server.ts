/** A request to the server in this process, past the wire. */
import { callLocally } from '../http/local-exchange.ts'
import type { Answer } from './api/calls.ts'
import type { ApiObject } from './api/objects.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly token: string
}

export async function callServer<T extends object>(
  handle: Parameters<typeof callLocally>[1],
  { method, path, body, headers = {}, token }: Call,
): Promise<Answer<T>> {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const answer = await callLocally(
    {
      method,
      path,
      headers: {
        accept: 'application/json',
        'user-agent': 'pilothouse-testing',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...lower,
        authorization: `Bearer ${token}`,
      },
      body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    },
    handle,
  )
  return { ...answer, body: readAnswer(answer.body) as T }
}

function readAnswer(body: Buffer): ApiObject {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as ApiObject
  } catch {
    return { text }
  }
}
