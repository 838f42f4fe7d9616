/**
 * Nodes: created with their status as well, pod ranges and provider id settable once, taints unique by key and effect.
 * Mirrors pkg/apis/core/validation: ValidateNode, ValidateNodeUpdate, ValidateNodeResources.
 * Mirrors pkg/registry/core/node: nodeStrategy, nodeStatusStrategy.
 */

import { type FieldError, forbidden, internal } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { parseCidr } from '../../../../api/ip.ts'
import { checkLegacyCidr, warningsForCidr } from '../../../../api/ip-validation.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem, eachMember } from '../../../../api/rules-in-steps.ts'
import { duplicateAs, goStrings, goStruct, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { NodeAddress, NodeSpec, NodeStatus } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { Strategy, WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, checkPositive, type Errors } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { keepField, statusOnly } from '../../../plain-rules.ts'
import { validateAmount } from '../../pods/resource-requirements.ts'
import { validateDeclaredFeatures } from './declared-features.ts'
import { validateNodeAnnotations } from './node-annotations.ts'
import { validateTaints } from './taints.ts'

type Node = KubeObject & { spec: NodeSpec; status: NodeStatus }

const spec = FieldPath.of('spec')
const taintsPath = FieldPath.of('metadata').child('taints')
const swapPath = FieldPath.of('metadata', 'nodeSwapStatus')
const addressesPath = FieldPath.of('status', 'addresses')

export const nodeRules = (): KindRules<Node> => ({
  strategy,
  parts: {
    status: statusOnly<Node>({
      prepareForUpdate(draft, old) {
        if (old.status?.config === undefined) delete draft.status?.config
      },
      validateUpdate,
    }),
  },
  fields: {
    'spec.unschedulable': (object) => String((object as Node).spec?.unschedulable ?? false),
  },
})

const strategy: Strategy<Node> = {
  validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
  prepareForCreate(draft, context) {
    delete draft.spec?.configSource
    delete draft.status?.config
    dropDisabledHandlers(draft, context)
    if (!context.gate('SupplementalGroupsPolicy')) delete draft.status?.features
  },
  validate,
  prepareForUpdate(draft, old, context) {
    keepField(draft, old, 'status')
    if (old.spec?.configSource === undefined) delete draft.spec?.configSource
    dropDisabledHandlers(draft, context)
  },
  validateUpdate: (node, old, context) => [...validate(node, context), ...validateUpdate(node, old)],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
}

/** Also those that are stored; the status endpoint alone keeps them. */
function dropDisabledHandlers(draft: Node, { gate }: WriteContext): void {
  if (gate('RecursiveReadOnlyMounts') || gate('UserNamespacesSupport')) return
  if (draft.status?.runtimeHandlers === undefined) return
  const { runtimeHandlers: _, ...status } = draft.status
  draft.status = status
}

function warnings({ spec: node }: Node): string[] {
  const found: string[] = []
  if (node?.configSource !== undefined) found.push('spec.configSource: the feature is removed')
  if ((node?.externalID ?? '') !== '') {
    found.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
  }
  node?.podCIDRs?.forEach((range, i) => {
    pushAll(found, warningsForCidr(spec.child('podCIDRs').index(i), range))
  })
  return found
}

function validate(node: Node, { gate }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  validateNodeAnnotations(errors, node.metadata.annotations)
  validateTaints(errors, node.spec?.taints ?? [], taintsPath)
  validateAmounts(errors, node.status)
  const swap = node.status?.nodeInfo?.swap?.capacity
  if (swap !== undefined) checkPositive(errors, swap, swapPath, 'capacity')
  validateDeclaredFeatures(errors, node.status)
  validateRanges(errors, node.spec?.podCIDRs ?? [], gate('StrictIPCIDRValidation'))
  return errors
}

function validateAmounts(errors: Errors, status: NodeStatus | undefined): void {
  for (const key of ['capacity', 'allocatable'] as const) {
    eachMember(errors, status?.[key] ?? {}, (errors, name, amount) => {
      const written = writingOf(status?.[key], name)
      validateAmount(errors, name, { text: amount, written }, FieldPath.of('status').child(key).child(name))
    })
  }
}

function validateRanges(errors: Errors, ranges: readonly string[], strict: boolean): void {
  const at = spec.child('podCIDRs')
  eachItem(errors, ranges, (errors, range, i) => {
    addMessages(errors, at.index(i), range, checkLegacyCidr(range, strict))
  })
  if (ranges.length < 2) return
  const families = ranges.map((range) => parseCidr(range)?.address.family)
  const unreadable = families.indexOf(undefined)
  if (unreadable >= 0) {
    const why = `invalid CIDR[${unreadable}]: <nil> (invalid CIDR address: ${ranges[unreadable]})`
    errors.push(internal(at, `invalid PodCIDRs. failed to check with dual stack with error:${why}`))
  }
  if (unreadable >= 0 || ranges.length > 2 || new Set(families).size < 2) {
    errors.push(invalidAs(at, () => goStrings(ranges), 'may specify no more than one CIDR for each IP family'))
  }
}

function validateUpdate(node: Node, old: Node): FieldError[] {
  const errors: FieldError[] = []
  validateNodeAnnotations(errors, node.metadata.annotations)
  validateAmounts(errors, node.status)
  validateDeclaredFeatures(errors, node.status)
  validateAddresses(errors, node.status?.addresses ?? [])
  validateKeptRanges(errors, node.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? [])
  const oldProvider = old.spec?.providerID ?? ''
  if (oldProvider !== '' && oldProvider !== node.spec?.providerID) {
    errors.push(forbidden(spec.child('providerID'), onlyFromEmpty('providerID')))
  }
  validateTaints(errors, node.spec?.taints ?? [], taintsPath)
  if ((node.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(forbidden(spec.child('externalID'), 'may not be updated'))
  }
  return errors
}

/** Each address once. */
function validateAddresses(errors: Errors, addresses: readonly NodeAddress[]): void {
  const seen = new Set<string>()
  eachItem(errors, addresses, (errors, { type, address }, i) => {
    const shown = goStruct('core.NodeAddress', { Type: podSyntaxText(type), Address: podSyntaxText(address) })
    if (seen.has(shown.go)) errors.push(duplicateAs(addressesPath.index(i), () => shown))
    seen.add(shown.go)
  })
}

/** One error when their number changes, and one for each that does. */
function validateKeptRanges(errors: Errors, ranges: readonly string[], old: readonly string[]): void {
  if (old.length === 0) return
  const changes = ranges.length === old.length ? old.filter((range, i) => range !== ranges[i]).length : 1
  for (let i = 0; i < changes; i++) errors.push(forbidden(spec.child('podCIDRs'), onlyFromEmpty('podCIDR')))
}

const onlyFromEmpty = (field: string): string => `node updates may not change ${field} except from "" to valid`
