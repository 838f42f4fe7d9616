import { describe, expect, it } from 'vitest'
import { flagDefinitions, parseFlags } from './flags.ts'

describe('the table of flags', () => {
  it('parses in every row and has defaults of the right type', () => {
    for (const flag of flagDefinitions().values()) {
      expect(flag.name).not.toBe('')
      expect(flag.description, flag.name).not.toBe('')
      const flags = parseFlags([])
      if (flag.type === 'bool') expect(typeof flags.bool(flag.name)).toBe('boolean')
      if (flag.type === 'int' || flag.type === 'duration' || flag.type === 'float') {
        expect(typeof flags.number(flag.name), flag.name).toBe('number')
      }
    }
    expect(flagDefinitions().size).toBeGreaterThan(160)
  })
})

describe('parseFlags', () => {
  it.each([
    ['value after =', ['--secure-port=1234'], 'secure-port', 1234],
    ['value as next argument', ['--secure-port', '1234'], 'secure-port', 1234],
    ['hexadecimal', ['--secure-port=0x10'], 'secure-port', 16],
    ['last one wins', ['--secure-port=1', '--secure-port=2'], 'secure-port', 2],
    ['underscores', ['--secure_port=7'], 'secure-port', 7],
    ['duration', ['--request-timeout=1h30m'], 'request-timeout', 5_400_000],
    ['shorthand with =', ['-v=2'], 'v', 2],
    ['shorthand apart', ['-v', '3'], 'v', 3],
    ['shorthand together', ['-v4'], 'v', 4],
    ['long form of the shorthand', ['--v=5'], 'v', 5],
  ])('%s', (_, args, name, expected) => {
    expect(parseFlags(args).number(name)).toBe(expected)
  })

  it.each([
    [['--allow-privileged'], true],
    [['--allow-privileged=false'], false],
    [['--allow-privileged=T'], true],
    [['--allow-privileged', 'false'], true],
    [[], false],
  ])('booleans: %j', (args, expected) => {
    expect(parseFlags(args).bool('allow-privileged')).toBe(expected)
  })

  it.each([
    ['commas', 'api-audiences', ['--api-audiences=a,b'], ['a', 'b']],
    ['repetition', 'api-audiences', ['--api-audiences=a', '--api-audiences', 'b,c'], ['a', 'b', 'c']],
    ['quotes', 'api-audiences', ['--api-audiences="a,b",c,"d""e"'], ['a,b', 'c', 'd"e']],
    ['replaces the default', 'authorization-mode', ['--authorization-mode=Node'], ['Node']],
    ['default', 'authorization-mode', [], ['RBAC']],
    ['no commas in arrays', 'service-account-issuer', ['--service-account-issuer=a,b'], ['a,b']],
  ])('lists: %s', (_, name, args, expected) => {
    expect(parseFlags(args).list(name)).toEqual(expected)
  })

  it('keeps arguments apart, also after --', () => {
    expect(parseFlags(['serve', '-v=1', '--', '--not-a-flag']).arguments).toEqual(['serve', '--not-a-flag'])
  })

  it.each([
    [['--secure-prt=1'], 'unknown flag: --secure-prt (did you mean --secure-port?)'],
    [['--cluster-ip-range=1'], 'unknown flag: --cluster-ip-range (did you mean --service-cluster-ip-range?)'],
    [['--zzzzzzzz'], 'unknown flag: --zzzzzzzz'],
    [['--__proto__=1'], 'unknown flag: ----proto--'],
    [['--constructor=1'], 'unknown flag: --constructor'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['-v'], "flag needs an argument: 'v' in -v"],
    [['--=1'], 'bad flag syntax: --=1'],
    [
      ['--secure-port=abc'],
      'invalid argument "abc" for "--secure-port" flag: strconv.ParseInt: parsing "abc": invalid syntax',
    ],
    [
      ['--allow-privileged=maybe'],
      'invalid argument "maybe" for "--allow-privileged" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--request-timeout=5'], 'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"'],
    [['--bind-address=nowhere'], 'invalid argument "nowhere" for "--bind-address" flag: failed to parse IP: "nowhere"'],
  ])('refuses %j', (args, message) => {
    expect(() => parseFlags(args)).toThrow(message)
  })
})
