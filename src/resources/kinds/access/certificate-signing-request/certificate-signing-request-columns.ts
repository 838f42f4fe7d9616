/**
 * The table of CertificateSigningRequest.
 * Mirrors pkg/printers/internalversion: printCertificateSigningRequest.
 */

import { humanDuration } from '../../../../api/human-duration.ts'
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, condition, defineTable, kindAgeColumn, kindNameColumn, textAt, textValue } from '../../../columns/cells.ts'

function requestCondition(request: JsonObject): string {
  const has = (type: string): boolean => condition(request, type) !== undefined
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  const failed = has('Failed') ? ',Failed' : ''
  const issued = textValue(at(request, 'status', 'certificate')) === '' ? '' : ',Issued'
  return `${decision}${failed}${issued}`
}

function requestedDuration(request: JsonObject): string {
  const seconds = at(request, 'spec', 'expirationSeconds')
  return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>'
}

export const certificateSigningRequestTable: TableDefinition = defineTable('CertificateSigningRequest', [
  kindNameColumn,
  kindAgeColumn,
  { name: 'SignerName', cell: textAt('spec.signerName', '<none>') },
  { name: 'Requestor', cell: textAt('spec.username') },
  { name: 'RequestedDuration', cell: requestedDuration },
  { name: 'Condition', cell: requestCondition },
])
