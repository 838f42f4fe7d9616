import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError } from '../config-error.ts'
import { readAllowedLabels } from './allowed-labels.ts'

const folder = mkdtempSync(join(tmpdir(), 'allowed-labels-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (allowedLabels: string[], allowedLabelsFile?: string) =>
  [
    ...readAllowedLabels({
      showHidden: false,
      disabled: [],
      allowedLabels,
      allowedLabelsFile,
      storeSizeInterval: 0,
      objectCountInterval: 0,
    }),
  ].map(([metric, labels]) => [metric, [...labels].map(([label, values]) => [label, [...values]])])

describe('readAllowedLabels', () => {
  it.each<[string[], unknown]>([
    [[], []],
    [['m,l=a,b'], [['m', [['l', ['a', 'b']]]]]],
    [
      ["m,l='a,b'", 'm,k=c'],
      [
        [
          'm',
          [
            ['l', ['a', 'b']],
            ['k', ['c']],
          ],
        ],
      ],
    ],
    [
      ['"m,l=a,b","n,l=c"'],
      [
        ['m', [['l', ['a', 'b']]]],
        ['n', [['l', ['c']]]],
      ],
    ],
    [['m,l='], [['m', [['l', ['']]]]]],
  ])('reads %j', (given, expected) => expect(read(given)).toEqual(expected))

  it.each(['m', 'm=a', 'm,l,k=a', '1m,l=a', '=a'])('refuses %s', (text) => {
    expect(() => read([text])).toThrow(ConfigError)
  })

  it('reads a file when the flag says nothing', () => {
    const file = join(folder, 'labels.yaml')
    writeFileSync(file, 'm,l: a,b\n"n,l": c\n')
    expect(read([], file)).toEqual([
      ['m', [['l', ['a', 'b']]]],
      ['n', [['l', ['c']]]],
    ])
    expect(read(['x,l=1'], file)).toEqual([['x', [['l', ['1']]]]])
  })

  it.each([['- a\n'], ['just text'], ['a: [']])('refuses a file of %j', (text) => {
    const file = join(folder, 'bad.yaml')
    writeFileSync(file, text)
    expect(() => read([], file)).toThrow(ConfigError)
  })
})
