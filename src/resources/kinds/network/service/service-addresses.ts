/**
 * The rules of cluster IPs, families and the policy between them, and of their changes.
 * Mirrors pkg/apis/core/validation: ValidateServiceClusterIPsRelatedFields.
 */

import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  ofNamedText,
  required,
} from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { goNull, goStrings, goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { ServiceSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { Errors } from '../../../checks/checks.ts'
import { checkOldIp } from '../addresses.ts'
import { familyOf, headless, isHeadless, needsClusterIp } from './service-object.ts'

const spec = FieldPath.of('spec')
const ipsAt = spec.child('clusterIPs')
const familiesAt = spec.child('ipFamilies')
const policyAt = spec.child('ipFamilyPolicy')
const families = ['IPv4', 'IPv6']
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

/** An empty list is shown as Go shows a list that is not there. */
const shownIps = ({ clusterIPs = [] }: ServiceSpec): RenderedValue =>
  goStrings(clusterIPs.length === 0 ? undefined : clusterIPs)

const shownFamilies = ({ ipFamilies = [] }: ServiceSpec): RenderedValue =>
  goStructs('core.IPFamily', ipFamilies.length === 0 ? undefined : ipFamilies, podSyntaxText)

export const policyError = ({ ipFamilyPolicy }: ServiceSpec, why: string): FieldError =>
  invalidAs(policyAt, () => (ipFamilyPolicy === undefined ? goNull : podSyntaxText(ipFamilyPolicy)), why)

export const addressesError = (at: FieldPath, service: ServiceSpec, why: string): FieldError =>
  invalidAs(at, () => shownIps(service), why)

export const clusterIpsPath = ipsAt
export const familiesPath = familiesAt

export function validateAddresses(service: ServiceSpec, old: ServiceSpec | undefined, strict: boolean): FieldError[] {
  if (!needsClusterIp(service)) return []
  const errors: Errors = []
  const { clusterIPs = [] } = service
  validateInStep(errors, service)
  validateFamilies(errors, service)
  const rules = { strict, known: new Set(old?.clusterIPs) }
  let readable = true
  clusterIPs.forEach((ip, i) => {
    if (i === 0 && ip === headless) {
      if (clusterIPs.length === 1) return
      readable = false
      errors.push(addressesError(ipsAt, service, "'None' must be the first and only value"))
    } else if (!checkOldIp(errors, ip, ipsAt.index(i), rules)) readable = false
  })
  if (clusterIPs.length > 2) errors.push(addressesError(ipsAt, service, 'may only hold up to 2 values'))
  if (readable) validateMatch(errors, service)
  return errors
}

function validateInStep(errors: Errors, service: ServiceSpec): void {
  const { clusterIP = '', clusterIPs = [] } = service
  if (clusterIP === '') {
    if (clusterIPs.length > 0) {
      errors.push(addressesError(ipsAt, service, 'must be empty when `clusterIP` is not specified'))
    }
  } else if (clusterIPs.length === 0) errors.push(required(ipsAt))
  else if (clusterIPs[0] !== clusterIP) {
    errors.push(addressesError(ipsAt, service, 'first value must match `clusterIP`'))
  }
}

function validateFamilies(errors: Errors, { ipFamilies = [], ipFamilyPolicy }: ServiceSpec): void {
  const seen = new Set<string>()
  ipFamilies.forEach((family, i) => {
    if (!families.includes(family)) errors.push(ofNamedText(notSupported(familiesAt.index(i), family, families)))
    if (seen.has(family)) errors.push(ofNamedText(duplicate(familiesAt.index(i), family)))
    seen.add(family)
  })
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(ofNamedText(notSupported(policyAt, ipFamilyPolicy, policies)))
  }
}

/** All addresses can be read. */
function validateMatch(errors: Errors, service: ServiceSpec): void {
  const { clusterIPs = [], ipFamilies = [] } = service
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    errors.push(addressesError(ipsAt, service, 'may specify no more than one IP for each IP family'))
  }
  if (isHeadless(service)) return
  clusterIPs.forEach((ip, i) => {
    const family = ipFamilies[i]
    if (family === undefined || !families.includes(family) || familyOf(ip) === family) return
    errors.push(invalid(ipsAt.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``))
  })
}

const fixed = 'may not change once set'

/** A second address may come and go; the others stay while the service has any. */
export function validateAddressChange(service: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!needsClusterIp(service) || !needsClusterIp(old)) return []
  if (isHeadless(service) && isHeadless(old)) return []
  const [ips, oldIps] = [service.clusterIPs ?? [], old.clusterIPs ?? []]
  const changed = (i: number): FieldError[] =>
    ips[i] === oldIps[i] ? [] : [addressesError(ipsAt.index(i), service, fixed)]
  if (ips.length === oldIps.length) return ips.flatMap((_, i) => changed(i))
  if (ips.length > oldIps.length) return oldIps.length === 0 ? [] : changed(0)
  if (ips.length === 0) return [addressesError(ipsAt.index(0), service, 'primary clusterIP can not be unset')]
  const kept = ips.length !== 1 || service.ipFamilyPolicy === 'SingleStack'
  const why = "must be set to 'SingleStack' when releasing the secondary clusterIP"
  return [...changed(0), ...(kept ? [] : [policyError(service, why)])]
}

export function validateFamilyChange(service: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!needsClusterIp(service) || !needsClusterIp(old) || isHeadless(service) || isHeadless(old)) return []
  const [now, before] = [service.ipFamilies ?? [], old.ipFamilies ?? []]
  const first = familiesAt.index(0)
  if (now.length === before.length) {
    return now.flatMap((family, i) =>
      family === before[i] ? [] : [invalidAs(first, () => shownFamilies(service), fixed)],
    )
  }
  const bothThere = now.length > 0 && before.length > 0
  const changed = bothThere && now[0] !== before[0] ? [addressesError(first, service, fixed)] : []
  if (now.length > before.length) return changed
  const errors: FieldError[] = []
  if ((service.clusterIPs ?? []).length === 0) {
    errors.push(invalidAs(first, () => shownFamilies(service), 'primary ipFamily can not be unset'))
  }
  pushAll(errors, changed)
  if (now.length === 1 && service.ipFamilyPolicy !== 'SingleStack') {
    errors.push(policyError(service, "must be set to 'SingleStack' when releasing the secondary ipFamily"))
  }
  return errors
}
