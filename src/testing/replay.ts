/** Requests as a file, one JSON object a line, and their replay: what was sent once can be sent again, to another state or server. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { RecordedRequest, Replayed, ReplayOptions, SavedRequest } from './api/requests.ts'
import type { TestServer } from './api/server.ts'
import type { TestUser } from './api/users.ts'

export function savedRequest(request: RecordedRequest): SavedRequest {
  const { method, path, query, time, status, user, groups, userAgent, headers, body } = request
  const type = headers['content-type']
  return {
    time,
    method,
    path: query === '' ? path : `${path}?${query}`,
    user,
    groups: [...groups],
    userAgent,
    status,
    ...(typeof type === 'string' && body !== undefined ? { contentType: plainType(type) } : {}),
    ...(body === undefined || Buffer.isBuffer(body) ? {} : { body }),
  }
}

/** Bodies are saved as data, whatever their encoding was. */
function plainType(type: string): string {
  if (type.includes('apply-patch')) return 'application/apply-patch+yaml'
  return type.includes('patch') ? type : 'application/json'
}

export function saveRequests(file: string, requests: readonly SavedRequest[]): void {
  writeFileSync(file, requests.map((request) => `${JSON.stringify(request)}\n`).join(''), { mode: 0o600 })
}

export function readRequests(file: string): SavedRequest[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line) as SavedRequest]
    } catch (error) {
      throw new Error(`${file}, line ${i + 1}: ${(error as Error).message}`)
    }
  })
}

type ReplayServer = Pick<TestServer, 'send' | 'user' | 'clock'>

/** One after the other, each as its own user; watches and other streams are left out. */
export async function replay(
  server: ReplayServer,
  requests: readonly SavedRequest[],
  { timing = 'at once' }: ReplayOptions,
): Promise<Replayed[]> {
  const users = new Map<string, TestUser>()
  const found: Replayed[] = []
  let last = requests[0]?.time ?? 0
  for (const request of requests) {
    if (/[?&]watch=(1|true)\b|\/watch\//.test(request.path)) continue
    if (timing === 'recorded') await server.clock.advance(Math.max(request.time - last, 0))
    last = request.time
    const key = JSON.stringify([request.user, request.groups])
    const user = users.get(key) ?? server.user(request.user, request.groups)
    users.set(key, user)
    const { status, body } = await server.send(request.method, request.path, request.body, {
      user,
      headers: {
        'user-agent': request.userAgent,
        ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
      },
    })
    found.push({ request, status, isSame: status === request.status, body })
  }
  return found
}
