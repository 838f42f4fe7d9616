/**
 * The table of PersistentVolume.
 * Mirrors pkg/printers/internalversion: printPersistentVolume.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, defineTable, nameColumn, text, textAt } from '../../../columns/cells.ts'
import { modesText, phase, storageClass, unsetAt } from '../storage-cells.ts'

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
