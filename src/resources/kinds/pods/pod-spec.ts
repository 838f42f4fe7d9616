/**
 * The specification of a pod, whether of a pod itself or of a template of pods, in the reference's order.
 * Mirrors pkg/apis/core/validation: ValidatePodSpec.
 */

import { duplicate, forbidden, invalid, notSupported, ofPlainText, quote, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { RenderedValue } from '../../../api/golang/literal.ts'
import { checkLegacyIp } from '../../../api/ip-validation.ts'
import {
  checkDns1123Subdomain,
  checkDns1123SubdomainWithUnderscore,
  checkLabelValue,
  checkQualifiedName,
  rangeMessage,
} from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import { goStrings, goStruct, invalidAs, podSyntaxPointer, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type { HostAlias, PodDNSConfig, PodResourceClaim, PodSpec, Toleration } from '../../../catalog/types/core-v1.ts'
import {
  addMessages,
  checkLabel,
  checkLabels,
  checkOneOf,
  checkQualified,
  checkSubdomain,
  type Errors,
  isUnset,
  requireOneOf,
  wholePath,
} from '../../checks/checks.ts'
import { validateAffinity, validateTopologySpread } from './affinity.ts'
import { type PodFrame, validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts'
import { validateFileVolumes } from './env.ts'
import { validateGroupOfPods, validateHostnameOverride } from './later-pod-fields.ts'
import { validatePodLevelResources } from './pod-level-resources.ts'
import type { PodOptions } from './pod-options.ts'
import { validateHostProcesses, validateOs } from './pod-os.ts'
import { type RequirementRules, validateRequirements } from './resource-requirements.ts'
import { validatePodSecurity } from './security-context.ts'
import { validateVolumes } from './volumes.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const preemptionPolicies = ['PreemptLowerPriority', 'Never']
const maxInt32 = 2 ** 31 - 1

/** What is known of the pod besides its specification; nothing when it is a template. */
export interface PodIdentity {
  readonly name: string
  readonly isMirror: boolean
}

export function validatePodSpec(
  errors: Errors,
  spec: PodSpec,
  at: FieldPath,
  options: PodOptions,
  pod?: PodIdentity,
): void {
  if (spec.terminationGracePeriodSeconds === undefined) {
    errors.push(required(at.child('terminationGracePeriodSeconds')))
  }
  const volumes = validateVolumes(errors, spec.volumes, at.child('volumes'), options, pod?.name)
  if (spec.resourceClaims !== undefined) {
    validateResourceClaims(errors, spec.resourceClaims, at.child('resourceClaims'), pod)
  }
  const requirements: RequirementRules = {
    level: 'container',
    claims: spec.resourceClaims?.map(({ name }) => name).filter((name) => name !== '') ?? [],
    anyHugePages: options.anyHugePages,
  }
  const frame: PodFrame = {
    spec,
    volumes,
    options,
    life: { gracePeriod: spec.terminationGracePeriodSeconds, os: spec.os?.name, options },
    requirements,
    security: { allowPrivileged: options.allowPrivileged, hostUsers: spec.hostUsers ?? true },
  }
  validateContainers(errors, frame, at.child('containers'))
  validateInitContainers(errors, frame, at.child('initContainers'))
  validateEphemeralContainers(errors, frame, at.child('ephemeralContainers'))
  if (options.podLevelResources) {
    const whole = { ...requirements, laterRules: options.laterWholeRules }
    validatePodLevelResources(errors, spec, at.child('resources'), whole)
  }
  if (spec.hostNetwork === true) validateHostNetworkPorts(errors, spec, at.child('containers'), options.isPod)
  requireOneOf(errors, spec.restartPolicy, restartPolicies, at, 'restartPolicy')
  requireOneOf(errors, spec.dnsPolicy, dnsPolicies, at, 'dnsPolicy')
  validateScheduling(errors, spec, at, options)
  validateNames(errors, spec, at)
  validateRest(errors, spec, at, { options, requirements })
  if (options.envFiles) validateFileVolumes(errors, spec, at)
  validateGroupOfPods(errors, spec, at)
}

function validateScheduling(errors: Errors, spec: PodSpec, at: FieldPath, options: PodOptions): void {
  if (spec.nodeSelector !== undefined) checkLabels(errors, spec.nodeSelector, at.child('nodeSelector'))
  validatePodSecurity(errors, spec, at.child('securityContext'), options)
  if (spec.affinity !== undefined) validateAffinity(errors, spec.affinity, at.child('affinity'), options)
  validateDnsConfig(errors, spec, at.child('dnsConfig'), options)
  eachItem(errors, spec.readinessGates ?? [], (errors, { conditionType }, i) => {
    checkQualified(errors, conditionType, at.child('readinessGates').index(i).child('conditionType'))
  })
  if (spec.schedulingGates !== undefined)
    validateSchedulingGates(errors, spec.schedulingGates, at.child('schedulingGates'))
  if (spec.topologySpreadConstraints !== undefined) {
    const spreadAt = at.child('topologySpreadConstraints')
    validateTopologySpread(errors, spec.topologySpreadConstraints, spreadAt, options)
  }
  validateHostProcesses(errors, spec, at, options.allowPrivileged)
  if (spec.hostUsers === false) validateOwnUsers(errors, spec, at, options)
}

function validateSchedulingGates(errors: Errors, gates: readonly { name: string }[], at: FieldPath): void {
  const seen = new Set<string>()
  eachItem(errors, gates, (errors, { name }, i) => {
    checkQualified(errors, name, at.index(i))
    if (seen.has(name)) errors.push(duplicate(at.index(i), name))
    seen.add(name)
  })
}

/** A pod with users of its own shares no other namespace of the host. */
function validateOwnUsers(errors: Errors, spec: PodSpec, at: FieldPath, { hostNetworkUsers }: PodOptions): void {
  const why = 'when `pod.Spec.HostUsers` is false'
  if (spec.hostNetwork === true && !hostNetworkUsers) errors.push(forbidden(at.child('hostNetwork'), why))
  if (spec.hostPID === true) errors.push(forbidden(at.child('HostPID'), why))
  if (spec.hostIPC === true) errors.push(forbidden(at.child('HostIPC'), why))
}

export function validateNodeName(errors: Errors, { nodeName = '' }: PodSpec, at: FieldPath): void {
  if (nodeName !== '') checkSubdomain(errors, nodeName, at, 'nodeName')
}

function validateNames(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const { serviceAccountName = '', activeDeadlineSeconds: deadline, hostname = '', subdomain = '' } = spec
  if (serviceAccountName !== '') checkSubdomain(errors, serviceAccountName, at, 'serviceAccountName')
  validateNodeName(errors, spec, at)
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    errors.push(invalid(at.child('activeDeadlineSeconds'), deadline, rangeMessage(1, maxInt32)))
  }
  if (hostname !== '') checkLabel(errors, hostname, at, 'hostname')
  validateHostnameOverride(errors, spec, at)
  if (subdomain !== '') checkLabel(errors, subdomain, at, 'subdomain')
}

function validateRest(
  errors: Errors,
  spec: PodSpec,
  at: FieldPath,
  { options, requirements }: { readonly options: PodOptions; readonly requirements: RequirementRules },
): void {
  const { priorityClassName = '', runtimeClassName, preemptionPolicy, overhead } = spec
  if (spec.tolerations !== undefined) validateTolerations(errors, spec.tolerations, at.child('tolerations'), options)
  if (spec.hostAliases !== undefined) {
    validateHostAliases(errors, spec.hostAliases, at.child('hostAliases'), options.strictIps)
  }
  if (priorityClassName !== '') checkSubdomain(errors, priorityClassName, at, 'priorityClassName')
  if (runtimeClassName !== undefined) checkSubdomain(errors, runtimeClassName, at, 'runtimeClassName')
  if (preemptionPolicy !== undefined) {
    requireOneOf(errors, preemptionPolicy, preemptionPolicies, at, 'preemptionPolicy')
  }
  if (overhead !== undefined) {
    validateRequirements(errors, { limits: overhead }, at.child('overhead'), { ...requirements, claims: [] })
  }
  validateOs(errors, spec, at)
}

/** On the host's network a port is the host's port. */
function validateHostNetworkPorts(errors: Errors, spec: PodSpec, at: FieldPath, isPod: boolean): void {
  eachItem(errors, spec.containers ?? [], (errors, { ports = [] }, c) => {
    eachItem(errors, ports, (errors, { hostPort = 0, containerPort }, p) => {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return
      const why = 'must match `containerPort` when `hostNetwork` is true'
      errors.push(invalid(at.index(c).child('ports').index(p).child('hostPort'), hostPort, why))
    })
  })
}

const maxNameservers = 3
const maxSearches = 32
const maxSearchLength = 2048

function validateDnsConfig(errors: Errors, spec: PodSpec, at: FieldPath, options: PodOptions): void {
  const { dnsConfig, dnsPolicy } = spec
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) {
      errors.push(required(at, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if ((dnsConfig.nameservers?.length ?? 0) === 0) {
      const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      errors.push(required(at.child('nameservers'), why))
      return
    }
  }
  if (dnsConfig !== undefined) validateDns(errors, dnsConfig, at, options)
}

function validateDns(errors: Errors, config: PodDNSConfig, at: FieldPath, options: PodOptions): void {
  const { nameservers = [], searches = [], options: settings = [] } = config
  if (nameservers.length > maxNameservers) {
    const why = `must not have more than ${maxNameservers} nameservers`
    errors.push(invalidAs(at.child('nameservers'), () => goStrings(nameservers), why))
  }
  eachItem(errors, nameservers, (errors, server, i) => {
    const messages = checkLegacyIp(server, options.strictIps)
    if (messages.length > 0) addMessages(errors, at.child('nameservers').index(i), server, messages)
  })
  if (searches.length > maxSearches) {
    const why = `must not have more than ${maxSearches} search paths`
    errors.push(invalidAs(at.child('searches'), () => goStrings(searches), why))
  }
  if (Buffer.byteLength(searches.join(' ')) > maxSearchLength) {
    const why = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`
    errors.push(invalidAs(at.child('searches'), () => goStrings(searches), why))
  }
  eachItem(errors, searches, (errors, search, i) => {
    if (options.relaxedDnsSearch && search === '.') return
    const check = options.relaxedDnsSearch ? checkDns1123SubdomainWithUnderscore : checkDns1123Subdomain
    const plain = search.endsWith('.') ? search.slice(0, -1) : search
    const messages = check(plain)
    if (messages.length > 0) addMessages(errors, at.child('searches').index(i), plain, messages)
  })
  eachItem(errors, settings, (errors, { name }, i) => {
    if (isUnset(name)) errors.push(required(at.child('options').index(i), 'must not be empty'))
  })
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

type ComparisonOptions = Pick<PodOptions, 'comparesTolerations' | 'knowsComparisons'>
const noComparisons: ComparisonOptions = { comparesTolerations: false, knowsComparisons: false }

export function validateTolerations(
  errors: Errors,
  tolerations: readonly Toleration[],
  at: FieldPath,
  options: ComparisonOptions = noComparisons,
): void {
  eachItem(errors, tolerations, (errors, toleration, i) => {
    validateToleration(errors, toleration, at.index(i), options)
  })
}

const decimal = /^(0|-?[1-9][0-9]*)$/

/** Mirrors pkg/apis/core/validation: ValidateTolerations, for the operators that compare numbers. */
function validateComparison(
  errors: Errors,
  { operator = '', value = '' }: Toleration,
  at: FieldPath,
  isOn: boolean,
): void {
  if (!isOn) {
    errors.push(notSupported(at.child('operator'), operator, ['Equal', 'Exists', 'Lt', 'Gt']))
    return
  }
  if (!decimal.test(value)) {
    const why = 'must be a valid decimal integer in canonical form'
    errors.push(invalid(at.child('value'), value, value === '' ? 'must be non-empty' : why))
  }
  const parsed = parsedInteger(value)
  if (parsed !== undefined) errors.push(invalid(at.child('value'), value, parsed))
}

/** Why a text is no 64-bit integer. */
function parsedInteger(value: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(value)) return `strconv.ParseInt: parsing ${quote(value)}: invalid syntax`
  const number = BigInt(value)
  const isIn = number >= -(2n ** 63n) && number < 2n ** 63n
  return isIn ? undefined : `strconv.ParseInt: parsing ${quote(value)}: value out of range`
}

function validateToleration(errors: Errors, toleration: Toleration, at: FieldPath, options: ComparisonOptions): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  if (key !== '') {
    const messages = checkQualifiedName(key)
    if (messages.length > 0) addMessages(errors, at.child('key'), key, messages)
  } else if (operator !== 'Exists') {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.push(invalid(at.child('operator'), operator, why))
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    errors.push(invalid(at.child('effect'), effect, why))
  }
  if (operator === 'Equal' || operator === '') {
    const messages = checkLabelValue(value)
    if (messages.length > 0) errors.push(ofPlainText(invalid(at.child('operator'), value, messages.join(';'))))
  } else if (operator === 'Exists') {
    const why = "value must be empty when `operator` is 'Exists'"
    if (value !== '') errors.push(ofPlainText(invalid(at.child('operator'), value, why)))
  } else if (options.knowsComparisons && (operator === 'Lt' || operator === 'Gt')) {
    validateComparison(errors, toleration, at, options.comparesTolerations)
  } else errors.push(notSupported(at.child('operator'), operator, ['Equal', 'Exists']))
  if (effect !== '') checkOneOf(errors, effect, taintEffects, at, 'effect')
}

function validateHostAliases(errors: Errors, aliases: readonly HostAlias[], at: FieldPath, strict: boolean): void {
  eachItem(errors, aliases, (errors, { ip, hostnames = [] }, i) => {
    addMessages(errors, at.index(i).child('ip'), ip, checkLegacyIp(ip, strict))
    eachItem(errors, hostnames, (errors, name, j) => {
      addMessages(errors, at.index(i).child('hostnames').index(j), name, checkDns1123Subdomain(name))
    })
  })
}

function validateResourceClaims(
  errors: Errors,
  claims: readonly PodResourceClaim[],
  at: FieldPath,
  pod: PodIdentity | undefined,
): void {
  const names = new Set<string>()
  eachItem(errors, claims, (errors, claim, i) => {
    if (pod?.isMirror) errors.push(forbidden(wholePath, 'static pods do not support resource claims'))
    else validateResourceClaim(errors, claim, at.index(i), names)
  })
}

function validateResourceClaim(errors: Errors, claim: PodResourceClaim, at: FieldPath, names: Set<string>): void {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim
  if (name === '') errors.push(required(at.child('name')))
  else if (names.has(name)) errors.push(duplicate(at.child('name'), name))
  else {
    checkLabel(errors, name, at, 'name')
    names.add(name)
  }
  const shown = (): RenderedValue =>
    goStruct('core.PodResourceClaim', {
      Name: podSyntaxText(name),
      ResourceClaimName: podSyntaxPointer('string', resourceClaimName),
      ResourceClaimTemplateName: podSyntaxPointer('string', resourceClaimTemplateName),
    })
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const why = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
    errors.push(invalidAs(at, () => shown(), why))
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const why = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
    errors.push(invalidAs(at, () => shown(), why))
  }
  if (resourceClaimName !== undefined) checkSubdomain(errors, resourceClaimName, at, 'resourceClaimName')
  if (resourceClaimTemplateName !== undefined) {
    checkSubdomain(errors, resourceClaimTemplateName, at, 'resourceClaimTemplateName')
  }
}
