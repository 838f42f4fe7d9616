/** Numbers beyond the standard library. */
import { compare } from '../equality.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { mathMacros } from '../macros.ts'
import { checkedInt, isNumeric } from '../numbers.ts'
import type { Type } from '../types.ts'
import { BOOL, DOUBLE, DYN, INT, listType, UINT } from '../types.ts'
import type { Int, List, Value } from '../values.ts'
import { CelError, Double, toInt, Uint } from '../values.ts'
import type { Library } from './library.ts'

const NUMBERS: readonly (readonly [name: string, type: Type])[] = [
  ['double', DOUBLE],
  ['int', INT],
  ['uint', UINT],
]

const better = (a: Value, b: Value, beats: number, name: string): Value => {
  const order = compare(a, b)
  if (order instanceof CelError) return new CelError(`${order.message}: ${name}`)
  return order === beats ? b : a
}

function extremum(name: string, id: string, beats: number): FunctionDeclaration {
  const pair: Implementation = (a, b) => better(a, b, beats, name)
  const ofList: Implementation = (a) => {
    const list = a as List
    if (list.length === 0) return new CelError(`${name}(list) argument must not be empty`)
    let best = list.at(0)
    for (let i = 1; i < list.length; i++) best = better(best, list.at(i), beats, name)
    return isNumeric(best) || best instanceof CelError ? best : new CelError(`no such overload: ${name}`)
  }
  return declareFunction(name, {
    overloads: [
      ...NUMBERS.map(([typeName, type]) => [`${id}_${typeName}`, [type], type, (a: Value) => a] as const),
      ...NUMBERS.flatMap(([left, leftType]) =>
        NUMBERS.map(
          ([right, rightType]) =>
            [`${id}_${left}_${right}`, [leftType, rightType], left === right ? leftType : DYN, pair] as const,
        ),
      ),
      ...NUMBERS.map(([typeName, type]) => [`${id}_list_${typeName}`, [listType(type)], type, ofList] as const),
    ],
  })
}

const number = (value: Value): number => (value as Double).value

const onDouble = (name: string, result: Type, apply: (value: number) => Value): FunctionDeclaration =>
  declareFunction(`math.${name}`, {
    overloads: [[`math_${name}_double`, [DOUBLE], result, (a) => apply(number(a))]],
  })

/** Halves go away from zero. */
const round = (value: number): number => {
  const floor = Math.floor(Math.abs(value))
  return Math.sign(value) * (Math.abs(value) - floor >= 0.5 ? floor + 1 : floor)
}

const abs = declareFunction('math.abs', {
  overloads: [
    ['math_abs_double', [DOUBLE], DOUBLE, (a) => new Double(Math.abs(number(a)))],
    ['math_abs_int', [INT], INT, (a) => ((a as Int) < 0 ? checkedInt(-BigInt(a as Int)) : a)],
    ['math_abs_uint', [UINT], UINT, (a) => a],
  ],
})

const sign = declareFunction('math.sign', {
  overloads: [
    ['math_sign_double', [DOUBLE], DOUBLE, (a) => new Double(Math.sign(number(a)))],
    ['math_sign_int', [INT], INT, (a) => ((a as Int) < 0 ? -1 : (a as Int) > 0 ? 1 : 0)],
    ['math_sign_uint', [UINT], UINT, (a) => new Uint((a as Uint).value === 0n ? 0n : 1n)],
  ],
})

const signed = (value: bigint): Int => toInt(BigInt.asIntN(64, value))
const unsigned = (value: bigint): Uint => new Uint(BigInt.asUintN(64, value))
const bits = (value: Value): bigint => (value instanceof Uint ? value.value : BigInt(value as Int))

function bitwise(name: string, apply: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return declareFunction(`math.${name}`, {
    overloads: [
      [`math_${name}_int_int`, [INT, INT], INT, (a, b) => signed(apply(bits(a), bits(b)))],
      [`math_${name}_uint_uint`, [UINT, UINT], UINT, (a, b) => unsigned(apply(bits(a), bits(b)))],
    ],
  })
}

function shift(name: string, apply: (value: bigint, by: bigint) => bigint): FunctionDeclaration {
  const checked =
    (wrap: (value: bigint) => Value): Implementation =>
    (a, b) => {
      if ((b as Int) < 0) return new CelError(`math.${name}() negative offset: ${b as Int}`)
      if ((b as Int) >= 64) return wrap(0n)
      return wrap(apply(BigInt.asUintN(64, bits(a)), BigInt(b as Int)))
    }
  return declareFunction(`math.${name}`, {
    overloads: [
      [`math_${name}_int_int`, [INT, INT], INT, checked(signed)],
      [`math_${name}_uint_int`, [UINT, INT], UINT, checked(unsigned)],
    ],
  })
}

export const mathLibrary: Library = {
  macros: mathMacros,
  functions: [
    extremum('math.@min', 'math_@min', 1),
    extremum('math.@max', 'math_@max', -1),
    onDouble('ceil', DOUBLE, (value) => new Double(Math.ceil(value))),
    onDouble('floor', DOUBLE, (value) => new Double(Math.floor(value))),
    onDouble('round', DOUBLE, (value) => new Double(Number.isFinite(value) ? round(value) : value)),
    onDouble('trunc', DOUBLE, (value) => new Double(Math.trunc(value))),
    onDouble('isInf', BOOL, (value) => Math.abs(value) === Infinity),
    onDouble('isNaN', BOOL, (value) => Number.isNaN(value)),
    onDouble('isFinite', BOOL, (value) => Number.isFinite(value)),
    abs,
    sign,
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    declareFunction('math.bitNot', {
      overloads: [
        ['math_bitNot_int_int', [INT], INT, (a) => signed(~bits(a))],
        ['math_bitNot_uint_uint', [UINT], UINT, (a) => unsigned(~bits(a))],
      ],
    }),
    shift('bitShiftLeft', (value, by) => value << by),
    shift('bitShiftRight', (value, by) => value >> by),
  ],
}
