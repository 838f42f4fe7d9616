/** The command `pilothouse`. What goes wrong outside of the program is one plain line (`failure.ts`); a bug shows its stack. */
import type { ServerOptions } from '../config/server-options.ts'
import { lowerTierUpThreshold } from '../engine/engine-flags.ts'
import { workerVariable } from '../workers/worker-variable.ts'
import { parseCommandLine } from './command-line.ts'
import { describeFailure } from './failure.ts'
import { keepHeapSmall } from './keep-heap-small.ts'
import { loadServer } from './load-server.ts'
import { openLog, serve } from './serve.ts'
import { tools } from './tools.ts'
import { settleOrFail } from './unfinished-run.ts'

export interface MainHooks {
  /** Called when a server of this process has started. */
  onServing?(): void
}

/** A reader that went away, such as `head`, is no reason to stop serving. */
process.stdout.on('error', () => {})

/** Tools that write what a server keeps. Others start programs of the user, or write what the user asked for. */
const stateTools: ReadonlySet<string> = new Set(['snapshot', 'copy'])

/** Ends the process, unless it may end by itself, once all is printed. */
export function main(hooks: MainHooks = {}): void {
  settleOrFail(run(hooks)).then(
    (code) => code !== undefined && process.exit(code),
    (error: unknown) => {
      process.stderr.write(`Error: ${describeFailure(error, process.argv.slice(2))}\n`)
      process.exit(1)
    },
  )
}

/** Resolves with the exit code; undefined when the process may end by itself. */
async function run({ onServing }: MainHooks): Promise<number | undefined> {
  const command = parseCommandLine(await givenArguments())
  const print = (text: string): void => void process.stdout.write(text)
  // What Node itself writes, such as dumps of the heap and profiles, is for the owner alone, too.
  const writesState = command.kind === 'serve' || (command.kind === 'tool' && stateTools.has(command.name))
  if (writesState) process.umask(0o077)
  if (command.kind === 'tool') {
    const code = await runTool(command.name, command.args)
    if (command.name === 'test') onServing?.()
    return code
  }
  if (command.kind === 'serve') {
    const onReady = (): void => {
      lowerTierUpThreshold()
      keepHeapSmall()
      onServing?.()
    }
    const number = process.env[workerVariable]
    if (number !== undefined) return work(command.options, number, onReady)
    const options = withConsole(command.options)
    return serve(options, { loadServer: () => loadServer(options), print, onReady })
  }
  print(command.text)
  return undefined
}

/** A server that a person looks at has a console, unless a flag says otherwise, or it is one of several processes. */
function withConsole(options: ServerOptions): ServerOptions {
  const isSeen = process.stdout.isTTY === true && options.serving.requestWorkers === 1
  const isOn = options.console.isGiven ? options.console.isOn : isSeen
  return { ...options, console: { ...options.console, isOn } }
}

/**
 * One of several processes of a server, started by the first. What this one starts is none. A worker whose primary was killed before the worker got
 * here must not become a server of its own: that would start workers, fail over the folder that is in use, leave them as orphans, and so on.
 */
async function work(options: ServerOptions, number: string, onReady: () => void): Promise<number> {
  delete process.env[workerVariable]
  if (!process.connected) {
    process.stderr.write(
      `pilothouse: ${workerVariable} is set, which is for request workers, and the server that they belong to is gone\n`,
    )
    return 1
  }
  const { runWorker } = await import('../workers/worker.ts')
  const logger = openLog(options).child({ worker: Number(number) })
  await runWorker(options, { logger, loadServer: () => loadServer(options), onReady })
  return 0
}

/** As the user gave them, or as envtest gave them to the program that stands in for kube-apiserver. */
async function givenArguments(): Promise<readonly string[]> {
  const [command, program, ...rest] = process.argv.slice(2)
  if (command !== 'envtest' || program !== 'kube-apiserver') return process.argv.slice(2)
  return (await import('./envtest/kube-apiserver.ts')).serverArguments(rest)
}

async function runTool(name: string, args: readonly string[]): Promise<number> {
  const tool = await tools[name]?.load()
  const print = (text: string): void => void process.stdout.write(text)
  const note = (text: string): void => void process.stderr.write(text)
  return tool === undefined ? 1 : tool(args, { print, note, isTerminal: process.stderr.isTTY === true })
}
