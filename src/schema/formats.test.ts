import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import { matchesFormat } from './formats.ts'

const matches = (format: string, text: string, release: number): boolean =>
  runToEnd(matchesFormat(format, text, release))

describe('formats', () => {
  it.each([
    ['uri', 'https://a.example/x', true],
    ['uri', '/path', true],
    ['uri', 'not an address', false],
    ['uri', 'https://', true],
    ['uri', 'mailto:somebody', true],
    ['uri', 'https://h/%zz', false],
    ['uri', 'https://a b/', false],
    ['uri', '/a b#c', true],
    ['email', 'Some One <a@b.example>', true],
    ['email', 'nobody', false],
    ['email', 'a@b.example\n', false],
    ['email', ' a@b.example (comment)', true],
    ['email', '"a b"@c', true],
    ['email', '""@c', false],
    ['email', 'a..b@c', false],
    ['email', 'a@[::1]', true],
    ['email', 'a@[b]', false],
    ['email', 'a (x) b <c@d>', true],
    ['email', 'a (x <c@d>', false],
    ['email', 'group: a@b;', true],
    ['email', 'group: a@b, c@d;', false],
    ['email', '=?utf-8?q?a?= <a@b>', true],
    ['email', '=?x?B?YQ==?= <a@b>', false],
    ['email', '=?x?B?Y?= <a@b>', true],
    ['email', '=?utf-8?q??= <a@b>', false],
    ['email', '"a\\', false],
    ['email', 'a "<b@c>', false],
    ['email', 'a@b (c =?x?q?d?=)', false],
    ['hostname', 'a.example.org', true],
    ['hostname', '-a', false],
    ['ipv4', '192.168.000.001', true],
    ['ipv4', '1.2.3', false],
    ['ipv6', '2001:db8::1', true],
    ['ipv6', '1.2.3.4', false],
    ['ipv6', '::ffff:1.2.03.4', false],
    ['ipv6', 'fe80::1%eth0', false],
    ['cidr', '10.0.0.0/8', true],
    ['cidr', '10.0.0.0/33', false],
    ['cidr', '0fe80::/10', true],
    ['mac', '01:23:45:67:89:ab', true],
    ['mac', '01:23', false],
    ['mac', '0123456789ab', false],
    ['uuid', '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', true],
    ['uuid4', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', false],
    ['isbn', '978-0321751041', true],
    ['isbn10', '0321751043', true],
    ['isbn10', '\u00a00321751043', false],
    ['isbn13', '978-0321751042', false],
    ['creditcard', '2223000048400011', false],
    ['creditcard', '4111 1111 1111 1111', true],
    ['ssn', '111-11-1111', true],
    ['ssn', '111111111', false],
    ['hexcolor', '#FFFFFF', true],
    ['rgbcolor', 'rgb(100,100,100)', true],
    ['rgbcolor', 'rgb(\u00a0100,100,100)', false],
    ['byte', 'aGk=', true],
    ['byte', 'a', false],
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date-time', '2014-12-15T19:30:20.000Z', true],
    ['datetime', '2014-12-15', false],
    ['datetime', '2014-12-15T19:30:60Z', false],
    ['datetime', '2014-12-15t19:30:20+99:99', true],
    ['datetime', '12014-12-15T19:30:20Z', false],
    ['duration', '1h30m', true],
    ['duration', '3 days', true],
    ['duration', '3\u00a0days', false],
    ['duration', 'about 5 mins or 1 hr', true],
    ['duration', '5 lightyears', false],
    ['duration', '99999999999999999999 days', false],
    ['duration', 'soon', false],
    ['password', '', true],
    ['unheard-of', 'x', true],
  ])('%s of %s: %s', (format, text, expected) => {
    expect(matches(format, text, 33)).toBe(expected)
  })

  /** None of these is read as a whole. */
  it.each(['hostname', 'ipv4', 'ipv6', 'mac', 'isbn', 'creditcard', 'ssn', 'date', 'k8s-long-name'])(
    '%s of a long text',
    (format) => {
      expect(['1', '1h', '::', 'a.'].map((part) => matches(format, part.repeat(100_000), 36))).toEqual([
        false,
        false,
        false,
        false,
      ])
    },
  )

  it.each([
    ['isbn', `3-401${' '.repeat(100_000)}-01319-X`],
    ['creditcard', `4111${'-'.repeat(100_000)}111111111111`],
    ['byte', 'AAAA'.repeat(100_000)],
    ['datetime', `2020-01-02T03:04:05.${'1'.repeat(100_000)}Z`],
    ['uri', `/${'%41'.repeat(100_000)}`],
    ['cidr', `1.2.3.4/${'0'.repeat(100_000)}8`],
    ['email', `${'a '.repeat(100_000)}<a@b>`],
    ['duration', '1h'.repeat(100_000)],
    ['duration', `0.${'0'.repeat(100_000)}1s`],
  ])('%s may be long', (format, text) => {
    expect(matches(format, text, 36)).toBe(true)
  })

  it.each([
    ['mac', '0123456789ab', [33, 34], [false, true]],
    ['uri', 'http://a:b:1/', [35, 36], [true, false]],
    ['uri', 'ldap://a:b:1/', [35, 36], [true, true]],
  ])('%s of %s by release', (format, text, releases, expected) => {
    expect(releases.map((release) => matches(format, text, release))).toEqual(expected)
  })
})

describe('formats in steps', () => {
  const pieces: Readonly<Record<string, readonly string[]>> = {
    email: [
      'a',
      '@',
      'b.c',
      '.',
      ' ',
      '"',
      '\\',
      '(',
      ')',
      '<',
      '>',
      ':',
      ',',
      ';',
      '[',
      ']',
      '::1',
      '=?utf-8?q?',
      '?=',
      '\n',
      'é',
    ],
    duration: ['1', '0', '.', 'h', 'ms', ' ', 'days', '-', 'lightyears', '99999999999'],
  }
  const textOf = (format: string): fc.Arbitrary<string> => {
    const piece = fc.constantFrom(...(pieces[format] ?? []))
    const run = fc.tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom(1, 1, 1, 700))
    return fc
      .array(run, { maxLength: 6 })
      .map((runs) => runs.map(([parts, times]) => parts.join('').repeat(times)).join(''))
  }

  /** Patterns have places of their own, which others must not move between two steps. */
  test.each(Object.keys(pieces))('%s: readings that take turns come to what each comes to alone', (format) => {
    fc.assert(
      fc.property(fc.array(textOf(format), { maxLength: 4 }), (texts) => {
        const readings = texts.map((text) => ({
          steps: matchesFormat(format, text, 33),
          verdict: false,
          isOver: false,
        }))
        while (readings.some(({ isOver }) => !isOver)) {
          for (const reading of readings.filter(({ isOver }) => !isOver)) {
            const step = reading.steps.next()
            reading.isOver = step.done === true
            if (step.done === true) reading.verdict = step.value
          }
        }
        expect(readings.map(({ verdict }) => verdict)).toEqual(texts.map((text) => matches(format, text, 33)))
      }),
    )
  })

  const stepsOf = (format: string, text: string): number => {
    const steps = matchesFormat(format, text, 33)
    for (let count = 0; ; count++) if (steps.next().done === true) return count
  }

  /** Twice the text takes twice the steps, and each step has a few hundred pieces of it. */
  test.each([
    ['email', 'a ', '<a@b>'],
    ['email', '=?utf-8?q?a?= ', '<a@b>'],
    ['email', '(x) ', 'a@b'],
    ['email', '(', ''],
    ['email', 'a@b,', ';'],
    ['email', '\\"', ''],
    ['duration', '1ns', ''],
    ['duration', '1 ', ''],
    ['duration', '1 day ', ''],
  ])('%s of %j again and again, then %j', (format, part, end) => {
    const start = ({ '\\"': '"', '(': 'a@b ', '(x) ': 'a@b ', 'a@b,': 'g:' } as Record<string, string>)[part] ?? ''
    const [once, twice] = [8_192, 16_384].map((times) => stepsOf(format, start + part.repeat(times) + end))
    expect(once).toBeGreaterThanOrEqual(8_192 / 512 - 1)
    expect(once).toBeLessThanOrEqual((8_192 * 3) / 256)
    expect(twice).toBeLessThanOrEqual(2 * (once ?? 0) + 1)
  })
})
