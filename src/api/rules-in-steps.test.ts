import { describe, expect, it } from 'vitest'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { hasErrors, limitErrors, maxErrors } from './error-limit.ts'
import { type FieldError, required } from './field-error.ts'
import { eachItem, eachMember, eachSortedMember, rulesInSteps, stepsOfRules, withEachItem } from './rules-in-steps.ts'

/** Every loop over two values or more is left. */
const everyLoop = { least: 2, ofGo: 0 }

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
const fieldsOf = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field)

function stepsAndResult<T>(steps: Steps<T>): { readonly count: number; readonly value: T } {
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done === true) return { count, value: step.value }
  }
}

const lists = [numbers(3), numbers(1), numbers(5)]

/** A loop in a loop, with what the outer one keeps between its items. */
function nested(): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<number>()
  eachItem(errors, lists, (own, list, i) => {
    if (seen.has(i)) own.push(required(`${i} twice`))
    seen.add(i)
    own.push(required(`${i}`))
    eachItem(own, list, (inner, item) => {
      if (item % 2 === 0) inner.push(required(`${i}.${item}`))
    })
    own.push(required(`end of ${i}`))
  })
  return errors
}

const map = { b: 1, c: 2, a: 3 }

function overMaps(): FieldError[] {
  const errors: FieldError[] = []
  eachMember(errors, map, (own, key, value) => own.push(required(`${key}${value}`)))
  eachSortedMember(errors, map, (own, key, value) => own.push(required(`${key}${value}`)))
  return errors
}

const names = ['a', 'b', 'a']

function withState(): FieldError[] {
  const errors: FieldError[] = []
  const known = withEachItem(
    errors,
    names,
    () => new Set<string>(),
    (seen, own, name) => {
      if (seen.has(name)) own.push(required(`${name} twice`))
      seen.add(name)
    },
  )
  errors.push(required([...known].join()))
  return errors
}

const emptyTexts = ['', 'a', '']

function tried(): FieldError[] {
  const rules = (): FieldError[] => {
    const errors: FieldError[] = []
    eachItem(errors, emptyTexts, (own, text, i) => {
      if (text === '') own.push(required(`${i}`))
    })
    return errors
  }
  return hasErrors(rules) ? [required('some'), ...rules()] : []
}

describe('rules in steps find what the same rules find in one go', () => {
  it.each([
    ['nested loops', nested],
    ['maps', overMaps],
    ['a state that is used after the loop', withState],
    ['rules that are tried', tried],
  ])('%s', (_, rules) => {
    const { count, value } = stepsAndResult(rulesInSteps(() => limitErrors(rules), everyLoop))
    expect(fieldsOf(value)).toEqual(fieldsOf(rules()))
    expect(count).toBeGreaterThan(1)
  })
})

it('small loops are no steps', () => {
  const { count, value } = stepsAndResult(rulesInSteps(nested))
  expect(count).toBe(0)
  expect(fieldsOf(value)).toEqual(fieldsOf(nested()))
})

it.each([
  [20_000, 20_000],
  [10_000, 0],
])('a loop over %i items goes in steps beyond what one go may have', (length, least) => {
  const list = numbers(length)
  let visits = 0
  const rules = (): void => eachItem([], list, () => void visits++)
  const { count } = stepsAndResult(rulesInSteps(rules))
  expect(visits).toBe(length)
  expect(count * 1_000).toBeGreaterThanOrEqual(least)
})

it('loops that are light each, but not together, go in steps', () => {
  const many = numbers(10).map(() => numbers(5_000))
  let longest = 0
  const rules = (): void => {
    let go = 0
    for (const list of many) {
      eachItem([], list, () => {
        go++
      })
      longest = Math.max(longest, go)
    }
  }
  const { count } = stepsAndResult(rulesInSteps(rules))
  expect(count).toBeGreaterThan(7 * 5)
  expect(longest).toBe(15_000)
})

it('errors of a loop in steps count', () => {
  const list = numbers(3 * maxErrors)
  const rules = (): FieldError[] => {
    const errors: FieldError[] = [required('first')]
    eachItem(errors, list, (own, item) => own.push(required(`${item}`)))
    return errors
  }
  const inSteps = runToEnd(rulesInSteps(() => limitErrors(rules), everyLoop))
  expect(fieldsOf(inSteps)).toEqual(fieldsOf(limitErrors(rules)))
  expect(inSteps.length).toBe(maxErrors + 1)
})

it('what rules throw is thrown', () => {
  const list = numbers(3)
  const fails = (): void =>
    eachItem([], list, (_, item) => {
      if (item === 2) throw new Error('no')
    })
  expect(() => runToEnd(rulesInSteps(fails, everyLoop))).toThrow('no')
})

it('rules that go over what they make anew come to their end', () => {
  const rules = (): FieldError[] => {
    const errors: FieldError[] = []
    eachItem(errors, [1, 2, 3], (own, item) => own.push(required(`${item}`)))
    return errors
  }
  expect(fieldsOf(runToEnd(rulesInSteps(rules, everyLoop)))).toEqual(['1', '2', '3'])
})

it('steps can be taken from within rules', () => {
  const subject = {}
  function* steps(): Steps<number> {
    yield
    return 7
  }
  const rules = (): number => stepsOfRules(subject, 5, steps) + 1
  expect(rules()).toBe(8)
  expect(runToEnd(rulesInSteps(rules, everyLoop))).toBe(8)
})
