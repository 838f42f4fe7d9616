/** Nodes: created with their status as well, pod ranges and provider id settable once, taints unique by key and effect. */
import { type FieldError, forbidden, internal, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { parseCidr } from '../../../api/ip.ts'
import { checkLegacyCidr } from '../../../api/ip-validation.ts'
import { equalJson } from '../../../api/json.ts'
import { checkLabelValue, checkQualifiedName, checkSubdomainName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { NodeSpec, NodeStatus, Taint } from '../../../catalog/types/core-v1.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'
import type { KindRules } from '../../kind-rules.ts'
import { keepField, statusOnly } from '../../plain-rules.ts'
import { addMessages, type Errors, requireOneOf } from '../pods/checks.ts'
import { goStruct, goText } from '../pods/go-syntax.ts'
import { validateAmount } from '../pods/resource-requirements.ts'
import { validateAvoidPods } from './avoid-pods.ts'

type Node = KubeObject & { spec: NodeSpec; status: NodeStatus }

const spec = FieldPath.of('spec')
const taintsPath = FieldPath.of('metadata').child('taints')

export const nodeRules = (): KindRules<Node> => ({
  strategy,
  parts: {
    status: statusOnly<Node>({
      prepareForUpdate(draft, old, context) {
        if (old.status?.config === undefined) delete draft.status?.config
        dropDisabledStatus(draft, old, context)
      },
      validateUpdate,
    }),
  },
  fields: {
    'spec.unschedulable': (object) => String((object as Node).spec?.unschedulable ?? false),
  },
})

const strategy: Strategy<Node> = {
  validateName: checkSubdomainName,
  prepareForCreate(draft, context) {
    delete draft.spec?.configSource
    dropDisabledStatus(draft, undefined, context)
  },
  validate,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status')
    if (old.spec?.configSource === undefined) delete draft.spec?.configSource
  },
  validateUpdate: (node, old) => [...validate(node), ...validateUpdate(node, old)],
  warningsOnCreate: deprecatedFields,
  warningsOnUpdate: deprecatedFields,
}

function dropDisabledStatus({ status }: Node, old: Node | undefined, { gate }: WriteContext): void {
  if (status === undefined) return
  const handlers = gate('RecursiveReadOnlyMounts') || gate('UserNamespacesSupport')
  if (!handlers && old?.status?.runtimeHandlers === undefined) delete status.runtimeHandlers
  if (!gate('SupplementalGroupsPolicy') && old?.status?.features === undefined) delete status.features
}

function deprecatedFields({ spec }: Node): string[] {
  const warnings: string[] = []
  if (spec?.configSource !== undefined) warnings.push('spec.configSource: the feature is no longer available')
  if ((spec?.externalID ?? '') !== '') {
    warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
  }
  return warnings
}

function validate(node: Node): FieldError[] {
  const errors: FieldError[] = []
  validateAvoidPods(errors, node.metadata.annotations)
  validateTaints(errors, node.spec?.taints ?? [])
  validateAmounts(errors, node.status)
  validateRanges(errors, node.spec?.podCIDRs ?? [])
  return errors
}

function validateAmounts(errors: Errors, status: NodeStatus | undefined): void {
  for (const key of ['capacity', 'allocatable'] as const) {
    for (const [name, amount] of Object.entries(status?.[key] ?? {})) {
      validateAmount(errors, name, amount, FieldPath.of('status').child(key).child(name))
    }
  }
}

function validateRanges(errors: Errors, ranges: readonly string[]): void {
  const at = spec.child('podCIDRs')
  ranges.forEach((range, i) => {
    addMessages(errors, at.index(i), range, checkLegacyCidr(range))
  })
  if (ranges.length < 2) return
  const families = ranges.map((range) => parseCidr(range)?.address.family)
  const unreadable = families.indexOf(undefined)
  if (unreadable >= 0) {
    const why = `invalid CIDR address: ${ranges[unreadable]}`
    errors.push(internal(at, `invalid PodCIDRs. failed to check with dual stack with error:${why}`))
  }
  if (unreadable >= 0 || ranges.length > 2 || new Set(families).size < 2) {
    errors.push(invalid(at, [...ranges], 'may specify no more than one CIDR for each IP family'))
  }
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

function validateTaints(errors: Errors, taints: readonly Taint[]): void {
  const seen = new Set<string>()
  taints.forEach((taint, i) => {
    const { key, value = '', effect } = taint
    const at = taintsPath.index(i)
    addMessages(errors, at.child('key'), key, checkQualifiedName(key))
    const problems = checkLabelValue(value)
    if (problems.length > 0) errors.push(invalid(at.child('value'), value, problems.join(';')))
    requireOneOf(errors, effect, effects, at, 'effect')
    const identity = `${effect} ${key}`
    if (seen.has(identity)) errors.push(duplicateTaint(taint, at))
    seen.add(identity)
  })
}

function duplicateTaint({ key, value, effect, timeAdded }: Taint, at: FieldPath): FieldError {
  const shown = goStruct('core.Taint', {
    Key: goText(key),
    Value: goText(value),
    Effect: goText(effect),
    TimeAdded: timeAdded ?? '<nil>',
  })
  return {
    reason: 'FieldValueDuplicate',
    field: String(at),
    message: `Duplicate value: ${shown}: taints must be unique by key and effect pair`,
  }
}

function validateUpdate(node: Node, old: Node): FieldError[] {
  const errors: FieldError[] = []
  validateAvoidPods(errors, node.metadata.annotations)
  validateAmounts(errors, node.status)
  const oldRanges = old.spec?.podCIDRs ?? []
  if (oldRanges.length > 0 && !equalJson(oldRanges, node.spec?.podCIDRs)) {
    errors.push(forbidden(spec.child('podCIDRs'), onlyFromEmpty('podCIDR')))
  }
  const oldProvider = old.spec?.providerID ?? ''
  if (oldProvider !== '' && oldProvider !== node.spec?.providerID) {
    errors.push(forbidden(spec.child('providerID'), onlyFromEmpty('providerID')))
  }
  validateTaints(errors, node.spec?.taints ?? [])
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(forbidden(spec.child('externalID'), 'may not be updated'))
  }
  return errors
}

const onlyFromEmpty = (field: string): string => `node updates may not change ${field} except from "" to valid`
