/**
 * Slices of a pool: the devices that a driver has, where they are, and the counters that they share.
 * Mirrors pkg/apis/resource/validation: ValidateResourceSlice, ValidateResourceSliceUpdate.
 */
import { maxErrors } from '../../../api/error-limit.ts'
import { type FieldError, invalid, ofNamedText, required, tooMany } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { JsonObject } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import { goNodeSelectorTerms, goNull, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  ResourcePool,
  ResourceSliceSpec,
} from '../../../catalog/types/resource-v1beta2.ts'
import { addMessages, type Errors, immutableMessage } from '../../checks/checks.ts'
import { validateDriverName } from '../../checks/csi-names.ts'
import { validateNodeSelectorTerms } from '../pods/affinity.ts'
import { hasList, validateAttribute, validateNodeMappings, validateValueCount } from './device-attributes.ts'
import {
  checkIdentifier,
  checkLabelAt,
  checkList,
  checkPoolName,
  checkSet,
  checkTaint,
  taintEffects,
} from './device-checks.ts'
import { validateBinding, validateCapacityPolicy } from './device-sharing.ts'

const at = FieldPath.of('spec')
const maxDevices = 128
const maxSharedCounters = 32
const maxCountersOfSlice = 1024
const maxCountersOfDevice = 32
const maxFacts = 32
const maxTaints = 4
const maxLaterTaints = 16
const maxBusyDevices = 64
const maxCounterSets = 8
const maxConsumptions = 2
const maxFactName = 63 + 1 + 32
const maxCounterName = 63
const maxCountersOfSet = 32
const noLimit = Number.POSITIVE_INFINITY

/** Whether a feature gate is on, or the release has a change. */
type Gate = (name: string) => boolean

export function validateSlice(spec: ResourceSliceSpec, gate: Gate, old?: ResourceSliceSpec): FieldError[] {
  const errors: Errors = []
  validateDriverName(errors, spec.driver, at.child('driver'))
  validatePool(errors, spec.pool, at.child('pool'))
  if (old !== undefined) validateKept(errors, spec, old)
  validateNodes(errors, spec)
  const hasLimits = gate('release:sliceLimits')
  if (hasLimits && isGiven(spec.sharedCounters) && isGiven(spec.devices)) {
    errors.push(invalid(at, '', 'only one of `sharedCounters` or `devices` is allowed'))
  }
  const shared = new Map((spec.sharedCounters ?? []).map((set) => [set.name, new Set(keysOf(set.counters ?? {}))]))
  checkSet(errors, spec.devices, hasLimits && isBusy(spec) ? maxBusyDevices : maxDevices, at.child('devices'), {
    check: (errors, device, itemAt) =>
      validateDevice(errors, device, itemAt, { shared, ownNodes: spec.perDeviceNodeSelection, gate }),
    key: ({ name }) => name,
    field: 'name',
  })
  if (hasLimits) {
    validateShared(errors, spec.sharedCounters ?? [], gate)
    return errors
  }
  const used = (spec.devices ?? []).reduce((sum, { consumesCounters }) => sum + countersIn(consumesCounters), 0)
  if (used > maxCountersOfSlice) {
    const why = `the total number of counters in devices must not exceed ${maxCountersOfSlice}`
    errors.push(invalid(at.child('devices'), used, why))
  }
  validateShared(errors, spec.sharedCounters ?? [], gate)
  return errors
}

const isGiven = (list: readonly unknown[] | null | undefined): boolean => list !== undefined && list !== null

/** Devices that are tainted, take from counters, or have lists of attributes cost more to look at. */
const isBusy = ({ devices }: ResourceSliceSpec): boolean =>
  (devices ?? []).some(
    ({ taints = [], consumesCounters = [], attributes = {} }) =>
      taints.length + consumesCounters.length > 0 || Object.values(attributes).some(hasList),
  )

const countersIn = (sets: readonly { readonly counters?: Readonly<Record<string, unknown>> }[] = []): number =>
  sets.reduce((sum, { counters = {} }) => sum + keysOf(counters).length, 0)

