/**
 * Persistent volumes: the source, the mode and the reach are fixed; status notes when the phase last changed.
 * Mirrors pkg/apis/core/validation: ValidatePersistentVolume, ValidatePersistentVolumeUpdate,
 * ValidatePersistentVolumeStatusUpdate.
 * Mirrors pkg/registry/core/persistentvolume: persistentvolumeStrategy, persistentvolumeStatusStrategy.
 * Mirrors pkg/api/persistentvolume: DropDisabledSpecFields, GetWarningsForPersistentVolume.
 */

import { type FieldError, forbidden, forbiddenAs, invalid, ofNamedText } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { equalJson, equalSemantic } from '../../../../api/json.ts'
import { checkLabelValue } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../../api/time.ts'
import { goDiff } from '../../../../catalog/golang/diff-report.ts'
import { goNull, goStruct, invalidAs, podSyntaxPointer } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolumeSpec,
  PersistentVolumeStatus,
  VolumeNodeAffinity,
} from '../../../../catalog/types/core-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { labelDeprecation } from '../../pods/pod-warnings.ts'
import { type SourceName, sourceNames } from './persistent-volume-sources.ts'
import { validateVolumeSpec } from './persistent-volume-spec.ts'

type PersistentVolume = KubeObject & { spec: PersistentVolumeSpec; status: PersistentVolumeStatus }

const spec = FieldPath.of('spec')

export const persistentVolumeRules = (): KindRules<PersistentVolume> => ({
  strategy: withStatus<PersistentVolume>({
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validate()],
    prepareForCreate(draft, context) {
      dropDisabled(draft, undefined, context)
      draft.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(instantOfMillis(context.now)) }
    },
    prepareForUpdate: dropDisabled,
    validate: (volume, context) => [...validate(volume, undefined, context), ...validateMountOptions(volume)],
    validateUpdate: (volume, old, context) => [
      ...validate(volume, old, context),
      ...validateMountOptions(volume),
      // The reference checks the whole object once more.
      ...validate(volume, old, context),
      ...validateChange(volume.spec, old.spec, context),
    ],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  }),
  parts: { status: statusOnly<PersistentVolume>({ prepareForUpdate: notePhase }) },
  returnsDeleted: true,
})

function dropDisabled(draft: PersistentVolume, old: PersistentVolume | undefined, { gate }: WriteContext): void {
  if (gate('VolumeAttributesClass') || old?.spec.volumeAttributesClassName !== undefined) return
  const { volumeAttributesClassName: _, ...rest } = draft.spec
  draft.spec = rest
}

function notePhase(draft: PersistentVolume, old: PersistentVolume, { now }: WriteContext): void {
  const { phase, lastPhaseTransitionTime: time } = draft.status
  const { phase: oldPhase, lastPhaseTransitionTime: oldTime } = old.status
  const samePhase = (phase ?? '') === (oldPhase ?? '')
  if (samePhase ? time !== undefined : time !== undefined && time !== oldTime) return
  const noted = samePhase ? oldTime : formatTime(instantOfMillis(now))
  if (noted !== undefined) draft.status = { ...draft.status, lastPhaseTransitionTime: noted }
}

function validate(volume: PersistentVolume, old: PersistentVolume | undefined, { gate }: WriteContext): FieldError[] {
  const errors: Errors = []
  validateVolumeSpec(errors, volume.spec, spec, {
    inline: false,
    name: volume.metadata.name ?? '',
    attributesClasses: gate('VolumeAttributesClass') || old?.spec.volumeAttributesClassName !== undefined,
    anyAffinityValue: termsOf(old?.spec.nodeAffinity).some(hasInvalidValue),
  })
  return errors
}

const termsOf = (affinity: VolumeNodeAffinity | undefined): NodeSelectorTerm[] =>
  affinity?.required?.nodeSelectorTerms ?? []

