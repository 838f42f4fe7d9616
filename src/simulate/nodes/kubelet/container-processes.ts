/**
 * The processes of containers that read their standard input, from the first attach on. All clients that are attached see what one
 * writes and whatever writes to one; the end of a process is the end of its container.
 *
 * With `stdinOnce` the input ends with the first client that writes to it; otherwise, and on a terminal, it stays open, and a client
 * that writes no more is let go, as by container runtimes.
 */
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { containerReader } from '../script/command.ts'
import type { CommandStreams } from './command-session.ts'
import { type ReaderOptions, runReader } from './interactive-command.ts'

export interface ProcessTarget {
  readonly pod: Pod
  readonly container: Container
  /** Of the instance of the container that is meant. */
  readonly startedAt: number
}

export interface ProcessParts extends Pick<ReaderOptions, 'clock'> {
  readonly answer: (target: ProcessTarget, line: string) => ReturnType<ReaderOptions['answer']>
  /** A process has ended. */
  readonly onExit: (target: ProcessTarget, exitCode: number) => void
}

/** Of what a process wrote, for logs and for those who come later; the end of it. */
const maxOutputLength = 256 * 1024

export class ContainerProcesses {
  readonly #parts: ProcessParts
  readonly #processes = new Map<string, ContainerProcess>()

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  /** Undefined: no client was attached to this instance yet. */
  of({ pod, container, startedAt }: ProcessTarget): ContainerProcess | undefined {
    const known = this.#processes.get(keyOf(pod, container))
    return known?.startedAt === startedAt ? known : undefined
  }

  /** Undefined: the container does not read. */
  open(target: ProcessTarget): ContainerProcess | undefined {
    const known = this.of(target)
    if (known !== undefined) return known
    const { pod, container, startedAt } = target
    const reader = container.stdin === true ? containerReader(pod, container) : undefined
    if (reader === undefined) return undefined
    const { clock, answer, onExit } = this.#parts
    this.#processes.get(keyOf(pod, container))?.stop()
    const process = new ContainerProcess(target, (exitCode) => onExit(target, exitCode))
    this.#processes.set(keyOf(pod, container), process)
    const options = { clock, since: startedAt, tty: container.tty === true }
    runReader(process.streams, reader, { ...options, answer: (line) => answer(target, line) })
    return process
  }

  /** A pod is gone. */
  forget(uid: string): void {
    for (const [key, process] of this.#processes) {
      if (!key.startsWith(`${uid}/`)) continue
      process.stop()
      this.#processes.delete(key)
    }
  }
}

const keyOf = ({ metadata }: Pod, { name }: Container): string => `${metadata.uid ?? ''}/${name}`

export class ContainerProcess {
  readonly startedAt: number
  readonly #endsWithClient: boolean
  readonly #clients = new Set<CommandStreams>()
  readonly #inputs: ((chunk: Buffer | undefined) => void)[] = []
  readonly #gone: (() => void)[] = []
  /** What it has of the process's side. */
  readonly streams: CommandStreams
  #output = ''
  #hasEnded = false

  constructor({ container, startedAt }: ProcessTarget, onExit: (exitCode: number) => void) {
    this.startedAt = startedAt
    this.#endsWithClient = container.stdinOnce === true && container.tty !== true
    this.streams = {
      stdout: (chunk) => this.#write('stdout', chunk),
      stderr: (chunk) => this.#write('stderr', chunk),
      onInput: (listener) => void this.#inputs.push(listener),
      onGone: (listener) => void this.#gone.push(listener),
      exit: onExit,
    }
  }

  /** What it wrote so far. */
  get output(): string {
    return this.#output
  }

  join(client: CommandStreams, writes: boolean): void {
    this.#clients.add(client)
    client.onGone(() => {
      this.#clients.delete(client)
      if (writes) this.#end()
    })
    if (!writes) return
    client.onInput((chunk) => {
      if (chunk === undefined && !this.#endsWithClient) client.exit(0)
      else if (chunk === undefined) this.#end()
      else if (!this.#hasEnded) for (const input of this.#inputs) input(chunk)
    })
  }

  /** The container has ended in another way. */
  stop(): void {
    for (const gone of this.#gone) gone()
  }

  #end(): void {
    if (!this.#endsWithClient || this.#hasEnded) return
    this.#hasEnded = true
    for (const input of this.#inputs) input(undefined)
  }

  #write(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#output = (this.#output + chunk.toString()).slice(-maxOutputLength)
    for (const client of this.#clients) client[stream](chunk)
  }
}
