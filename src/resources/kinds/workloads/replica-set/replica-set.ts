/**
 * Replica sets.
 * Mirrors pkg/apis/apps/validation: ValidateReplicaSet, ValidateReplicaSetUpdate, ValidateReplicaSetStatusUpdate.
 * Mirrors pkg/registry/apps/replicaset: rsStrategy, rsStatusStrategy.
 */
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goSelector, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { ReplicaSet, ReplicaSetSpec } from '../../../../catalog/types/apps-v1.ts'
import { checkNotNegative, type Errors, repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { nameWarnings, templateWarnings } from '../../pods/pod-warnings.ts'
import { scaleOf } from '../scale.ts'
import {
  maySelectAnew,
  readSelector,
  specPath,
  validateCounts,
  validateNotMore,
  validateRunningTemplate,
  validateSelector,
  validateSelectorKept,
  validateTemplateLabels,
} from '../workload-checks.ts'

type Replicated = ReplicaSet & KubeObject

const templatePath = FieldPath.of('spec', 'template')
const noReplicas = (): object => ({ replicas: 0 })

export function replicaSetRules(services: KindServices): KindRules<Replicated> {
  return {
    strategy: withStatus<Replicated>(
      {
        validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
        generation: 'spec',
        prepareForCreate(draft, { gate }) {
          dropDisabledFields(draft.spec, undefined, gate)
        },
        validate(object, context) {
          const errors: Errors = []
          validateSpec(errors, object.spec, templateOptions(services, context, object.spec.template))
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
        },
        validateUpdate(object, old, context) {
          const errors: Errors = []
          const options = templateOptions(services, context, object.spec.template, old.spec.template)
          validateSpec(errors, object.spec, options)
          const kept: Errors = []
          if (!maySelectAnew(context)) validateSelectorKept(kept, object.spec.selector, old.spec.selector)
          return [...repeatedCheck(context, 'apps/ReplicaSet', errors), ...errors, ...kept]
        },
        warningsOnUpdate(object, old, { gate }) {
          if (object.metadata.generation === old.metadata.generation) return []
          return templateWarnings(object.spec.template, templatePath, gate)
        },
      },
      noReplicas,
    ),
    parts: {
      status: statusOnly<Replicated>({
        prepareForUpdate(draft, old, { gate }) {
          if (!gate('DeploymentReplicaSetTerminatingReplicas') && old.status.terminatingReplicas === undefined) {
            delete draft.status.terminatingReplicas
          }
        },
        validateUpdate({ status }) {
          const errors: Errors = []
          validateCounts(errors, status, [...replicaCounts, 'terminatingReplicas'])
          validateReplicas(errors, status)
          return errors
        },
      }),
    },
    scale: scaleOf('object'),
  }
}

export const replicaCounts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
]

/** Replicas that are ready are among those that there are. */
export function validateReplicas(errors: Errors, status: object): void {
  validateNotMore(errors, status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'replicas')
  validateNotMore(errors, status, ['availableReplicas'], 'readyReplicas', 'readyReplicas')
}

function validateSpec(errors: Errors, spec: ReplicaSetSpec, options: PodOptions): void {
  checkNotNegative(errors, spec.replicas, specPath, 'replicas')
  checkNotNegative(errors, spec.minReadySeconds, specPath, 'minReadySeconds')
  validateSelector(errors, spec.selector, 'deployment')
  const selector = readSelector(spec.selector)
  if (selector === undefined) {
    errors.push(invalidAs(specPath.child('selector'), () => goSelector(spec.selector), 'invalid label selector'))
    return
  }
  validateTemplateLabels(errors, selector, spec.template, templatePath)
  validateRunningTemplate(errors, spec.template, templatePath, options, 'ReplicaSet')
}
