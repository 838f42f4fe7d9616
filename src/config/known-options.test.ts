import { expect, it } from 'vitest'
import { refuseUnknownChoice, refuseUnknownOptions } from './known-options.ts'

interface Options {
  nodes?: number
  seed?: number
}
const known = { nodes: true, seed: true } as const

it.each([
  [{ node: 3 }, 'there is no option of start "node": did you mean nodes?'],
  [{ colour: 3 }, 'there is no option of start "colour": use nodes, seed'],
  [JSON.parse('{"__proto__": 1}'), 'there is no option of start "__proto__": use nodes, seed'],
  [null, 'start takes an object of options'],
  ['nodes', 'start takes an object of options'],
])('refuses %j', (given, message) => {
  expect(() => refuseUnknownOptions<Options>('start', given as Options, known)).toThrow(new TypeError(message))
})

it.each([[{}], [{ nodes: 3 }], [{ nodes: undefined, seed: 1 }]])('takes %j', (given) => {
  expect(() => refuseUnknownOptions<Options>('start', given as Options, known)).not.toThrow()
})

it('refuses a choice that there is not', () => {
  expect(() => refuseUnknownChoice('profile', 'crd', ['full', 'crds'])).toThrow(
    new TypeError('there is no profile "crd": did you mean crds?'),
  )
  expect(() => refuseUnknownChoice('profile', undefined, ['full', 'crds'])).not.toThrow()
})
