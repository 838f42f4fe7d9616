/**
 * What is wrong with a service, with a change of one, and with the status of its load balancer.
 * Mirrors pkg/apis/core/validation: ValidateService, ValidateServiceCreate, ValidateServiceUpdate,
 * ValidateServiceStatusUpdate.
 */

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { warningsForCidr, warningsForIp } from '../../../../api/ip-validation.ts'
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
} from '../../../../api/names.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import {
  duplicateAs,
  goIntOrString,
  goNull,
  goStruct,
  invalidAs,
  podSyntaxPointer,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { LoadBalancerIngress, ServicePort, ServiceSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import {
  addMessages,
  checkLabels,
  checkOneOf,
  checkQualified,
  type Errors,
  isUnset,
  requireOneOf,
} from '../../../checks/checks.ts'
import { checkEndpointIp, checkIngressHostname, checkOldCidr, checkOldIp } from '../addresses.ts'
import { protocols } from '../endpoints/endpoints.ts'
import { validateAddressChange, validateAddresses, validateFamilyChange } from './service-addresses.ts'
import {
  hasNodePorts,
  isExternallyAccessible,
  isHeadless,
  needsHealthCheck,
  type ServiceObject,
} from './service-object.ts'

const spec = FieldPath.of('spec')
const portsAt = spec.child('ports')
const annotationsAt = FieldPath.of('metadata', 'annotations')
const pointsAt = FieldPath.of('status', 'loadBalancer', 'ingress')

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const affinities = ['ClientIP', 'None']
const trafficPolicies = ['Cluster', 'Local']
const maxAffinitySeconds = 86_400
const oldTopologyAnnotation = 'service.kubernetes.io/topology-aware-hints'
const topologyAnnotation = 'service.kubernetes.io/topology-mode'
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"

export function validateService(
  service: ServiceObject,
  old: ServiceObject | undefined,
  { gate }: WriteContext,
): FieldError[] {
  const errors: Errors = []
  const strict = gate('StrictIPCIDRValidation')
  validateTopologyAnnotations(errors, service)
  validateTypeFields(errors, service.spec)
  validatePorts(errors, service.spec)
  checkLabels(errors, service.spec.selector, spec.child('selector'))
  validateAffinity(errors, service.spec)
  pushAll(errors, validateAddresses(service.spec, old?.spec, strict))
  const knownIps = old?.spec.externalIPs === undefined ? undefined : new Set(old.spec.externalIPs)
  eachItem(errors, service.spec.externalIPs ?? [], (errors, ip, i) => {
    const at = spec.child('externalIPs').index(i)
    if (checkOldIp(errors, ip, at, { strict, known: knownIps })) checkEndpointIp(errors, ip, at)
  })
  requireOneOf(errors, service.spec.type, types, spec, 'type')
  validateNodePorts(errors, service.spec)
  validateSourceRanges(errors, service, old, strict)
  validateBalancerFields(errors, service.spec)
  validateTrafficPolicies(errors, service.spec)
  validateDistribution(errors, service.spec, gate('PreferSameTrafficDistribution'))
  return errors
}

export function validateServiceUpdate(service: ServiceObject, old: ServiceObject, context: WriteContext): FieldError[] {
  const errors: Errors = [
    ...validateAddressChange(service.spec, old.spec),
    ...validateFamilyChange(service.spec, old.spec),
  ]
  const { type, loadBalancerClass } = service.spec
  if (type === 'LoadBalancer' && old.spec.type === type && loadBalancerClass !== old.spec.loadBalancerClass) {
    const shown = loadBalancerClass === undefined ? goNull : podSyntaxText(loadBalancerClass)
    errors.push(invalidAs(spec.child('loadBalancerClass'), () => shown, 'may not change once set'))
  }
  // Once here and once with the other fields.
  validateClass(errors, service.spec)
  const checked = needsHealthCheck(service.spec) && needsHealthCheck(old.spec)
  if (checked && (service.spec.healthCheckNodePort ?? 0) !== (old.spec.healthCheckNodePort ?? 0)) {
    errors.push(forbidden(spec.child('healthCheckNodePort'), 'field is immutable'))
  }
  return [...errors, ...validateService(service, old, context)]
}

function validateTopologyAnnotations(errors: Errors, { metadata: { annotations = {} } }: ServiceObject): void {
  const [mode, hints] = [annotations[topologyAnnotation], annotations[oldTopologyAnnotation]]
  if (mode === undefined || hints === undefined || mode === hints) return
  const why = `must match annotations[${oldTopologyAnnotation}] when both are specified`
  errors.push(invalid(annotationsAt.key(topologyAnnotation), mode, why))
}

function validateTypeFields(errors: Errors, service: ServiceSpec): void {
  const { type = '', ports = [], clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = service
  if (ports.length === 0 && !isHeadless(service) && type !== 'ExternalName') errors.push(required(portsAt))
  if (hasNodePorts(service) && isHeadless(service)) {
    const why = `may not be set to 'None' for ${type} services`
    errors.push(invalid(spec.child('clusterIPs').index(0), clusterIPs[0] ?? '', why))
  }
  if (type !== 'ExternalName') return
  const why = 'may not be set for ExternalName services'
  if (clusterIPs.length > 0) errors.push(forbidden(spec.child('clusterIPs'), why))
  if (ipFamilies.length > 0) errors.push(forbidden(spec.child('ipFamilies'), why))
  if (ipFamilyPolicy !== undefined) errors.push(forbidden(spec.child('ipFamilyPolicy'), why))
  const name = (service.externalName ?? '').replace(/\.$/, '')
  if (name === '') errors.push(required(spec.child('externalName')))
  else addMessages(errors, spec.child('externalName'), name, checkDns1123Subdomain(name))
}

function validatePorts(errors: Errors, { ports = [] }: ServiceSpec): void {
  const names = new Set<string>()
  eachItem(errors, ports, (errors, port, i) => {
    const at = portsAt.index(i)
    const { name = '', targetPort = 0, appProtocol } = port
    if (name !== '') {
      addMessages(errors, at.child('name'), name, checkDns1123Label(name))
      if (names.has(name)) errors.push(duplicate(at.child('name'), name))
      names.add(name)
    } else if (ports.length > 1) errors.push(required(at.child('name')))
    addMessages(errors, at.child('port'), port.port, checkPortNumber(port.port))
    requireOneOf(errors, port.protocol, protocols, at, 'protocol')
    const check = typeof targetPort === 'number' ? checkPortNumber(targetPort) : checkPortName(targetPort)
    addMessages(errors, at.child('targetPort'), targetPort, check)
    if (appProtocol !== undefined) checkQualified(errors, appProtocol, at.child('appProtocol'))
  })
}

function validateAffinity(errors: Errors, { sessionAffinity, sessionAffinityConfig }: ServiceSpec): void {
  const at = spec.child('sessionAffinityConfig')
  requireOneOf(errors, sessionAffinity, affinities, spec, 'sessionAffinity')
  if (sessionAffinity === 'None' && sessionAffinityConfig !== undefined) {
    errors.push(forbidden(at, 'must not be set when session affinity is None'))
  }
  if (sessionAffinity !== 'ClientIP') return
  const why = 'when session affinity type is ClientIP'
  const timeoutAt = at.child('clientIP', 'timeoutSeconds')
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (sessionAffinityConfig === undefined) errors.push(required(at, why))
  else if (sessionAffinityConfig.clientIP === undefined) errors.push(required(at.child('clientIP'), why))
  else if (seconds === undefined) errors.push(required(timeoutAt, why))
  else if (seconds <= 0 || seconds > maxAffinitySeconds) {
    errors.push(invalid(timeoutAt, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`))
  }
}

/** Numbers are unique by protocol, those of nodes and those of the service. */
function validateNodePorts(errors: Errors, { type, ports = [] }: ServiceSpec): void {
  eachItem(errors, ports, (errors, { nodePort = 0 }, i) => {
    if (type !== 'ClusterIP' || nodePort === 0) return
    errors.push(forbidden(portsAt.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"))
  })
  const onNodes = new Set<string>()
  eachItem(errors, ports, (errors, { protocol, nodePort = 0 }, i) => {
    const key = `${protocol} ${nodePort}`
    if (nodePort !== 0 && onNodes.has(key)) errors.push(duplicate(portsAt.index(i).child('nodePort'), nodePort))
    onNodes.add(key)
  })
  const own = new Set<string>()
  eachItem(errors, ports, (errors, port, i) => {
    const key = `${port.protocol} ${port.port}`
    if (own.has(key)) errors.push(duplicatePort(port, portsAt.index(i)))
    own.add(key)
  })
}

const duplicatePort = ({ protocol, port }: ServicePort, at: FieldPath): FieldError =>
  duplicateAs(at, () =>
    goStruct('core.ServicePort', {
      Name: podSyntaxText(''),
      Protocol: podSyntaxText(protocol),
      AppProtocol: podSyntaxPointer('string', undefined),
      Port: String(port),
      TargetPort: goIntOrString(0),
      NodePort: '0',
    }),
  )

/** Blanks around a range are part of what was always taken. */
function validateSourceRanges(
  errors: Errors,
  service: ServiceObject,
  old: ServiceObject | undefined,
  strict: boolean,
): void {
  const { type, loadBalancerSourceRanges: ranges = [] } = service.spec
  if (ranges.length > 0) {
    const at = spec.child('LoadBalancerSourceRanges')
    if (type !== 'LoadBalancer') errors.push(forbidden(at, onlyBalanced))
    const known = new Set(old?.spec.loadBalancerSourceRanges?.map((range) => range.trim()))
    eachItem(errors, ranges, (errors, range, i) => {
      checkOldCidr(errors, range.trim(), at.index(i), { strict, known })
    })
    return
  }
  const text = service.metadata.annotations?.[rangesAnnotation]
  if (text === undefined) return
  const at = annotationsAt.key(rangesAnnotation)
  if (type !== 'LoadBalancer') errors.push(forbidden(at, onlyBalanced))
  if (old?.metadata.annotations?.[rangesAnnotation] === text || text.trim() === '') return
  for (const range of text.split(',')) checkOldCidr(errors, range.trim(), at, { strict })
}

function validateBalancerFields(errors: Errors, service: ServiceSpec): void {
  const isBalanced = service.type === 'LoadBalancer'
  const allocates = service.allocateLoadBalancerNodePorts !== undefined
  if (allocates && !isBalanced) errors.push(forbidden(spec.child('allocateLoadBalancerNodePorts'), onlyBalanced))
  if (!allocates && isBalanced) errors.push(required(FieldPath.of('allocateLoadBalancerNodePorts')))
  validateClass(errors, service)
}

function validateClass(errors: Errors, { type, loadBalancerClass }: ServiceSpec): void {
  if (loadBalancerClass === undefined) return
  const at = spec.child('loadBalancerClass')
  if (type !== 'LoadBalancer') errors.push(forbidden(at, onlyBalanced))
  else addMessages(errors, at, loadBalancerClass, checkQualifiedName(loadBalancerClass))
}

function validateTrafficPolicies(errors: Errors, service: ServiceSpec): void {
  const { type = '', externalTrafficPolicy = '', internalTrafficPolicy, healthCheckNodePort = 0 } = service
  if (isExternallyAccessible(service)) {
    requireOneOf(errors, externalTrafficPolicy, trafficPolicies, spec, 'externalTrafficPolicy')
  } else if (externalTrafficPolicy !== '') {
    const why = 'may only be set for externally-accessible services'
    errors.push(invalid(spec.child('externalTrafficPolicy'), externalTrafficPolicy, why))
  }
  const checkAt = spec.child('healthCheckNodePort')
  if (!needsHealthCheck(service)) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    if (healthCheckNodePort !== 0) errors.push(invalid(checkAt, healthCheckNodePort, why))
  } else if (healthCheckNodePort === 0) errors.push(required(checkAt))
  else addMessages(errors, checkAt, healthCheckNodePort, checkPortNumber(healthCheckNodePort))
  if (internalTrafficPolicy !== undefined) {
    checkOneOf(errors, internalTrafficPolicy, trafficPolicies, spec, 'internalTrafficPolicy')
  } else if (type === 'ClusterIP' || hasNodePorts(service)) errors.push(required(spec.child('internalTrafficPolicy')))
}

function validateDistribution(errors: Errors, { trafficDistribution }: ServiceSpec, toNodes: boolean): void {
  if (trafficDistribution === undefined) return
  const supported = toNodes ? ['PreferClose', 'PreferSameZone', 'PreferSameNode'] : ['PreferClose']
  checkOneOf(errors, trafficDistribution, supported, spec, 'trafficDistribution')
}

const ipModes = ['Proxy', 'VIP']

export function validateServiceStatus(
  service: ServiceObject,
  old: ServiceObject,
  { gate }: WriteContext,
): FieldError[] {
  const errors: Errors = []
  const points = loadBalancerIngressOf(service)
  if (points.length > 0 && service.spec.type !== 'LoadBalancer' && !gate('AllowServiceLBStatusOnNonLB')) {
    return [forbidden(pointsAt, "may only be used when `spec.type` is 'LoadBalancer'")]
  }
  const known = new Set(loadBalancerIngressOf(old).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip])))
  const rules = { strict: gate('StrictIPCIDRValidation'), known }
  eachItem(errors, points, (errors, point, i) => {
    const at = pointsAt.index(i)
    const { ip = '', hostname = '' } = point
    if (ip !== '') checkOldIp(errors, ip, at.child('ip'), rules)
    validateIpMode(errors, point, at.child('ipMode'), gate('LoadBalancerIPMode'))
    if (hostname !== '') checkIngressHostname(errors, hostname, at.child('hostname'))
  })
  return errors
}

function validateIpMode(errors: Errors, { ip, ipMode }: LoadBalancerIngress, at: FieldPath, needed: boolean): void {
  if (ipMode === undefined) {
    if (needed && !isUnset(ip)) errors.push(required(at, 'must be specified when `ip` is set'))
  } else if (isUnset(ip)) errors.push(forbidden(at, 'may not be specified when `ip` is not set'))
  else if (!ipModes.includes(ipMode)) errors.push(notSupported(at, ipMode, ipModes))
}

export const loadBalancerIngressOf = ({ status }: ServiceObject): LoadBalancerIngress[] =>
  status?.loadBalancer?.ingress ?? []

function headlessWarnings({ loadBalancerIP = '', externalIPs = [], sessionAffinity = '' }: ServiceSpec): string[] {
  return [
    ...(loadBalancerIP === '' ? [] : ['spec.loadBalancerIP is ignored for headless services']),
    ...(externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored for headless services']),
    ...(sessionAffinity === 'None' ? [] : ['spec.SessionAffinity is ignored for headless services']),
  ]
}

export function serviceWarnings(
  { metadata, spec: service }: ServiceObject,
  { gate }: Pick<WriteContext, 'gate'>,
): string[] {
  const { type, clusterIPs = [], externalIPs = [], loadBalancerIP = '', loadBalancerSourceRanges = [] } = service
  const warnings: string[] = []
  if (metadata.annotations?.[oldTopologyAnnotation] !== undefined) {
    warnings.push(`annotation ${oldTopologyAnnotation} is deprecated, please use ${topologyAnnotation} instead`)
  }
  const isHeadlessOfCluster = type === 'ClusterIP' && isHeadless(service)
  if (gate('release:headlessServiceWarnings') && isHeadlessOfCluster) {
    pushAll(warnings, headlessWarnings(service))
  }
  const warnOfIps = (ips: readonly string[], field: string): void => {
    eachItem<string, string>(warnings, ips, (own, ip, i) => {
      pushAll(own, warningsForIp(spec.child(field).index(i), ip))
    })
  }
  if (!isHeadless(service)) warnOfIps(clusterIPs, 'clusterIPs')
  warnOfIps(externalIPs, 'externalIPs')
  const isDeprecated = externalIPs.length > 0 && type !== 'ExternalName' && !isHeadlessOfCluster
  if (isDeprecated && gate('release:externalIpsWarning')) {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (loadBalancerIP !== '') pushAll(warnings, warningsForIp(spec.child('loadBalancerIP'), loadBalancerIP))
  eachItem<string, string>(warnings, loadBalancerSourceRanges, (own, range, i) => {
    pushAll(own, warningsForCidr(spec.child('loadBalancerSourceRanges').index(i), range))
  })
  if (type === 'ExternalName' && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  }
  if (type !== 'ExternalName' && (service.externalName ?? '') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (service.trafficDistribution === 'PreferClose' && gate('release:preferCloseWarning')) {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}

export function statusWarnings(service: ServiceObject): string[] {
  const warnings: string[] = []
  eachItem<LoadBalancerIngress, string>(warnings, loadBalancerIngressOf(service), (own, { ip = '' }, i) => {
    if (ip !== '') pushAll(own, warningsForIp(pointsAt.index(i), ip))
  })
  return warnings
}
