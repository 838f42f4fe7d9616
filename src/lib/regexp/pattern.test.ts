import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { runToEnd, type Steps } from '../in-turns.ts'
import { Pattern, patternAtOnce, patternOf, searchMeter } from './pattern.ts'

function compiled(source: string): Pattern {
  const pattern = patternAtOnce(source)
  if (!(pattern instanceof Pattern)) throw pattern
  return pattern
}

function count(steps: Steps<unknown>): number {
  for (let yields = 0; ; yields++) if (steps.next().done === true) return yields
}

/** Parts of expressions, whole and broken. */
const parts =
  `a b c . \\d \\w \\W [a-c] [^a] \\b \\B ^ $ \\A \\z (?i) (?i:aK) (?s) (?m) (?U) (?-i) (?s-m: (?: ( (?P<x> ) | * + ?
 ?? *? {2} {1,3} {0,2}? {2,} {,2} { } [ [^]a] [[:alpha:]] [[:^digit:]x] [\\d-z] \\pL \\p{Greek} \\P{Lu} \\p{^Lu} \\x41
 \\x{e4} ä Ä ſ K \\n \\101 \\Qa.b\\E \\Q \\E - ] 😀 [😀-😂] (?i)ß (?i)[^k] (?i)\\W (?i)[[:^lower:]] (?i)[α-ω]`.split(
    /\s+/,
  )
const characters = [...'abcAKks1_ .-{}]äÄſKσς😀\n']

/** Letters without a period. */
function randomText(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) % 2 === 0 ? 'a' : 'b'
  }).join('')
}

