/**
 * Where a container sees the pod's volumes: as directories or as devices, never both.
 * Mirrors pkg/apis/core/validation: ValidateVolumeMounts, ValidateVolumeDevices.
 */

import { forbidden, invalid, notFound, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import type { Container, VolumeDevice, VolumeMount } from '../../../catalog/types/core-v1.ts'
import { duplicateFinder } from '../../../lib/repeats.ts'
import { checkDescendingPath, type Errors, hasBacksteps, isUnset } from '../../checks/checks.ts'
import type { KnownVolumes } from './volumes.ts'

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursiveModes = ['Disabled', 'Enabled', 'IfPossible']

export function validateMounts(errors: Errors, container: Container, volumes: KnownVolumes, at: FieldPath): void {
  const { volumeMounts: mounts, volumeDevices: devices } = container
  if (mounts === undefined) return
  const isRepeated = duplicateFinder(mounts, ({ mountPath }) => mountPath)
  const names = new Set(devices?.map(({ name }) => name))
  const paths = lastPaths(devices ?? [], 'devicePath')
  eachItem(errors, mounts, (errors, mount, i) => {
    if (isUnset(mount.name)) errors.push(required(at.index(i).child('name')))
    if (!volumes.has(mount.name)) errors.push(notFound(at.index(i).child('name'), mount.name))
    if (isUnset(mount.mountPath)) errors.push(required(at.index(i).child('mountPath')))
    if (isRepeated(i)) {
      errors.push(invalid(at.index(i).child('mountPath'), mount.mountPath, 'must be unique'))
    }
    if (names.has(mount.name)) {
      errors.push(invalid(at.index(i).child('name'), mount.name, 'must not already exist in volumeDevices'))
    }
    if (paths.has(mount.mountPath)) {
      const why = 'must not already exist as a path in volumeDevices'
      errors.push(invalid(at.index(i).child('mountPath'), mount.mountPath, why))
    }
    validateMountOptions(errors, mount, container, at, i)
  })
}

/** Of several entries with one name only the last counts. */
function lastPaths<K extends string>(list: readonly ({ name: string } & Record<K, string>)[], key: K): Set<string> {
  return new Set(new Map(list.map((item) => [item.name, item[key]])).values())
}

/** These are reported at the list, without the position in it. */
function validateMountOptions(
  errors: Errors,
  mount: VolumeMount,
  container: Container,
  at: FieldPath,
  i: number,
): void {
  const { subPath = '', subPathExpr = '', mountPropagation, recursiveReadOnly } = mount
  if (subPath !== '') checkDescendingPath(errors, subPath, at.child('subPath'))
  if (subPathExpr !== '') {
    if (subPath !== '') {
      const why = 'subPathExpr and subPath are mutually exclusive'
      errors.push(invalid(at.index(i).child('subPathExpr'), subPathExpr, why))
    }
    checkDescendingPath(errors, subPathExpr, at.child('subPathExpr'))
  }
  if (mountPropagation !== undefined)
    validatePropagation(errors, mountPropagation, container, at.child('mountPropagation'))
  if (recursiveReadOnly !== undefined)
    validateRecursive(errors, mount, recursiveReadOnly, at.child('recursiveReadOnly'))
}

function validatePropagation(errors: Errors, mode: string, { securityContext }: Container, at: FieldPath): void {
  if (!propagations.includes(mode)) errors.push(notSupported(at, mode, propagations))
  if (mode === 'Bidirectional' && securityContext?.privileged !== true) {
    errors.push(forbidden(at, 'Bidirectional mount propagation is available only to privileged containers'))
  }
}

function validateRecursive(errors: Errors, mount: VolumeMount, mode: string, at: FieldPath): void {
  if (!recursiveModes.includes(mode)) {
    errors.push(notSupported(at, mode, recursiveModes))
    return
  }
  if (mode === 'Disabled') return
  if (mount.readOnly !== true) errors.push(forbidden(at, 'may only be specified when readOnly is true'))
  if ((mount.mountPropagation ?? 'None') !== 'None') {
    errors.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'))
  }
}

export function validateDevices(errors: Errors, container: Container, volumes: KnownVolumes, at: FieldPath): void {
  const { volumeMounts: mounts = [], volumeDevices: devices } = container
  if (devices === undefined) return
  const paths = new Set<string>()
  const names = new Set<string>()
  const mountNames = new Set(mounts.map(({ name }) => name))
  const mountPaths = lastPaths(mounts, 'mountPath')
  eachItem(errors, devices, (errors, device, i) => {
    validateDevice(errors, device, { volumes, names, paths }, at.index(i))
    if (mountNames.has(device.name)) {
      errors.push(invalid(at.index(i).child('name'), device.name, 'must not already exist in volumeMounts'))
    }
    if (mountPaths.has(device.devicePath)) {
      const why = 'must not already exist as a path in volumeMounts'
      errors.push(invalid(at.index(i).child('devicePath'), device.devicePath, why))
    }
    if (device.name !== '') names.add(device.name)
  })
}

interface SeenDevices {
  readonly volumes: KnownVolumes
  readonly names: Set<string>
  readonly paths: Set<string>
}

function validateDevice(
  errors: Errors,
  { name, devicePath }: VolumeDevice,
  { volumes, names, paths }: SeenDevices,
  at: FieldPath,
): void {
  const volume = volumes.get(name)
  if (isUnset(name)) errors.push(required(at.child('name')))
  if (names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'))
  if (volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
    errors.push(invalid(at.child('name'), name, why))
  }
  if (volume === undefined) errors.push(notFound(at.child('name'), name))
  if (isUnset(devicePath)) errors.push(required(at.child('devicePath')))
  if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'))
  if (hasBacksteps(devicePath)) {
    errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"))
  } else paths.add(devicePath)
}
