import { expect, it } from 'vitest'
import { Warnings } from './warnings.ts'

function headersOf(...texts: string[]): string[] {
  let headers: string[] = []
  const warnings = new Warnings()
  for (const text of texts) {
    warnings.add(text, {
      addHeader: (_, value) => void headers.push(value),
      removeHeader: () => {
        headers = []
      },
    })
  }
  return headers
}

it.each<[string, string[], string[]]>([
  ['are reported once', ['a', 'b', 'a'], ['299 - "a"', '299 - "b"']],
  ['are quoted', ['say "x" \\ y'], ['299 - "say \\"x\\" \\\\ y"']],
  ['are bytes of UTF-8', ['✓'], ['299 - "\u00e2\u009c\u0093"']],
  ['of more than one line are not told', ['a\nb', 'c'], ['299 - "c"']],
  [
    'that are too long together are all cut',
    ['x'.repeat(4000), 'y'.repeat(97), 'z'.repeat(300)],
    [`299 - "${'x'.repeat(256)}"`, `299 - "${'y'.repeat(97)}"`, `299 - "${'z'.repeat(256)}"`],
  ],
])('warnings %s', (_, texts, expected) => {
  expect(headersOf(...texts)).toEqual(expected)
})

it('says nothing more once even the cut ones are too many', () => {
  const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(300)}`)
  expect(headersOf(...texts)).toHaveLength(16)
})
