/**
 * Deployments.
 * Mirrors pkg/apis/apps/validation: ValidateDeployment, ValidateDeploymentUpdate, ValidateDeploymentStatusUpdate.
 * Mirrors pkg/registry/apps/deployment: deploymentStrategy, deploymentStatusStrategy.
 */

import { forbidden, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import {
  goIntOrString,
  goSelector,
  goStruct,
  invalidAs,
  notSupportedAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { Deployment, DeploymentStrategy } from '../../../../catalog/types/apps-v1.ts'
import { nextGeneration } from '../../../../registry/object-meta.ts'
import { checkNotNegative, type Errors } from '../../../checks/checks.ts'
import { rollbackKey } from '../../../conversions/older/workloads.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { keepField, statusOnly, withStatus } from '../../../plain-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { nameWarnings, templateWarnings } from '../../pods/pod-warnings.ts'
import { type NumberAnnotation, withNumberAnnotation } from '../number-annotation.ts'
import { scaleOf } from '../scale.ts'
import {
  maySelectAnew,
  readSelector,
  shareValue,
  specPath,
  validateAtMostAll,
  validateCollisions,
  validateCounts,
  validateNotMore,
  validateRunningTemplate,
  validateSelector,
  validateSelectorKept,
  validateShare,
  validateTemplateLabels,
} from '../workload-checks.ts'
import { rollbackAction } from './rollback.ts'

type Deployed = Deployment & KubeObject

const templatePath = FieldPath.of('spec', 'template')

/** The revision to go back to was a field once. */
const rollback: NumberAnnotation = {
  kind: 'Deployment',
  annotation: rollbackKey,
  mayBeEmpty: true,
  refusal: (text) => `failed to parse annotation[${rollbackKey}]=${text} as int64: `,
}

export function deploymentRules(services: KindServices): KindRules<Deployed> {
  return {
    strategy: withStatus<Deployed>({
      prepareForCreate(draft, { gate }) {
        draft.metadata.generation = 1
        dropDisabledFields(draft.spec, undefined, gate)
      },
      validate(object, context) {
        const errors: Errors = []
        validateSpec(errors, object, templateOptions(services, context, object.spec.template))
        return errors
      },
      warningsOnCreate({ metadata, spec }, { gate }) {
        return [
          ...nameWarnings(metadata.name ?? '', 'Pod names and hostnames'),
          ...templateWarnings(spec.template, templatePath, gate),
        ]
      },
      prepareForUpdate(draft, old, { gate }) {
        dropDisabledFields(draft.spec, old.spec, gate)
        // Annotations are copied to replica sets, so that a change of them is one of the specification, too.
        const changed =
          !equalSemantic(draft.spec, old.spec) || !equalSemantic(draft.metadata.annotations, old.metadata.annotations)
        if (changed) draft.metadata.generation = nextGeneration(old.metadata)
      },
      validateUpdate(object, old, context) {
        const errors: Errors = []
        const options = templateOptions(services, context, object.spec.template, old.spec.template)
        validateSpec(errors, object, options)
        if (!maySelectAnew(context)) validateSelectorKept(errors, object.spec.selector, old.spec.selector)
        return errors
      },
      warningsOnUpdate(object, old, { gate }) {
        if (object.metadata.generation === old.metadata.generation) return []
        return templateWarnings(object.spec.template, templatePath, gate)
      },
    }),
    parts: {
      status: statusOnly<Deployed>({
        prepareForUpdate(draft, old, { gate }) {
          keepField(draft.metadata as unknown as KubeObject, old.metadata as unknown as KubeObject, 'labels')
          if (!gate('DeploymentReplicaSetTerminatingReplicas') && old.status.terminatingReplicas === undefined) {
            delete draft.status.terminatingReplicas
          }
        },
        validateUpdate({ status }, old) {
          const errors: Errors = []
          validateCounts(errors, status, statusCounts)
          validateNotMore(errors, status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'replicas')
          validateNotMore(errors, status, ['availableReplicas'], 'readyReplicas', 'readyReplicas')
          validateCollisions(errors, status.collisionCount, old.status.collisionCount)
          return errors
        },
      }),
    },
    decoded: (object) => withNumberAnnotation(object, rollback),
    scale: scaleOf('object'),
    versionActions: { rollback: (version) => rollbackAction(services, version) },
  }
}

const statusCounts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
]

function validateSpec(errors: Errors, { spec, metadata }: Deployed, options: PodOptions): void {
  checkNotNegative(errors, spec.replicas, specPath, 'replicas')
  validateSelector(errors, spec.selector, 'deployment')
  const selector = readSelector(spec.selector)
  if (selector === undefined) {
    errors.push(invalidAs(specPath.child('selector'), () => goSelector(spec.selector), 'invalid label selector'))
  } else {
    validateTemplateLabels(errors, selector, spec.template, templatePath)
    validateRunningTemplate(errors, spec.template, templatePath, options, 'ReplicaSet')
  }
  validateStrategy(errors, spec.strategy ?? {})
  checkNotNegative(errors, spec.minReadySeconds, specPath, 'minReadySeconds')
  checkNotNegative(errors, spec.revisionHistoryLimit, specPath, 'revisionHistoryLimit')
  const revision = metadata.annotations?.[rollbackKey]
  if (revision !== undefined) checkNotNegative(errors, Number(revision), specPath.child('rollback'), 'version')
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec
  if (deadline === undefined) return
  checkNotNegative(errors, deadline, specPath, 'progressDeadlineSeconds')
  if (deadline <= minReadySeconds) {
    errors.push(invalid(specPath.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'))
  }
}

function validateStrategy(errors: Errors, strategy: DeploymentStrategy): void {
  const at = specPath.child('strategy')
  const rollingAt = at.child('rollingUpdate')
  const { type = '', rollingUpdate } = strategy
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'"
    if (rollingUpdate !== undefined) errors.push(forbidden(rollingAt, why))
  } else if (type === 'RollingUpdate') {
    if (rollingUpdate === undefined) {
      errors.push(required(rollingAt, 'this should be defaulted and never be nil'))
      return
    }
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
    validateShare(errors, maxUnavailable, rollingAt.child('maxUnavailable'))
    validateShare(errors, maxSurge, rollingAt.child('maxSurge'))
    if (shareValue(maxUnavailable) === 0 && shareValue(maxSurge) === 0) {
      const why = 'may not be 0 when `maxSurge` is 0'
      errors.push(invalidAs(rollingAt.child('maxUnavailable'), () => goIntOrString(maxUnavailable), why))
    }
    validateAtMostAll(errors, maxUnavailable, rollingAt.child('maxUnavailable'))
  } else {
    const shown = goStruct('apps.DeploymentStrategy', {
      Type: podSyntaxText(type),
      RollingUpdate: podSyntaxPointer('apps.RollingUpdateDeployment', rollingUpdate),
    })
    errors.push(notSupportedAs(at, () => shown, ['Recreate', 'RollingUpdate']))
  }
}
