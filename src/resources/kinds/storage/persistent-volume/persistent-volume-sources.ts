/** The sources of persistent volumes, in the order in which the reference looks at them. At most one may be there. */
import { forbidden, invalid, required } from '../../../../api/field-error.ts'
import type { FieldPath } from '../../../../api/field-path.ts'
import { checkDns1123Label, checkDns1123Subdomain, checkLabelName, rangeMessage } from '../../../../api/names.ts'
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '../../../../catalog/types/core-v1.ts'
import { addMessages, checkLabel, checkNoBacksteps, type Errors, isUnset, requireText } from '../../../checks/checks.ts'
import { validateDriverName } from '../../../checks/csi-names.ts'
import {
  iscsiNameMessage,
  validateAzureDisk,
  validateFibreChannel,
  validateFlex,
  validateFlocker,
  validateHostPath,
  validateNfs,
  validatePartition,
  validateQuobyte,
} from '../../pods/volume-sources.ts'

type Sources = Omit<
  PersistentVolumeSpec,
  | 'capacity'
  | 'accessModes'
  | 'claimRef'
  | 'persistentVolumeReclaimPolicy'
  | 'storageClassName'
  | 'mountOptions'
  | 'volumeMode'
  | 'nodeAffinity'
  | 'volumeAttributesClassName'
>
export type SourceName = keyof Sources & string

type Validate<T> = (errors: Errors, source: T, at: FieldPath, volume: VolumeFacts) => void

/** What a source's rules want to know about its volume. */
export interface VolumeFacts {
  readonly name: string
  readonly hasNodeAffinity: boolean
}

interface SourceRules<T> {
  readonly validate: Validate<T>
  /** What the field is called in the messages, where that is not its name. */
  readonly shownAs?: string
  /** What it is called when it is one too many. */
  readonly extraShownAs?: string
  /** The reference does not mind it beside another one. */
  readonly mayAccompany?: boolean
}

const needs =
  <T extends object>(...fields: (keyof T & string)[]): Validate<T> =>
  (errors, source, at) => {
    for (const field of fields) {
      const value = source[field]
      const isEmpty = Array.isArray(value) ? value.length === 0 : isUnset(value as string | undefined)
      if (isEmpty || value === null) errors.push(required(at.child(field)))
    }
  }

const rules: { readonly [K in SourceName]: SourceRules<NonNullable<Sources[K]>> } = {
  hostPath: { validate: validateHostPath },
  gcePersistentDisk: {
    validate(errors, source, at) {
      requireText(errors, source.pdName, at, 'pdName')
      validatePartition(errors, source.partition, at)
    },
    shownAs: 'persistentDisk',
    extraShownAs: 'gcePersistentDisk',
  },
  awsElasticBlockStore: {
    validate(errors, source, at) {
      requireText(errors, source.volumeID, at, 'volumeID')
      validatePartition(errors, source.partition, at)
    },
  },
  glusterfs: { validate: validateGlusterfs },
  flocker: { validate: validateFlocker },
  nfs: { validate: validateNfs },
  rbd: { validate: needs('monitors', 'image') },
  quobyte: { validate: validateQuobyte },
  cephfs: { validate: needs('monitors'), extraShownAs: 'cephFS' },
  iscsi: { validate: validateIscsi },
  cinder: {
    validate(errors, source, at) {
      requireText(errors, source.volumeID, at, 'volumeID')
      validateSecret(errors, source.secretRef, at)
    },
  },
  fc: { validate: validateFibreChannel },
  flexVolume: {
    validate: (errors, source: FlexPersistentVolumeSource, at) => validateFlex(errors, source, at),
    mayAccompany: true,
  },
  azureFile: { validate: validateAzureFile },
  vsphereVolume: { validate: needs('volumePath') },
  photonPersistentDisk: { validate: needs('pdID') },
  portworxVolume: { validate: needs('volumeID') },
  azureDisk: { validate: validateAzureDisk },
  scaleIO: { validate: needs('gateway', 'system', 'volumeName') },
  local: { validate: validateLocal },
  storageos: { validate: validateStorageOs },
  csi: { validate: validateCsi },
}

export const sourceNames = Object.keys(rules) as SourceName[]

