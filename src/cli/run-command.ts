/** Runs a command of the user in the foreground: its exit code is passed on, whatever it is, and signals reach it. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

export interface CommandContext {
  readonly env: NodeJS.ProcessEnv
  /** Set up before anything is started that a signal must not leave behind. */
  readonly signals: SignalRelay
  note(text: string): void
}

/** Resolves with the exit code: 127 if the command was not found, 126 if it cannot be run. */
export async function runCommand(command: readonly string[], { env, signals, note }: CommandContext): Promise<number> {
  if (signals.early !== undefined) return codeOfSignal(signals.early)
  const [file = '', ...args] = command
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(file, args, { env, stdio: 'inherit' })
      signals.to = (signal) => void child.kill(signal)
      child.once('error', reject)
      child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : codeOfSignal(signal)))
    })
  } catch (error) {
    note(`Error: cannot run ${file}: ${(error as Error).message}\n`)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 127 : 126
  }
}

/** As shells report it. */
const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

const relayed = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** A terminal sends these to all processes in front of it: the command has its own already. */
const ofTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Passes signals on, so that the command decides what becomes of them. */
export class SignalRelay {
  /** The first one that came before there was a command. */
  early: NodeJS.Signals | undefined
  to: ((signal: NodeJS.Signals) => void) | undefined

  constructor() {
    for (const signal of relayed) process.on(signal, this.#pass)
  }

  #pass = (signal: NodeJS.Signals): void => {
    if (this.to === undefined) this.early ??= signal
    else if (!process.stdin.isTTY || !ofTerminal.includes(signal)) this.to(signal)
  }

  stop(): void {
    for (const signal of relayed) process.off(signal, this.#pass)
  }
}
