/**
 * Requests and limits: which resources there are, what their amounts may be, and how the two relate.
 * Mirrors pkg/apis/core/validation: ValidateContainerResourceRequirements.
 */

import {
  duplicate,
  type FieldError,
  fieldError,
  forbidden,
  invalid,
  maxPairErrors,
  quote,
  required,
} from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { writingOf } from '../../../api/given-writing.ts'
import { goNamed } from '../../../api/golang/literal.ts'
import { goQuantity } from '../../../api/golang/quantity.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { Quantity, QuantityError } from '../../../api/quantity.ts'
import { eachItem, eachMember } from '../../../api/rules-in-steps.ts'
import { invalidAs, notSupportedAs } from '../../../catalog/golang/pod-syntax.ts'
import type { ResourceClaim, ResourceRequirements } from '../../../catalog/types/core-v1.ts'
import { checkLabel, type Errors, negativeMessage } from '../../checks/checks.ts'

const hugePagesPrefix = 'hugepages-'
const requestsPrefix = 'requests.'

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
])

/** Resources that are counted. */
const integerResources: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])

export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix)

/** Names without a prefix, and those of the project, are its own. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false
  return checkQualifiedName(`${requestsPrefix}${name}`).length === 0
}

export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

const isInteger = (name: string): boolean => integerResources.has(name) || isExtendedResource(name)

/** Whether the amount is a whole number of pages of the size in the name. */
export function isDivisible(name: string, amount: Quantity): boolean {
  const size = parse(name.slice(hugePagesPrefix.length))
  if (size === undefined || size.sign() <= 0 || !size.isWhole()) return false
  return amount.isMultiple(size.asInteger() ?? size.value())
}

