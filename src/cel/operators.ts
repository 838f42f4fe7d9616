/** The operators of expressions: the functions that they stand for, and how strongly they bind. */

export const RELATIONS: Readonly<Record<string, string>> = {
  '<': '_<_',
  '<=': '_<=_',
  '>=': '_>=_',
  '>': '_>_',
  '==': '_==_',
  '!=': '_!=_',
  in: '@in',
}
const SUMS: Readonly<Record<string, string>> = { '+': '_+_', '-': '_-_' }
const PRODUCTS: Readonly<Record<string, string>> = { '*': '_*_', '/': '_/_', '%': '_%_' }
export const OPERATORS: Readonly<Record<string, string>> = { ...RELATIONS, ...SUMS, ...PRODUCTS }

export const calcPrecedence = (text: string): number =>
  Object.hasOwn(PRODUCTS, text) ? 2 : Object.hasOwn(SUMS, text) ? 1 : 0
