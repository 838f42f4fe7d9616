/**
 * LimitRange: one item a type, whose minimum, defaults and maximum must be in that order.
 * Mirrors pkg/apis/core/validation: ValidateLimitRange.
 * Mirrors pkg/registry/core/limitrange: limitrangeStrategy.
 */

import { duplicate, type FieldError, forbidden, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import type { GoLiteral } from '../../../../api/golang/literal.ts'
import { goQuantity, readQuantity } from '../../../../api/golang/quantity.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { eachMember, stepsOfRules, withEachItem } from '../../../../api/rules-in-steps.ts'
import { invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { LimitRangeItem, LimitRangeSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { addMessages, type Errors } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import {
  givenAmount,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../../pods/resource-requirements.ts'

type LimitRange = KubeObject & { spec: LimitRangeSpec }
type Amounts = Readonly<Record<string, string>> | undefined

const limitsPath = FieldPath.of('spec', 'limits')
const standardTypes: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim'])

/** Beyond this many units, thousandths do not fit into 64 bits. */
const maxMilli = Math.floor(Number(2n ** 63n - 1n) / 1000)

function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const errors: FieldError[] = []
  withEachItem(
    errors,
    spec.limits ?? [],
    () => new Set<string>(),
    (types, errors, item, i) => {
      const at = limitsPath.index(i)
      validateType(errors, item.type, at.child('type'))
      if (types.has(item.type)) errors.push(duplicate(at.child('type'), item.type))
      types.add(item.type)
      validateItem(errors, item, at)
    },
  )
  return errors
}

function validateType(errors: Errors, type: string, at: FieldPath): void {
  const messages = checkQualifiedName(type)
  addMessages(errors, at, type, messages)
  if (messages.length > 0 || type.includes('/') || standardTypes.has(type)) return
  addMessages(errors, at, type, ['must be a standard limit type or fully qualified'])
}

function validateItem(errors: Errors, item: LimitRangeItem, at: FieldPath): void {
  const isPod = item.type === 'Pod'
  const validateNames = (list: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'): void => {
    eachMember(errors, item[list] ?? {}, (errors, name) => {
      const nameAt = at.child(list).key(name)
      if (isPod || item.type === 'Container') validateContainerResourceName(errors, name, nameAt)
      else validateResourceName(errors, name, nameAt)
    })
  }
  validateNames('max')
  validateNames('min')
  for (const list of ['default', 'defaultRequest'] as const) {
    if (!isPod) validateNames(list)
    else if (keysOf(item[list] ?? {}).length > 0) {
      errors.push(forbidden(at.child(list), "may not be specified when `type` is 'Pod'"))
    }
  }
  if (
    item.type === 'PersistentVolumeClaim' &&
    item.min?.['storage'] === undefined &&
    item.max?.['storage'] === undefined
  ) {
    const why = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(required(at.child('limits'), why))
  }
  validateNames('maxLimitRequestRatio')
  const names = namesOf(item, isPod)
  const found = stepsOfRules(item, names.size, function* () {
    const own: FieldError[] = []
    let count = 0
    for (const name of names) {
      if (count++ % namesOfStep === 0) yield
      validateOrder(own, name, orderOf(item, name, isPod), at)
    }
    return own
  })
  pushAll(errors, found)
}

/** Names of amounts that are compared in a step. */
const namesOfStep = 100

function namesOf(item: LimitRangeItem, isPod: boolean): Set<string> {
  const lists: Amounts[] = [
    item.max,
    item.min,
    ...(isPod ? [] : [item.default, item.defaultRequest]),
    item.maxLimitRequestRatio,
  ]
  return new Set(lists.flatMap((list) => keysOf(list ?? {})))
}

interface Order {
  readonly min: Amount | undefined
  readonly max: Amount | undefined
  readonly standard: Amount | undefined
  readonly request: Amount | undefined
  readonly ratio: Amount | undefined
}

class Amount {
  readonly quantity: Quantity
  readonly #written: string
  #isWide: boolean

  constructor(canonical: string, written = canonical) {
    this.quantity = Quantity.parse(canonical)
    this.#written = written
    this.#isWide = !readQuantity(written).isExact
  }

  /** The reference makes an unbounded decimal of what it compares with one, and shows that. Mirrors apimachinery/pkg/api/resource: Quantity.Cmp. */
  compare(other: Amount): number {
    this.#isWide ||= other.#isWide
    return this.quantity.compare(other.quantity)
  }

  shown(): GoLiteral {
    return goQuantity(String(this.quantity), { written: this.#written, isTold: true, isWide: this.#isWide })
  }

  toString(): string {
    return String(this.quantity)
  }
}

function orderOf(item: LimitRangeItem, name: string, isPod: boolean): Order {
  const amount = (list: Amounts): Amount | undefined => {
    const text = givenAmount(list, name)
    return text === undefined ? undefined : new Amount(text, writingOf(list, name))
  }
  return {
    min: amount(item.min),
    max: amount(item.max),
    standard: isPod ? undefined : amount(item.default),
    request: isPod ? undefined : amount(item.defaultRequest),
    ratio: amount(item.maxLimitRequestRatio),
  }
}

const exceeds = (a: Amount | undefined, b: Amount | undefined): boolean =>
  a !== undefined && b !== undefined && a.compare(b) > 0

function validateOrder(errors: Errors, name: string, order: Order, at: FieldPath): void {
  const { min, max, standard, request, ratio } = order
  const say = (list: string, amount: Amount | undefined, why: string): void => {
    const shown = amount?.shown() ?? ''
    errors.push(invalidAs(at.child(list).key(name), () => shown, why))
  }
  if (exceeds(min, max)) say('min', min, `min value ${min} is greater than max value ${max}`)
  if (exceeds(min, request)) {
    say('defaultRequest', request, `min value ${min} is greater than default request value ${request}`)
  }
  if (exceeds(request, max)) {
    say('defaultRequest', request, `default request value ${request} is greater than max value ${max}`)
  }
  if (exceeds(request, standard)) {
    say('defaultRequest', request, `default request value ${request} is greater than default limit value ${standard}`)
  }
  // Here the reference shows the limit, not the value that goes beyond it.
  if (exceeds(min, standard)) say('default', min, `min value ${min} is greater than default value ${standard}`)
  if (exceeds(standard, max)) say('default', max, `default value ${standard} is greater than max value ${max}`)
  if (ratio !== undefined) validateRatio(ratio, order, (why) => say('maxLimitRequestRatio', ratio, why))
  const apart = standard !== undefined && request !== undefined && standard.compare(request) !== 0
  if (apart && !isOvercommitAllowed(name)) {
    say('defaultRequest', request, `default value ${standard} must equal to defaultRequest value ${request} in ${name}`)
  }
}

function validateRatio({ quantity: ratio }: Amount, order: Order, say: (why: string) => void): void {
  const [min, max] = [order.min?.quantity, order.max?.quantity]
  if (ratio.compare(Quantity.of(1)) < 0) say(`ratio ${ratio} is less than 1`)
  if (min === undefined || max === undefined) return
  const fine = [ratio, min, max].every((quantity) => quantity.value() < maxMilli)
  const wanted = fine ? ratio.milliValue() / 1000 : ratio.value()
  const possible = fine ? max.milliValue() / min.milliValue() : max.value() / min.value()
  if (wanted > possible) say(`ratio ${ratio} is greater than max/min = ${possible.toFixed(6)}`)
}

export function limitRangeRules({ clock }: KindServices): KindRules<LimitRange> {
  return {
    strategy: {
      validateMetadataUpdate: (metadata) => metadata.validate(),
      prepareForCreate({ metadata }) {
        if ((metadata.name ?? '') === '') metadata.name = clock.uuid()
      },
      validate: validateLimitRange,
      validateUpdate: validateLimitRange,
    },
  }
}
