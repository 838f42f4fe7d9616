/**
 * The rules of the volume sources that are plain data: each names what it lacks, at the reference's paths.
 * Mirrors pkg/apis/core/validation: validateVolumeSource.
 */

import { invalid, notSupported, required, tooLong } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkDns1123Subdomain, rangeMessage } from '../../../api/names.ts'
import { goStrings, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type {
  AzureDiskVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  LocalObjectReference,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '../../../catalog/types/core-v1.ts'
import {
  addMessages,
  checkFileMode,
  checkLabel,
  checkLocalPath,
  checkNoBacksteps,
  type Errors,
  isUnset,
  requireText,
} from '../../checks/checks.ts'

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

export function validateHostPath(errors: Errors, source: HostPathVolumeSource, at: FieldPath): void {
  if (isUnset(source.path)) {
    errors.push(required(at.child('path')))
    return
  }
  checkNoBacksteps(errors, source.path, at.child('path'))
  const { type } = source
  if (type !== undefined && !hostPathTypes.includes(type)) {
    errors.push(notSupported(at.child('type'), type, hostPathTypes))
  }
}

/** Disks of clouds that count their partitions. */
export function validatePartition(errors: Errors, partition: number | undefined, at: FieldPath): void {
  if (partition === undefined || (partition >= 0 && partition <= 255)) return
  errors.push(invalid(at.child('partition'), partition, rangeMessage(1, 255)))
}

export interface FileSet {
  readonly items?: KeyToPath[]
  readonly defaultMode?: number
}

/** Config maps and secrets: the files that their keys become. */
export function validateFiles(errors: Errors, source: FileSet, at: FieldPath): void {
  checkFileMode(errors, source.defaultMode, at, 'defaultMode')
  const { items } = source
  if (items === undefined) return
  for (let i = 0; i < items.length; i++) validateKeyToPath(errors, items[i] as KeyToPath, at.child('items').index(i))
}

export function validateKeyToPath(errors: Errors, item: KeyToPath, at: FieldPath): void {
  requireText(errors, item.key, at, 'key')
  requireText(errors, item.path, at, 'path')
  checkLocalPath(errors, item.path, at.child('path'))
  checkFileMode(errors, item.mode, at, 'mode')
}

export function validateNfs(errors: Errors, source: NFSVolumeSource, at: FieldPath): void {
  requireText(errors, source.server, at, 'server')
  requireText(errors, source.path, at, 'path')
  if (!source.path.startsWith('/')) errors.push(invalid(at.child('path'), source.path, 'must be an absolute path'))
}

/** Far beyond the 223 bytes that such a name may have; keeps the match below cheap. */
const maxIscsiName = 4096
const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]+:[^,;*&$|\t\n\f\r ]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
}

/** What is wrong with the name of a target or initiator. `known` is said when it begins like none. */
export function iscsiNameMessage(name: string, known: string): string | undefined {
  const pattern = iscsiNames[name.slice(0, 3)]
  if (pattern === undefined) return known
  return name.length <= maxIscsiName && pattern.test(name) ? undefined : 'must be valid format'
}

export function validateIscsi(errors: Errors, source: ISCSIVolumeSource, at: FieldPath): void {
  const known = 'must be valid format starting with iqn, eui, or naa'
  requireText(errors, source.targetPortal, at, 'targetPortal')
  if (isUnset(source.iqn)) errors.push(required(at.child('iqn')))
  else {
    const message = iscsiNameMessage(source.iqn, known)
    if (message !== undefined) errors.push(invalid(at.child('iqn'), source.iqn, message))
  }
  validateLun(errors, source.lun, at)
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    errors.push(required(at.child('secretRef')))
  }
  if (source.initiatorName === undefined) return
  const message = iscsiNameMessage(source.initiatorName, known)
  if (message !== undefined) errors.push(invalid(at.child('initiatorname'), source.initiatorName, message))
}

function validateLun(errors: Errors, lun: number, at: FieldPath): void {
  if (lun < 0 || lun > 255) errors.push(invalid(at.child('lun'), lun, rangeMessage(0, 255)))
}

