/** `cel.bind(name, value, expression)`, and blocks of values that are made once. */
import { declareFunction } from '../functions.ts'
import { bindingMacros } from '../macros.ts'
import { LIST_OF_DYN, typeParam } from '../types.ts'
import type { Library } from './library.ts'

const T = typeParam('T')

export const bindingsLibrary: Library = {
  macros: bindingMacros,
  functions: [declareFunction('cel.@block', { overloads: [['cel_block_list', [LIST_OF_DYN, T], T]] })],
}
