/**
 * Volume attachments: what is attached where never changes; only status reports progress.
 * Mirrors pkg/apis/storage/validation: ValidateVolumeAttachment, ValidateVolumeAttachmentV1,
 * ValidateVolumeAttachmentUpdate.
 * Mirrors pkg/registry/storage/volumeattachment: volumeAttachmentStrategy, volumeAttachmentStatusStrategy.
 */

import { type FieldError, forbidden, invalid, required, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { entriesOf } from '../../../../api/key-lists.ts'
import { checkSubdomainName, isLongerThan, rangeMessage } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStruct, invalidAs, podSyntaxPointer, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  VolumeAttachmentSource,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from '../../../../catalog/types/storage-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, type Errors, immutableMessage, repeatedCheck } from '../../../checks/checks.ts'
import { validateDriverName } from '../../../checks/csi-names.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { validateVolumeSpec } from '../persistent-volume/persistent-volume-spec.ts'

type VolumeAttachment = KubeObject & { spec: VolumeAttachmentSpec; status?: VolumeAttachmentStatus }

const spec = FieldPath.of('spec')
const status = FieldPath.of('status')
const maxMetadataBytes = 256 * 1024
const maxMessageBytes = 1024

export const volumeAttachmentRules = (): KindRules<VolumeAttachment> => ({
  strategy: withStatus<VolumeAttachment>(
    {
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validate()],
      validate: (object, { gate }) =>
        gate('release:requiredAlone') ? validateWhole(object) : [...validate(object), ...validateNames(object.spec)],
      validateUpdate,
    },
    () => ({ attached: false }),
  ),
  parts: {
    status: statusOnly<VolumeAttachment>({
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validate()],
      prepareForUpdate(draft, old, context) {
        keepMetadataForStatus(draft, old)
        dropErrorCodes(draft, old, context)
      },
      validateUpdate,
    }),
  },
  returnsDeleted: true,
})

function validateUpdate(object: VolumeAttachment, old: VolumeAttachment, context: WriteContext): FieldError[] {
  const errors = context.gate('release:requiredAlone') ? validateWhole(object) : validate(object)
  return [
    ...repeatedCheck(context, 'storage.k8s.io/VolumeAttachment', errors),
    ...errors,
    ...(equalSemantic(object.spec, old.spec) ? [] : [invalidAs(spec, () => shown(object.spec), immutableMessage)]),
  ]
}

const shown = ({ attacher, source, nodeName }: VolumeAttachmentSpec): RenderedValue =>
  goStruct('storage.VolumeAttachmentSpec', {
    Attacher: podSyntaxText(attacher),
    Source: goStruct('storage.VolumeAttachmentSource', {
      PersistentVolumeName: podSyntaxPointer('string', source.persistentVolumeName),
      InlineVolumeSpec: podSyntaxPointer('core.PersistentVolumeSpec', source.inlineVolumeSpec),
    }),
    NodeName: podSyntaxText(nodeName),
  })

function dropErrorCodes(draft: VolumeAttachment, old: VolumeAttachment, { gate }: WriteContext): void {
  if (gate('MutableCSINodeAllocatableCount') || draft.status === undefined) return
  for (const key of ['attachError', 'detachError'] as const) {
    const error: VolumeError | undefined = draft.status?.[key]
    if (error === undefined || old.status?.[key]?.errorCode !== undefined) continue
    const { errorCode: _, ...rest } = error
    draft.status = { ...draft.status, [key]: rest }
  }
}

function validate(object: VolumeAttachment): FieldError[] {
  const errors: Errors = []
  const { attacher = '', source = {}, nodeName = '' } = object.spec
  if (attacher === '') errors.push(required(spec.child('attacher')))
  validateSource(errors, source, spec.child('source'))
  addMessages(errors, spec.child('nodeName'), nodeName, checkSubdomainName(nodeName))
  validateStatus(errors, object.status)
  return errors
}

/** The names are checked in their places, since all versions have the same rules. */
function validateWhole(object: VolumeAttachment): FieldError[] {
  const errors: Errors = []
  const { attacher = '', source = {}, nodeName = '' } = object.spec
  validateDriverName(errors, attacher, spec.child('attacher'))
  validateSource(errors, source, spec.child('source'))
  addMessages(errors, spec.child('nodeName'), nodeName, checkSubdomainName(nodeName))
  validateStatus(errors, object.status)
  const { persistentVolumeName: name } = source
  if (name !== undefined)
    addMessages(errors, spec.child('source', 'persistentVolumeName'), name, checkSubdomainName(name))
  return errors
}

/** Rules of this version alone, reported after all others. */
function validateNames({ attacher = '', source = {} }: VolumeAttachmentSpec): FieldError[] {
  const errors: Errors = []
  validateDriverName(errors, attacher, spec.child('attacher'))
  const { persistentVolumeName: name } = source
  if (name !== undefined)
    addMessages(errors, spec.child('source', 'persistentVolumeName'), name, checkSubdomainName(name))
  return errors
}

function validateSource(errors: Errors, source: VolumeAttachmentSource, at: FieldPath): void {
  const { inlineVolumeSpec, persistentVolumeName } = source
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.push(required(at, one))
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) errors.push(forbidden(at, one))
  else if (persistentVolumeName === '') {
    errors.push(required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName'))
  } else if (inlineVolumeSpec !== undefined) {
    const rules = { inline: true, name: '', attributesClasses: false, anyAffinityValue: false }
    validateVolumeSpec(errors, inlineVolumeSpec, at.child('inlineVolumeSpec'), rules)
  }
}

function validateStatus(errors: Errors, current: VolumeAttachmentStatus | undefined): void {
  let bytes = 0
  for (const [key, value] of entriesOf(current?.attachmentMetadata ?? {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    if (bytes > maxMetadataBytes) break
  }
  if (bytes > maxMetadataBytes) errors.push(tooLong(status.child('attachmentMetadata'), maxMetadataBytes))
  validateError(errors, current?.attachError, status.child('attachError'))
  validateError(errors, current?.detachError, status.child('detachError'))
}

function validateError(errors: Errors, error: VolumeError | undefined, at: FieldPath): void {
  const { message = '', errorCode } = error ?? {}
  // The limit that the reference names is not the one that it holds the message to.
  if (isLongerThan(message, maxMessageBytes)) errors.push(tooLong(at.child('message'), maxMetadataBytes))
  if (errorCode !== undefined && errorCode < 0) {
    errors.push(invalid(at.child('errorCode'), errorCode, rangeMessage(0, 2 ** 31 - 1)))
  }
}
