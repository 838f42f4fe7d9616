import { describe, expect, it } from 'vitest'
import { createLogger, formatForPeople } from './logger.ts'

function capture(format: 'people' | 'json', verbosity = 0) {
  const lines: string[] = []
  return { lines, logger: createLogger({ format, verbosity, output: { write: (line) => lines.push(line) } }) }
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const plain = (text: string) => text.replace(/\u001b\[\d+m/g, '')

describe('logger', () => {
  it('writes one JSON object a line', () => {
    const { lines, logger } = capture('json')
    logger.warn({ flag: 'x' }, 'careful')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: 'careful', flag: 'x' })
  })

  it('writes lines for people', () => {
    const line = formatForPeople('{"level":30,"time":0,"part":"store","path":"a b","n":1,"msg":"opened"}\n')
    expect(plain(line)).toBe('00:00:00.000 info  opened part=store path="a b" n=1\n')
  })

  it('shows the stack of an error to people', () => {
    const { lines, logger } = capture('people')
    logger.error({ err: new Error('broken') }, 'it failed')
    expect(plain(lines[0] ?? '')).toMatch(/error it failed\nError: broken\n {4}at /)
  })

  it.each([
    [0, ['info']],
    [2, ['debug', 'info']],
    [4, ['trace', 'debug', 'info']],
  ])('verbosity %d', (verbosity, expected) => {
    const { lines, logger } = capture('json', verbosity)
    for (const level of ['trace', 'debug', 'info'] as const) logger[level](level)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expected)
  })
})
