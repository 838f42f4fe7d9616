/**
 * What is said of a device by name: attributes, one value or, in later releases, a list of them; and which of the node's own resources it
 * stands for.
 * Mirrors pkg/apis/resource/validation: validateDeviceAttribute, numEntriesDeviceAttribute, validateNodeAllocatableResourceMappings.
 */
import { invalid, notFound, required, tooLong } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { JsonValue } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { isLongerThan } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import { semanticVersion } from '../../../api/semantic-version.ts'
import { goDump } from '../../../catalog/golang/dump.ts'
import { invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type { Device, DeviceAttribute } from '../../../catalog/types/resource-v1beta2.ts'
import type { Errors } from '../../checks/checks.ts'
import { isNativeResource } from '../pods/resource-requirements.ts'

type Gate = (name: string) => boolean

interface Lists {
  readonly bools?: readonly boolean[]
  readonly ints?: readonly number[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

interface NodeMapping {
  readonly allocationMultiplier?: string
  readonly capacityKey?: string
}

const maxValues = 48
const maxText = 64
const listKeys = ['bools', 'ints', 'strings', 'versions'] as const

export const hasList = (attribute: object): boolean => listKeys.some((key) => (attribute as Lists)[key] !== undefined)

/** An attribute counts once, or as often as its lists have members. */
export function validateValueCount(errors: Errors, attributes: Readonly<Record<string, object>>, at: FieldPath): void {
  const valuesIn = (attribute: Lists): number =>
    Math.max(
      1,
      listKeys.reduce((sum, key) => sum + (attribute[key]?.length ?? 0), 0),
    )
  const count = Object.values(attributes).reduce((sum, attribute) => sum + valuesIn(attribute), 0)
  if (count <= maxValues) return
  errors.push(invalid(at, count, `the total number of attribute values must not exceed ${maxValues}`))
}

export function validateAttribute(errors: Errors, attribute: DeviceAttribute & Lists, at: FieldPath, gate: Gate): void {
  const { string: text, version, strings = [], versions = [] } = attribute
  if (text !== undefined) checkText(errors, text, at.child('string'))
  if (version !== undefined) checkVersion(errors, version, at.child('version'))
  for (const key of listKeys) {
    if (attribute[key]?.length === 0) {
      errors.push(invalid(at.child(key), [] as JsonValue[], 'must not be empty if specified'))
    }
  }
  strings.forEach((value, i) => {
    checkText(errors, value, at.child('strings').index(i))
  })
  versions.forEach((value, i) => {
    checkVersion(errors, value, at.child('versions').index(i))
  })
  const values = [attribute.bool, attribute.int, text, version, ...listKeys.map((key) => attribute[key])]
  const given = values.filter((value) => value !== undefined)
  const one = 'exactly one value must be specified'
  if (given.length === 0) {
    errors.push(gate('release:emptyAttributeNames') ? invalid(at, '', one) : required(at, one))
  }
  if (given.length > 1) errors.push(invalidAs(at, () => goDump('resource.DeviceAttribute', attribute), one))
}

function checkText(errors: Errors, text: string, at: FieldPath): void {
  if (isLongerThan(text, maxText)) errors.push(tooLong(at, maxText))
}

function checkVersion(errors: Errors, version: string, at: FieldPath): void {
  const why = 'must be a string compatible with semver.org spec 2.0.0'
  if (!semanticVersion.test(version)) errors.push(invalid(at, version, why))
  checkText(errors, version, at)
}

/** How much of a node's own resources a device takes. */
export function validateNodeMappings(errors: Errors, device: Device, at: FieldPath): void {
  const { nodeAllocatableResourceMappings: mappings = {} } = device as Device & {
    readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeMapping>>
  }
  for (const name of keysOf(mappings as Record<string, never>)) {
    const { allocationMultiplier: multiplier, capacityKey: key } = mappings[name] ?? {}
    const itemAt = at.key(name)
    if (!isNativeResource(name)) errors.push(invalid(itemAt, name, 'must be a node allocatable resource name'))
    if (multiplier !== undefined && Quantity.parse(multiplier).sign() <= 0) {
      const shown = Quantity.parse(multiplier).toString()
      errors.push(invalid(itemAt.child('allocationMultiplier'), shown, 'must be positive'))
    }
    if (key === '') errors.push(invalid(itemAt.child('capacityKey'), '', 'capacityKey must not be an empty string'))
    else if (key !== undefined && !Object.hasOwn(device.capacity ?? {}, key)) {
      errors.push(notFound(itemAt.child('capacityKey'), key))
    }
  }
}
