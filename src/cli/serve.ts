/**
 * `pilothouse serve`: from options to a running server, and from the first signal to a clean end. The first SIGTERM or
 * SIGINT lets the server finish; a second one ends the process at once.
 */
import type { UserInfo } from '../api/user.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger, type Logger, type LoggerSettings, standardOutputs } from '../lib/logger.ts'
import { closeDataFolder, loadCredentials, type ServerCredentials, writeAdminKubeconfig } from '../pki/data-folder.ts'
import type { StartServer } from '../server/running-server.ts'
import type { Primary } from '../workers/primary.ts'

export interface ServeEnvironment {
  /** Loaded on demand: parsing flags and showing help need none of it. */
  loadServer(): Promise<StartServer>
  print(text: string): void
  /** Called once, when the server is ready. */
  onReady?(): void
  /** Where the log goes; standard error unless given. */
  readonly logOutput?: LoggerSettings['output']
}

/** Where the log goes, as the options say. */
export function openLog(options: ServerOptions, given?: LoggerSettings['output']): Logger {
  const { verbosity, splitStream, infoBufferBytes, flushMs } = options.logging
  const outputs = splitStream ? standardOutputs({ bytes: infoBufferBytes, flushMs }) : undefined
  // What is buffered is written however the process ends.
  if (outputs !== undefined) process.once('exit', () => outputs.flush())
  const output = given ?? outputs
  return createLogger({ format: logFormat(options), verbosity, ...(output && { output }) })
}

/** Resolves with the exit code once the server has ended. */
export async function serve(options: ServerOptions, environment: ServeEnvironment): Promise<number> {
  const logger = openLog(options, environment.logOutput)
  for (const warning of options.warnings) logger.warn(warning)
  for (const warning of closeDataFolder(options)) logger.warn(warning)
  const asked = stopSignal(logger)
  const credentials = loadCredentials(options, systemClock)
  const primary = await startPrimary(options, logger, credentials)
  const startServer = await environment.loadServer()
  const server = await startServer(options, { logger, credentials, clock: systemClock, role: primary?.role })
  const kubeconfig = writeAdminKubeconfig(options, credentials)
  // A signal before readiness stops the server without a ready line.
  const ready = server.ready.then(() => primary?.serverReady())
  const state = await Promise.race([ready.then(() => 'ready' as const), asked])
  if (state === 'ready') {
    const link = await server.consoleLink?.(administrator)
    environment.print(announcement(options, server.addresses, { kubeconfig, console: link?.url }))
    environment.onReady?.()
  }
  const signal = await asked
  logger.info({ signal }, 'stopping')
  await server.close()
  logger.info('stopped')
  return 0
}

/** What starts other processes is loaded only where there are any. */
async function startPrimary(
  options: ServerOptions,
  logger: Logger,
  credentials: ServerCredentials,
): Promise<Primary | undefined> {
  if (options.serving.requestWorkers === 1) return undefined
  const loaded = await import('../workers/primary.ts')
  return new loaded.Primary({ options, logger, clock: systemClock, credentials: () => credentials })
}

/** As the certificate of the admin kubeconfig names it. */
const administrator: UserInfo = { name: 'admin', groups: ['system:masters'], extra: new Map() }

interface Places {
  readonly kubeconfig: string
  /** Undefined: there is none. */
  readonly console: string | undefined
}

/** In the form of the log: text for people, or one JSON object. */
function announcement(options: ServerOptions, addresses: readonly string[], places: Places): string {
  const { kubeconfig, console } = places
  const ready = `Pilothouse is ready on ${addresses.join(' and ')}`
  if (logFormat(options) === 'json') {
    return `${JSON.stringify({ level: 30, time: Date.now(), addresses, kubeconfig, console, msg: ready })}\n`
  }
  return `${ready}

    export KUBECONFIG=${shellQuote(kubeconfig)} && kubectl get namespaces
${
  console === undefined
    ? ''
    : `
    ${console}  (the console; good once, for two minutes: pilothouse console makes another link)
`
}
`
}

function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Text on a terminal and where it is asked for, otherwise JSON, for whatever collects logs. */
function logFormat({ logging: { format, isFormatGiven } }: ServerOptions): LoggerSettings['format'] {
  if (format === 'json') return 'json'
  if (process.stderr.isTTY) return 'coloured'
  return isFormatGiven ? 'text' : 'json'
}

function stopSignal(logger: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let seen = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (seen) {
        logger.warn({ signal }, 'ending at once')
        process.exit(1)
      }
      seen = true
      resolve(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
