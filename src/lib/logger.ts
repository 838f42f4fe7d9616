/**
 * Structured logs: one JSON object a line, or lines for people where the output is a terminal. Loggers are handed
 * down, never global; a part of the server takes a child that carries its name.
 */
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdSerializers } from 'pino'
import { withSourceLines } from './stack-map.ts'

/** `request` lies between `debug` and `trace`: one line for every request. */
export type Logger = PinoLogger<'request'>

const customLevels = { request: 15 }
const serializers = { err: (error: unknown) => stdSerializers.err(withSourceLines(error) as Error) }

export interface LoggerSettings {
  /** `text` writes lines for people, `coloured` the same with colours, `json` one object a line. */
  readonly format: 'text' | 'coloured' | 'json'
  /** 0 logs what matters, 2 and above what happens, 3 and above every request, 4 and above details. */
  readonly verbosity: number
  /** Standard error unless given. */
  readonly output?: DestinationStream
}

export function createLogger({ format, verbosity, output }: LoggerSettings): Logger {
  const target = output ?? destination({ fd: 2, sync: true })
  const options = { base: null, customLevels, serializers, level: levelOf(verbosity) }
  if (format === 'json') return pino(options, target)
  const isColoured = format === 'coloured'
  return pino(options, { write: (line: string) => target.write(formatForPeople(line, isColoured)) })
}

export interface LogBuffer {
  /** What is held at most; 0 for nothing. */
  readonly bytes: number
  /** How long it is held at most, in milliseconds. */
  readonly flushMs: number
}

/** An output that can be flushed. */
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
const isError = (line: string): boolean => /^\{"level":[56]0\b|^\S+ (?:\u001b\[(?:31|41)m)?(?:error|fatal)/.test(line)

function levelOf(verbosity: number): 'trace' | 'request' | 'debug' | 'info' {
  if (verbosity >= 4) return 'trace'
  if (verbosity === 3) return 'request'
  return verbosity >= 2 ? 'debug' : 'info'
}

export const isVerbosity = (text: string): boolean => /^[+-]?\d{1,9}$/.test(text)

/** Changes how much is logged from now on; a silent logger stays silent. */
export function setVerbosity(logger: Logger, verbosity: number): void {
  if (logger.level !== 'silent') logger.level = levelOf(verbosity)
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ customLevels, level: 'silent' })
}

const levels: Readonly<Record<number, readonly [word: string, colour: number]>> = {
  10: ['trace', 90],
  15: ['http ', 36],
  20: ['debug', 90],
  30: ['info ', 32],
  40: ['warn ', 33],
  50: ['error', 31],
  60: ['fatal', 41],
}

/** `12:34:56.789 info  message  key=value …`, and the stack of an error below it. */
export function formatForPeople(line: string, isColoured: boolean): string {
  const paint = isColoured ? coloured : plain
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = paint(90, new Date(Number(time)).toISOString().slice(11, 23))
  const [word, colour] = levels[Number(level)] ?? [String(level), 90]
  const facts = Object.entries(rest).map(([key, value]) => ` ${paint(90, `${key}=`)}${formatFact(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : ''
  return `${clock} ${paint(colour, word)} ${String(msg ?? '')}${facts.join('')}${stack}\n`
}

const coloured = (colour: number, text: string): string => `\u001b[${colour}m${text}\u001b[0m`
const plain = (_: number, text: string): string => text

function formatFact(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)
}
