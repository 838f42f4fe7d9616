// Waits for a change of a collection that was listed before.
import { tryConnection } from '../lib/connections.ts'
import { jsonLines } from '../lib/json-lines.ts'
import { open } from './http.ts'
import { eventMetadata } from './objects.ts'

export interface Listed {
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly resourceVersion: string
}

/** Without a watch the collection may have changed by then. */
const pollMs = 5000

/** Resolves at the first event, when the watch is over, or after some seconds where there can be no watch. */
export async function changed({ path, query, resourceVersion }: Listed, signal: AbortSignal): Promise<void> {
  const release = tryConnection()
  if (release === undefined) return delay(signal)
  try {
    const answer = await open(path, {
      query: { ...query, resourceVersion, watch: 'true' },
      accept: eventMetadata,
      signal,
    })
    for await (const _ of jsonLines(answer.body as ReadableStream<Uint8Array>)) return
  } catch {
    // Whatever refused the watch, or cut it, a list later on says more.
    await delay(signal)
  } finally {
    release()
  }
}

const delay = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, pollMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
