/**
 * Stateful sets. Their template is hardly checked: its volumes may come from the claim templates.
 * Mirrors pkg/apis/apps/validation: ValidateStatefulSet, ValidateStatefulSetUpdate, ValidateStatefulSetStatusUpdate.
 * Mirrors pkg/registry/apps/statefulset: statefulSetStrategy, statefulSetStatusStrategy.
 */

import { forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic, type JsonObject, type JsonValue } from '../../../../api/json.ts'
import { checkLabelName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import {
  goIntOrString,
  goSelector,
  goStruct,
  invalidAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { StatefulSet, StatefulSetSpec } from '../../../../catalog/types/apps-v1.ts'
import type { PersistentVolumeClaim, PodTemplateSpec } from '../../../../catalog/types/core-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { checkLabel, checkNotNegative, type Errors, isUnset } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { validateClaimSpec } from '../../pods/claim-spec.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { validateTemplate, validateTemplateMeta } from '../../pods/pod-template.ts'
import { claimWarnings, templateWarnings } from '../../pods/pod-warnings.ts'
import { scaleOf } from '../scale.ts'
import {
  readSelector,
  shareValue,
  specPath,
  validateAtMostAll,
  validateCollisions,
  validateCounts,
  validateKeepsRunning,
  validateNotMore,
  validateSelector,
  validateShare,
  validateTemplateLabels,
} from '../workload-checks.ts'

type Stateful = StatefulSet & KubeObject

const templatePath = FieldPath.of('spec', 'template')

export function statefulSetRules(services: KindServices): KindRules<Stateful> {
  return {
    strategy: withStatus<Stateful>(
      {
        validateMetadata: (metadata) => metadata.validate({ validateName: checkLabelName }),
        generation: 'spec',
        prepareForCreate: (draft, { gate }) => dropDisabled(draft, undefined, gate),
        validate({ spec }, context) {
          const errors: Errors = []
          const pods = templateOptions(services, context, spec.template)
          const whole = context.gate('release:statefulSetTemplates')
          validateSpec(errors, spec, {
            pods,
            anyServiceName: false,
            template: whole,
            claims: whole,
            gate: context.gate,
          })
          return errors
        },
        warningsOnCreate: ({ spec }, { gate }) => [
          ...templateWarnings(spec.template, templatePath, gate),
          ...specWarnings(spec, (at) => at),
        ],
        prepareForUpdate: (draft, old, { gate }) => dropDisabled(draft, old, gate),
        validateUpdate({ spec }, old, context) {
          const errors: Errors = []
          const pods = templateOptions(services, context, spec.template, old.spec.template)
          const kept = { pods, anyServiceName: true, template: true, claims: false, gate: context.gate }
          const template = context.gate('release:statefulSetTemplates') && isValid(old.spec, kept)
          validateSpec(errors, spec, { ...kept, template })
          validateFixed(errors, spec, old.spec)
          return errors
        },
        warningsOnUpdate: ({ spec, metadata }, old, { gate }) => [
          ...(metadata.generation === old.metadata.generation
            ? []
            : templateWarnings(spec.template, templatePath, gate)),
          ...specWarnings(spec, (at) => at.child('Spec')),
        ],
      },
      () => ({ replicas: 0, availableReplicas: 0 }),
    ),
    decoded: withClaimKinds,
    parts: {
      status: statusOnly<Stateful>({
        validateUpdate({ status }, old) {
          const errors: Errors = []
          validateCounts(errors, status, statusCounts)
          const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
          validateNotMore(errors, status, parts, 'replicas')
          validateNotMore(errors, status, ['availableReplicas'], 'readyReplicas')
          validateCollisions(errors, status.collisionCount, old.status.collisionCount)
          return errors
        },
      }),
    },
    scale: scaleOf('object'),
  }
}

const statusCounts = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
]

/** Claim templates are of one kind, whatever they say. */
function withClaimKinds(object: JsonObject): JsonObject {
  const { spec } = object as Stateful
  const isNamed = ({ apiVersion, kind }: PersistentVolumeClaim): boolean =>
    apiVersion === 'v1' && kind === 'PersistentVolumeClaim'
  if ((spec.volumeClaimTemplates ?? []).every(isNamed)) return object
  const volumeClaimTemplates = (spec.volumeClaimTemplates ?? []).map((claim) => ({
    ...claim,
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
  }))
  return { ...object, spec: { ...spec, volumeClaimTemplates } }
}

function dropDisabled({ spec }: Stateful, old: Stateful | undefined, gate: WriteContext['gate']): void {
  if (!gate('StatefulSetAutoDeletePVC') && old?.spec.persistentVolumeClaimRetentionPolicy === undefined) {
    delete spec.persistentVolumeClaimRetentionPolicy
  }
  const { rollingUpdate } = spec.updateStrategy ?? {}
  const oldUnavailable = old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable
  if (
    !gate('MaxUnavailableStatefulSet') &&
    oldUnavailable === undefined &&
    rollingUpdate?.maxUnavailable !== undefined
  ) {
    const { maxUnavailable: _, ...rest } = rollingUpdate
    spec.updateStrategy = { ...spec.updateStrategy, rollingUpdate: rest }
  }
  if (!gate('StatefulSetStartOrdinal') && old?.spec.ordinals === undefined) delete spec.ordinals
  dropDisabledFields(spec, old?.spec, gate)
}

function specWarnings(spec: StatefulSetSpec, claimAt: (at: FieldPath) => FieldPath): string[] {
  const claims = (spec.volumeClaimTemplates ?? []).flatMap((claim, i) =>
    claimWarnings(claim.spec, claimAt(specPath.child('volumeClaimTemplates').index(i))),
  )
  if ((spec.revisionHistoryLimit ?? 0) >= 0) return claims
  const why = 'a negative value retains all historical revisions; a value >= 0 is recommended'
  return [...claims, `spec.revisionHistoryLimit: ${why}`]
}

interface SpecOptions {
  readonly pods: PodOptions
  readonly anyServiceName: boolean
  /** Whether the whole template is checked, not its metadata alone. */
  readonly template: boolean
  readonly claims: boolean
  readonly gate: WriteContext['gate']
}

function validateSpec(errors: Errors, spec: StatefulSetSpec, options: SpecOptions): void {
  const { pods, anyServiceName, template, claims, gate } = options
  validatePolicies(errors, spec)
  if (claims) validateClaimTemplates(errors, spec, gate)
  checkNotNegative(errors, spec.replicas, specPath, 'replicas')
  checkNotNegative(errors, spec.minReadySeconds, specPath, 'minReadySeconds')
  checkNotNegative(errors, spec.ordinals?.start, specPath, 'ordinals.start')
  if (!anyServiceName && !isUnset(spec.serviceName)) checkLabel(errors, spec.serviceName, specPath, 'serviceName')
  validateSelector(errors, spec.selector, 'statefulset')
  const selector = readSelector(spec.selector)
  if (selector === undefined) {
    errors.push(invalidAs(specPath.child('selector'), () => goSelector(spec.selector), ''))
  } else {
    validateTemplateLabels(errors, selector, spec.template, templatePath)
    if (template) validateTemplate(errors, filledTemplate(spec), templatePath, pods)
    validateTemplateMeta(errors, spec.template, templatePath, pods)
  }
  validateKeepsRunning(errors, spec.template, templatePath, 'StatefulSet')
}

/**
 * The template as its pods will have it: their names and their service are the controller's, and the claims are volumes.
 * Mirrors pkg/apis/apps/validation: ValidatePodTemplateSpecForStatefulSet.
 */
function filledTemplate(spec: StatefulSetSpec): PodTemplateSpec {
  const { subdomain: _service, hostname: _name, ...rest } = spec.template.spec
  const claims = new Set((spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? ''))
  const volumes = [
    ...[...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(rest.volumes ?? []).filter(({ name }) => !claims.has(name)),
  ]
  return { ...spec.template, spec: claims.size === 0 ? rest : { ...rest, volumes } }
}

/** What is wrong already may stay. */
function isValid(spec: StatefulSetSpec, options: SpecOptions): boolean {
  const errors: Errors = []
  validateSpec(errors, spec, options)
  return errors.length === 0
}

function validateClaimTemplates(errors: Errors, spec: StatefulSetSpec, gate: (name: string) => boolean): void {
  eachItem(errors, spec.volumeClaimTemplates ?? [], (errors, claim, i) => {
    const at = specPath.child('volumeClaimTemplates').index(i).child('spec')
    validateClaimSpec(errors, claim.spec, at, { attributesClasses: gate('VolumeAttributesClass') })
  })
}

const retentionPolicies = ['Retain', 'Delete']

function validatePolicies(errors: Errors, spec: StatefulSetSpec): void {
  const { podManagementPolicy = '', persistentVolumeClaimRetentionPolicy: retention } = spec
  if (podManagementPolicy === '') errors.push(required(specPath.child('podManagementPolicy')))
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    const why = "must be 'OrderedReady' or 'Parallel'"
    errors.push(invalid(specPath.child('podManagementPolicy'), podManagementPolicy, why))
  }
  validateUpdateStrategy(errors, spec)
  if (retention === undefined) return
  const at = specPath.child('persistentVolumeClaimRetentionPolicy')
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const policy = retention[name] ?? ''
    if (!retentionPolicies.includes(policy)) errors.push(notSupported(at.child(name), policy, retentionPolicies))
  }
}

