import { expect, it } from 'vitest'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { hasErrors, limitErrors, limitErrorsOf, maxErrors } from './error-limit.ts'
import { type FieldError, required } from './field-error.ts'

/** Counts how far rules came. */
function rulesOf(count: number): { rules: () => FieldError[]; steps: () => Steps<FieldError[]>; made: () => number } {
  let made = 0
  const make = (): FieldError => {
    made++
    return required(`items[${made - 1}]`)
  }
  return {
    rules: () => Array.from({ length: count }, make),
    *steps() {
      const errors: FieldError[] = []
      for (let i = 0; i < count; i++) {
        if (i % 100 === 0) yield
        errors.push(make())
      }
      return errors
    },
    made: () => made,
  }
}

it.each([
  [0, 0],
  [1, 1],
  [maxErrors, maxErrors],
  [maxErrors + 1, maxErrors + 1],
  [maxErrors * 5, maxErrors + 1],
])('of %i errors %i are made, by rules in one go and in steps', (count, expected) => {
  for (const [find, made] of [
    ((given) => [() => limitErrors(given.rules), given.made])(rulesOf(count)),
    ((given) => [() => runToEnd(limitErrorsOf(given.steps())), given.made])(rulesOf(count)),
  ] as [() => FieldError[], () => number][]) {
    const found = find()
    expect(found.length).toBe(expected)
    expect(made()).toBe(expected)
    expect(found.map(({ field }) => field)).toEqual(Array.from({ length: expected }, (_, i) => `items[${i}]`))
  }
})

it('does not count what rules in steps find between each other', () => {
  const [first, second] = [limitErrorsOf(rulesOf(maxErrors).steps()), limitErrorsOf(rulesOf(maxErrors).steps())]
  for (let i = 0; i < 50; i++) {
    first.next()
    second.next()
    required('outside')
  }
  expect(runToEnd(first).length).toBe(maxErrors)
  expect(runToEnd(second).length).toBe(maxErrors)
})

it('does not count what is tried, and ends at its first error', () => {
  const tried = rulesOf(maxErrors)
  const found = limitErrors(() => {
    for (let i = 0; i < 3; i++) expect(hasErrors(tried.rules)).toBe(true)
    expect(hasErrors(() => [])).toBe(false)
    return [required('one')]
  })
  expect(found.map(({ field }) => field)).toEqual(['one'])
  expect(tried.made()).toBe(3)
})

it('passes other errors on, and leaves the scope', () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  expect(() => limitErrors(broken)).toThrow('broken')
  expect(() => hasErrors(broken)).toThrow('broken')
  expect(rulesOf(maxErrors + 5).rules().length).toBe(maxErrors + 5)
})
