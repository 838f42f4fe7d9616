/**
 * Volumes, claims, classes and drivers.
 * Mirrors pkg/printers/internalversion: printPersistentVolume, printPersistentVolumeClaim, printStorageClass,
 * printVolumeAttributesClass, printVolumeAttachment, printCSIDriver, printCSINode.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { TableDefinition } from '../../api/table.ts'
import {
  ageColumn,
  at,
  type Column,
  defineTable,
  isDeleting,
  list,
  type MakeCell,
  nameColumn,
  objects,
  sizeAt,
  text,
  textAt,
} from './cells.ts'

const shortModes: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

const modesText = (modes: JsonValue | undefined): string =>
  shortModes
    .filter(([mode]) => list(modes).includes(mode))
    .map(([, short]) => short)
    .join(',')

const phase = (object: JsonObject): string => (isDeleting(object) ? 'Terminating' : text(at(object, 'status', 'phase')))

/** The class of a volume or claim; an old annotation comes first. */
const storageClass: MakeCell = (object) => {
  const annotated = at(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class')
  return typeof annotated === 'string' ? annotated : text(at(object, 'spec', 'storageClassName'))
}

/** What was set to an empty text is set. */
const unsetAt =
  (...path: string[]): MakeCell =>
  (object) =>
    String(at(object, ...path) ?? '<unset>')

function claimCell(volume: JsonObject): string {
  const claim = at(volume, 'spec', 'claimRef')
  return claim === undefined || claim === null ? '' : `${text(at(claim, 'namespace'))}/${text(at(claim, 'name'))}`
}

export const persistentVolumeTable: TableDefinition = defineTable('PersistentVolume', [
  nameColumn,
  { name: 'Capacity', cell: textAt('spec.capacity.storage', '0') },
  { name: 'Access Modes', cell: (volume) => modesText(at(volume, 'spec', 'accessModes')) },
  { name: 'Reclaim Policy', cell: textAt('spec.persistentVolumeReclaimPolicy') },
  { name: 'Status', cell: phase },
  { name: 'Claim', cell: claimCell },
  { name: 'StorageClass', cell: storageClass },
  { name: 'VolumeAttributesClass', cell: unsetAt('spec', 'volumeAttributesClassName') },
  { name: 'Reason', cell: textAt('status.reason') },
  ageColumn,
  { name: 'VolumeMode', cell: unsetAt('spec', 'volumeMode'), wide: true },
])

/** What a claim got is known once it has a volume. */
const whenBound =
  (cell: MakeCell): MakeCell =>
  (claim, now) =>
    text(at(claim, 'spec', 'volumeName')) === '' ? '' : cell(claim, now)

export const persistentVolumeClaimTable: TableDefinition = defineTable('PersistentVolumeClaim', [
  nameColumn,
  { name: 'Status', cell: phase },
  { name: 'Volume', cell: textAt('spec.volumeName') },
  { name: 'Capacity', cell: whenBound(textAt('status.capacity.storage', '0')) },
  { name: 'Access Modes', cell: whenBound((claim) => modesText(at(claim, 'status', 'accessModes'))) },
  { name: 'StorageClass', cell: storageClass },
  { name: 'VolumeAttributesClass', cell: unsetAt('spec', 'volumeAttributesClassName') },
  ageColumn,
  { name: 'VolumeMode', cell: unsetAt('spec', 'volumeMode'), wide: true },
])

const marksDefault = (object: JsonObject, annotations: readonly string[]): boolean =>
  annotations.some((annotation) => at(object, 'metadata', 'annotations', annotation) === 'true')

const classNameColumn = (...annotations: string[]): Column => ({
  ...nameColumn,
  cell: (object) => `${text(at(object, 'metadata', 'name'))}${marksDefault(object, annotations) ? ' (default)' : ''}`,
})

export const storageClassTable: TableDefinition = defineTable('StorageClass', [
  classNameColumn('storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'),
  { name: 'Provisioner', cell: textAt('provisioner') },
  { name: 'ReclaimPolicy', cell: textAt('reclaimPolicy', 'Delete') },
  { name: 'VolumeBindingMode', cell: textAt('volumeBindingMode', 'Immediate') },
  { name: 'AllowVolumeExpansion', cell: ({ allowVolumeExpansion }) => allowVolumeExpansion === true },
  ageColumn,
])

export const volumeAttributesClassTable: TableDefinition = defineTable('VolumeAttributesClass', [
  classNameColumn('volumeattributesclass.alpha.kubernetes.io/is-default-class'),
  { name: 'DriverName', cell: textAt('driverName') },
  ageColumn,
])

export const volumeAttachmentTable: TableDefinition = defineTable('VolumeAttachment', [
  nameColumn,
  { name: 'Attacher', cell: textAt('spec.attacher'), format: 'name' },
  { name: 'PV', cell: textAt('spec.source.persistentVolumeName') },
  { name: 'Node', cell: textAt('spec.nodeName') },
  { name: 'Attached', cell: (object) => at(object, 'status', 'attached') === true, type: 'boolean' },
  ageColumn,
])

export const csiNodeTable: TableDefinition = defineTable('CSINode', [
  nameColumn,
  { name: 'Drivers', cell: sizeAt('spec.drivers'), type: 'integer' },
  ageColumn,
])

const flagColumn = (name: string, key: string, otherwise = false): Column => ({
  name,
  cell: (driver) => (at(driver, 'spec', key) ?? otherwise) === true,
  type: 'boolean',
})

function tokenRequests(driver: JsonObject): string {
  const requests = at(driver, 'spec', 'tokenRequests')
  if (!Array.isArray(requests)) return '<unset>'
  return objects(requests)
    .map((request) => text(request['audience']))
    .join(',')
}

export const csiDriverTable: TableDefinition = defineTable('CSIDriver', [
  nameColumn,
  flagColumn('AttachRequired', 'attachRequired', true),
  flagColumn('PodInfoOnMount', 'podInfoOnMount'),
  flagColumn('StorageCapacity', 'storageCapacity'),
  { name: 'TokenRequests', cell: tokenRequests },
  flagColumn('RequiresRepublish', 'requiresRepublish'),
  { name: 'Modes', cell: (driver) => list(at(driver, 'spec', 'volumeLifecycleModes')).join(',') || '<none>' },
  ageColumn,
])