function validatePool(errors: Errors, { name, resourceSliceCount, generation }: ResourcePool, where: FieldPath): void {
  checkPoolName(errors, name, where.child('name'))
  if (resourceSliceCount <= 0) {
    errors.push(invalid(where.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'))
  }
  if (generation < 0) {
    errors.push(invalid(where.child('generation'), generation, 'must be greater than or equal to zero'))
  }
}

function validateKept(errors: Errors, spec: ResourceSliceSpec, old: ResourceSliceSpec): void {
  const keep = (value: string, before: string, ...names: string[]): void => {
    if (value !== before) errors.push(invalid(at.child(...names), value, immutableMessage))
  }
  keep(spec.pool.name, old.pool.name, 'pool', 'name')
  keep(spec.driver, old.driver, 'driver')
  const { nodeName } = spec
  if (nodeName === old.nodeName) return
  const where = at.child('nodeName')
  // A pointer, which is not looked behind.
  if (nodeName === undefined) errors.push(invalidAs(where, () => goNull, immutableMessage))
  else errors.push(ofNamedText(invalid(where, nodeName, immutableMessage)))
}

type Nodes = Pick<Device, 'nodeName' | 'nodeSelector' | 'allNodes'>

interface NodeRules {
  /** What to say of a name that is empty. */
  readonly noName: string
  readonly oneTerm: boolean
}

/** The ways of saying where devices are that were used. */
function nodesGiven(errors: Errors, nodes: Nodes, where: FieldPath, { noName, oneTerm }: NodeRules): string[] {
  const { nodeName, nodeSelector, allNodes } = nodes
  const given: string[] = []
  if (nodeName === '') errors.push(invalid(where.child('nodeName'), nodeName, noName))
  else if (nodeName !== undefined) {
    given.push('`nodeName`')
    addMessages(errors, where.child('nodeName'), nodeName, checkSubdomainName(nodeName))
  }
  if (nodeSelector !== undefined) {
    given.push('`nodeSelector`')
    const termsAt = where.child('nodeSelector', 'nodeSelectorTerms')
    const terms = nodeSelector.nodeSelectorTerms ?? []
    validateNodeSelectorTerms(errors, terms, termsAt, false)
    if (oneTerm && terms.length !== 1) {
      errors.push(
        invalidAs(
          termsAt,
          () => goNodeSelectorTerms(nodeSelector.nodeSelectorTerms),
          'must have exactly one node selector term',
        ),
      )
    }
  }
  if (allNodes === true) given.push('`allNodes`')
  else if (allNodes === false) errors.push(invalid(where.child('allNodes'), false, trueOrUnset))
  return given
}

const trueOrUnset = 'must be either unset or set to true'

function validateNodes(errors: Errors, spec: ResourceSliceSpec): void {
  const { perDeviceNodeSelection: perDevice } = spec
  const noName = 'must be either unset or set to a non-empty string'
  const given = nodesGiven(errors, spec, at, { noName, oneTerm: true })
  if (perDevice === true) given.push('`perDeviceNodeSelection`')
  else if (perDevice === false) errors.push(invalid(at.child('perDeviceNodeSelection'), false, trueOrUnset))
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (given.length === 0) errors.push(required(at, one))
  if (given.length > 1) errors.push(invalid(at, `{${given.join(', ')}}`, `${one}, but multiple fields are set`))
}

interface Surroundings {
  /** The counters of every shared set. */
  readonly shared: ReadonlyMap<string, ReadonlySet<string>>
  /** Every device says for itself where it is. */
  readonly ownNodes: boolean | undefined
  readonly gate: Gate
}

function validateDevice(errors: Errors, device: Device, where: FieldPath, around: Surroundings): void {
  const { ownNodes, gate } = around
  const { attributes = {}, capacity = {}, consumesCounters = [] } = device
  checkLabelAt(errors, device.name, where.child('name'))
  const [attributeNames, capacityNames] = [keysOf(attributes as JsonObject), keysOf(capacity as JsonObject)]
  const facts = attributeNames.length + capacityNames.length
  if (facts > maxFacts) {
    errors.push(invalid(where, facts, `the total number of attributes and capacities must not exceed ${maxFacts}`))
  }
  if (gate('release:attributeLists')) validateValueCount(errors, attributes, where)
  const checkFactName = (errors: Errors, name: string, factAt: FieldPath, mapAt: FieldPath): void =>
    checkIdentifier(errors, name, gate('release:factNamePaths') ? mapAt : factAt, gate('release:emptyAttributeNames'))
  for (const name of attributeNames.slice(0, maxErrors)) {
    const factAt = where.child('attributes').key(shortened(name, maxFactName))
    checkFactName(errors, name, factAt, where.child('attributes'))
    validateAttribute(errors, attributes[name] as DeviceAttribute, factAt, gate)
  }
  for (const name of capacityNames.slice(0, maxErrors)) {
    const factAt = where.child('capacity').key(shortened(name, maxFactName))
    checkFactName(errors, name, factAt, where.child('capacity'))
    validateCapacityPolicy(errors, device, name, factAt)
  }
  checkList(
    errors,
    device.taints,
    gate('release:sliceLimits') ? maxLaterTaints : maxTaints,
    where.child('taints'),
    (errors, taint, itemAt) => {
      checkTaint(errors, taint, itemAt, taintEffects(gate))
    },
  )
  validateConsumption(errors, consumesCounters, where, around)
  validateDeviceNodes(errors, device, where, ownNodes === true)
  validateBinding(errors, device, where)
  validateNodeMappings(errors, device, where.child('nodeAllocatableResourceMappings'))
}

function validateDeviceNodes(errors: Errors, device: Device, where: FieldPath, ownNodes: boolean): void {
  const { nodeName, nodeSelector, allNodes } = device
  if (!ownNodes) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return
    const why =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    errors.push(invalidAs(where, () => goNull, why))
    return
  }
  const given = nodesGiven(errors, device, where, { noName: 'must not be empty', oneTerm: false })
  const one =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (given.length === 0) errors.push(required(where, one))
  if (given.length > 1) errors.push(invalid(where, `{${given.join(', ')}}`, one))
}

function validateConsumption(
  errors: Errors,
  sets: readonly DeviceCounterConsumption[],
  where: FieldPath,
  { gate, ...around }: Surroundings,
): void {
  const shared = gate('release:countersElsewhere') ? undefined : around.shared
  const listAt = where.child('consumesCounters')
  checkSet(errors, sets, shared === undefined ? maxConsumptions : noLimit, listAt, {
    check(errors, set, itemAt) {
      if (set.counterSet === '') errors.push(required(itemAt.child('counterSet')))
      else if (shared === undefined) checkLabelAt(errors, set.counterSet, itemAt.child('counterSet'))
      checkCounters(errors, set.counters, itemAt.child('counters'), gate)
    },
    key: ({ counterSet }) => counterSet,
    field: 'counterSet',
  })
  if (shared === undefined) return
  const used = countersIn(sets)
  if (used > maxCountersOfDevice) {
    errors.push(invalid(where, used, `the total number of counters must not exceed ${maxCountersOfDevice}`))
  }
  sets.forEach(({ counterSet, counters = {} }, i) => {
    const known = shared.get(counterSet)
    if (known === undefined) {
      const why = 'must reference a counterSet defined in the ResourceSlice sharedCounters'
      errors.push(invalid(listAt.index(i).child('counterSet'), counterSet, why))
      return
    }
    for (const name of keysOf(counters)) {
      const why = 'must reference a counter defined in the ResourceSlice sharedCounters'
      if (!known.has(name)) errors.push(invalid(listAt.index(i).child('counters'), name, why))
    }
  })
}

function validateShared(errors: Errors, sets: readonly CounterSet[], gate: Gate): void {
  const limit = gate('release:sliceLimits') ? maxCounterSets : noLimit
  const where = at.child('sharedCounters')
  const total = countersIn(sets)
  if (limit === noLimit && total > maxSharedCounters) {
    errors.push(invalid(where, total, `the total number of shared counters must not exceed ${maxSharedCounters}`))
  }
  checkSet(errors, sets, limit, where, {
    check(errors, { name, counters }, itemAt) {
      if (name === '') errors.push(required(itemAt.child('name')))
      else checkLabelAt(errors, name, itemAt.child('name'))
      checkCounters(errors, counters, itemAt.child('counters'), gate)
    },
    key: ({ name }) => name,
    field: 'name',
  })
}

function checkCounters(
  errors: Errors,
  counters: Readonly<Record<string, unknown>> = {},
  where: FieldPath,
  gate: Gate,
): void {
  const names = keysOf(counters)
  if (names.length === 0) errors.push(required(where))
  if (gate('release:sliceLimits') && names.length > maxCountersOfSet) {
    errors.push(tooMany(where, names.length, maxCountersOfSet))
    return
  }
  const keysAt = (name: string): FieldPath =>
    gate('release:factNamePaths') ? where : where.key(shortened(name, maxCounterName))
  for (const name of names) checkLabelAt(errors, name, keysAt(name))
}

/** Long keys are truncated in the middle. */
function shortened(key: string, limit: number): string {
  const bytes = Buffer.from(key)
  if (bytes.length <= limit) return key
  const rest = limit - 3
  const [head, tail] = [bytes.subarray(0, Math.ceil(rest / 2)), bytes.subarray(bytes.length - Math.floor(rest / 2))]
  return `${head.toString()}...${tail.toString()}`
}
