/**
 * Network policies: peers by selector or range, ports by number, name or span.
 * Mirrors pkg/apis/networking/validation: ValidateNetworkPolicy, ValidateNetworkPolicyUpdate.
 * Mirrors pkg/registry/networking/networkpolicy: networkPolicyStrategy.
 */

import { hasErrors } from '../../../../api/error-limit.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { cidrContains, maskedCidr, parseCidr } from '../../../../api/ip.ts'
import { warningsForCidr } from '../../../../api/ip-validation.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkPortName, checkPortNumber } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  IPBlock,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../../catalog/types/networking-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, type Errors, repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { checkOldCidr } from '../addresses.ts'

type NetworkPolicy = KubeObject & { spec: NetworkPolicySpec }

interface PolicyRules {
  readonly strict: boolean
  /** Ranges that the old policy holds. */
  readonly known: ReadonlySet<string>
  readonly anyLabelValue: boolean
}

const spec = FieldPath.of('spec')
const protocols = ['TCP', 'UDP', 'SCTP']
const policyTypes = ['Ingress', 'Egress']

export const networkPolicyRules = (): KindRules<NetworkPolicy> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
    generation: 'exact-spec',
    validate: (policy, { gate }) =>
      validateSpec(policy.spec, { strict: gate('StrictIPCIDRValidation'), known: new Set(), anyLabelValue: false }),
    validateUpdate,
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
})

/** The repeated check does not know what the old policy excuses. */
function validateUpdate(policy: NetworkPolicy, old: NetworkPolicy, context: WriteContext): FieldError[] {
  const { gate } = context
  const rules = {
    strict: gate('StrictIPCIDRValidation'),
    anyLabelValue: hasErrors(() => validateLabelSelector(old.spec.podSelector, spec)),
  }
  const repeated = validateSpec(policy.spec, { ...rules, known: new Set() })
  return [
    ...repeatedCheck(context, 'networking.k8s.io/NetworkPolicy', repeated),
    ...validateSpec(policy.spec, { ...rules, known: ranges(old) }),
  ]
}

/** The ranges that a policy holds. */
function ranges({ spec: { ingress = [], egress = [] } }: NetworkPolicy): Set<string> {
  const found = new Set<string>()
  const visit = (peers: readonly NetworkPolicyPeer[]): void => {
    for (const { ipBlock } of peers) {
      if (ipBlock === undefined) continue
      found.add(ipBlock.cidr)
      for (const range of ipBlock.except ?? []) found.add(range)
    }
  }
  for (const { from = [] } of ingress) visit(from)
  for (const { to = [] } of egress) visit(to)
  return found
}

function warnings({ spec: { ingress = [], egress = [] } }: NetworkPolicy): string[] {
  const found: string[] = []
  eachItem<NetworkPolicyIngressRule, string>(found, ingress, (own, { from = [] }, i) => {
    warnOfPeers(own, from, spec.child('ingress').index(i).child('from'))
  })
  eachItem<NetworkPolicyEgressRule, string>(found, egress, (own, { to = [] }, i) => {
    warnOfPeers(own, to, spec.child('egress').index(i).child('to'))
  })
  return found
}

function warnOfPeers(found: string[], peers: readonly NetworkPolicyPeer[], list: FieldPath): void {
  eachItem<NetworkPolicyPeer, string>(found, peers, (own, { ipBlock }, i) => {
    if (ipBlock === undefined) return
    const at = list.index(i).child('ipBlock')
    pushAll(own, warningsForCidr(at.child('cidr'), ipBlock.cidr))
    eachItem<string, string>(own, ipBlock.except ?? [], (each, range, j) => {
      pushAll(each, warningsForCidr(at.child('except').index(j), range))
    })
  })
}

function validateSpec(policy: NetworkPolicySpec, rules: PolicyRules): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes: types } = policy
  const options = { allowInvalidLabelValue: rules.anyLabelValue }
  const errors: Errors = validateLabelSelector(podSelector, spec.child('podSelector'), options)
  eachItem(errors, ingress, (errors, { ports, from }, i) => {
    validateRule(errors, { ports, peers: from, list: 'from' }, spec.child('ingress').index(i), rules)
  })
  eachItem(errors, egress, (errors, { ports, to }, i) => {
    validateRule(errors, { ports, peers: to, list: 'to' }, spec.child('egress').index(i), rules)
  })
  validateTypes(errors, types)
  return errors
}

