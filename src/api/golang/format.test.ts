import { expect, it } from 'vitest'
import { formatWithoutArguments } from './format.ts'

it.each([
  ['as it is', 'as it is'],
  ['{50%}', '{50%!}(MISSING)'],
  ['%d', '%!d(MISSING)'],
  ['% d %-5d %5.2f|', '%!d(MISSING) %!d(MISSING) %!f(MISSING)|'],
  ['%%', '%'],
  ['%*d', '%!(BADWIDTH)%!d(MISSING)'],
  ['%[1]d %[x', '%!d(BADINDEX) %!x(BADINDEX)'],
  ['100% sure', '100%!s(MISSING)ure'],
  ['%é %😀', '%!é(MISSING) %!😀(MISSING)'],
  ['50%', '50%!(NOVERB)'],
  ['%!q(types.Bool=true)', '%!!(MISSING)q(types.Bool=true)'],
  ['%[1]d%[2', '%!d(BADINDEX)%!2(BADINDEX)'],
])('formats %s', (text, formatted) => {
  expect(formatWithoutArguments(text)).toBe(formatted)
})

it('leaves the end of a long text as it is', () => {
  const formatted = formatWithoutArguments('%d'.repeat(20_000))
  expect(formatted.startsWith('%!d(MISSING)%!d(MISSING)')).toBe(true)
  expect(formatted.endsWith('%d%d')).toBe(true)
})
