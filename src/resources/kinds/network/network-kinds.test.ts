import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { writerOf } from '../pods/test-writer.ts'

const off: ReadonlySet<string> = new Set(['StrictIPCIDRValidation', 'PreferSameTrafficDistribution'])
const gate = (name: string): boolean => !off.has(name)

const writers = {
  Service: writerOf('v1', 'services', gate),
  Endpoints: writerOf('v1', 'endpoints', gate),
  EndpointSlice: writerOf('discovery.k8s.io/v1', 'endpointslices', gate),
  Ingress: writerOf('networking.k8s.io/v1', 'ingresses', gate),
  IngressClass: writerOf('networking.k8s.io/v1', 'ingressclasses', gate),
  NetworkPolicy: writerOf('networking.k8s.io/v1', 'networkpolicies', gate),
  IPAddress: writerOf('networking.k8s.io/v1', 'ipaddresses', gate),
  ServiceCIDR: writerOf('networking.k8s.io/v1', 'servicecidrs', gate),
}
type Kind = keyof typeof writers

const named = (body: JsonObject, name = 'x'): JsonObject => ({ metadata: { name }, ...body })
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

const ip = { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] }
const ports = [{ port: 80 }]
const backend = { service: { name: 's', port: { number: 80 } } }
const path = (value: string, pathType: string): JsonObject => ({
  spec: { rules: [{ http: { paths: [{ path: value, pathType, backend }] } }] },
})

