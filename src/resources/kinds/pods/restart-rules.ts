/**
 * When a container is restarted on its own: a policy of its own, and rules by exit code. Releases after the default one have them.
 * Mirrors pkg/apis/core/validation: validateContainerRestartPolicy, validateInitContainerRestartPolicy.
 * Mirrors pkg/api/pod: dropContainerRestartRules, containerRestartRulesInUse.
 */

import { forbidden, notSupported, required, tooMany } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Container, PodSpec } from '../../../catalog/types/core-v1.ts'
import { mapItems } from '../../../lib/map-items.ts'
import type { Errors } from '../../checks/checks.ts'
import { withMember, without } from './with-member.ts'

interface RestartRule {
  readonly action?: string
  readonly exitCodes?: { readonly operator?: string; readonly values?: readonly number[] }
}

export interface RestartOptions {
  /** Containers may have rules. */
  readonly restartRules: boolean
  /** A rule may restart all containers of the pod. */
  readonly restartsAll: boolean
}

const policies = ['Always', 'Never', 'OnFailure']
const operators = ['In', 'NotIn']
const maxRules = 20
const maxCodes = 255

const rulesOf = (container: Container): readonly RestartRule[] =>
  (container as { readonly restartPolicyRules?: readonly RestartRule[] }).restartPolicyRules ?? []

const needsPolicy = 'must specify restartPolicy when restart rules are used'

export function validateRestartRules(
  errors: Errors,
  container: Container,
  at: FieldPath,
  options: RestartOptions,
): void {
  const { restartPolicy } = container
  const rules = rulesOf(container)
  if (restartPolicy === undefined) {
    if (rules.length === 0) return
    errors.push(required(at.child('restartPolicy'), needsPolicy))
  } else if (!policies.includes(restartPolicy)) {
    errors.push(notSupported(at.child('restartPolicy'), restartPolicy, policies))
  }
  if (rules.length > maxRules) errors.push(tooMany(at.child('restartPolicyRules'), rules.length, maxRules))
  const actions = options.restartsAll ? ['Restart', 'RestartAllContainers'] : ['Restart']
  rules.forEach(({ action = '', exitCodes }, i) => {
    const ruleAt = at.child('restartPolicyRules').index(i)
    if (!actions.includes(action)) errors.push(notSupported(ruleAt.child('action'), action, actions))
    if (exitCodes === undefined) errors.push(required(ruleAt.child('exitCodes'), 'must be specified'))
    else validateExitCodes(errors, exitCodes, ruleAt.child('exitCodes'))
  })
}

function validateExitCodes(errors: Errors, exitCodes: NonNullable<RestartRule['exitCodes']>, at: FieldPath): void {
  const { operator = '', values = [] } = exitCodes
  if (!operators.includes(operator)) errors.push(notSupported(at.child('operator'), operator, operators))
  if (values.length > maxCodes) errors.push(tooMany(at.child('values'), values.length, maxCodes))
}

/** Those that run beside the main containers have no rules, unless a rule can restart them all. */
export function validateInitRestart(
  errors: Errors,
  container: Container,
  at: FieldPath,
  options: RestartOptions,
): void {
  const { restartPolicy } = container
  if (restartPolicy === undefined) {
    if (rulesOf(container).length > 0) errors.push(required(at.child('restartPolicy'), needsPolicy))
  } else if (!options.restartRules) {
    if (restartPolicy !== 'Always') errors.push(notSupported(at.child('restartPolicy'), restartPolicy, ['Always']))
  } else if (restartPolicy === 'Always' && !options.restartsAll) {
    const why = 'restartPolicyRules are not allowed for init containers with restart policy Always'
    if (rulesOf(container).length > 0) errors.push(forbidden(at.child('restartPolicyRules'), why))
  } else validateRestartRules(errors, container, at, options)
}

const isOther = ({ restartPolicy }: Container): boolean => restartPolicy !== undefined && restartPolicy !== 'Always'

export const usesRestartRules = ({ initContainers = [], containers }: PodSpec): boolean =>
  initContainers.some((container) => isOther(container) || rulesOf(container).length > 0) ||
  (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined)

/** Without the policies and rules of single containers. */
export function withoutRestartRules(spec: PodSpec): PodSpec {
  const started = withMember(spec, 'initContainers', (list) =>
    mapItems(list, (container) => without(container, isOther(container) ? bothFields : rulesAlone)),
  )
  const drop = (list: Container[]): Container[] => mapItems(list, (container) => without(container, bothFields))
  return withMember(withMember(started, 'containers', drop), 'ephemeralContainers', drop)
}

const rulesAlone = ['restartPolicyRules'] as unknown as readonly (keyof Container)[]
const bothFields = ['restartPolicy', 'restartPolicyRules'] as unknown as readonly (keyof Container)[]
