import { describe, expect, it } from 'vitest'
import { parseCommandLine } from './command-line.ts'

describe('the command line', () => {
  it.each([[[]], [['serve']], [['--store=memory']], [['serve', '-v=2']], [['-v', '2', 'serve']]])(
    'serves: %j',
    (args) => {
      expect(parseCommandLine(args).kind).toBe('serve')
    },
  )

  it.each([
    [['--version'], /^Pilothouse v\d+\.\d+\.\d+ \(Kubernetes v1\.33\)\n$/],
    [['version'], /^Pilothouse v/],
    [
      ['--help'],
      /Secure serving flags:\n\n {2}--bind-address ip\n {8}The address to listen on \(default 0\.0\.0\.0\)\n/,
    ],
    [['-h'], /Usage:\n {2}pilothouse \[serve\] \[flags\]\n/],
    [['help'], / {2}-v, --v int\n/],
  ])('prints: %j', (args, expected) => {
    expect(parseCommandLine(args)).toMatchObject({ kind: 'print', text: expect.stringMatching(expected) })
  })

  it.each([
    [['srve'], 'unknown command "srve" (did you mean serve?)'],
    [['serve', 'now'], '"serve" does not take any arguments, got ["now"]'],
    [['--nope'], 'unknown flag: --nope'],
    [['appyl', '-f', 'a.yaml'], 'unknown command "appyl"'],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(message)
  })
})
