/**
 * What the server reads into a service that was sent: clients may leave out what was allocated for them before, may know
 * only the older of two fields, and may move from one type to another without clearing what belonged to the old one.
 * Mirrors pkg/registry/core/service/storage: REST.defaultOnRead, normalizeClusterIPs, patchAllocatedValues.
 */

import { equalJson } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import type { ServicePort, ServiceSpec } from '../../../../catalog/types/core-v1.ts'
import {
  allocatesNodePorts,
  changeSpec,
  familyOf,
  hasNodePorts,
  headless,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  nodePortsOf,
  otherFamily,
  type ServiceObject,
  sameTexts,
  withoutNodePort,
} from './service-object.ts'

const sameIps = (a: ServiceSpec, b: ServiceSpec): boolean => sameTexts(a.clusterIPs, b.clusterIPs)

/** Keeps `clusterIP` and `clusterIPs` in step. Only what is plainly meant is changed; the rest is for validation. */
export function alignClusterIps(service: ServiceObject, old: ServiceObject | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = service.spec
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) changeSpec(service, { clusterIPs: [clusterIP] })
    return
  }
  const { clusterIP: oldIp = '', clusterIPs: oldIps = [] } = old.spec
  if (oldIp === clusterIP) {
    if (oldIps.length > 0 && clusterIPs.length === 0) changeSpec(service, { clusterIPs: oldIps })
  } else if (sameIps(service.spec, old.spec)) {
    changeSpec(service, { clusterIPs: clusterIP === '' ? undefined : [clusterIP] })
  }
}

/** Gives back what was allocated for the old service where the new one leaves it out. */
export function keepAllocated(service: ServiceObject, old: ServiceObject): void {
  const { spec } = service
  if (needsClusterIp(old.spec) && needsClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === '') changeSpec(service, { clusterIP: old.spec.clusterIP })
    if ((spec.clusterIPs ?? []).length === 0) changeSpec(service, { clusterIPs: old.spec.clusterIPs })
  }
  if (allocatesNodePorts(old.spec) && allocatesNodePorts(spec)) {
    changeSpec(service, { ports: keepNodePorts(spec.ports, old.spec) })
  }
  if (needsHealthCheck(old.spec) && needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    changeSpec(service, { healthCheckNodePort: old.spec.healthCheckNodePort })
  }
}

/** By the name of the port, unless another port of the new service asks for the same number. */
function keepNodePorts(ports: ServicePort[] | undefined, old: ServiceSpec): ServicePort[] | undefined {
  const oldPorts = new Set(nodePortsOf(old))
  const used = new Set(nodePortsOf({ ports: ports ?? [] }).filter((port) => oldPorts.has(port)))
  const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]))
  return ports?.map((port) => {
    const known = byName.get(port.name ?? '') ?? 0
    return (port.nodePort ?? 0) !== 0 || known === 0 || used.has(known) ? port : { ...port, nodePort: known }
  })
}

/** A service as it is shown: services that are older than some fields are stored without them. */
export function defaultOnRead(service: ServiceObject, primaryFamily: string): ServiceObject {
  const shown = { ...service }
  alignClusterIps(shown, undefined)
  if (needsClusterIp(shown.spec) && (shown.spec.ipFamilies ?? []).length === 0) completeFamilies(shown, primaryFamily)
  return shown
}

function completeFamilies(service: ServiceObject, primary: string): void {
  const { clusterIP, clusterIPs = [], selector = {} } = service.spec
  if (clusterIP === headless) {
    const open = keysOf(selector).length === 0
    changeSpec(service, {
      ipFamilyPolicy: open ? 'RequireDualStack' : 'SingleStack',
      ipFamilies: open ? [primary, otherFamily(primary)] : [primary],
    })
    return
  }
  const families = clusterIPs.map((ip) => (familyOf(ip) === 'IPv6' ? 'IPv6' : 'IPv4'))
  if (families.length === 0) return
  const ipFamilyPolicy = families.length === 1 ? 'SingleStack' : 'RequireDualStack'
  changeSpec(service, { ipFamilies: families, ipFamilyPolicy })
}

/**
 * A service that moves to another type loses what only the old type has, as long as the client did not change it in the
 * same request; what it did change is for validation to refuse.
 */
export function dropTypeDependent(service: ServiceObject, old: ServiceObject): void {
  const [now, before] = [service.spec, old.spec]
  if (needsClusterIp(before) && !needsClusterIp(now)) dropClusterIps(service, before)
  const known = new Set(nodePortsOf(before))
  if (hasNodePorts(before) && !hasNodePorts(now) && nodePortsOf(now).every((port) => known.has(port))) {
    changeSpec(service, { ports: now.ports?.map(withoutNodePort) })
  }
  const leaves = (rule: (spec: ServiceSpec) => boolean, key: keyof ServiceSpec): void => {
    if (rule(before) && !rule(now) && equalJson(before[key], now[key])) changeSpec(service, { [key]: undefined })
  }
  const isBalanced = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer'
  leaves(needsHealthCheck, 'healthCheckNodePort')
  leaves(isBalanced, 'allocateLoadBalancerNodePorts')
  leaves(isBalanced, 'loadBalancerClass')
  leaves(isExternallyAccessible, 'externalTrafficPolicy')
  if (!isBalanced(now)) service.status = { ...service.status, loadBalancer: {} }
}

function dropClusterIps(service: ServiceObject, before: ServiceSpec): void {
  const { clusterIP = '', ipFamilies, ipFamilyPolicy } = service.spec
  if (clusterIP === (before.clusterIP ?? '') && sameIps(service.spec, before)) {
    changeSpec(service, { clusterIP: undefined, clusterIPs: undefined })
  }
  if (equalJson(ipFamilies, before.ipFamilies)) changeSpec(service, { ipFamilies: undefined })
  if (ipFamilyPolicy === before.ipFamilyPolicy) changeSpec(service, { ipFamilyPolicy: undefined })
}