export function validateFibreChannel(errors: Errors, source: FCVolumeSource, at: FieldPath): void {
  const { targetWWNs = [], wwids = [], lun } = source
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(required(at.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const why = 'targetWWNs and wwids can not be specified simultaneously'
    errors.push(invalidAs(at.child('targetWWNs'), () => goStrings(targetWWNs), why))
  }
  if (targetWWNs.length === 0) return
  if (lun === undefined) errors.push(required(at.child('lun'), 'lun is required if targetWWNs is specified'))
  else validateLun(errors, lun, at)
}

const hostPort = /^(\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/
const registryMessage = 'must be a host:port pair or multiple pairs separated by commas'

export function validateQuobyte(errors: Errors, source: QuobyteVolumeSource, at: FieldPath): void {
  if (isUnset(source.registry)) errors.push(required(at.child('registry'), registryMessage))
  else if (Buffer.byteLength(source.tenant ?? '') >= 65) {
    errors.push(required(at.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'))
  } else {
    for (const pair of source.registry.split(',')) {
      if (!hostPort.test(pair)) errors.push(invalid(at.child('registry'), source.registry, registryMessage))
    }
  }
  requireText(errors, source.volume, at, 'volume')
}

export function validateFlocker(errors: Errors, source: FlockerVolumeSource, at: FieldPath): void {
  const { datasetName = '', datasetUUID = '' } = source
  if (datasetName === '' && datasetUUID === '') {
    errors.push(required(at, 'one of datasetName and datasetUUID is required'))
  }
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  }
  if (datasetName.includes('/')) errors.push(invalid(at.child('datasetName'), datasetName, "must not contain '/'"))
}

function validateSecretName(errors: Errors, reference: LocalObjectReference | undefined, at: FieldPath): void {
  if (reference !== undefined && isUnset(reference.name)) errors.push(required(at.child('secretRef', 'name')))
}

export function validateCinder(errors: Errors, source: CinderVolumeSource, at: FieldPath): void {
  requireText(errors, source.volumeID, at, 'volumeID')
  validateSecretName(errors, source.secretRef, at)
}

export function validateFlex(errors: Errors, source: FlexVolumeSource, at: FieldPath): void {
  requireText(errors, source.driver, at, 'driver')
  for (const key of keysOf(source.options ?? {})) {
    const [namespace = ''] = key.split('/', 1)
    const normalized = `.${namespace.toLowerCase()}`
    if (normalized.endsWith('.kubernetes.io') || normalized.endsWith('.k8s.io')) {
      const why = 'kubernetes.io and k8s.io namespaces are reserved'
      errors.push(invalid(at.child('options').key(key), key, why))
    }
  }
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite']
const diskKinds = ['Dedicated', 'Managed', 'Shared']
const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

export function validateAzureDisk(errors: Errors, source: AzureDiskVolumeSource, at: FieldPath): void {
  const { cachingMode, kind, diskURI } = source
  requireText(errors, source.diskName, at, 'diskName')
  requireText(errors, diskURI, at, 'diskURI')
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode)) {
    errors.push(notSupported(at.child('cachingMode'), cachingMode, cachingModes))
  }
  if (kind === undefined) return
  if (!diskKinds.includes(kind)) errors.push(notSupported(at.child('kind'), kind, diskKinds))
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) {
    errors.push(notSupported(at.child('diskURI'), diskURI, [managedUri]))
  }
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) {
    errors.push(notSupported(at.child('diskURI'), diskURI, [blobUri]))
  }
}

export function validateStorageOs(errors: Errors, source: StorageOSVolumeSource, at: FieldPath): void {
  const { volumeName = '', volumeNamespace = '' } = source
  if (volumeName === '') errors.push(required(at.child('volumeName')))
  else checkLabel(errors, volumeName, at, 'volumeName')
  if (volumeNamespace !== '') checkLabel(errors, volumeNamespace, at, 'volumeNamespace')
  validateSecretName(errors, source.secretRef, at)
}

export function validateCsi(errors: Errors, source: CSIVolumeSource, at: FieldPath): void {
  const { driver, nodePublishSecretRef } = source
  const driverAt = at.child('driver')
  if (isUnset(driver)) errors.push(required(driverAt))
  if (Buffer.byteLength(driver) > 63) errors.push(tooLong(driverAt, 63))
  addMessages(errors, driverAt, driver, checkDns1123Subdomain(driver.toLowerCase()))
  if (nodePublishSecretRef === undefined) return
  const { name = '' } = nodePublishSecretRef
  if (name === '') errors.push(required(at.child('nodePublishSecretRef', 'name')))
  else addMessages(errors, at.child('name'), name, checkDns1123Subdomain(name))
}
