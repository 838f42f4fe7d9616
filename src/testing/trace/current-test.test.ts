import { afterEach, expect, it } from 'vitest'
import { currentTest, useWorld } from './current-test.ts'

afterEach(() => useWorld(globalThis))

it('is this one, of vitest', () => {
  const test = currentTest()
  expect(test?.name).toMatch(/current-test\.test\.ts > is this one, of vitest$/)
  expect(test?.verdict()).toBeUndefined()
  expect(currentTest()).toBe(test)
})

it.each([
  [{ errors: [], status: undefined }, undefined, []],
  [{ errors: [], status: 'done' }, 'passed', []],
  [{ errors: [], duration: 3 }, 'passed', []],
  [{ errors: [[{ stack: 'Error: a' }, {}]], status: 'done' }, 'failed', ['Error: a']],
  [{ errors: ['words'] }, 'failed', ['words']],
])('is one of jest: %j', (facts, verdict, errors) => {
  const parent = { name: 'boats', parent: { name: 'ROOT_DESCRIBE_BLOCK' } }
  const state = { currentlyRunningTest: { name: 'float', parent, ...facts } }
  useWorld({ [Symbol('JEST_STATE_SYMBOL')]: state })
  const test = currentTest()
  expect(test?.name).toBe('boats > float')
  expect(test?.verdict()).toBe(verdict)
  expect(test?.errors()).toEqual(errors)
})

it.each([{}, { __vitest_worker__: {} }, { [Symbol('JEST_STATE_SYMBOL')]: { currentlyRunningTest: null } }])(
  'is none elsewhere',
  (world) => {
    useWorld(world)
    expect(currentTest()).toBeUndefined()
  },
)
