import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storedExpressions } from './environment.ts'
import { admissionEnvironment } from './environments.ts'
import { estimateProgramCost } from './program.ts'

const environment = admissionEnvironment(storedExpressions(), { params: true, authorizer: true })

/** Pieces of expressions, put together without regard for the grammar. */
const pieces =
  "object params request . ? [ ] { } ( ) + - * / % ! && || == != < <= > >= in , : 1 2u 3.5 1e9 'a' \"b\" b'c' r'd' true false null x y has all exists map filter size matches format optional.of .? [? {? optMap orValue type dyn int string duration timestamp list `a-b` // \\ \n \t é 👑 9223372036854775807 ''' @ # $ ; quantity ip sets.contains .all( x,".split(
    ' ',
  )
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(' '))

/** Expressions of the grammar, of any types. */
const wellFormed = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      '1',
      "'a'",
      '1.5',
      'true',
      'null',
      'object',
      'x',
      'object.a',
      "b'c'",
      '[]',
      '{}',
      '2u',
      "duration('1s')",
    ),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter'), tie('expression'))
      .map(([range, macro, body]) => `${range}.${macro}(x, ${body})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `{${a}: ${b}}`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}[${b}]`),
    fc
      .tuple(tie('expression'), fc.constantFrom('size()', 'a', '?b', "matches('a')", "startsWith('a')", 'c.d'))
      .map(([a, b]) => `${a}.${b}`),
    fc
      .tuple(fc.constantFrom('dyn', 'type', 'string', 'size', '!', '-', 'int'), tie('expression'))
      .map(([f, a]) => `${f}(${a})`),
  ),
})).expression

const data = { object: { a: [1, 'x', { b: 2 }], c: { d: null } }, params: null, request: {} }

/** Compiles, and if it can, estimates and runs: everything ends, nothing is thrown. */
function exercise(expression: string): void {
  const compiled = environment.compile(expression)
  if (!compiled.ok) {
    expect(compiled.message).not.toBe('')
    return
  }
  const { min, max } = estimateProgramCost(compiled.program, () => undefined)
  expect(min <= max).toBe(true)
  const result = compiled.program.evaluate(data, { limit: 100_000 })
  expect(['value', 'error', 'pending']).toContain(result.kind)
}

describe('any text', () => {
  it('never breaks the parser', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), exercise), { numRuns: 500 })
  })

  it('nor do pieces of expressions', () => {
    fc.assert(fc.property(soup, exercise), { numRuns: 1000 })
  })

  it('nor do expressions of all kinds break the checker, the estimate or the run', () => {
    fc.assert(fc.property(wellFormed, exercise), { numRuns: 1000 })
  })

  it('nor do expressions with a character changed', () => {
    const mutated = fc
      .tuple(wellFormed, fc.nat(), fc.constantFrom(...pieces))
      .map(
        ([text, at, piece]) => text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1),
      )
    fc.assert(fc.property(mutated, exercise), { numRuns: 1000 })
  })

  it('nor does running without the checker', () => {
    fc.assert(
      fc.property(wellFormed, (expression) => {
        const compiled = environment.compile(expression, { unchecked: true })
        if (compiled.ok) compiled.program.evaluate(data, { limit: 100_000 })
      }),
      { numRuns: 500 },
    )
  })
})
