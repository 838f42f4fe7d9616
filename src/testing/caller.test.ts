import { expect, it } from 'vitest'
import { errorAtCaller, placeOfCaller } from './caller.ts'

it.each([
  [
    'the line of the test',
    ['startServer (pilothouse/program-1a.cjs:1:2)', 'Object.<anonymous> (/home/a/boats.test.ts:7:3)'],
    'Object.<anonymous> (/home/a/boats.test.ts:7:3)',
  ],
  [
    'none of a runner',
    ['run (file:///a/node_modules/vitest/dist/run.js:1:1)', 'async file:///a/x.mjs:3:9'],
    'file:///a/x.mjs:3:9',
  ],
  ['nothing', ['node:internal/process:1:1'], ''],
])('names %s', (_, frames, place) => {
  expect(placeOfCaller(['Error', ...frames.map((frame) => `    at ${frame}`)].join('\n'))).toBe(place)
})

it('names nothing without a stack', () => expect(placeOfCaller(undefined)).toBe(''))

it('makes an error of a timer with the stack of the caller', async () => {
  const late = errorAtCaller()
  const error = await new Promise<Error>((resolve) => setTimeout(() => resolve(late('too late')), 0))
  expect(error.stack).toMatch(/^Error: too late\n\s+at .*caller\.test\.ts/)
})