export function validateVolumeSource(
  errors: Errors,
  spec: PersistentVolumeSpec,
  at: FieldPath,
  volume: VolumeFacts,
): void {
  let count = 0
  for (const name of sourceNames) {
    const source = spec[name]
    if (source === undefined) continue
    const { validate, shownAs = name, extraShownAs = name, mayAccompany } = rules[name] as SourceRules<typeof source>
    if (count > 0 && mayAccompany !== true) {
      errors.push(forbidden(at.child(extraShownAs), 'may not specify more than 1 volume type'))
      continue
    }
    count++
    validate(errors, source, at.child(shownAs), volume)
    if (name === 'local' && !volume.hasNodeAffinity) {
      errors.push(required(at.child('nodeAffinity'), 'Local volume requires node affinity'))
    }
  }
  if (count === 0) errors.push(required(at, 'must specify a volume type'))
}

/** A secret of any namespace, given by both. */
function validateSecret(errors: Errors, secret: SecretReference | undefined, at: FieldPath): void {
  if (secret === undefined) return
  requireText(errors, secret.name, at.child('secretRef'), 'name')
  requireText(errors, secret.namespace, at.child('secretRef'), 'namespace')
}

function validateGlusterfs(errors: Errors, source: GlusterfsPersistentVolumeSource, at: FieldPath): void {
  requireText(errors, source.endpoints, at, 'endpoints')
  requireText(errors, source.path, at, 'path')
  const { endpointsNamespace: namespace } = source
  if (namespace === undefined) return
  const empty = 'if the endpointnamespace is set, it must be a valid namespace name'
  const messages = namespace === '' ? [empty] : checkLabelName(namespace)
  addMessages(errors, at.child('endpointsNamespace'), namespace, messages)
}

const maxIscsiLength = 64

function validateIscsi(
  errors: Errors,
  source: ISCSIPersistentVolumeSource,
  at: FieldPath,
  { name }: VolumeFacts,
): void {
  const { targetPortal = '', iqn = '', lun = 0, initiatorName, secretRef } = source
  requireText(errors, targetPortal, at, 'targetPortal')
  if (initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal}`) > maxIscsiLength) {
    const why =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
    errors.push(invalid(at.child('targetportal'), targetPortal, why))
  }
  const checkName = (text: string, field: string): void => {
    const message = iscsiNameMessage(text, 'must be valid format')
    if (message !== undefined) errors.push(invalid(at.child(field), text, message))
  }
  if (iqn === '') errors.push(required(at.child('iqn')))
  else checkName(iqn, 'iqn')
  if (lun < 0 || lun > 255) errors.push(invalid(at.child('lun'), lun, rangeMessage(0, 255)))
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) {
    errors.push(required(at.child('secretRef')))
  }
  if (secretRef !== undefined) requireText(errors, secretRef.name, at.child('secretRef'), 'name')
  if (initiatorName !== undefined) checkName(initiatorName, 'initiatorname')
}

function validateAzureFile(errors: Errors, source: AzureFilePersistentVolumeSource, at: FieldPath): void {
  requireText(errors, source.secretName, at, 'secretName')
  requireText(errors, source.shareName, at, 'shareName')
  if (source.secretNamespace === '') errors.push(required(at.child('secretNamespace')))
}

function validateLocal(errors: Errors, { path }: LocalVolumeSource, at: FieldPath): void {
  if (isUnset(path)) errors.push(required(at.child('path')))
  else checkNoBacksteps(errors, path, at.child('path'))
}

function validateStorageOs(errors: Errors, source: StorageOSPersistentVolumeSource, at: FieldPath): void {
  const { volumeName = '', volumeNamespace = '' } = source
  if (volumeName === '') errors.push(required(at.child('volumeName')))
  else checkLabel(errors, volumeName, at, 'volumeName')
  if (volumeNamespace !== '') checkLabel(errors, volumeNamespace, at, 'volumeNamespace')
  validateSecret(errors, source.secretRef, at)
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

function validateCsi(errors: Errors, source: CSIPersistentVolumeSource, at: FieldPath): void {
  validateDriverName(errors, source.driver ?? '', at.child('driver'))
  requireText(errors, source.volumeHandle, at, 'volumeHandle')
  for (const field of csiSecrets) {
    const secret = source[field]
    if (secret === undefined) continue
    const { name = '', namespace = '' } = secret
    const secretAt = at.child(field)
    if (name === '') errors.push(required(secretAt.child('name')))
    else addMessages(errors, secretAt.child('name'), name, checkDns1123Subdomain(name))
    if (namespace === '') errors.push(required(secretAt.child('namespace')))
    else addMessages(errors, secretAt.child('namespace'), namespace, checkDns1123Label(namespace))
  }
}
