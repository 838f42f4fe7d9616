/**
 * Taints of devices that are chosen by rules. Status came with a later release.
 * Mirrors pkg/apis/resource/validation: ValidateDeviceTaintRule, ValidateDeviceTaintRuleUpdate, ValidateDeviceTaintRuleStatusUpdate.
 * Mirrors pkg/registry/resource/devicetaintrule: deviceTaintRuleStrategy, deviceTaintRuleStatusStrategy.
 */
import { type FieldError, tooMany } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalSemantic } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'
import type { DeviceTaintRuleSpec } from '../../../catalog/types/resource-v1alpha3.ts'
import type { DeviceSelector } from '../../../catalog/types/resource-v1beta2.ts'
import type { Errors } from '../../checks/checks.ts'
import { validateConditions } from '../../checks/conditions.ts'
import { validateDriverName } from '../../checks/csi-names.ts'
import { keepMetadataForStatus } from '../../checks/status-metadata.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { statusOnly, withStatus } from '../../plain-rules.ts'
import {
  checkClassName,
  checkLabelAt,
  checkPoolName,
  checkSelectors,
  checkTaint,
  taintEffects,
} from './device-checks.ts'

type TaintRule = KubeObject & { spec: DeviceTaintRuleSpec; status?: { conditions?: Condition[] } }

const specPath = FieldPath.of('spec')
const maxConditions = 8

export function taintRuleRules({ deviceSelector, gate, clock }: KindServices): KindRules<TaintRule> {
  const validate = ({ spec }: TaintRule, old?: readonly DeviceSelector[]): FieldError[] => {
    const errors: Errors = []
    const { deviceClassName, driver, pool, device, selectors } = spec.deviceSelector ?? {}
    const at = specPath.child('deviceSelector')
    if (deviceClassName !== undefined) checkClassName(errors, deviceClassName, at.child('deviceClassName'))
    if (driver !== undefined) validateDriverName(errors, driver, at.child('driver'))
    if (pool !== undefined) checkPoolName(errors, pool, at.child('pool'))
    if (device !== undefined) checkLabelAt(errors, device, at.child('device'))
    const stored = old !== undefined && equalSemantic(selectors, old)
    checkSelectors(errors, selectors, at.child('selectors'), { stored, selector: deviceSelector })
    checkTaint(errors, spec.taint, specPath.child('taint'), taintEffects(gate))
    return errors
  }
  const strategy = {
    generation: 'spec' as const,
    prepareForUpdate(draft: TaintRule, old: TaintRule) {
      if (gate('release:taintTimes')) setTaintTime(draft, old, () => formatTime(instantOfMillis(clock.now())))
    },
    validate: (object: TaintRule) => validate(object),
    validateUpdate: (object: TaintRule, old: TaintRule) => validate(object, old.spec.deviceSelector?.selectors),
  }
  return {
    strategy: gate('release:taintRuleStatus') ? withStatus<TaintRule>(strategy) : strategy,
    parts: gate('release:taintRuleStatus')
      ? { status: statusOnly<TaintRule>({ prepareForUpdate: keepMetadataForStatus, validateUpdate: validateStatus }) }
      : {},
    returnsDeleted: true,
  }
}

/** The time of a taint is that of its effect, unless the client changes both. */
function setTaintTime({ spec }: TaintRule, { spec: old }: TaintRule, now: () => string): void {
  if (spec.taint.effect === old.taint.effect || spec.taint.timeAdded !== old.taint.timeAdded) return
  Object.assign(spec, { taint: { ...spec.taint, timeAdded: now() } })
}

function validateStatus({ status }: TaintRule): FieldError[] {
  const conditions = status?.conditions ?? []
  const at = FieldPath.of('status', 'conditions')
  const errors = validateConditions(conditions, at)
  return conditions.length > maxConditions ? [...errors, tooMany(at, conditions.length, maxConditions)] : errors
}
