import { expect, it } from 'vitest'
import { placeOfCaller } from './unclosed.ts'

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