const hasInvalidValue = ({ matchExpressions = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.some(({ values = [] }) => values.some((value) => checkLabelValue(value).length > 0))

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options'
const mountable: readonly SourceName[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

function validateMountOptions({ metadata, spec }: PersistentVolume): FieldError[] {
  if (metadata.annotations?.[mountOptionsAnnotation] === undefined) return []
  if (mountable.some((name) => spec[name] !== undefined)) return []
  const at = FieldPath.of('metadata', 'annotations', mountOptionsAnnotation)
  return [forbidden(at, 'may not specify mount options for this volume type')]
}

function validateChange(now: PersistentVolumeSpec, old: PersistentVolumeSpec, { gate }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const [source, oldSource] = [sourceOf(withoutNewExpandSecret(now, old)), sourceOf(old)]
  if (!equalSemantic(source, oldSource)) {
    const diff = (release: number): string =>
      goDiff('core.PersistentVolumeSource', { before: oldSource, after: source }, release)
    const why = 'spec.persistentvolumesource is immutable after creation'
    errors.push(forbiddenAs(spec.child('persistentvolumesource'), (release) => `${why}\n${diff(release)}`))
  }
  if (now.volumeMode !== old.volumeMode) {
    errors.push(ofNamedText(invalid(FieldPath.of('volumeMode'), now.volumeMode, immutableMessage)))
  }
  const keepsAffinity = old.nodeAffinity !== undefined && !gate('MutablePVNodeAffinity')
  if (keepsAffinity && !sameAffinity(now.nodeAffinity, old.nodeAffinity)) {
    const why = `${immutableMessage}, except for updating from beta label to GA`
    errors.push(invalidAs(FieldPath.of('nodeAffinity'), () => shownAffinity(now.nodeAffinity), why))
  }
  const [name, oldName] = [now.volumeAttributesClassName, old.volumeAttributesClassName]
  if (name === oldName) return errors
  const at = spec.child('volumeAttributesClassName')
  if (!gate('VolumeAttributesClass')) {
    errors.push(forbidden(at, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'))
  }
  if (name === undefined) errors.push(forbidden(at, 'update from non-nil value to nil is forbidden'))
  return errors
}

const sourceOf = (spec: PersistentVolumeSpec) =>
  Object.fromEntries(sourceNames.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))

/** The secret for growing may be added to a volume that has none. */
function withoutNewExpandSecret(now: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (now.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return now
  const { controllerExpandSecretRef: _, ...csi } = now.csi
  return { ...now, csi }
}

/** Labels of nodes that have a successor; the change to it is no change of reach. Of the others, none is one. */
const successors: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

function sameAffinity(now: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity = {}): boolean {
  const [terms, oldTerms] = [termsOf(now), termsOf(old)]
  if ((now?.required === undefined) !== (old.required === undefined) || terms.length !== oldTerms.length) return false
  return terms.every((term, i) => {
    const before = oldTerms[i] ?? {}
    return (
      sameRequirements(term.matchExpressions, before.matchExpressions) &&
      sameRequirements(term.matchFields, before.matchFields)
    )
  })
}

function sameRequirements(now: NodeSelectorRequirement[] = [], old: NodeSelectorRequirement[] = []): boolean {
  if (now.length !== old.length) return false
  return now.every((requirement, i) => {
    const before = old[i] as NodeSelectorRequirement
    const successor = Object.hasOwn(successors, before.key) ? successors[before.key] : ''
    const key = successor === requirement.key ? requirement.key : before.key
    return equalJson({ ...before, key }, { ...requirement })
  })
}

const shownAffinity = (affinity: VolumeNodeAffinity | undefined): RenderedValue =>
  affinity === undefined
    ? goNull
    : goStruct('core.VolumeNodeAffinity', { Required: podSyntaxPointer('core.NodeSelector', affinity.required) })

const classAnnotation = 'volume.beta.kubernetes.io/storage-class'
const deprecatedAnnotations: Readonly<Record<string, string>> = {
  [classAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  [mountOptionsAnnotation]: 'deprecated since v1.31; use "mountOptions" attribute instead',
}
const deprecatedSources: readonly (readonly [SourceName, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

function warnings({ metadata, spec: volume }: PersistentVolume): string[] {
  const found: string[] = []
  for (const [key, message] of Object.entries(deprecatedAnnotations)) {
    if (metadata.annotations?.[key] !== undefined) found.push(`metadata.annotations[${key}]: ${message}`)
  }
  if (volume.persistentVolumeReclaimPolicy === 'Recycle') {
    const better = 'Instead, the recommended approach is to use dynamic provisioning.'
    found.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${better}`)
  }
  termsOf(volume.nodeAffinity).forEach(({ matchExpressions = [] }, i) => {
    matchExpressions.forEach(({ key }, j) => {
      const message = labelDeprecation(key)
      if (message === undefined) return
      const at = spec.child('nodeAffinity', 'required', 'nodeSelectorTerms').index(i).child('matchExpressions')
      found.push(`${at.index(j).child('key')}: ${key} is ${message}`)
    })
  })
  for (const [name, shownAs, message] of deprecatedSources) {
    if (volume[name] !== undefined) found.push(`spec.${shownAs}: ${message}`)
  }
  return found
}
