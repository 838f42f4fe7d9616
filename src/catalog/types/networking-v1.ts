// Made by scripts/catalog.mjs. Do not edit.
import type { TypedLocalObjectReference } from './core-v1.ts'
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type HTTPIngressPath = {
  path?: string
  pathType: string | null
  backend: IngressBackend
}

export type HTTPIngressRuleValue = {
  paths: HTTPIngressPath[] | null
}

export type IPAddress = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: IPAddressSpec
}

export type IPAddressList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: IPAddress[] | null
}

export type IPAddressSpec = {
  parentRef?: ParentReference
}

export type IPBlock = {
  cidr: string
  except?: string[]
}

export type Ingress = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: IngressSpec
  status: IngressStatus
}

export type IngressBackend = {
  service?: IngressServiceBackend
  resource?: TypedLocalObjectReference
}

export type IngressClass = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: IngressClassSpec
}

export type IngressClassList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: IngressClass[] | null
}

export type IngressClassParametersReference = {
  apiGroup?: string
  kind: string
  name: string
  scope: string | null
  namespace?: string
}

export type IngressClassSpec = {
  controller?: string
  parameters?: IngressClassParametersReference
}

export type IngressList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Ingress[] | null
}

export type IngressLoadBalancerIngress = {
  ip?: string
  hostname?: string
  ports?: IngressPortStatus[]
}

export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[]
}

export type IngressPortStatus = {
  port: number
  protocol: string
  error?: string
}

export type IngressRule = {
  host?: string
  http?: HTTPIngressRuleValue
}

export type IngressServiceBackend = {
  name: string
  port: ServiceBackendPort
}

export type IngressSpec = {
  ingressClassName?: string
  defaultBackend?: IngressBackend
  tls?: IngressTLS[]
  rules?: IngressRule[]
}

export type IngressStatus = {
  loadBalancer: IngressLoadBalancerStatus
}

export type IngressTLS = {
  hosts?: string[]
  secretName?: string
}

export type NetworkPolicy = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: NetworkPolicySpec
}

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[]
  to?: NetworkPolicyPeer[]
}

export type NetworkPolicyIngressRule = {
  ports?: NetworkPolicyPort[]
  from?: NetworkPolicyPeer[]
}

export type NetworkPolicyList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: NetworkPolicy[] | null
}

export type NetworkPolicyPeer = {
  podSelector?: LabelSelector
  namespaceSelector?: LabelSelector
  ipBlock?: IPBlock
}

export type NetworkPolicyPort = {
  protocol?: string
  port?: number | string
  endPort?: number
}

export type NetworkPolicySpec = {
  podSelector: LabelSelector
  ingress?: NetworkPolicyIngressRule[]
  egress?: NetworkPolicyEgressRule[]
  policyTypes?: string[]
}

export type ParentReference = {
  group?: string
  resource?: string
  namespace?: string
  name?: string
}

export type ServiceBackendPort = {
  name?: string
  number?: number
}

export type ServiceCIDR = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: ServiceCIDRSpec
  status: ServiceCIDRStatus
}

export type ServiceCIDRList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ServiceCIDR[] | null
}

export type ServiceCIDRSpec = {
  cidrs?: string[]
}

export type ServiceCIDRStatus = {
  conditions?: Condition[]
}
