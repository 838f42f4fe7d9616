/**
 * Replication controllers: replica sets from before there were selectors of sets.
 * Mirrors pkg/apis/core/validation: ValidateReplicationController, ValidateReplicationControllerUpdate,
 * ValidateReplicationControllerStatusUpdate.
 * Mirrors pkg/registry/core/replicationcontroller: rcStrategy, rcStatusStrategy.
 */

import { type FieldError, fieldError, quote, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { selectorOfLabels } from '../../../../api/label-selector.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStringMap, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { ReplicationController, ReplicationControllerSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { checkNotNegative, type Errors, repeatedCheck } from '../../../checks/checks.ts'
import { alsoDeclared } from '../../../declared-strategy.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { nameWarnings, templateWarnings } from '../../pods/pod-warnings.ts'
import { replicaCounts, validateReplicas } from '../replica-set/replica-set.ts'
import { scaleOf } from '../scale.ts'
import { specPath, validateCounts, validateRunningTemplate, validateTemplateLabels } from '../workload-checks.ts'

type Controller = ReplicationController & KubeObject

const templatePath = FieldPath.of('spec', 'template')

export function replicationControllerRules(services: KindServices): KindRules<Controller> {
  return {
    strategy: withStatus<Controller>(
      {
        validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
        generation: 'spec',
        prepareForCreate({ spec }, { gate }) {
          dropDisabledFields(spec, undefined, gate)
        },
        validate({ spec }, context) {
          const errors: Errors = []
          validateSpec(errors, spec, templateOptions(services, context, spec.template))
          return errors
        },
        warningsOnCreate({ metadata, spec }, { gate }) {
          return [
            ...nameWarnings(metadata.name ?? '', 'Pod names and hostnames'),
            ...(spec.template === undefined ? [] : templateWarnings(spec.template, templatePath, gate)),
          ]
        },
        prepareForUpdate({ spec }, old, { gate }) {
          dropDisabledFields(spec, old.spec, gate)
        },
        validateUpdate(object, old, context) {
          const errors: Errors = []
          const { template } = object.spec
          validateSpec(errors, object.spec, templateOptions(services, context, template, old.spec.template))
          return [...repeatedCheck(context, '/ReplicationController', errors), ...errors, ...unconvertible(object, old)]
        },
        warningsOnUpdate(object, old, { gate }) {
          // The reference looks at the old template here.
          const { template } = old.spec
          if (object.metadata.generation === old.metadata.generation || template === undefined) return []
          return templateWarnings(template, templatePath, gate)
        },
      },
      () => ({ replicas: 0 }),
    ),
    parts: {
      status: statusOnly<Controller>({
        validateUpdate({ status }) {
          const errors: Errors = []
          validateCounts(errors, status, replicaCounts)
          validateReplicas(errors, status)
          return errors
        },
      }),
    },
    scale: scaleOf('labels'),
    fields: { 'status.replicas': ({ status }) => String((status as Controller['status'] | undefined)?.replicas ?? 0) },
  }
}

function validateSpec(errors: Errors, spec: ReplicationControllerSpec, options: PodOptions): void {
  const { template, selector } = spec
  pushAll(errors, declaredCount(spec.minReadySeconds, 'minReadySeconds'))
  if (keysOf(selector ?? {}).length === 0) errors.push(required(specPath.child('selector')))
  if (spec.replicas === undefined) errors.push(alsoDeclared(required(specPath.child('replicas'))))
  else pushAll(errors, declaredCount(spec.replicas, 'replicas'))
  if (template === undefined) {
    errors.push(required(templatePath))
    return
  }
  validateTemplateLabels(errors, selectorOfLabels(selector), template, templatePath)
  validateRunningTemplate(errors, template, templatePath, options, 'ReplicationController')
}

/** Counts have declared rules, too. */
function declaredCount(value: number | undefined, name: string): FieldError[] {
  const errors: Errors = []
  checkNotNegative(errors, value, specPath, name)
  return errors.map((error) => alsoDeclared(error, 'minimum'))
}

const unconvertiblePrefix = 'non-convertible.kubernetes.io'

/** Parts of newer kinds that a controller cannot express are kept in annotations, and must not be changed. */
function unconvertible({ spec }: Controller, old: Controller): FieldError[] {
  return Object.entries(old.metadata.annotations ?? {}).flatMap(([key, value]) => {
    const [prefix, field = '', more] = key.split('/')
    if (!prefix?.startsWith(unconvertiblePrefix) || field === '' || more !== undefined) return []
    if (!field.includes('selector')) {
      const message = (): string => `Not found: ${quote(value)}: unknown non-convertible field`
      return [fieldError('FieldValueNotFound', field, message)]
    }
    if (equalSemantic(spec.selector, old.spec.selector)) return []
    return [
      invalidAs(specPath.child('selector'), () => goStringMap(spec.selector), 'cannot update non-convertible selector'),
    ]
  })
}