describe('a pattern', () => {
  it('matches what re2js matches, and where', () => {
    const expression = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 7 }).map((some) => some.join(''))
    const text = fc.array(fc.constantFrom(...characters), { maxLength: 9 }).map((some) => some.join(''))
    fc.assert(
      fc.property(expression, text, (source, sample) => {
        let reference: RE2JS
        try {
          reference = RE2JS.compile(source)
        } catch {
          return
        }
        const matcher = reference.matcher(sample)
        const expected = matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined
        const pattern = compiled(source)
        expect(runToEnd(pattern.find(sample)), `${source} in ${sample}`).toEqual(expected)
        expect(runToEnd(pattern.test(sample)), `${source} in ${sample}`).toBe(expected !== undefined)
      }),
      { numRuns: 1500 },
    )
  })

  it.each([
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a+??', 'invalid nested repetition operator: `+??`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['(|*)', 'missing argument to repetition operator: `*`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['(a{100}){11}', 'invalid repeat count: `{11}`'],
    ['(a{100}){10}', undefined],
    ['((a{10,}){10}){11}?', 'invalid repeat count: `{11}?`'],
    ['((a{0}){1000}){1000}', 'invalid repeat count: `{1000}`'],
    ['((a{10}){0}){1000}', undefined],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\pX', 'invalid character class range: `\\pX`'],
    ['\\p{Greek', 'invalid character class range: `\\p{Greek`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?i', 'invalid or unsupported Perl syntax: `(?i`'],
    ['(?P<a b>c)', 'invalid named capture: `(?P<a b>`'],
    ['(?P<a', 'invalid named capture: `(?P<a`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['\\C', 'invalid escape sequence: `\\C`'],
    ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['(?P<a>x)(?P<a>y)', undefined],
    ['\\p{Old_Italic}', 'invalid character class range: `\\p{Old_Italic}`'],
    ['\\p{White_Space}', 'invalid character class range: `\\p{White_Space}`'],
    ['\\p{Alphabetic}', 'invalid character class range: `\\p{Alphabetic}`'],
    ['\\p{Unknown}', 'invalid character class range: `\\p{Unknown}`'],
    ['\\p{grEEk}\\p{G_r-e ek}\\pl\\p{ascii}\\P{Decimal_Number}\\p{^punct}\\p{LC}', undefined],
  ])('%s is refused as Go refuses it', (source, problem) => {
    const made = patternAtOnce(source)
    expect(made instanceof Pattern ? undefined : made.message).toBe(problem && `error parsing regexp: ${problem}`)
  })

  it.each([
    ['\\p{greek}', 'α', 'a'],
    ['\\p{G_r-e ek}', 'α', 'a'],
    ['\\P{UPPERCASE letter}', 'a', 'A'],
    ['(?i)\\p{Uppercase_Letter}', 'a', '1'],
    ['\\p{^punct}', 'a', '_'],
    ['\\p{lc}', 'ǅ', '漢'],
    ['\\p{ascii}', 'a', 'ſ'],
    ['(?i)\\p{ASCII}', 'ſ', 'é'],
    ['\\P{ASCII}', 'é', 'a'],
    ['\\pl', 'a', '1'],
  ])('%s has a group of Unicode, by a name that is loosely written', (source, has, lacks) => {
    expect(runToEnd(compiled(source).test(has))).toBe(true)
    expect(runToEnd(compiled(source).test(lacks))).toBe(false)
  })

  it('has the limits of Go on size and depth', () => {
    const tooLarge = `(${'ab|cd'.repeat(1000)}){1000}`
    expect(patternAtOnce(tooLarge)).toMatchObject({
      message: `error parsing regexp: expression too large: \`${tooLarge}\``,
    })
    const deep = (levels: number): string => `${'('.repeat(levels)}${')'.repeat(levels)}`
    expect(patternAtOnce(deep(999))).toBeInstanceOf(Pattern)
    expect(patternAtOnce(deep(1001))).toMatchObject({ message: expect.stringContaining('expression nests too deeply') })
    // Groups that capture nothing are no levels.
    expect(runToEnd(compiled(`${'(?:a'.repeat(50_000)}${')'.repeat(50_000)}`).test('a'.repeat(100)))).toBe(false)
  })

  it.each([
    ['((a{0,30}){0,30})$', true],
    ['(((a?){1,10}){1,10}){1,10}$', true],
    ['[a-z]{1000}!', false],
    ['(?:(a|b){1,30}){1,30}c', false],
  ])('%s is matched by an automaton, in few steps for each character', (source, expected) => {
    const text = 'a'.repeat(100_000)
    const pattern = compiled(source)
    const before = searchMeter.steps
    expect(runToEnd(pattern.test(text))).toBe(expected)
    expect(searchMeter.steps - before).toBeLessThan(60 * text.length)
    const again = searchMeter.steps
    runToEnd(pattern.test(text))
    expect(searchMeter.steps - again).toBeLessThan(2 * text.length)
  })

  it.each([
    ['where no automaton helps', '(a|b)*a(a|b){999}!', randomText(20_000), 500],
    ['and a find', '[a-z]{1000}!', 'a'.repeat(20_000), 500],
  ])('gives way %s', (_, source, text, least) => {
    const pattern = compiled(source)
    expect(count(pattern.find(text))).toBeGreaterThan(least)
    if (source.startsWith('(')) expect(count(pattern.test(text))).toBeGreaterThan(least)
  })

  it('gives way while a long expression is parsed and compiled', () => {
    expect(count(patternOf('ab|'.repeat(100_000)))).toBeGreaterThan(50)
    expect(count(patternOf(`[${'ab'.repeat(100_000)}]`))).toBeGreaterThan(20)
    expect(count(patternOf(`\\Q${'ab'.repeat(100_000)}`))).toBeGreaterThan(20)
    expect(count(compiled(`(${'abc|de'.repeat(100)}){500}`).test('x'))).toBeGreaterThan(10)
  })
})

describe('a short text', () => {
  it.each([
    ['^[a-z]+[0-9]*$', ['abc1', '1', '', 'é', 'a'.repeat(256)]],
    ['(a|b)*a(a|b){9}!', ['a'.repeat(40), `${'ab'.repeat(20)}!`, '!']],
    ['\\bx\\b', ['x', 'ax', 'a x', '😀x']],
  ])('is searched at once as in steps, once the pattern was used: %s', (source, texts) => {
    const pattern = compiled(source)
    expect(pattern.testAtOnce(texts[0] as string)).toBeUndefined()
    for (const text of texts) {
      runToEnd(pattern.test(text))
      const before = searchMeter.steps
      const inSteps = runToEnd(pattern.test(text))
      const taken = searchMeter.steps - before
      expect(pattern.testAtOnce(text)).toBe(inSteps)
      expect(searchMeter.steps - before).toBe(2 * taken)
    }
    expect(pattern.testAtOnce('a'.repeat(257))).toBeUndefined()
  })
})
