/**
 * When a container is restarted on its own: a policy of its own, and rules by exit code. Releases after the default one have them.
 * Mirrors pkg/apis/core/validation: validateContainerRestartPolicy, validateInitContainerRestartPolicy.
 * Mirrors pkg/api/pod: dropContainerRestartRules, containerRestartRulesInUse.
 */

import { forbidden, notSupported, required, tooLong, tooMany } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
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
  /** Messages name that action, too, where it is allowed, and too many rules are counted. */
  readonly newMessages: boolean
}

const policies = ['Always', 'Never', 'OnFailure']
const operators = ['In', 'NotIn']
const basicActions = ['Restart']
const allActions = [...basicActions, 'RestartAllContainers']
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
  checkCount(errors, rules, at.child('restartPolicyRules'), { most: maxRules, options })
  const actions = options.restartsAll ? allActions : basicActions
  const listed = options.newMessages ? actions : basicActions
  eachItem(errors, rules, (errors, { action = '', exitCodes }, i) => {
    const ruleAt = at.child('restartPolicyRules').index(i)
    if (!actions.includes(action)) errors.push(notSupported(ruleAt.child('action'), action, listed))
    if (exitCodes === undefined) errors.push(required(ruleAt.child('exitCodes'), 'must be specified'))
    else validateExitCodes(errors, exitCodes, ruleAt.child('exitCodes'), options)
  })
}

function checkCount(
  errors: Errors,
  list: readonly unknown[],
  at: FieldPath,
  { most, options }: { readonly most: number; readonly options: RestartOptions },
): void {
  if (list.length > most) errors.push(options.newMessages ? tooMany(at, list.length, most) : tooLong(at, most))
}

function validateExitCodes(
  errors: Errors,
  exitCodes: NonNullable<RestartRule['exitCodes']>,
  at: FieldPath,
  options: RestartOptions,
): void {
  const { operator = '', values = [] } = exitCodes
  if (!operators.includes(operator)) errors.push(notSupported(at.child('operator'), operator, operators))
  checkCount(errors, values, at.child('values'), { most: maxCodes, options })
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

/** The first rule that fits decides, then the policy of the container. Mirrors pkg/api/v1/pod: ContainerShouldRestart. */
export function mayRestartAfter(container: Container, exitCode: number, options: RestartOptions): boolean | undefined {
  const { restartPolicy } = container
  if (restartPolicy === undefined) return undefined
  const rule = rulesOf(container).find(({ exitCodes: { operator, values = [] } = {} }) =>
    operator === 'In' ? values.includes(exitCode) : operator === 'NotIn' && !values.includes(exitCode),
  )
  if (rule?.action === 'Restart' || (rule !== undefined && restartsAll(rule) && options.restartsAll)) return true
  if (restartPolicy === 'OnFailure') return exitCode !== 0
  return restartPolicy === 'Always' ? true : restartPolicy === 'Never' ? false : undefined
}

/** A rule of any container may start all of them again. */
export const mayRestartAll = ({ initContainers = [], containers }: PodSpec): boolean =>
  [...initContainers, ...(containers ?? [])].some((container) => rulesOf(container).some(restartsAll))

/** What a pod that was made while the gate was on may keep. */
export const restartsAllInUse = ({ initContainers = [], containers }: PodSpec): boolean =>
  initContainers.some((container) => {
    const rules = rulesOf(container)
    return container.restartPolicy === 'Always' ? rules.length > 0 : rules.some(restartsAll)
  }) || (containers ?? []).some((container) => rulesOf(container).some(restartsAll))

const restartsAll = ({ action }: RestartRule): boolean => action === 'RestartAllContainers'

export const usesRestartRules = ({ initContainers = [], containers }: PodSpec): boolean =>
  initContainers.some((container) => isOther(container) || rulesOf(container).length > 0) ||
  (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined)

/** Whether there is something to drop, also where it does not count as used. */
export const hasRestartRules = (spec: PodSpec): boolean =>
  usesRestartRules(spec) ||
  [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])].some(
    (container) => container.restartPolicy !== undefined || rulesOf(container).length > 0,
  )

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
