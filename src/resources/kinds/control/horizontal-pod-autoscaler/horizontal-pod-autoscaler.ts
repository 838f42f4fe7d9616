/**
 * HorizontalPodAutoscaler, in the shape of v2: what is scaled, between which bounds, by which metrics, how fast.
 * Mirrors pkg/apis/autoscaling/validation: ValidateHorizontalPodAutoscaler, ValidateHorizontalPodAutoscalerUpdate,
 * ValidateHorizontalPodAutoscalerStatusUpdate.
 * Mirrors pkg/registry/autoscaling/horizontalpodautoscaler: autoscalerStrategy, autoscalerStatusStrategy.
 */

import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { Quantity } from '../../../../api/quantity.ts'
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../../../catalog/types/autoscaling-v2.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { negativeMessage } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { autoscalerFromHub, autoscalerToHub, withoutRoundTrip } from './autoscaler-conversion.ts'
import { apiVersionProblem, type GroupRule, validateMetrics, validateReference } from './autoscaler-metrics.ts'

type Spec = HorizontalPodAutoscalerSpec
type Autoscaler = KubeObject & { spec: Spec; status: HorizontalPodAutoscalerStatus }

const specPath = FieldPath.of('spec')
const statusPath = FieldPath.of('status')
const maxPeriod = 1800
const maxWindow = 3600

function validateSpec(spec: Spec, { leastReplicas, references, requiresMaximum }: SpecRules): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec
  const errors: FieldError[] = []
  const maxAt = specPath.child('maxReplicas')
  if (minReplicas !== undefined && minReplicas < leastReplicas) {
    const why = `must be greater than or equal to ${leastReplicas}`
    errors.push(invalid(specPath.child('minReplicas'), minReplicas, why))
  }
  if (maxReplicas < 1 && !requiresMaximum) errors.push(invalid(maxAt, maxReplicas, 'must be greater than 0'))
  else if (maxReplicas === 0) errors.push(required(maxAt, 'must be set and greater than 0'))
  else if (maxReplicas < 0) errors.push(invalid(maxAt, maxReplicas, 'must be greater than or equal to 1'))
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid(maxAt, maxReplicas, 'must be greater than or equal to `minReplicas`'))
  }
  return [
    ...errors,
    ...validateReference(scaleTargetRef, specPath.child('scaleTargetRef'), references.target),
    ...validateMetrics(metrics, specPath.child('metrics'), { minReplicas, objects: references.objects }),
    ...validateBehavior(behavior, specPath.child('behavior')),
  ]
}

/** Which groups what an autoscaler refers to may be of. */
interface ReferenceRules {
  readonly target: GroupRule
  readonly objects: GroupRule
}

interface SpecRules {
  readonly leastReplicas: number
  readonly references: ReferenceRules
  /** A maximum of zero is none. */
  readonly requiresMaximum: boolean
}

const anyReference: ReferenceRules = { target: 'any', objects: 'any' }

/** What was there already may stay; the core group has one kind that can be scaled. Mirrors pkg/registry/autoscaling/horizontalpodautoscaler: validationOptionsForHorizontalPodAutoscaler. */
function referenceRules({ scaleTargetRef }: Spec, old: Spec | undefined): ReferenceRules {
  const before = old?.scaleTargetRef
  const isSame = before?.apiVersion === scaleTargetRef.apiVersion && before?.kind === scaleTargetRef.kind
  const hadInvalid = (old?.metrics ?? []).some(
    ({ object }) => object !== undefined && apiVersionProblem(object.describedObject, 'core') !== undefined,
  )
  const core = scaleTargetRef.kind === 'ReplicationController' ? 'core' : 'named'
  return { target: old !== undefined && isSame ? 'any' : core, objects: hadInvalid ? 'any' : 'core' }
}

function validateBehavior(behavior: HorizontalPodAutoscalerBehavior | undefined, at: FieldPath): FieldError[] {
  return [
    ...validateRules(behavior?.scaleUp, at.child('scaleUp')),
    ...validateRules(behavior?.scaleDown, at.child('scaleDown')),
  ]
}