const refused: [Kind, JsonObject, string[]][] = [
  ['Service', { spec: { ...ip } }, ['spec.ports: Required value']],
  [
    'Service',
    { spec: { type: 'LoadBalancer', clusterIP: 'None', clusterIPs: ['None'], ports } },
    ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services'],
  ],
  [
    'Service',
    { spec: { ...ip, ports, healthCheckNodePort: 30_000, externalTrafficPolicy: 'Local' } },
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  ],
  [
    'Service',
    { spec: { ...ip, ports, trafficDistribution: 'Nearby', externalIPs: ['0.0.0.0', '127.0.0.1'] } },
    [
      'spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
      'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.trafficDistribution: Unsupported value: "Nearby": supported values: "PreferClose"',
    ],
  ],
  [
    'Service',
    { spec: { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.6', '::1', '10.0.0.7'], ports } },
    [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.6", "::1", "10.0.0.7"}: first value must match `clusterIP`',
      'spec.clusterIPs: Invalid value: []string{"10.0.0.6", "::1", "10.0.0.7"}: may only hold up to 2 values',
    ],
  ],
  [
    'Service',
    { spec: { type: 'ExternalName', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', externalName: 'a.b.' } },
    [
      'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
      'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
    ],
  ],
  ['Endpoints', { subsets: [{}] }, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  [
    'Endpoints',
    { subsets: [{ addresses: [{ ip: '224.0.0.1', hostname: 'A' }], ports: [{ port: 1, appProtocol: 'a b' }] }] },
    [
      expect.stringContaining('subsets[0].addresses[0].hostname: Invalid value: "A": a lowercase RFC 1123 label'),
      'subsets[0].addresses[0].ip: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      expect.stringContaining('subsets[0].ports[0].appProtocol: Invalid value: "a b": name part'),
    ],
  ],
  [
    'EndpointSlice',
    { addressType: 'IPv6', endpoints: [{ addresses: ['FD00::1'] }, { addresses: ['10.0.0.1'] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in canonical form ("fd00::1")',
      'endpoints[1].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
    ],
  ],
  [
    'EndpointSlice',
    { addressType: 'FQDN', endpoints: [{ addresses: ['local'], hints: { forZones: Array(9).fill({ name: 'z' }) } }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "local": should be a domain with at least two segments separated by dots',
      'endpoints[0].hints.forZones: Too many: 9: must have at most 8 items',
    ],
  ],
  [
    'Ingress',
    path('/a//b', 'Exact'),
    ['spec.rules[0].http.paths[0].path: Invalid value: "/a//b": must not contain \'//\''],
  ],
  [
    'Ingress',
    path('/a/..', 'Prefix'),
    ['spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with \'/..\''],
  ],
  [
    'Ingress',
    path('a', 'ImplementationSpecific'),
    ['spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
  ],
  [
    'Ingress',
    { spec: { defaultBackend: { resource: { kind: '', name: 'a/b', apiGroup: 'A' } } } },
    [
      expect.stringContaining('spec.defaultBackend.resource.apiGroup: Invalid value: "A"'),
      'spec.defaultBackend.resource.kind: Required value: kind is required',
      'spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain \'/\'',
    ],
  ],
  [
    'IngressClass',
    { spec: { controller: `a.io/${'x'.repeat(250)}`, parameters: { kind: 'K', name: 'n', namespace: 'ns' } } },
    [
      'spec.controller: Too long: may not be more than 250 bytes',
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ],
  ],
  [
    'NetworkPolicy',
    { spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '' } }], ports: [{ port: 5, endPort: 70_000 }] }] } },
    [
      'spec.egress[0].ports[0].endPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.egress[0].to[0].ipBlock.cidr: Required value',
    ],
  ],
  [
    'ServiceCIDR',
    { spec: { cidrs: ['10.0.0.1/24', 'FD00::/64'] } },
    [
      'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
      'spec.cidrs[1]: Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")',
    ],
  ],
]

describe('creates are refused', () => {
  test.each(refused)('%s %j', (kind, body, expected) => {
    expect(texts(writers[kind].create(named(body)).errors)).toEqual(expected)
  })

  it('IPAddress by name and parent', () => {
    const { errors } = writers.IPAddress.create(named({ spec: { parentRef: { resource: 'a/b', name: '' } } }, '::1'))
    expect(texts(errors)).toEqual([
      'spec.parentRef.resource: Invalid value: "a/b": may not contain \'/\'',
      'spec.parentRef.name: Required value',
    ])
  })
})

const changes: [Kind, JsonObject, JsonObject, string[]][] = [
  [
    'Service',
    { spec: { ...ip, ports, ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } },
    { spec: { clusterIP: '10.0.0.6', clusterIPs: ['10.0.0.6'], ports, ipFamilies: ['IPv4'] } },
    ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.6"}: may not change once set'],
  ],
  [
    'Service',
    { spec: { type: 'LoadBalancer', ...ip, ports, loadBalancerClass: 'a' } },
    { spec: { type: 'LoadBalancer', ...ip, ports } },
    ['spec.loadBalancerClass: Invalid value: "null": may not change once set'],
  ],
  [
    'ServiceCIDR',
    { spec: { cidrs: ['10.0.0.0/24'] } },
    { spec: { cidrs: ['10.0.0.0/24', '10.1.0.0/24'] } },
    [expect.stringContaining('spec.cidrs: Invalid value: []string{"10.0.0.0/24", "10.1.0.0/24"}: may specify no more')],
  ],
  [
    'ServiceCIDR',
    { spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] } },
    { spec: { cidrs: ['10.0.0.0/24'] } },
    ['spec.cidrs: Invalid value: []string{"10.0.0.0/24"}: field is immutable'],
  ],
  ['ServiceCIDR', { spec: { cidrs: ['10.0.0.0/24'] } }, { spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] } }, []],
  [
    'IPAddress',
    { spec: { parentRef: { resource: 'services', name: 'a' } } },
    { spec: { parentRef: { resource: 'services', name: 'b' } } },
    [
      'spec.parentRef: Invalid value: networking.ParentReference{Group:"", Resource:"services", Namespace:"", Name:"b"}: field is immutable',
    ],
  ],
  [
    'IngressClass',
    { spec: { controller: 'a.io/b' } },
    { spec: { controller: 'a.io/c' } },
    ['spec.controller: Invalid value: "a.io/c": field is immutable'],
  ],
  [
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] },
    { addressType: 'IPv6', endpoints: [{ addresses: ['10.0.0.1'] }] },
    ['addressType: Invalid value: "IPv6": field is immutable'],
  ],
]

