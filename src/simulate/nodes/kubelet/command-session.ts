/** One exec or attach, over whatever carries its streams. */
import type { Clock } from '../../../lib/clock.ts'

/** The streams of a command, as a connection has them. */
export interface CommandStreams {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
  /** What the client writes; the end comes as undefined. */
  onInput(listener: (chunk: Buffer | undefined) => void): void
  /** The client has gone. */
  onGone(listener: () => void): void
  /** Ends the command, and the connection with it. */
  exit(exitCode: number): void
}

export interface CommandStatus {
  readonly metadata: Record<string, never>
  readonly status: 'Success' | 'Failure'
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly causes: readonly { readonly reason: string; readonly message: string }[] }
}

/** Mirrors pkg/kubelet: the Status that a kubelet writes at the end of a command. */
export function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

/** Writes, and ends with the exit code after a while, unless the client goes before. */
export function runAnswer(
  streams: CommandStreams,
  clock: Clock,
  answer: { readonly stdout: string; readonly stderr: string; readonly exitCode: number; readonly ms: number },
): void {
  if (answer.stdout !== '') streams.stdout(Buffer.from(answer.stdout))
  if (answer.stderr !== '') streams.stderr(Buffer.from(answer.stderr))
  const end = (): void => streams.exit(answer.exitCode)
  if (answer.ms === 0) {
    end()
    return
  }
  if (answer.ms === Number.POSITIVE_INFINITY) return
  streams.onGone(clock.setTimeout(end, answer.ms))
}

const maxInputBytes = 2 << 20

/** All that the client writes, to its end. Undefined: it is too much. */
export function wholeInput(streams: CommandStreams, done: (input: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  streams.onInput((chunk) => {
    if (chunk === undefined) {
      done(length > maxInputBytes ? undefined : Buffer.concat(chunks))
      return
    }
    length += chunk.length
    if (length <= maxInputBytes) chunks.push(chunk)
  })
}
