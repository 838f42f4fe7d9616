/**
 * Which families of addresses a service gets, from what it asks for and what the cluster has.
 * Mirrors pkg/registry/core/service/storage: Allocators.initIPFamilyFields.
 */

import { limitErrors } from '../../../../api/error-limit.ts'
import { type FieldError, invalid } from '../../../../api/field-error.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import type { ServiceSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { addressesError, clusterIpsPath, familiesPath, policyError, validateAddresses } from './service-addresses.ts'
import {
  changeSpec,
  familyOf,
  headless,
  needsClusterIp,
  otherFamily,
  type ServiceObject,
  sameTexts,
} from './service-object.ts'

/** The families of the cluster, the primary one first. */
export type ClusterFamilies = readonly [primary: string, ...others: string[]]

/** A service that preferred two families, and still does, keeps what it could get. */
export function keepsPreference({ spec }: ServiceObject, old: ServiceObject | undefined): boolean {
  const prefers = (policy: string | undefined): boolean => policy === 'PreferDualStack'
  return (
    old !== undefined &&
    old.spec.type === spec.type &&
    needsClusterIp(spec) &&
    prefers(spec.ipFamilyPolicy) &&
    (old.spec.ipFamilyPolicy === undefined || prefers(old.spec.ipFamilyPolicy)) &&
    sameTexts(old.spec.clusterIPs, spec.clusterIPs) &&
    sameTexts(old.spec.ipFamilies, spec.ipFamilies)
  )
}

/** Fills in the policy and the families. What it returns is wrong with the service, which is then not filled in. */
export function fillFamilies(
  service: ServiceObject,
  old: ServiceObject | undefined,
  { cluster, strict }: { readonly cluster: ClusterFamilies; readonly strict: boolean },
): FieldError[] {
  if (!needsClusterIp(service.spec) || keepsPreference(service, old)) return []
  fillPolicy(service, old)
  const related = limitErrors(() => validateAddresses(service.spec, old?.spec, strict))
  if (related.length > 0) return related
  const errors = [...(old === undefined ? [] : release(service, old)), ...validateSingle(service.spec)]
  pushAll(errors, familiesFromAddresses(service, cluster))
  if (errors.length > 0) return errors
  if (isOpen(service.spec)) {
    fillOpen(service, cluster[0])
    return []
  }
  return fillFromCluster(service, cluster)
}

/** Headless and without a selector: the writer of the endpoints decides. */
const isOpen = ({ clusterIP, selector = {} }: ServiceSpec): boolean =>
  clusterIP === headless && keysOf(selector).length === 0

function fillPolicy(service: ServiceObject, old: ServiceObject | undefined): void {
  if (service.spec.ipFamilyPolicy !== undefined) return
  const standard = isOpen(service.spec) ? 'RequireDualStack' : 'SingleStack'
  changeSpec(service, { ipFamilyPolicy: old?.spec.ipFamilyPolicy ?? standard })
}

/** A service that becomes single-stack loses its second family, if it does not ask for it anew. */
function release(service: ServiceObject, old: ServiceObject): FieldError[] {
  const { spec } = service
  const [ips, families] = [spec.clusterIPs ?? [], spec.ipFamilies ?? []]
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (ips.length > 1 && sameTexts(old.spec.clusterIPs, ips)) changeSpec(service, { clusterIPs: ips.slice(0, 1) })
    if (families.length > 1 && sameTexts(old.spec.ipFamilies, families)) {
      changeSpec(service, { ipFamilies: families.slice(0, 1) })
    }
    return []
  }
  const reduced = (now: readonly string[], before: readonly string[] = []): boolean =>
    now.length > 0 && now.length < before.length
  const must = "must be 'SingleStack' to release the secondary"
  return [
    ...(reduced(ips, old.spec.clusterIPs) ? [policyError(spec, `${must} cluster IP`)] : []),
    ...(reduced(families, old.spec.ipFamilies) ? [policyError(spec, `${must} IP family`)] : []),
  ]
}

function validateSingle(spec: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return []
  const must = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
  return [
    ...(spec.clusterIPs?.length === 2 ? [policyError(spec, `${must} cluster IPs are specified`)] : []),
    ...(spec.ipFamilies?.length === 2 ? [policyError(spec, `${must} IP families are specified`)] : []),
  ]
}

function familiesFromAddresses(service: ServiceObject, cluster: ClusterFamilies): FieldError[] {
  const errors: FieldError[] = []
  const { clusterIPs = [], ipFamilies = [] } = service.spec
  const families = [...ipFamilies]
  clusterIPs.forEach((ip, i) => {
    if (clusterIPs[0] === headless || i < families.length) return
    const family = familyOf(ip)
    if (cluster.includes(family)) families.push(family)
    else
      errors.push(addressesError(clusterIpsPath.index(i), service.spec, `${family} is not configured on this cluster`))
  })
  if (families.length > ipFamilies.length) changeSpec(service, { ipFamilies: families })
  return errors
}

function fillOpen(service: ServiceObject, primary: string): void {
  const { ipFamilies = [], ipFamilyPolicy } = service.spec
  const first = ipFamilies[0] ?? primary
  if (ipFamilies.length >= 2) return
  const both = ipFamilyPolicy === 'SingleStack' ? [first] : [first, otherFamily(first)]
  changeSpec(service, { ipFamilies: both })
}

function fillFromCluster(service: ServiceObject, cluster: ClusterFamilies): FieldError[] {
  const { spec } = service
  const errors: FieldError[] = []
  if (spec.ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2) {
    errors.push(policyError(spec, 'this cluster is not configured for dual-stack services'))
  }
  spec.ipFamilies?.forEach((family, i) => {
    if (!cluster.includes(family)) errors.push(invalid(familiesPath.index(i), family, 'not configured on this cluster'))
  })
  if (errors.length > 0) return errors
  const families = (spec.ipFamilies ?? []).length === 0 ? [cluster[0]] : (spec.ipFamilies ?? [])
  const [first] = families as [string]
  const second = spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && cluster.length === 2
  changeSpec(service, { ipFamilies: second ? [first, otherFamily(first)] : families })
  return []
}