function validateTypes(errors: Errors, types: readonly string[] | undefined): void {
  const at = spec.child('policyTypes')
  if (types !== undefined && types.length > policyTypes.length) {
    const shown = goStructs('networking.PolicyType', types, podSyntaxText)
    errors.push(invalidAs(at, () => shown, 'may not specify more than two policyTypes'))
    return
  }
  eachItem(errors, types ?? [], (errors, type, i) => {
    if (!policyTypes.includes(type)) errors.push(notSupported(at.index(i), type, policyTypes))
  })
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[] | undefined
  readonly peers: readonly NetworkPolicyPeer[] | undefined
  readonly list: 'from' | 'to'
}

function validateRule(errors: Errors, { ports = [], peers = [], list }: Rule, at: FieldPath, rules: PolicyRules): void {
  eachItem(errors, ports, (errors, port, i) => {
    validatePort(errors, port, at.child('ports').index(i))
  })
  eachItem(errors, peers, (errors, peer, i) => {
    validatePeer(errors, peer, at.child(list).index(i), rules)
  })
}

function validatePort(errors: Errors, { protocol, port, endPort }: NetworkPolicyPort, at: FieldPath): void {
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(at.child('protocol'), protocol, protocols))
  }
  const refuseEnd = (value: number, why: string): void => {
    errors.push(invalid(at.child('endPort'), value, why))
  }
  if (typeof port === 'number') {
    addMessages(errors, at.child('port'), port, checkPortNumber(port))
    if (endPort === undefined) return
    // The value that the reference quotes is the first port.
    if (endPort < port) refuseEnd(port, 'must be greater than or equal to `port`')
    addMessages(errors, at.child('endPort'), endPort, checkPortNumber(endPort))
  } else if (port !== undefined && port !== null) {
    if (endPort !== undefined) refuseEnd(endPort, 'may not be specified when `port` is non-numeric')
    addMessages(errors, at.child('port'), port, checkPortName(port))
  } else if (endPort !== undefined) refuseEnd(endPort, 'may not be specified when `port` is not specified')
}

function validatePeer(errors: Errors, peer: NetworkPolicyPeer, at: FieldPath, rules: PolicyRules): void {
  const { podSelector, namespaceSelector, ipBlock } = peer
  const options = { allowInvalidLabelValue: rules.anyLabelValue }
  pushAll(errors, validateLabelSelector(podSelector, at.child('podSelector'), options))
  pushAll(errors, validateLabelSelector(namespaceSelector, at.child('namespaceSelector'), options))
  if (ipBlock !== undefined) validateBlock(errors, ipBlock, at.child('ipBlock'), rules)
  const count = [podSelector, namespaceSelector, ipBlock].filter((part) => part !== undefined).length
  if (count === 0) errors.push(required(at, 'must specify a peer'))
  else if (count > 1 && ipBlock !== undefined) {
    errors.push(forbidden(at, 'may not specify both ipBlock and another peer'))
  }
}

function validateBlock(errors: Errors, { cidr, except = [] }: IPBlock, at: FieldPath, rules: PolicyRules): void {
  if (cidr === undefined || cidr === '') {
    errors.push(required(at.child('cidr')))
    return
  }
  checkOldCidr(errors, cidr, at.child('cidr'), rules)
  const outer = parseCidr(cidr)
  if (outer === undefined) return
  eachItem(errors, except, (errors, range, i) => {
    const exceptAt = at.child('except').index(i)
    checkOldCidr(errors, range, exceptAt, rules)
    const inner = parseCidr(range)
    if (inner === undefined) return
    if (!cidrContains(outer, maskedCidr(inner).address) || outer.bits >= inner.bits) {
      errors.push(invalid(exceptAt, range, 'must be a strict subset of `cidr`'))
    }
  })
}
