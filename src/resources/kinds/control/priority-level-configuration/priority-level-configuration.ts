/**
 * PriorityLevelConfiguration: how many requests run at once, and what becomes of the rest.
 * Mirrors pkg/apis/flowcontrol/validation: ValidatePriorityLevelConfiguration,
 * ValidatePriorityLevelConfigurationStatusUpdate.
 * Mirrors pkg/registry/flowcontrol/prioritylevelconfiguration: priorityLevelConfigurationStrategy,
 * priorityLevelConfigurationStatusStrategy.
 */

import { type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goDump } from '../../../../catalog/golang/dump.ts'
import { invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfigurationSpec,
  PriorityLevelConfigurationStatus,
  QueuingConfiguration,
} from '../../../../catalog/types/flowcontrol-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { keepAllMetadata } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { validateFlowConditions } from '../flow-schema/flow-schema.ts'
import { mandatoryLevels } from '../mandatory-flows.ts'

type Spec = PriorityLevelConfigurationSpec
type PriorityLevel = KubeObject & { spec: Spec; status: PriorityLevelConfigurationStatus }

const specPath = FieldPath.of('spec')
const maxQueues = 10 * 1000 * 1000
/** Bits of a hash that a hand of queues can be dealt from. */
const maxHashBits = 60
const zeroSharesKey = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

function validateLevel({ metadata, spec, status }: PriorityLevel, { gate }: WriteContext): FieldError[] {
  const name = metadata.name ?? ''
  const marked = metadata.annotations?.[zeroSharesKey] !== undefined
  return [
    ...(marked ? [forbidden('metadata.annotations', `annotation '${zeroSharesKey}' is forbidden`)] : []),
    ...validateSpec(name, spec, gate('release:requiredAlone')),
    ...validateMandatory(name, spec),
    ...validateFlowConditions(status.conditions ?? []),
  ]
}

function validateSpec(name: string, { type, limited, exempt }: Spec, requiresType: boolean): FieldError[] {
  const errors: FieldError[] = []
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.push(invalid(specPath.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'"))
  }
  switch (type) {
    case 'Exempt':
      if (limited !== undefined) {
        errors.push(forbidden(specPath.child('limited'), 'must be nil if the type is not Limited'))
      }
      return exempt === undefined ? errors : [...errors, ...validateExempt(exempt, specPath.child('exempt'))]
    case 'Limited':
      if (exempt !== undefined) errors.push(forbidden(specPath.child('exempt'), 'must be nil if the type is Limited'))
      return limited === undefined
        ? [...errors, required(specPath.child('limited'), 'must not be empty when type is Limited')]
        : [...errors, ...validateLimited(limited, specPath.child('limited'), requiresType)]
    default:
      return [
        ...errors,
        wrongType(type, specPath.child('type'), { valid: ['Exempt', 'Limited'], isRequired: requiresType }),
      ]
  }
}

const wrongType = (type: string, at: FieldPath, { valid, isRequired }: TypeRule): FieldError =>
  isRequired && type === '' ? required(at) : notSupported(at, type, valid)

interface TypeRule {
  readonly valid: readonly string[]
  /** An empty type is missing, not unknown. */
  readonly isRequired: boolean
}

function validateShares(shares: number | null | undefined, at: FieldPath): FieldError[] {
  if ((shares ?? 0) >= 0) return []
  return [invalid(at.child('nominalConcurrencyShares'), shares ?? 0, 'must be a non-negative integer')]
}

function validateLendable(percent: number | undefined, at: FieldPath): FieldError[] {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return []
  return [invalid(at.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')]
}

const validateExempt = (exempt: ExemptPriorityLevelConfiguration, at: FieldPath): FieldError[] => [
  ...validateShares(exempt.nominalConcurrencyShares, at),
  ...validateLendable(exempt.lendablePercent, at),
]

function validateLimited(
  limited: LimitedPriorityLevelConfiguration,
  at: FieldPath,
  requiresType: boolean,
): FieldError[] {
  const { borrowingLimitPercent: borrowing = 0 } = limited
  const why = 'if specified, must be a non-negative integer'
  return [
    ...validateShares(limited.nominalConcurrencyShares, at),
    ...validateResponse(limited.limitResponse, at.child('limitResponse'), requiresType),
    ...validateLendable(limited.lendablePercent, at),
    ...(borrowing < 0 ? [invalid(at.child('borrowingLimitPercent'), borrowing, why)] : []),
  ]
}

function validateResponse({ type, queuing }: LimitResponse, at: FieldPath, isRequired: boolean): FieldError[] {
  const queuingAt = at.child('queuing')
  switch (type) {
    case 'Reject': {
      const why = 'must be nil if limited.limitResponse.type is not Limited'
      return queuing === undefined ? [] : [forbidden(queuingAt, why)]
    }
    case 'Queue': {
      const why = 'must not be empty if limited.limitResponse.type is Limited'
      return queuing === undefined ? [required(queuingAt, why)] : validateQueuing(queuing, queuingAt)
    }
    default:
      return [wrongType(type, at.child('type'), { valid: ['Queue', 'Reject'], isRequired })]
  }
}

function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (queueLengthLimit <= 0) errors.push(invalid(at.child('queueLengthLimit'), queueLengthLimit, 'must be positive'))
  if (queues <= 0) errors.push(invalid(at.child('queues'), queues, 'must be positive'))
  else if (queues > maxQueues) errors.push(invalid(at.child('queues'), queues, `must not be greater than ${maxQueues}`))
  const handAt = at.child('handSize')
  if (handSize <= 0) errors.push(invalid(handAt, handSize, 'must be positive'))
  else if (handSize > queues) {
    errors.push(invalid(handAt, handSize, `should not be greater than queues (${queues})`))
  } else if (Math.ceil(Math.log2(queues) * handSize) > maxHashBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`
    errors.push(invalid(handAt, handSize, why))
  }
  return errors
}

/** The shares of `exempt` may be changed; nothing else of the mandatory ones. */
function validateMandatory(name: string, spec: Spec): FieldError[] {
  const fixed = mandatoryLevels.get(name)
  if (fixed === undefined) return []
  const { exempt: _, ...rest } = spec
  const compared = name === 'exempt' && fixed.exempt !== undefined ? { ...rest, exempt: fixed.exempt } : spec
  if (equalSemantic(compared, fixed)) return []
  const shown = goDump('flowcontrol.PriorityLevelConfigurationSpec', spec)
  const except = name === 'exempt' ? " except the 'spec.exempt' field" : ''
  return [invalidAs(specPath, () => shown, `spec of '${name}'${except} must equal the fixed value`)]
}

export function priorityLevelConfigurationRules(): KindRules<PriorityLevel> {
  return {
    strategy: withStatus<PriorityLevel>({
      generation: 'spec',
      validate: validateLevel,
      validateUpdate: (level, _old, context) => validateLevel(level, context),
      validateMetadataUpdate: (metadata) => metadata.validate(),
    }),
    parts: {
      status: statusOnly<PriorityLevel>({
        prepareForUpdate: keepAllMetadata,
        validateMetadataUpdate: () => [],
        validateUpdate: ({ status }) => validateFlowConditions(status.conditions ?? []),
      }),
    },
  }
}
