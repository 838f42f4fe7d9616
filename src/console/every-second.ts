/** A stream that looks at something once a second, and sends what it makes of it. */
import type { RequestContext } from '../api/request-context.ts'
import { type LineStream, openStream } from './answers.ts'
import type { ConsoleServices } from './services.ts'

type Line = Parameters<LineStream['send']>[0]

const intervalMs = 1000

/** `look` is called at once and then every second; undefined sends nothing. */
export function everySecond(
  context: RequestContext,
  services: ConsoleServices,
  look: () => Line | undefined,
  closed: () => void = () => undefined,
): void {
  let cancel = (): void => undefined
  const stream = openStream(context, services, () => {
    cancel()
    closed()
  })
  const run = (): void => {
    if (!stream.isOpen) return
    const line = look()
    if (line !== undefined) stream.send(line)
    cancel = services.clock.setTimeout(run, intervalMs, { background: true })
  }
  run()
}