function validateRules(rules: HPAScalingRules | undefined, at: FieldPath): FieldError[] {
  if (rules === undefined) return []
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules
  const errors: FieldError[] = []
  const windowAt = at.child('stabilizationWindowSeconds')
  if (window !== undefined && window < 0) {
    errors.push(invalid(windowAt, window, 'must be greater than or equal to zero'))
  }
  if (window !== undefined && window > maxWindow) {
    errors.push(invalid(windowAt, window, `must be less than or equal to ${maxWindow}`))
  }
  const selections = ['Disabled', 'Max', 'Min']
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    errors.push(notSupported(at.child('selectPolicy'), selectPolicy, selections))
  }
  const policiesAt = at.child('policies')
  if (policies.length === 0) errors.push(required(policiesAt, 'must specify at least one Policy'))
  pushAll(
    errors,
    policies.flatMap((policy, i) => validatePolicy(policy, policiesAt.index(i))),
  )
  if (tolerance !== undefined && Quantity.parse(tolerance).sign() < 0) {
    errors.push(invalid(at.child('tolerance'), tolerance, negativeMessage))
  }
  return errors
}

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const types = ['Percent', 'Pods']
  if (!types.includes(type)) errors.push(notSupported(at.child('type'), type, types))
  if (value <= 0) errors.push(invalid(at.child('value'), value, 'must be greater than zero'))
  const periodAt = at.child('periodSeconds')
  if (periodSeconds <= 0) errors.push(invalid(periodAt, periodSeconds, 'must be greater than zero'))
  if (periodSeconds > maxPeriod) {
    errors.push(invalid(periodAt, periodSeconds, `must be less than or equal to ${maxPeriod}`))
  }
  return errors
}

function validateStatus({ currentReplicas = 0, desiredReplicas = 0 }: HorizontalPodAutoscalerStatus): FieldError[] {
  const count = (field: string, value: number): FieldError[] =>
    value < 0 ? [invalid(statusPath.child(field), value, negativeMessage)] : []
  return [...count('currentReplicas', currentReplicas), ...count('desiredReplicas', desiredReplicas)]
}

const hasTolerance = (behavior: HorizontalPodAutoscalerBehavior | undefined): boolean =>
  behavior?.scaleUp?.tolerance !== undefined || behavior?.scaleDown?.tolerance !== undefined

/** The tolerance goes when its gate is off, unless the object has one already. */
function dropTolerance(draft: Autoscaler, old: Autoscaler | undefined, { gate }: KindServices): void {
  const { behavior } = draft.spec
  if (!hasTolerance(behavior) || gate('HPAConfigurableTolerance') || hasTolerance(old?.spec.behavior)) return
  const without = (rules: HPAScalingRules | undefined): HPAScalingRules | undefined => {
    if (rules === undefined) return undefined
    const { tolerance: _, ...rest } = rules
    return rest
  }
  const scaleUp = without(behavior?.scaleUp)
  const scaleDown = without(behavior?.scaleDown)
  const kept = { ...(scaleUp === undefined ? {} : { scaleUp }), ...(scaleDown === undefined ? {} : { scaleDown }) }
  draft.spec = { ...draft.spec, behavior: kept }
}

export function horizontalPodAutoscalerRules(services: KindServices): KindRules<Autoscaler> {
  const leastReplicas = (old?: Autoscaler): number =>
    services.gate('HPAScaleToZero') || old?.spec.minReplicas === 0 ? 0 : 1
  const references = (spec: Spec, old?: Spec): ReferenceRules =>
    services.gate('release:autoscalerApiVersion') ? referenceRules(spec, old) : anyReference
  const rulesFor = (spec: Spec, old?: Autoscaler): SpecRules => ({
    leastReplicas: leastReplicas(old),
    references: references(spec, old?.spec),
    requiresMaximum: services.gate('release:requiredAlone'),
  })
  return {
    strategy: withStatus<Autoscaler>(
      {
        prepareForCreate: (draft) => dropTolerance(draft, undefined, services),
        prepareForUpdate: (draft, old) => dropTolerance(draft, old, services),
        validate: ({ spec }) => validateSpec(spec, rulesFor(spec)),
        validateUpdate: ({ spec }, old) => validateSpec(spec, rulesFor(spec, old)),
      },
      () => ({ desiredReplicas: 0, currentMetrics: null }),
    ),
    parts: { status: statusOnly<Autoscaler>({ validateUpdate: ({ status }) => validateStatus(status) }) },
    // A body of the older version counts as what it is in the newer one: what that adds is the writer's own.
    decoded: (object) =>
      object['apiVersion'] === 'autoscaling/v1'
        ? autoscalerFromHub(autoscalerToHub(object as KubeObject))
        : withoutRoundTrip(object),
  }
}
