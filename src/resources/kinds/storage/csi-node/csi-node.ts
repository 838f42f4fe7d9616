/**
 * CSI nodes: drivers come and go, but one that stays does not change.
 * Mirrors pkg/apis/storage/validation: ValidateCSINode, ValidateCSINodeUpdate.
 * Mirrors pkg/registry/storage/csinode: csiNodeStrategy.
 */

import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { isLongerThan } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import {
  goStrings,
  goStruct,
  invalidAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { CSINodeDriver, CSINodeSpec } from '../../../../catalog/types/storage-v1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import {
  checkNotNegative,
  checkQualified,
  type Errors,
  immutableMessage,
  repeatedCheck,
} from '../../../checks/checks.ts'
import { validateDriverName } from '../../../checks/csi-names.ts'
import type { KindRules } from '../../../kind-rules.ts'

type CsiNode = KubeObject & { spec: CSINodeSpec }

const driversAt = FieldPath.of('spec', 'drivers')
const maxNodeId = 256
const itemsPerStep = 256

export const csiNodeRules = (): KindRules<CsiNode> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validate()],
    validateInTurns: (object, old, context) =>
      inTurns(limitErrorsOf(old === undefined ? validate(object) : validateUpdate(object, old, context))),
  },
  returnsDeleted: true,
})

const driversOf = ({ spec }: CsiNode): CSINodeDriver[] => spec?.drivers ?? []

function* validateUpdate(object: CsiNode, old: CsiNode, context: WriteContext): Steps<FieldError[]> {
  const errors = yield* validate(object)
  return [
    ...repeatedCheck(context, 'storage.k8s.io/CSINode', errors),
    ...errors,
    ...(yield* validateChange(driversOf(object), driversOf(old), context)),
  ]
}

function* validate(object: CsiNode): Steps<FieldError[]> {
  const errors: Errors = []
  const names = new Set<string>()
  for (const [i, driver] of driversOf(object).entries()) {
    if (i % itemsPerStep === 0) yield
    const at = driversAt.index(i)
    const { name = '', nodeID = '', allocatable, topologyKeys } = driver
    validateDriverName(errors, name, at.child('name'))
    if (nodeID === '') errors.push(required(at.child('nodeID')))
    if (isLongerThan(nodeID, maxNodeId)) {
      errors.push(invalid(at.child('nodeID'), nodeID, `must be ${maxNodeId} characters or less`))
    }
    checkNotNegative(errors, allocatable?.count, at.child('allocatable'), 'count')
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    yield* validateTopologyKeys(errors, topologyKeys ?? [], at)
  }
  return errors
}

/** Reported at the driver, as the reference does. */
function* validateTopologyKeys(errors: Errors, keys: readonly string[], at: FieldPath): Steps<void> {
  const seen = new Set<string>()
  for (const [i, key] of keys.entries()) {
    if (i % itemsPerStep === itemsPerStep - 1) yield
    if (key === '') errors.push(required(at))
    if (seen.has(key)) errors.push(duplicate(at, key))
    seen.add(key)
    checkQualified(errors, key, at)
  }
}

function* validateChange(
  drivers: readonly CSINodeDriver[],
  old: readonly CSINodeDriver[],
  { gate }: WriteContext,
): Steps<FieldError[]> {
  const compared = (driver: CSINodeDriver): CSINodeDriver => {
    if (!gate('MutableCSINodeAllocatableCount')) return driver
    const { allocatable: _, ...rest } = driver
    return rest
  }
  const byName = new Map<string, CSINodeDriver[]>()
  for (const driver of drivers) {
    const same = byName.get(driver.name)
    if (same === undefined) byName.set(driver.name, [driver])
    else same.push(driver)
  }
  const errors: Errors = []
  for (const [i, before] of old.entries()) {
    if (i % itemsPerStep === 0) yield
    for (const driver of byName.get(before.name) ?? []) {
      if (equalSemantic(compared(driver), compared(before))) continue
      errors.push(invalidAs(driversAt, () => shown(compared(driver)), immutableMessage))
    }
  }
  return errors
}

const shown = ({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): RenderedValue =>
  goStruct('storage.CSINodeDriver', {
    Name: podSyntaxText(name),
    NodeID: podSyntaxText(nodeID),
    TopologyKeys: goStrings(topologyKeys ?? undefined),
    Allocatable: podSyntaxPointer('storage.VolumeNodeResources', allocatable),
  })
