import { describe, expect, it } from 'vitest'
import { createLogger, formatForPeople, setVerbosity, silentLogger, splitOutput } from './logger.ts'

function capture(format: 'coloured' | 'text' | 'json', verbosity = 0) {
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

  it.each(['json', 'text', 'coloured'] as const)('writes errors apart from the rest as %s', (format) => {
    const errors: string[] = []
    const others: string[] = []
    const output = splitOutput({ write: (line) => errors.push(line) }, { write: (line) => others.push(line) })
    const logger = createLogger({ format, verbosity: 0, output })
    for (const level of ['info', 'error', 'warn', 'fatal'] as const) logger[level](`said ${level}`)
    const said = (lines: string[]) => lines.map((line) => /said (\w+)/.exec(line)?.[1])
    expect([said(errors), said(others)]).toEqual([
      ['error', 'fatal'],
      ['info', 'warn'],
    ])
  })

  it('can be told to say more or less', () => {
    const { lines, logger } = capture('json')
    logger.debug('one')
    setVerbosity(logger, 2)
    logger.debug('two')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['two'])
    const silent = silentLogger()
    setVerbosity(silent, 9)
    expect(silent.level).toBe('silent')
  })

  it('writes lines for people', () => {
    const line = '{"level":30,"time":0,"part":"store","path":"a b","n":1,"msg":"opened"}\n'
    const text = '00:00:00.000 info  opened part=store path="a b" n=1\n'
    expect(formatForPeople(line, false)).toBe(text)
    expect(formatForPeople(line, true)).not.toBe(text)
    expect(plain(formatForPeople(line, true))).toBe(text)
  })

  it('shows the stack of an error to people', () => {
    const { lines, logger } = capture('coloured')
    logger.error({ err: new Error('broken') }, 'it failed')
    expect(plain(lines[0] ?? '')).toMatch(/error it failed\nError: broken\n {4}at /)
  })

  it.each([
    [0, ['info']],
    [2, ['debug', 'info']],
    [3, ['request', 'debug', 'info']],
    [4, ['trace', 'request', 'debug', 'info']],
  ])('verbosity %d', (verbosity, expected) => {
    const { lines, logger } = capture('json', verbosity)
    for (const level of ['trace', 'request', 'debug', 'info'] as const) logger[level](level)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expected)
  })
})
