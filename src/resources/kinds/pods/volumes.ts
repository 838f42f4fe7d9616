/**
 * The volumes of a pod: exactly one source each, named once.
 * Mirrors pkg/apis/core/validation: ValidateVolumes.
 */

import { duplicate, fieldErrorWith, forbidden, invalid, quote, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import { withEachItem } from '../../../api/rules-in-steps.ts'
import type { EphemeralVolumeSource, Volume } from '../../../catalog/types/core-v1.ts'
import type { ObjectMeta } from '../../../catalog/types/meta-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { validateAnnotations } from '../../../registry/object-meta.ts'
import {
  checkDescendingPath,
  checkLabel,
  checkLabels,
  type Errors,
  forbidPresent,
  isUnset,
  requireOneOf,
  requireText,
} from '../../checks/checks.ts'
import { validateClaimSpec } from './claim-spec.ts'
import { validateDownwardVolume } from './downward-api.ts'
import type { PodOptions } from './pod-options.ts'
import { validateProjected } from './projected-volume.ts'
import * as sources from './volume-sources.ts'

export const pullPolicies = ['Always', 'IfNotPresent', 'Never']

type SourceName = Exclude<keyof Volume, 'name'>

interface Rule<Name extends SourceName> {
  readonly name: Name
  /** Where its errors are; the field's own name unless the reference says otherwise. */
  readonly at?: string
  /** What a second source is reported as. */
  readonly extraAt?: string
  readonly validate: (errors: Errors, source: NonNullable<Volume[Name]>, at: FieldPath, options: PodOptions) => void
}

const rule = <Name extends SourceName>(
  name: Name,
  validate: Rule<Name>['validate'],
  paths: Pick<Rule<Name>, 'at' | 'extraAt'> = {},
): Rule<SourceName> => ({ name, ...paths, validate }) as unknown as Rule<SourceName>

/** A source that only has to say some things. */
const needs = <Name extends SourceName>(
  name: Name,
  fields: readonly (keyof NonNullable<Volume[Name]> & string)[],
  paths: Pick<Rule<Name>, 'at' | 'extraAt'> = {},
): Rule<SourceName> =>
  rule(
    name,
    (errors, source, at) => {
      const texts = source as Readonly<Record<string, string | undefined>>
      for (const field of fields) requireText(errors, texts[field], at, field)
    },
    paths,
  )

/** All sources, in the order in which they are looked at. */
const rules: readonly Rule<SourceName>[] = [
  rule('emptyDir', (errors, { sizeLimit }, at) => {
    if (sizeLimit === undefined || Quantity.parse(sizeLimit).sign() >= 0) return
    errors.push(forbidden(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'))
  }),
  rule('hostPath', sources.validateHostPath),
  rule('gitRepo', (errors, source, at) => {
    requireText(errors, source.repository, at, 'repository')
    checkDescendingPath(errors, source.directory ?? '', at.child('directory'))
  }),
  rule(
    'gcePersistentDisk',
    (errors, source, at) => {
      requireText(errors, source.pdName, at, 'pdName')
      sources.validatePartition(errors, source.partition, at)
    },
    { at: 'persistentDisk' },
  ),
  rule('awsElasticBlockStore', (errors, source, at) => {
    requireText(errors, source.volumeID, at, 'volumeID')
    sources.validatePartition(errors, source.partition, at)
  }),
  rule('secret', (errors, source, at) => {
    requireText(errors, source.secretName, at, 'secretName')
    sources.validateFiles(errors, source, at)
  }),
  rule('nfs', sources.validateNfs),
  rule('iscsi', sources.validateIscsi),
  needs('glusterfs', ['endpoints', 'path']),
  rule('flocker', sources.validateFlocker),
  needs('persistentVolumeClaim', ['claimName']),
  rule('rbd', (errors, source, at) => {
    if ((source.monitors?.length ?? 0) === 0) errors.push(required(at.child('monitors')))
    requireText(errors, source.image, at, 'image')
  }),
  rule('cinder', sources.validateCinder),
  rule(
    'cephfs',
    (errors, source, at) => {
      if ((source.monitors?.length ?? 0) === 0) errors.push(required(at.child('monitors')))
    },
    { extraAt: 'cephFS' },
  ),
  rule('quobyte', sources.validateQuobyte),
  rule('downwardAPI', validateDownwardVolume, { extraAt: 'downwarAPI' }),
  rule('fc', sources.validateFibreChannel),
  rule('flexVolume', sources.validateFlex),
  rule('configMap', (errors, source, at) => {
    requireText(errors, source.name, at, 'name')
    sources.validateFiles(errors, source, at)
  }),
  needs('azureFile', ['secretName', 'shareName']),
  needs('vsphereVolume', ['volumePath']),
  needs('photonPersistentDisk', ['pdID']),
  needs('portworxVolume', ['volumeID']),
  rule('azureDisk', sources.validateAzureDisk),
  rule('storageos', sources.validateStorageOs),
  rule('projected', validateProjected),
  needs('scaleIO', ['gateway', 'system', 'volumeName']),
  rule('csi', sources.validateCsi),
  rule('ephemeral', validateEphemeral),
  rule('image', (errors, source, at, { isPod }) => {
    if (isPod) requireText(errors, source.reference, at, 'reference')
    requireOneOf(errors, source.pullPolicy, pullPolicies, at, 'pullPolicy')
  }),
]

const rulesByName: ReadonlyMap<string, Rule<SourceName>> = new Map(rules.map((one) => [one.name, one]))

/** The good volumes by name: containers may mount only those. */
export type KnownVolumes = ReadonlyMap<string, Volume>

const noVolumes: KnownVolumes = new Map()

export function validateVolumes(
  errors: Errors,
  volumes: readonly Volume[] | undefined,
  at: FieldPath,
  options: PodOptions,
  podName: string | undefined,
): KnownVolumes {
  if (volumes === undefined || volumes.length === 0) return noVolumes
  const own = ownClaims(volumes, podName)
  return withEachItem(
    errors,
    volumes,
    () => new Map<string, Volume>(),
    (known, errors, volume, i) => {
      const before = errors.length
      validateVolume(errors, volume, at.index(i), options, podName)
      if (known.has(volume.name)) errors.push(duplicate(at.index(i).child('name'), volume.name))
      if (errors.length === before) known.set(volume.name, volume)
      const { claimName } = volume.persistentVolumeClaim ?? {}
      if (claimName !== undefined && own?.has(claimName)) {
        const why = 'must not reference a PVC that gets created for an ephemeral volume'
        errors.push(invalid(at.index(i).child('persistentVolumeClaim', 'claimName'), claimName, why))
      }
    },
  )
}

/** The claims that will be made for the pod's ephemeral volumes. */
function ownClaims(volumes: readonly Volume[], podName: string | undefined): ReadonlySet<string> | undefined {
  if (isUnset(podName) || !volumes.some(({ ephemeral }) => ephemeral !== undefined)) return undefined
  return new Set(volumes.flatMap(({ name, ephemeral }) => (ephemeral === undefined ? [] : [`${podName}-${name}`])))
}

function validateVolume(
  errors: Errors,
  volume: Volume,
  at: FieldPath,
  options: PodOptions,
  podName: string | undefined,
): void {
  const only = onlySource(volume)
  if (only === undefined) validateSources(errors, volume, at, options, podName)
  else validateSource(errors, volume, only, at, options, podName)
  if (isUnset(volume.name)) errors.push(required(at.child('name')))
  else checkLabel(errors, volume.name, at, 'name')
}

/** The rule of the one source that a volume should have. */
function onlySource(volume: Volume): Rule<SourceName> | undefined {
  let found: Rule<SourceName> | undefined
  for (const key in volume) {
    if (key === 'name') continue
    if (found !== undefined) return undefined
    found = rulesByName.get(key)
  }
  return found
}

function validateSources(
  errors: Errors,
  volume: Volume,
  at: FieldPath,
  options: PodOptions,
  podName: string | undefined,
): void {
  let count = 0
  for (const one of rules) {
    if (volume[one.name] === undefined) continue
    count++
    if (count === 1) validateSource(errors, volume, one, at, options, podName)
    else {
      errors.push(forbidden(at.child(one.extraAt ?? one.name), 'may not specify more than 1 volume type'))
      if (one.name === 'iscsi') validateIscsiLength(errors, volume, at)
    }
  }
  if (count === 0) errors.push(required(at, 'must specify a volume type'))
}

function validateSource(
  errors: Errors,
  volume: Volume,
  { name, at: place = name, validate }: Rule<SourceName>,
  at: FieldPath,
  options: PodOptions,
  podName: string | undefined,
): void {
  const source = volume[name]
  if (source !== undefined) validate(errors, source, at.child(place), options)
  if (name === 'iscsi') validateIscsiLength(errors, volume, at)
  else if (name === 'ephemeral') validateClaimName(errors, volume.name, at, podName)
}

function validateIscsiLength(errors: Errors, { name, iscsi }: Volume, at: FieldPath): void {
  if (iscsi?.initiatorName === undefined) return
  if (Buffer.byteLength(name) + 1 + Buffer.byteLength(iscsi.targetPortal) <= 64) return
  const why =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
  errors.push(invalid(at.child('name'), name, why))
}

function validateClaimName(errors: Errors, name: string, at: FieldPath, podName: string | undefined): void {
  if (isUnset(podName) || isUnset(name)) return
  const claim = `${podName}-${name}`
  for (const message of checkSubdomainName(claim)) {
    errors.push(invalid(at.child('name'), name, `PVC name ${quote(claim)}: ${message}`))
  }
}

function validateEphemeral(
  errors: Errors,
  { volumeClaimTemplate: template }: EphemeralVolumeSource,
  at: FieldPath,
  { attributesClasses }: PodOptions,
): void {
  const templateAt = at.child('volumeClaimTemplate')
  if (template === undefined) {
    errors.push(required(templateAt))
    return
  }
  validateClaimTemplateMeta(errors, template.metadata, templateAt.child('metadata'))
  validateClaimSpec(errors, template.spec, templateAt.child('spec'), { attributesClasses })
}

const forbiddenMeta = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[]

/** Names of the reference's struct where they differ from the wire's. */
export function validateClaimTemplateMeta(errors: Errors, metadata: ObjectMeta, at: FieldPath): void {
  pushAll(errors, validateAnnotations(metadata.annotations, at.child('annotations')))
  checkLabels(errors, metadata.labels, at.child('labels'))
  const { creationTimestamp, ...rest } = metadata
  const given = creationTimestamp === null || creationTimestamp === undefined ? rest : metadata
  const before = errors.length
  forbidPresent(errors, given as ObjectMeta, forbiddenMeta, at, 'cannot be set')
  for (let i = before; i < errors.length; i++) {
    const error = errors[i]
    if (error?.field.endsWith('.uid')) errors[i] = fieldErrorWith(error, { field: error.field.replace(/uid$/, 'uID') })
  }
}
