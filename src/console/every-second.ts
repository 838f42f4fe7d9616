/** Streams that look at something once a second, and send what they make of it. */
import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { answerJson, type LineStream, openStream } from './answers.ts'
import type { ConsoleServices } from './services.ts'

type Line = Parameters<LineStream['send']>[0]

const intervalMs = 1000

/** `look` is called at once and then every second; undefined sends nothing. What it throws ends the stream. */
export function streamEverySecond(
  context: RequestContext,
  services: ConsoleServices,
  look: () => Awaitable<Line | undefined>,
  closed: () => void = () => undefined,
): void {
  let cancel = (): void => undefined
  const stream = openStream(context, services, () => {
    cancel()
    closed()
  })
  const run = async (): Promise<void> => {
    if (!stream.isOpen) return
    try {
      const line = await look()
      if (line !== undefined) stream.send(line)
    } catch {
      // The next opening answers with the reason.
      stream.end('failed')
      return
    }
    if (stream.isOpen) cancel = services.clock.setTimeout(() => void run(), intervalMs, { background: true })
  }
  void run()
}

export interface SampledState {
  /** The `type` of its lines. */
  readonly type: string
  look(): Awaitable<object>
  /** Says that nothing can have changed since it said the same. */
  stamp?(): string | number
}

/** The state as a document; or, followed, a line of it now and one whenever it has changed. */
export async function answerState(
  context: RequestContext,
  services: ConsoleServices,
  { type, look, stamp, follows }: SampledState & { readonly follows: boolean },
): Promise<void> {
  let stamped = stamp?.()
  const first = await look()
  if (!follows) {
    answerJson(context, first)
    return
  }
  let waiting: object | undefined = first
  let sent = ''
  streamEverySecond(context, services, async () => {
    const now = stamp?.()
    if (waiting === undefined && now !== undefined && now === stamped) return undefined
    // The first state keeps the stamp from before it was looked at: what has changed since is seen next time.
    if (waiting === undefined) stamped = now
    const state = waiting ?? (await look())
    waiting = undefined
    const text = JSON.stringify(state, plainInteger)
    if (text === sent) return undefined
    sent = text
    return { type, ...state }
  })
}

/** Objects of the API may have integers that JSON.stringify refuses. */
const plainInteger = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
