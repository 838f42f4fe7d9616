/**
 * Run once when the package is built: does what most processes will do first. It leaves the state that test servers start
 * with in a folder, and in this process the compiled form of every function that a start needs, for the build to keep.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer } from '../server/server.ts'
import { startTestServer } from '../testing/running-test-server.ts'
import { parseCommandLine } from './command-line.ts'
import { serve } from './serve.ts'

export async function rehearse(stateFile: string): Promise<void> {
  const bare = await startTestServer()
  // What its controllers could not do at once they do by then.
  await bare.clock.advance(1000)
  await bare.settled()
  writeFileSync(stateFile, JSON.stringify(await bare.startState()))
  await bare.close()
  const prepared = await startTestServer()
  await prepared.reset()
  await prepared.close()
  await rehearseCommand()
}

/** The command as it is started without any flag, but for where it writes and listens: on a free port. */
async function rehearseCommand(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-build-'))
  const command = parseCommandLine(['--bind-address=127.0.0.1', `--data-dir=${folder}`])
  if (command.kind !== 'serve') throw new Error('flags alone must start a server')
  const options = { ...command.options, serving: { ...command.options.serving, securePort: 0 } }
  const environment = {
    loadServer: async () => startServer,
    print: () => undefined,
    onReady: () => void process.emit('SIGTERM'),
    logOutput: { write: () => undefined },
  }
  try {
    await serve(options, environment)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
