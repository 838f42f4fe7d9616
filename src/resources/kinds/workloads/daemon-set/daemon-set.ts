/**
 * Daemon sets. The number of changes of their template is kept in an annotation, where older clients look for it.
 * Mirrors pkg/apis/apps/validation: ValidateDaemonSet, ValidateDaemonSetUpdate, ValidateDaemonSetStatusUpdate.
 * Mirrors pkg/registry/apps/daemonset: daemonSetStrategy, daemonSetStatusStrategy.
 */

import { required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic, type JsonObject } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import type { KubeObject } from '../../../../api/object.ts'
import {
  goIntOrString,
  goSelector,
  goStringMap,
  goStruct,
  invalidAs,
  notSupportedAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy } from '../../../../catalog/types/apps-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { checkNotNegative, type Errors, repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { keepsInvalidValue, type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { templateWarnings } from '../../pods/pod-warnings.ts'
import { withNumberAnnotation } from '../number-annotation.ts'
import {
  maySelectAnew,
  readSelector,
  shareValue,
  specPath,
  validateAtMostAll,
  validateCollisions,
  validateCounts,
  validateRunningTemplate,
  validateSelectorKept,
  validateShare,
} from '../workload-checks.ts'

type Daemons = DaemonSet & KubeObject

const templatePath = FieldPath.of('spec', 'template')
const generationAnnotation = 'deprecated.daemonset.template.generation'

const emptyStatus = (): object => ({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
})

export function daemonSetRules(services: KindServices): KindRules<Daemons> {
  return {
    strategy: withStatus<Daemons>(
      {
        validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
        generation: 'spec',
        prepareForCreate(draft, { gate }) {
          setTemplateGeneration(draft, Math.max(templateGeneration(draft), 1))
          dropDisabledFields(draft.spec, undefined, gate)
        },
        validate({ spec }, context) {
          const errors: Errors = []
          validateSpec(errors, spec, templateOptions(services, context, spec.template))
          return errors
        },
        warningsOnCreate: ({ spec }, { gate }) => templateWarnings(spec.template, templatePath, gate),
        prepareForUpdate(draft, old, { gate }) {
          dropDisabledFields(draft.spec, old.spec, gate)
          setTemplateGeneration(draft, templateGeneration(old) + (templateChanged(draft, old) ? 1 : 0))
        },
        validateUpdate(object, old, context) {
          const errors: Errors = []
          const options = templateOptions(services, context, object.spec.template, old.spec.template)
          const anyAffinityValue = options.anyAffinityValue || keepsInvalidValue(old.spec.selector)
          validateSpec(errors, object.spec, { ...options, anyAffinityValue })
          const kept: Errors = []
          if (!maySelectAnew(context)) validateSelectorKept(kept, object.spec.selector, old.spec.selector)
          return context.gate('release:daemonSelectorFirst')
            ? [...kept, ...errors]
            : [...repeatedCheck(context, 'apps/DaemonSet', errors), ...errors, ...kept]
        },
        warningsOnUpdate(object, old, { gate }) {
          return templateChanged(object, old) ? templateWarnings(object.spec.template, templatePath, gate) : []
        },
      },
      emptyStatus,
    ),
    decoded: withTemplateGeneration,
    parts: {
      status: statusOnly<Daemons>({
        // Part of the spec in the reference's internal type, and so not for a status update to change.
        prepareForUpdate: (draft, old) => setTemplateGeneration(draft, templateGeneration(old)),
        validateUpdate({ status }, old) {
          const errors: Errors = []
          validateCounts(errors, status, statusCounts)
          validateCollisions(errors, status.collisionCount, old.status.collisionCount)
          return errors
        },
      }),
    },
  }
}

const statusCounts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

function templateGeneration({ metadata }: Daemons): number {
  const text = metadata.annotations?.[generationAnnotation] ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : 0
}

function setTemplateGeneration(draft: Daemons, generation: number): void {
  draft.metadata.annotations = { ...draft.metadata.annotations, [generationAnnotation]: String(generation) }
}

/** Every daemon set that is read has the annotation; the manager of a write without it becomes its owner. */
function withTemplateGeneration(given: JsonObject): JsonObject {
  const object = withNumberAnnotation(given, { kind: 'DaemonSet', annotation: generationAnnotation })
  const { metadata } = object as Daemons
  const text = String(templateGeneration(object as Daemons))
  if (metadata.annotations?.[generationAnnotation] === text) return object
  const annotations = { ...metadata.annotations, [generationAnnotation]: text }
  return { ...object, metadata: { ...metadata, annotations } }
}

const templateChanged = (object: Daemons, old: Daemons): boolean =>
  !equalSemantic(object.spec.template, old.spec.template)

function validateSpec(errors: Errors, spec: DaemonSetSpec, options: PodOptions): void {
  const { selector, template } = spec
  const selectorAt = specPath.child('selector')
  pushAll(errors, validateLabelSelector(selector, selectorAt, { allowInvalidLabelValue: options.anyAffinityValue }))
  if (readSelector(selector)?.matches(template.metadata.labels) === false) {
    const why = '`selector` does not match template `labels`'
    errors.push(invalidAs(templatePath.child('metadata', 'labels'), () => goStringMap(template.metadata.labels), why))
  }
  const isEmpty =
    selector !== null && keysOf(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0
  if (isEmpty) errors.push(invalidAs(selectorAt, () => goSelector(selector), 'empty selector is invalid for daemonset'))
  validateRunningTemplate(errors, template, templatePath, options, 'DaemonSet')
  checkNotNegative(errors, spec.minReadySeconds, specPath, 'minReadySeconds')
  validateUpdateStrategy(errors, spec.updateStrategy ?? {})
  checkNotNegative(errors, spec.revisionHistoryLimit, specPath, 'revisionHistoryLimit')
}

function validateUpdateStrategy(errors: Errors, strategy: DaemonSetUpdateStrategy): void {
  const at = specPath.child('updateStrategy')
  const { type = '', rollingUpdate } = strategy
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') {
    const shown = goStruct('apps.DaemonSetUpdateStrategy', {
      Type: podSyntaxText(type),
      RollingUpdate: podSyntaxPointer('apps.RollingUpdateDaemonSet', rollingUpdate),
    })
    errors.push(notSupportedAs(at, () => shown, ['RollingUpdate', 'OnDelete']))
    return
  }
  const rollingAt = at.child('rollingUpdate')
  if (rollingUpdate === undefined) {
    errors.push(required(rollingAt))
    return
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const unavailableAt = rollingAt.child('maxUnavailable')
  const surgeAt = rollingAt.child('maxSurge')
  validateShare(errors, maxUnavailable, unavailableAt)
  validateShare(errors, maxSurge, surgeAt)
  validateAtMostAll(errors, maxUnavailable, unavailableAt)
  validateAtMostAll(errors, maxSurge, surgeAt)
  const [hasUnavailable, hasSurge] = [shareValue(maxUnavailable) !== 0, shareValue(maxSurge) !== 0]
  if (hasUnavailable && hasSurge) {
    errors.push(invalidAs(surgeAt, () => goIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero'))
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(required(unavailableAt, 'cannot be 0 when maxSurge is 0'))
  }
}
