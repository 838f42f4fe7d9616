/**
 * Structured logs: one JSON object a line, or lines for people where the output is a terminal. Loggers are handed
 * down, never global; a part of the server takes a child that carries its name.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type { Logger }

export interface LoggerSettings {
  /** `people` writes coloured lines, `json` one object a line. */
  readonly format: 'people' | 'json'
  /** 0 logs what matters, 2 and above what happens, 4 and above details. */
  readonly verbosity: number
  /** Standard error unless given. */
  readonly output?: DestinationStream
}

export function createLogger({ format, verbosity, output }: LoggerSettings): Logger {
  const target = output ?? destination({ fd: 2, sync: true })
  return pino(
    { base: null, level: levelOf(verbosity) },
    format === 'people' ? { write: (line: string) => target.write(formatForPeople(line)) } : target,
  )
}

export interface LogBuffer {
  /** What is held at most; 0 for nothing. */
  readonly bytes: number
  /** How long it is held at most, in milliseconds. */
  readonly flushMs: number
}

/** An output that can be told to write what it holds. */
export interface FlushableOutput extends DestinationStream {
  flush(): void
}

/** Errors to standard error at once, everything else to standard output, buffered if asked for. */
export function standardOutputs({ bytes, flushMs }: LogBuffer): FlushableOutput {
  const others = destination({ fd: 1, sync: true, minLength: bytes, ...(bytes > 0 ? { periodicFlush: flushMs } : {}) })
  return { ...splitOutput(destination({ fd: 2, sync: true }), others), flush: () => others.flushSync() }
}

/** Errors to one output, everything else to another. */
export function splitOutput(errors: DestinationStream, others: DestinationStream): DestinationStream {
  return {
    write: (line) => (isError(line) ? errors : others).write(line),
  }
}

/** Every line begins with its level, as the library writes it, or as it is written for people. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const isError = (line: string): boolean => /^\{"level":[56]0\b/.test(line) || /^\S+ \u001b\[(?:31|41)m/.test(line)

const levelOf = (verbosity: number): string => (verbosity >= 4 ? 'trace' : verbosity >= 2 ? 'debug' : 'info')

export const isVerbosity = (text: string): boolean => /^[+-]?\d{1,9}$/.test(text)

/** Changes how much is logged from now on; a silent logger stays silent. */
export function setVerbosity(logger: Logger, verbosity: number): void {
  if (logger.level !== 'silent') logger.level = levelOf(verbosity)
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' })
}

const levels: Readonly<Record<number, string>> = {
  10: '\u001b[90mtrace\u001b[0m',
  20: '\u001b[90mdebug\u001b[0m',
  30: '\u001b[32minfo \u001b[0m',
  40: '\u001b[33mwarn \u001b[0m',
  50: '\u001b[31merror\u001b[0m',
  60: '\u001b[41mfatal\u001b[0m',
}

/** `12:34:56.789 info  message  key=value …`, and the stack of an error below it. */
export function formatForPeople(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = new Date(Number(time)).toISOString().slice(11, 23)
  const facts = Object.entries(rest).map(([key, value]) => ` \u001b[90m${key}=\u001b[0m${formatFact(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : ''
  return `\u001b[90m${clock}\u001b[0m ${levels[Number(level)] ?? level} ${String(msg ?? '')}${facts.join('')}${stack}\n`
}

function formatFact(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)
}
