/** The few commands that a simulated container can run, and what they say of its life. */
import { testCode } from './shell-script.ts'

export interface CommandLife {
  /** How long it runs; infinite: until it is ended. */
  readonly ms: number
  readonly exitCode: number
  readonly output: string
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const endlessCommand = (output: string): CommandLife => ({ ms: Number.POSITIVE_INFINITY, exitCode: 0, output })

const units: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

/** Undefined: it is not understood. */
export function simpleLife([name = '', ...args]: readonly string[]): CommandLife | undefined {
  const ended = (exitCode: number, output = ''): CommandLife => ({ ms: 0, exitCode, output })
  switch (baseName(name)) {
    case 'true':
    case ':':
    case 'sync':
    case 'trap':
    case 'set':
      return ended(0)
    case 'false':
      return ended(1)
    case 'exit': {
      const code = Number(args[0] ?? 0)
      return Number.isInteger(code) ? ended(code & 255) : undefined
    }
    case 'test':
    case '[': {
      const isClosed = name !== '[' || args.at(-1) === ']'
      const code = isClosed ? testCode(name === '[' ? args.slice(0, -1) : args) : undefined
      return code === undefined ? undefined : ended(code)
    }
    case 'echo':
      return ended(0, args[0] === '-n' ? args.slice(1).join(' ') : `${args.join(' ')}\n`)
    case 'sleep':
      return sleepLife(args[0] ?? '')
    case 'tail':
      return args[0] === '-f' && args[1] === '/dev/null' ? endlessCommand('') : undefined
    default:
      return undefined
  }
}

function sleepLife(text: string): CommandLife | undefined {
  if (text === 'infinity' || text === 'inf') return endlessCommand('')
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text)
  if (match === null) return undefined
  return { ms: Number(match[1]) * (units[match[2] ?? ''] ?? 1) * 1000, exitCode: 0, output: '' }
}
