/** Quantities such as `1.5Gi` and `200m`. */
import { GoNative } from '../../api/golang/native.ts'
import { Quantity, QuantityError } from '../../api/quantity.ts'
import { WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { BOOL, DOUBLE, INT, STRING, structType } from '../types.ts'
import type { Int, Opaque, Value } from '../values.ts'
import { CelError, Double, errorOr, noSuchOverload, toInt } from '../values.ts'
import type { Library } from './library.ts'

export const QUANTITY = structType('kubernetes.Quantity')

class QuantityValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = QUANTITY
  readonly quantity: Quantity
  /** Made by arithmetic: the reference takes such a value only on the left side of a comparison. */
  readonly #isDerived: boolean

  constructor(quantity: Quantity, isDerived = false) {
    this.quantity = quantity
    this.#isDerived = isDerived
  }

  equals(other: Value): Value {
    if (!(other instanceof QuantityValue)) return errorOr(other)
    return other.#isDerived ? noSuchOverload() : this.quantity.equals(other.quantity)
  }

  native(): GoNative {
    return GoNative.pointer('*resource.Quantity', this.quantity.toString())
  }
}

export const quantityValue = (text: string): Opaque => new QuantityValue(Quantity.parse(text))

const of = (value: Value): Quantity => (value as QuantityValue).quantity
const integer = (value: Value): Quantity => Quantity.of(value as Int, 'DecimalExponent')
const derived = (quantity: Quantity): Value => new QuantityValue(quantity, true)

const parse: Implementation = (a, _b, _c, _d, e) => {
  e.work((a as string).length * WORK.digit)
  try {
    return new QuantityValue(Quantity.parse(a as string))
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message)
    throw error
  }
}

const isQuantity: Implementation = (a, _b, _c, _d, e) => {
  e.work((a as string).length * WORK.digit)
  return Quantity.check(a as string) === undefined
}

const asInteger: Implementation = (a) => {
  const value = of(a).asInteger()
  return value === undefined ? new CelError('cannot convert value to integer') : toInt(value)
}

export const quantityLibrary: Library = {
  functions: [
    declareFunction('quantity', { overloads: [['string_to_quantity', [STRING], QUANTITY, parse]] }),
    declareFunction('isQuantity', {
      overloads: [['is_quantity_string', [STRING], BOOL, isQuantity]],
    }),
    declareFunction('sign', { overloads: [['quantity_sign', [QUANTITY], INT, (a) => of(a).sign()]] }),
    declareFunction('isGreaterThan', {
      members: [['quantity_is_greater_than', [QUANTITY, QUANTITY], BOOL, (a, b) => of(a).compare(of(b)) === 1]],
    }),
    declareFunction('isLessThan', {
      members: [['quantity_is_less_than', [QUANTITY, QUANTITY], BOOL, (a, b) => of(a).compare(of(b)) === -1]],
    }),
    declareFunction('compareTo', {
      members: [['quantity_compare_to', [QUANTITY, QUANTITY], INT, (a, b) => of(a).compare(of(b))]],
    }),
    declareFunction('asApproximateFloat', {
      members: [['quantity_get_float', [QUANTITY], DOUBLE, (a) => new Double(of(a).asApproximateFloat())]],
    }),
    declareFunction('asInteger', { members: [['quantity_get_int', [QUANTITY], INT, asInteger]] }),
    declareFunction('isInteger', { members: [['quantity_is_integer', [QUANTITY], BOOL, (a) => of(a).isInteger()]] }),
    declareFunction('add', {
      members: [
        ['quantity_add', [QUANTITY, QUANTITY], QUANTITY, (a, b) => derived(of(a).add(of(b)))],
        ['quantity_add_int', [QUANTITY, INT], QUANTITY, (a, b) => derived(of(a).add(integer(b)))],
      ],
    }),
    declareFunction('sub', {
      members: [
        ['quantity_sub', [QUANTITY, QUANTITY], QUANTITY, (a, b) => derived(of(a).sub(of(b)))],
        ['quantity_sub_int', [QUANTITY, INT], QUANTITY, (a, b) => derived(of(a).sub(integer(b)))],
      ],
    }),
  ],
}