describe('updates', () => {
  test.each(changes)('%s %j to %j', (kind, before, after, expected) => {
    const writer = writers[kind]
    const { object } = writer.create(named(before))
    expect(texts(writer.update(named(after), object).errors)).toEqual(expected)
  })

  it('count changes of labels of endpoint slices as generations', () => {
    const writer = writers.EndpointSlice
    const { object } = writer.create(named({ addressType: 'IPv4' }))
    expect(object.metadata.generation).toBe(1)
    const changed = writer.update({ metadata: { name: 'x', labels: { a: 'b' } }, addressType: 'IPv4' }, object)
    expect(changed.object.metadata.generation).toBe(2)
  })

  it('drop what belonged to the old type of a service', () => {
    const writer = writers.Service
    const spec = { type: 'LoadBalancer', ...ip, ports: [{ port: 80, nodePort: 30_001 }], loadBalancerClass: 'a' }
    const { object } = writer.create(named({ spec }))
    const kept = { ...(object['spec'] as JsonObject), type: 'ClusterIP' }
    const changed = writer.update(named({ spec: kept }), object)
    expect(changed.errors).toEqual([])
    expect(changed.object['spec']).toEqual({
      ...ip,
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    })
  })
})

const warned: [Kind, JsonObject, string[]][] = [
  [
    'Service',
    { spec: { ...ip, ports, externalName: 'a', externalIPs: ['010.0.0.1'] } },
    [
      'spec.externalIPs[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
  ],
  [
    'EndpointSlice',
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.b', '010.0.0.1'] }] },
    [
      'spec.addressType: FQDN endpoints are deprecated',
      'endpoints[0].addresses[1]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ],
  ],
  [
    'NetworkPolicy',
    { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/24' } }] }] } },
    [
      'spec.ingress[0].from[0].ipBlock.cidr: CIDR value "10.0.0.1/24" is ambiguous in this context (should be "10.0.0.0/24" or "10.0.0.1/32"?)',
    ],
  ],
]

describe('warnings', () => {
  test.each(warned)('%s %j', (kind, body, expected) => {
    const { errors, warnings } = writers[kind].create(named(body))
    expect(texts(errors)).toEqual([])
    expect(warnings).toEqual(expected)
  })
})

describe('warnings of services by release', () => {
  const preferClose = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
  const external = 'spec.externalIPs is deprecated and may no longer be implemented in some clusters'
  const headless = 'spec.externalIPs is ignored for headless services'
  const ignored = 'spec.externalIPs is ignored when spec.type is "ExternalName"'
  const ofCluster = { ...ip, ports, trafficDistribution: 'PreferClose', externalIPs: ['1.2.3.4'] }
  const withoutAddress = { clusterIP: 'None', clusterIPs: ['None'], ports, externalIPs: ['1.2.3.4'] }
  const ofName = { type: 'ExternalName', externalName: 'a.b', externalIPs: ['1.2.3.4'] }
  test.each<[number, JsonObject, string[]]>([
    [33, ofCluster, []],
    [34, ofCluster, []],
    [35, ofCluster, [preferClose]],
    [36, ofCluster, [external, preferClose]],
    [33, withoutAddress, []],
    [36, withoutAddress, [headless]],
    [36, ofName, [ignored]],
  ])('1.%i %j', (minor, spec, expected) => {
    const gates = resolveFeatureGates(new Map(), { major: 1, minor })
    const { errors, warnings } = writerOf('v1', 'services', (name) => gates.enabled(name)).create(named({ spec }))
    expect(texts(errors)).toEqual([])
    expect(warnings).toEqual(expected)
  })
})
