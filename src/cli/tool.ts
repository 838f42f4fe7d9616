/** What commands other than `serve` have in common: how they read their arguments and talk to their user. */
import { parseArgs } from 'node:util'
import { ConfigError } from '../config/config-error.ts'
import { nearestNames } from '../config/nearest-names.ts'
import { StoreError } from '../store/store.ts'
import { describeFailure, isSystemError } from './failure.ts'

export interface ToolOutput {
  /** The result. */
  print(text: string): void
  /** What happens meanwhile. */
  note(text: string): void
  /** Whether `note` reaches a terminal, where a line can be written over. */
  readonly isTerminal: boolean
}

/** Resolves with the exit code. Mistakes and failures that say all there is to know are ConfigErrors. */
export type Tool = (args: readonly string[], output: ToolOutput) => Promise<number>

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string }>>
type Values<O extends Options> = { [K in keyof O]?: O[K]['type'] extends 'boolean' ? boolean : string }

export interface ToolArguments<O extends Options> {
  readonly values: Values<O>
  readonly positionals: readonly string[]
}

export function readArguments<O extends Options>(args: readonly string[], options: O): ToolArguments<O> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: { ...options }, allowPositionals: true })
    return { values: values as Values<O>, positionals }
  } catch (error) {
    throw argumentError(error, Object.keys(options))
  }
}

/** As flags of the server are refused, in place of Node's words. */
export function argumentError(error: unknown, known: readonly string[]): ConfigError {
  const { code, message } = error as NodeJS.ErrnoException
  const [, dashes, name = ''] = /'(--?)([^' ]+)/.exec(message) ?? []
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && dashes !== undefined) {
    const near = dashes === '--' ? nearestNames(name, known).map((each) => `--${each}`) : []
    return new ConfigError(
      `unknown flag: ${dashes}${name}${near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`}`,
    )
  }
  return new ConfigError(message)
}

/** Runs what may fail in the store: such a failure is reported in one line. */
export async function reportingStoreErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoreError || isSystemError(error)) throw new ConfigError(describeFailure(error))
    throw error
  }
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `12.3 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