function parse(text: string): Quantity | undefined {
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

/** Values that messages show without quotes. */
const invalidName = (at: FieldPath, name: string, detail: string): FieldError =>
  invalidAs(at, () => goNamed(name), detail)

export function validateResourceName(errors: Errors, name: string, at: FieldPath): boolean {
  const messages = checkQualifiedName(name)
  for (const message of messages) errors.push(invalidName(at, name, message))
  if (messages.length > 0) return false
  if (name.includes('/') || standardResources.has(name) || isHugePages(name.replace(/^requests\./, ''))) return true
  errors.push(invalidName(at, name, 'must be a standard resource type or fully qualified'))
  return false
}

export function validateContainerResourceName(errors: Errors, name: string, at: FieldPath): void {
  if (containerResources.has(name)) return
  validateResourceName(errors, name, at)
  if (!name.includes('/')) {
    if (!isHugePages(name)) errors.push(invalidName(at, name, 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalidName(at, name, "doesn't follow extended resource name standard"))
  }
}

function validatePodResourceName(errors: Errors, name: string, at: FieldPath): void {
  if (!validateResourceName(errors, name, at)) return
  if (name === 'cpu' || name === 'memory' || isHugePages(name)) return
  errors.push(notSupportedAs(at, () => goNamed(name), ['cpu', hugePagesPrefix, 'memory']))
}

/** Amounts repeat: the few that are in use are read once. */
const knownAmounts = new Map<string, Quantity>()
const maxKnownAmounts = 1000

/** The quantity that a text of an object says; it was checked when the object was decoded. */
export function amountOf(text: string): Quantity {
  let amount = knownAmounts.get(text)
  if (amount === undefined) {
    amount = Quantity.parse(text)
    if (knownAmounts.size >= maxKnownAmounts) knownAmounts.clear()
    knownAmounts.set(text, amount)
  }
  return amount
}

/** The amount that a list has of a resource. Own keys alone: `constructor` is inherited. */
export const givenAmount = (list: Readonly<Record<string, string>> | undefined, name: string): string | undefined =>
  list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined

export interface GivenQuantity {
  readonly text: string
  /** See api/given-writing.ts. */
  readonly written?: string | undefined
}

/** An amount of a resource: not negative, and whole where the resource is counted. */
export function validateAmount(
  errors: Errors,
  name: string,
  { text, written }: GivenQuantity,
  at: FieldPath,
): Quantity {
  const amount = amountOf(text)
  if (amount.sign() < 0) errors.push(invalid(at, text, negativeMessage))
  if (isInteger(name) && !amount.isWhole()) {
    errors.push(invalidAs(at, () => goQuantity(text, { written }), 'must be an integer'))
  }
  return amount
}

export interface RequirementRules {
  readonly level: 'container' | 'pod'
  /** The names of the pod's own claims. */
  readonly claims: readonly string[]
  readonly anyHugePages: boolean
}

type Amounts = Readonly<Record<string, string>>

const hasCompute = (amounts: Amounts | undefined): boolean =>
  amounts !== undefined && (Object.hasOwn(amounts, 'cpu') || Object.hasOwn(amounts, 'memory'))

const hasHugePages = (amounts: Amounts | undefined): boolean =>
  amounts !== undefined && keysOf(amounts).some(isHugePages)

export function validateRequirements(
  errors: Errors,
  { limits, requests, claims }: ResourceRequirements,
  at: FieldPath,
  rules: RequirementRules,
): void {
  if (limits === undefined && requests === undefined && claims === undefined) return
  const validateList = (list: 'limits' | 'requests', amounts: Amounts = {}): void => {
    eachMember(errors, amounts, (errors, name, text) => {
      const itemAt = at.child(list).key(name)
      if (rules.level === 'container') validateContainerResourceName(errors, name, itemAt)
      else validatePodResourceName(errors, name, itemAt)
      const amount = validateAmount(errors, name, { text, written: writingOf(amounts, name) }, itemAt)
      if (list === 'requests') {
        validateAgainstLimit(errors, { name, text, amount, limit: givenAmount(limits, name) }, at)
      }
      if (rules.anyHugePages || !isHugePages(name) || isDivisible(name, amount)) return
      errors.push(invalid(itemAt, text, `${text} is not positive integer multiple of ${name}`))
    })
  }
  validateList('limits', limits)
  validateList('requests', requests)
  if (!hasCompute(limits) && !hasCompute(requests) && (hasHugePages(limits) || hasHugePages(requests))) {
    errors.push(forbidden(at, 'HugePages require cpu or memory'))
  }
  if (claims !== undefined) validateClaims(errors, claims, at.child('claims'), rules.claims)
}

interface Request {
  readonly name: string
  readonly text: string
  readonly amount: Quantity
  readonly limit: string | undefined
}

function validateAgainstLimit(errors: Errors, { name, text, amount, limit }: Request, at: FieldPath): void {
  const overcommit = isOvercommitAllowed(name)
  if (limit === undefined) {
    if (!overcommit) errors.push(required(at.child('limits'), 'Limit must be set for non overcommitable resources'))
    return
  }
  if (limit === text) return
  const compared = amount.compare(amountOf(limit))
  if (compared !== 0 && !overcommit) {
    errors.push(invalid(at.child('requests'), text, `must be equal to ${name} limit of ${limit}`))
  } else if (compared > 0) {
    errors.push(invalid(at.child('requests'), text, `must be less than or equal to ${name} limit of ${limit}`))
  }
}

function validateClaims(
  errors: Errors,
  claims: readonly ResourceClaim[],
  at: FieldPath,
  known: readonly string[],
): void {
  const names = new ClaimNames()
  const pod = new Set(known)
  eachItem(errors, claims, (errors, { name, request = '' }, i) => {
    const itemAt = at.index(i)
    if (name === '') {
      errors.push(required(itemAt))
      return
    }
    if (names.has(name)) errors.push(duplicate(itemAt, name))
    else validateClaim(errors, { name, request, names }, itemAt)
    if (!pod.has(name)) errors.push(unknownClaim(itemAt, name, pod))
  })
}

function validateClaim(
  errors: Errors,
  { name, request, names }: { name: string; request: string; names: ClaimNames },
  at: FieldPath,
): void {
  const key = request === '' ? name : `${name}/${request}`
  if (request !== '') checkLabel(errors, request, at, 'request')
  if (names.has(key)) errors.push(duplicate(at, key))
  else if (request === '') {
    for (let n = names.requestsOf(name); n > 0 && errors.length < maxPairErrors; n--) errors.push(duplicate(at, name))
  }
  names.add(name, request)
}

/** No claim of a pod has a longer name. */
const maxClaimName = 63

/** Claims and requests of claims: `a`, `a/b`. */
class ClaimNames {
  readonly #seen = new Set<string>()
  readonly #requests = new Map<string, number>()

  has(key: string): boolean {
    return this.#seen.has(key)
  }

  /** How many different keys begin with the name and a slash. */
  requestsOf(name: string): number {
    return this.#requests.get(name) ?? 0
  }

  add(name: string, request: string): void {
    const key = request === '' ? name : `${name}/${request}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    for (let slash = key.indexOf('/'); slash >= 0 && slash <= maxClaimName; slash = key.indexOf('/', slash + 1)) {
      const prefix = key.slice(0, slash)
      this.#requests.set(prefix, this.requestsOf(prefix) + 1)
    }
  }
}

function unknownClaim(at: FieldPath, name: string, known: ReadonlySet<string>): FieldError {
  const names = (): string => (known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`)
  const message = (): string =>
    `Not found: ${quote(name)}: must be one of the names in pod.spec.resourceClaims${names()}`
  return fieldError('FieldValueNotFound', at, message)
}

/** A resource that nodes offer besides their own. Mirrors pkg/apis/core/v1/helper: IsExtendedResourceName. */
export const isExtendedResourceName = (name: string): boolean =>
  name.includes('/') &&
  !name.includes('kubernetes.io/') &&
  !name.startsWith(requestsPrefix) &&
  checkQualifiedName(`${requestsPrefix}${name}`).length === 0
