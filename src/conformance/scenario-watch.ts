/** An open watch of a scenario: the events that arrive, as lines of JSON. */

import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '../api/json.ts'
import { pushAll } from '../lib/push-all.ts'

export interface ScenarioWatch {
  readonly status: number
  readonly ended: boolean
  /** Waits for `count` more events, or for as long as `timeoutMs`, and records what came. Bookmarks are left out unless asked for. */
  take(count: number, timeoutMs?: number, options?: { readonly bookmarks?: boolean }): Promise<readonly JsonObject[]>
  close(): void
}

interface Parts {
  record(events: readonly JsonObject[]): void
  close(): void
}

export function openWatch(response: IncomingMessage, { record, close }: Parts): ScenarioWatch {
  const events: JsonObject[] = []
  let rest = ''
  let hasEnded = false
  let wake = (): void => {}
  const end = (): void => {
    hasEnded = true
    wake()
  }
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    pushAll(
      events,
      lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as JsonObject),
    )
    wake()
  })
  response.on('end', end)
  response.on('error', end)

  async function take(count: number, timeoutMs = 5000, { bookmarks = false } = {}): Promise<readonly JsonObject[]> {
    const deadline = Date.now() + timeoutMs
    const taken: JsonObject[] = []
    for (;;) {
      for (let event = events.shift(); event !== undefined; event = events.shift()) {
        if (bookmarks || event['type'] !== 'BOOKMARK') taken.push(event)
        if (taken.length >= count) break
      }
      if (taken.length >= count || hasEnded || Date.now() > deadline) break
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, Math.max(0, Math.min(50, deadline - Date.now() + 1)))
      })
    }
    record(taken)
    return taken
  }

  return {
    status: response.statusCode ?? 0,
    get ended() {
      return hasEnded
    },
    take,
    close,
  }
}
