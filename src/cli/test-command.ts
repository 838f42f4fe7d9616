/**
 * `pilothouse test -- COMMAND`: a command with a server of its own, in memory, on a free port, gone when the command ends.
 *
 * Kept true: the command's exit code is passed on, whatever it is; signals reach the command, and the server outlives it.
 */
import { createWriteStream } from 'node:fs'
import { ConfigError } from '../config/config-error.ts'
import { parseFlags } from '../config/flags.ts'
import type { TestEndpoint } from '../testing/test-endpoint.ts'
import { servedReleases } from './release-argument.ts'
import { runCommand, SignalRelay } from './run-command.ts'
import type { Tool, ToolOutput } from './tool.ts'

const usage = `Runs a command with a server of its own: in memory, on a free port, gone when the command ends.

Usage:
  pilothouse test [--release 1.N,…] [--simulate] [--server-log FILE] [server flags] -- COMMAND [ARGUMENTS]

  --release 1.N,…    the release that the server behaves as; of several, the command is run once for each, with a server of its own
  --simulate         a cluster that lives: workload controllers, a scheduler, simulated nodes; with settings
                     --simulate=nodes=5,seed=7
  --server-log FILE  where the server's log goes; nowhere unless given
  server flags       what pilothouse serve takes, such as --feature-gates; --test-endpoint=127.0.0.1:0 opens the test
                     endpoint on a free port

The command finds in its environment:
  KUBECONFIG                the administrator's kubeconfig
  PILOTHOUSE_URL            the address of the server
  PILOTHOUSE_TOKEN          the administrator's bearer token
  PILOTHOUSE_TEST_ENDPOINT  the address of the test endpoint, if there is one
  PILOTHOUSE_RELEASE        the release, if --release was given
  USE_EXISTING_CLUSTER      true, unless it was set: envtest of controller-runtime then uses this server

Exit code: the command's, of several runs the first that is not 0; 128 and the signal's number if a signal ended it, 127 if it was not found, 126 if it cannot be
run, 1 if the server cannot be started.
`

interface Request {
  /** Empty with `--json`. */
  readonly command: readonly string[]
  readonly flags: readonly string[]
  readonly logFile: string | undefined
  /** One run each; undefined stands for the default release. */
  readonly releases: readonly (string | undefined)[]
}

interface ServerOfCommand {
  readonly environment: Readonly<Record<string, string>>
  /** What `--json` prints. */
  readonly description: object
  close(): Promise<void>
}

export const test: Tool = async (args, output) => {
  const request = readRequest(args)
  if (request === undefined) {
    output.print(usage)
    return 0
  }
  let code = 0
  for (const release of request.releases) {
    if (request.releases.length > 1) output.note(`with release ${release}:\n`)
    const ended = await runWith(request, release, output)
    if (code === 0) code = ended
  }
  return code
}

async function runWith(request: Request, release: string | undefined, output: ToolOutput): Promise<number> {
  const signals = new SignalRelay()
  const server = await startServer(request, release)
  try {
    const env = { USE_EXISTING_CLUSTER: 'true', ...process.env, ...server.environment }
    if (request.command.length === 0) return await serveUntilEnd(server, signals, output)
    return await runCommand(request.command, { env, signals, note: output.note })
  } finally {
    signals.stop()
    await server.close()
  }
}

/** Undefined: help is wanted. */
function readRequest(args: readonly string[]): Request | undefined {
  const end = args.indexOf('--')
  const given = end < 0 ? [...args] : args.slice(0, end)
  if (given.includes('--help') || given.includes('-h')) return undefined
  const command = end < 0 ? [] : args.slice(end + 1)
  const isJson = given.includes('--json')
  if (isJson && command.length > 0) throw new ConfigError('--json takes no command: it serves until its input ends')
  if (!isJson && command.length === 0) {
    throw new ConfigError('which command? Use: pilothouse test [server flags] -- COMMAND')
  }
  const flags: string[] = []
  let logFile: string | undefined
  let releases: readonly (string | undefined)[] = [undefined]
  for (let i = 0; i < given.length; i++) {
    const flag = given[i] ?? ''
    if (flag === '--json') continue
    if (flag === '--fake-node') throw new ConfigError('--fake-node gave way to --simulate')
    if (flag === '--server-log') logFile = given[++i]
    else if (flag.startsWith('--server-log=')) logFile = flag.slice('--server-log='.length)
    else if (flag === '--release' || flag.startsWith('--release=')) {
      if (releases[0] !== undefined) throw new ConfigError('--release is given once: 1.34,1.36 are two')
      releases = servedReleases(flag === '--release' ? (given[++i] ?? '') : flag.slice('--release='.length))
    } else flags.push(flag)
  }
  const { arguments: others } = parseFlags(flags)
  if (others.length > 0) throw new ConfigError(`${JSON.stringify(others[0])} is no flag: the command comes after --`)
  if (isJson && releases.length > 1) throw new ConfigError('--json serves one release')
  return { command, flags, logFile, releases }
}

async function startServer({ flags, logFile }: Request, release: string | undefined): Promise<ServerOfCommand> {
  const { startTestServer } = await import('../testing/open-test-server.ts')
  const { openTestEndpoint, parseEndpointAddress } = await import('../testing/test-endpoint.ts')
  const parsed = parseFlags(flags)
  const address = parsed.isSet('test-endpoint') ? parseEndpointAddress(parsed.string('test-endpoint')) : undefined
  const log = logFile === undefined ? undefined : createWriteStream(logFile)
  const server = await startTestServer({
    flags,
    ...(release === undefined ? {} : { release }),
    port: parsed.isSet('secure-port') ? parsed.number('secure-port') : 0,
    // Only the endpoint reports them.
    ...(address === undefined ? { maxRequests: 1 } : {}),
    ...(log === undefined ? {} : { log }),
  })
  let endpoint: TestEndpoint | undefined
  const close = async (): Promise<void> => {
    await endpoint?.close()
    await server.close()
    await new Promise<void>((resolve) => (log === undefined ? resolve() : log.end(resolve)))
  }
  try {
    if (address !== undefined) endpoint = await openTestEndpoint(server, address)
  } catch (error) {
    await close()
    throw error
  }
  const environment = {
    KUBECONFIG: server.kubeconfig().file(),
    PILOTHOUSE_URL: server.url,
    PILOTHOUSE_TOKEN: server.token,
    ...(endpoint === undefined ? {} : { PILOTHOUSE_TEST_ENDPOINT: endpoint.url }),
    ...(release === undefined ? {} : { PILOTHOUSE_RELEASE: release }),
  }
  const { url, token } = server
  const description = { url, token, kubeconfig: server.kubeconfig().yaml(), testEndpoint: endpoint?.url }
  return { environment, description, close }
}

/** A library holds the other end of the input: when it ends, however that happens, so does the server. */
async function serveUntilEnd(server: ServerOfCommand, signals: SignalRelay, output: ToolOutput): Promise<number> {
  const ended = new Promise<void>((resolve) => {
    signals.to = () => resolve()
    process.stdin
      .once('end', resolve)
      .once('error', () => resolve())
      .resume()
  })
  output.print(`${JSON.stringify(server.description)}\n`)
  if (signals.early === undefined) await ended
  return 0
}
