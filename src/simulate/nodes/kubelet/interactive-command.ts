/**
 * Commands of a simulated container that read what the client writes: `cat`, scripts, and a shell that runs a line at a time. On a terminal the
 * shell echoes, prompts, and knows Backspace, Ctrl-C and Ctrl-D. Bounds: a line of 16 KiB, 1,000 lines that wait.
 */
import type { Clock } from '../../../lib/clock.ts'
import type { Reader } from '../script/command.ts'
import type { CommandStreams } from './command-session.ts'
import type { Executed } from './exec-answer.ts'
import { runReadingScript } from './reading-script.ts'

const maxLineLength = 16 * 1024
const maxLines = 1000

export interface ReaderOptions extends ShellOptions {
  readonly clock: Pick<Clock, 'setTimeout' | 'now'>
  /** When the command began. */
  readonly since: number
}

export function runReader(streams: CommandStreams, reader: Reader, options: ReaderOptions): void {
  switch (reader.kind) {
    case 'cat':
      runCat(streams)
      break
    case 'shell':
      runShell(streams, options)
      break
    case 'script':
      runReadingScript(streams, { ...options, life: reader.life })
  }
}

export function runCat(streams: CommandStreams): void {
  streams.onInput((chunk) => {
    if (chunk === undefined) streams.exit(0)
    else streams.stdout(chunk)
  })
}

export interface ShellOptions {
  readonly clock: Pick<Clock, 'setTimeout'>
  readonly tty: boolean
  /** What a line does. */
  readonly answer: (line: string) => Executed
}

export function runShell(streams: CommandStreams, options: ShellOptions): void {
  const shell = new LineShell(streams, options)
  streams.onInput((chunk) => shell.take(chunk))
}

class LineShell {
  readonly #streams: CommandStreams
  readonly #options: ShellOptions
  readonly #lines: string[] = []
  #typed = ''
  /** What is written leaves once a chunk of input, not once a character. */
  #output = ''
  #exitCode = 0
  #hasEnded = false
  #isFinished = false
  /** Ends the command that runs; undefined: none does. */
  #cancel: (() => void) | undefined

  constructor(streams: CommandStreams, options: ShellOptions) {
    this.#streams = streams
    this.#options = options
    streams.onGone(() => {
      this.#isFinished = true
      this.#cancel?.()
    })
    this.#prompt()
    this.#flush()
  }

  /** Undefined: the client writes no more. */
  take(chunk: Buffer | undefined): void {
    if (chunk === undefined) {
      if (this.#typed !== '') this.#enter()
      this.#hasEnded = true
    } else for (const character of chunk.toString()) this.#type(character)
    this.#next()
    this.#flush()
  }

  #type(character: string): void {
    const { tty } = this.#options
    if (character === '\n' || (tty && character === '\r')) this.#enter()
    else if (!tty) this.#append(character)
    else if (character === '\u0003') this.#interrupt()
    else if (character === '\u0004') this.#hasEnded ||= this.#typed === ''
    else if (character === '\u007f') this.#erase()
    else if (character >= ' ') this.#append(character)
  }

  #append(character: string): void {
    if (this.#typed.length >= maxLineLength) return
    this.#typed += character
    if (this.#options.tty) this.#write(character)
  }

  #erase(): void {
    if (this.#typed === '') return
    const isPair = (this.#typed.codePointAt(this.#typed.length - 2) ?? 0) > 0xffff
    this.#typed = this.#typed.slice(0, isPair ? -2 : -1)
    this.#write('\b \b')
  }

  #enter(): void {
    if (this.#options.tty) this.#write('\n')
    if (this.#lines.length < maxLines) this.#lines.push(this.#typed)
    this.#typed = ''
  }

  /** What runs ends, and what was typed is dropped. */
  #interrupt(): void {
    this.#write('^C\n')
    this.#typed = ''
    this.#lines.length = 0
    this.#exitCode = 130
    const cancel = this.#cancel
    this.#cancel = undefined
    cancel?.()
    this.#prompt()
  }

  #next(): void {
    while (!this.#isFinished && this.#cancel === undefined) {
      const line = this.#lines.shift()
      if (line !== undefined) this.#run(line.trim())
      else {
        if (this.#hasEnded) this.#finish()
        return
      }
    }
  }

  #run(line: string): void {
    if (line === '') {
      this.#prompt()
      return
    }
    const { stdout, stderr, exitCode, ms } = this.#options.answer(line)
    this.#write(stdout)
    if (stderr !== '') {
      this.#flush()
      this.#streams.stderr(Buffer.from(this.#shown(stderr)))
    }
    const done = (): void => {
      this.#cancel = undefined
      this.#exitCode = exitCode
      if (/^exit\b/.test(line)) this.#finish()
      else this.#prompt()
    }
    if (ms === 0) done()
    else if (ms === Number.POSITIVE_INFINITY) this.#cancel = () => {}
    else {
      this.#cancel = this.#options.clock.setTimeout(() => {
        done()
        this.#next()
        this.#flush()
      }, ms)
    }
  }

  #finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#flush()
    this.#streams.exit(this.#exitCode)
  }

  #prompt(): void {
    if (this.#options.tty && !this.#isFinished) this.#write('$ ')
  }

  #write(text: string): void {
    this.#output += this.#shown(text)
  }

  #flush(): void {
    if (this.#output === '') return
    this.#streams.stdout(Buffer.from(this.#output))
    this.#output = ''
  }

  /** A terminal returns its carriage. */
  #shown(text: string): string {
    return this.#options.tty ? text.replaceAll('\n', '\r\n') : text
  }
}
