import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { fieldSelectorInSteps, parseFieldSelector } from './field-selector.ts'
import { type LabelSelectorObject, selectorInSteps } from './label-selector.ts'
import { labelSelectorInSteps, parseLabelSelector } from './label-selector-text.ts'
import { QueryParameters } from './query-parameters.ts'
import { fieldRequirementsOf, fieldSelectorOf, labelSelectorOf, queryInTurns } from './query-selectors.ts'

const texts = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(',')

function countSteps(steps: Steps<unknown>): number {
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

const terms = 50_000

describe('very long selectors are read in steps', () => {
  const object = (matchLabels: Record<string, string>): LabelSelectorObject => ({ matchLabels })
  test.each<[string, () => Steps<unknown>]>([
    ['labels', () => labelSelectorInSteps(texts(terms, (i) => `a${i}`))],
    ['labels of one value', () => labelSelectorInSteps(texts(terms, (i) => `a${i}=b`))],
    ['values of a label', () => labelSelectorInSteps(`a in (${texts(terms, (i) => `v${i}`)})`)],
    ['empty values of a label', () => labelSelectorInSteps(`a in (${texts(terms, () => '')})`)],
    ['what is made of labels', () => parseLabelSelector(texts(terms, (i) => `a${i}`)).prepareInSteps()],
    [
      'an object of labels',
      () => selectorInSteps(object(Object.fromEntries(Array.from({ length: terms }, (_, i) => [`a${i}`, 'b'])))),
    ],
    ['fields', () => fieldSelectorInSteps(texts(terms, (i) => `a${i}=b`))],
    ['escapes of a field', () => fieldSelectorInSteps(`a=${'\\,'.repeat(terms)}`)],
  ])('%s', (_, steps) => {
    expect(countSteps(steps())).toBeGreaterThan(terms / 1000)
  })

  test('no more errors are made of one than an answer shows', () => {
    const bad = `a in (${texts(terms, (i) => `-${i}`)})`
    expect(() => parseLabelSelector(bad)).toThrow(/values\[0\]\[a\]/)
    expect(() => parseLabelSelector(bad)).not.toThrow(/values\[20000\]/)
  })
})

describe('the selectors of a query', () => {
  const selector = fc.array(fc.constantFrom('a', 'b', '=', '!=', ',', '!', ' in ', '(', ')', '\\', '1', '>'), {
    maxLength: 12,
  })
  const outcome = <T>(read: () => T): unknown => {
    try {
      return read()
    } catch (error) {
      return String(error)
    }
  }

  test('are those that their texts read as, however long the query is', async () => {
    await fc.assert(
      fc.asyncProperty(selector, fc.boolean(), async (parts, isLong) => {
        const text = parts.join('')
        const more = isLong ? `&x=${'y'.repeat(9000)}` : ''
        const value = encodeURIComponent(text)
        const query = await queryInTurns(`labelSelector=${value}&fieldSelector=${value}${more}`)
        for (let again = 0; again < 2; again++) {
          expect(outcome(() => String(labelSelectorOf(query)))).toBe(outcome(() => String(parseLabelSelector(text))))
          expect(outcome(() => labelSelectorOf(query).toSelectorRequirements())).toEqual(
            outcome(() => parseLabelSelector(text).toSelectorRequirements()),
          )
          expect(outcome(() => fieldSelectorOf(query))).toEqual(outcome(() => parseFieldSelector(text)))
          expect(outcome(() => fieldRequirementsOf(query).length)).toEqual(
            outcome(() => parseFieldSelector(text).length),
          )
        }
      }),
    )
  })

  test('are read before the request goes on where the query is long', async () => {
    const read = queryInTurns(`labelSelector=${texts(200_000, (i) => `a${i}`)}`)
    expect(read).toBeInstanceOf(Promise)
    const query = await read
    expect(labelSelectorOf(query)).toBe(labelSelectorOf(query))
    expect(queryInTurns('labelSelector=a')).toBeInstanceOf(QueryParameters)
  })

  test('what is prepared is what would be made', () => {
    const text = 'z,b in (y,x),!a,c>1'
    const prepared = parseLabelSelector(text)
    runToEnd(prepared.prepareInSteps())
    expect(prepared.requirements).toEqual(parseLabelSelector(text).requirements)
    expect(prepared.toSelectorRequirements()).toEqual(parseLabelSelector(text).toSelectorRequirements())
  })
})
