/**
 * Defaults of the kinds of smaller groups that depend on other fields.
 * Mirrors pkg/apis/networking/v1: SetDefaults_NetworkPolicy, SetDefaults_IngressClass.
 * Mirrors pkg/apis/rbac/v1: SetDefaults_Subject.
 * Mirrors k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1: SetDefaults_CustomResourceDefinition,
 * SetDefaults_CustomResourceDefinitionSpec.
 */
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../types/apiextensions-v1.ts'
import type { IngressClass, NetworkPolicy } from '../types/networking-v1.ts'
import type { Subject } from '../types/rbac-v1.ts'
import { type DefaultingContext, fill, rule, type TypeRules } from './rule.ts'

function defaultNetworkPolicy(policy: NetworkPolicy): NetworkPolicy {
  const { policyTypes = [], egress = [] } = policy.spec
  if (policyTypes.length > 0) return policy
  const types = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
  return { ...policy, spec: { ...policy.spec, policyTypes: types } }
}

function defaultIngressClass(ingressClass: IngressClass): IngressClass {
  const { parameters } = ingressClass.spec
  if (parameters === undefined) return ingressClass
  const scoped = fill(parameters, { scope: 'Cluster' })
  return scoped === parameters ? ingressClass : { ...ingressClass, spec: { ...ingressClass.spec, parameters: scoped } }
}

const defaultSubject = (subject: Subject): Subject =>
  subject.kind === 'User' || subject.kind === 'Group'
    ? fill(subject, { apiGroup: 'rbac.authorization.k8s.io' })
    : subject

function defaultDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  if ((definition.status.storedVersions ?? []).length > 0) return definition
  const stored = (definition.spec.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name)
  if (stored.length === 0) return definition
  return { ...definition, status: { ...definition.status, storedVersions: stored.slice(0, 1) } }
}

function defaultDefinitionSpec(spec: CustomResourceDefinitionSpec): CustomResourceDefinitionSpec {
  const { kind } = spec.names
  const names = fill(spec.names, {
    ...(kind === '' ? {} : { singular: kind.toLowerCase(), listKind: `${kind}List` }),
  })
  return names === spec.names ? spec : { ...spec, names }
}

interface DeviceRequest {
  deviceClassName?: string
  allocationMode?: string
  count?: number
}

const countOne = (request: DeviceRequest): DeviceRequest =>
  request.allocationMode === 'ExactCount' && !request.count ? { ...request, count: 1 } : request

/** A request by class; one that lists alternatives has none of its own. */
const defaultDeviceRequest = (request: DeviceRequest): DeviceRequest =>
  request.deviceClassName ? countOne(fill(request, { allocationMode: 'ExactCount' })) : request

const defaultDeviceTaint = (taint: { timeAdded?: string }, { now }: DefaultingContext): { timeAdded?: string } =>
  taint.timeAdded ? taint : { ...taint, timeAdded: now() }

const byClass: TypeRules = { after: rule<DeviceRequest>(defaultDeviceRequest) }
const exact: TypeRules = { after: rule<DeviceRequest>(countOne) }
const taint: TypeRules = { after: rule<{ timeAdded?: string }>(defaultDeviceTaint) }

interface NodeMapping {
  allocationMultiplier?: string
}

const mapping: TypeRules = { after: rule<NodeMapping>((given) => fill(given, { allocationMultiplier: '1' })) }

export const groupRules: Readonly<Record<string, TypeRules>> = {
  'networking.v1.NetworkPolicy': { after: rule<NetworkPolicy>(defaultNetworkPolicy) },
  'networking.v1.IngressClass': { after: rule<IngressClass>(defaultIngressClass) },
  'rbac.v1.Subject': { after: rule<Subject>(defaultSubject) },
  'apiextensions.v1.CustomResourceDefinition': { after: rule<CustomResourceDefinition>(defaultDefinition) },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    before: rule<CustomResourceDefinitionSpec>(defaultDefinitionSpec),
  },
  'resource.v1alpha3.DeviceRequest': byClass,
  'resource.v1alpha3.DeviceSubRequest': exact,
  'resource.v1alpha3.DeviceTaint': taint,
  'resource.v1beta1.DeviceRequest': byClass,
  'resource.v1beta1.DeviceSubRequest': exact,
  'resource.v1beta1.DeviceTaint': taint,
  'resource.v1beta1.NodeAllocatableResourceMapping': mapping,
  'resource.v1.ExactDeviceRequest': exact,
  'resource.v1.DeviceSubRequest': exact,
  'resource.v1.DeviceTaint': taint,
  'resource.v1.NodeAllocatableResourceMapping': mapping,
  'resource.v1beta2.ExactDeviceRequest': exact,
  'resource.v1beta2.DeviceSubRequest': exact,
  'resource.v1beta2.DeviceTaint': taint,
  'resource.v1beta2.NodeAllocatableResourceMapping': mapping,
}