function validateUpdateStrategy(errors: Errors, { updateStrategy }: StatefulSetSpec): void {
  const at = specPath.child('updateStrategy')
  const { type = '', rollingUpdate } = updateStrategy ?? {}
  const { partition = 0, maxUnavailable } = rollingUpdate ?? {}
  if (type === '') errors.push(required(at))
  else if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return
    const shown = goStruct('apps.RollingUpdateStatefulSetStrategy', {
      Partition: String(partition),
      MaxUnavailable: podSyntaxPointer('intstr.IntOrString', maxUnavailable),
    })
    errors.push(invalidAs(at.child('rollingUpdate'), () => shown, "only allowed for updateStrategy 'RollingUpdate'"))
  } else if (type === 'RollingUpdate') {
    const rollingAt = at.child('rollingUpdate')
    checkNotNegative(errors, partition, rollingAt, 'partition')
    if (maxUnavailable === undefined) return
    const shareAt = rollingAt.child('maxUnavailable')
    validateShare(errors, maxUnavailable, shareAt)
    if (shareValue(maxUnavailable) === 0)
      errors.push(invalidAs(shareAt, () => goIntOrString(maxUnavailable), 'cannot be 0'))
    validateAtMostAll(errors, maxUnavailable, shareAt)
  } else {
    const shown = goStruct('apps.StatefulSetUpdateStrategy', {
      Type: podSyntaxText(type),
      RollingUpdate: podSyntaxPointer('apps.RollingUpdateStatefulSetStrategy', rollingUpdate),
    })
    errors.push(invalidAs(at, () => shown, "must be 'RollingUpdate' or 'OnDelete'"))
  }
}

/** What an update may change. */
const changeable: ReadonlySet<string> = new Set([
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] satisfies (keyof StatefulSetSpec)[])

function validateFixed(errors: Errors, spec: StatefulSetSpec, old: StatefulSetSpec): void {
  const rest = (of: StatefulSetSpec): JsonValue =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !changeable.has(name))) as JsonValue
  if (equalSemantic(rest(spec), rest(old))) return
  const why =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
  errors.push(forbidden(specPath, why))
}
