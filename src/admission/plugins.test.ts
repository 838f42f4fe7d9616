/** The plugins that are on: which there are, what keeps them from being made, and which requests each is about. */
import { describe, expect, it } from 'vitest'
import { admissionPluginNames } from '../config/admission-plugins.ts'
import { systemClock } from '../lib/clock.ts'
import type { AdmissionPlugin, RequestShape } from './plugin.ts'
import { implementedPlugins, makePlugins, type PluginDependencies } from './plugins.ts'
import { QuotaEnforcer } from './quota/quota-enforcer.ts'
import { MemoryQuotas } from './testing/memory-quotas.ts'
import { testCluster } from './testing/test-cluster.ts'

const configurations: Readonly<Record<string, unknown>> = {
  EventRateLimit: { limits: [{ type: 'Server', qps: 1, burst: 1 }] },
  ImagePolicyWebhook: { imagePolicy: { kubeConfigFile: '/f', allowTTL: 1, denyTTL: 1, retryBackoff: 1 } },
}

function dependencies(given: Partial<PluginDependencies> = {}): PluginDependencies {
  const gates = ['MutatingAdmissionPolicy', 'PodTopologyLabelsAdmission', 'NodeDeclaredFeatures', 'ClusterTrustBundle']
  const cluster = testCluster({}, { gates })
  const webhooks = { cluster, clock: systemClock, parse: JSON.parse }
  return {
    cluster,
    webhooks,
    clock: systemClock,
    forms: () => [],
    quotaEnforcer: new QuotaEnforcer({
      store: new MemoryQuotas(),
      clock: systemClock,
      configuration: undefined,
      onOvercharge: () => {},
    }),
    tolerationSeconds: { notReady: 1, unreachable: 1 },
    imageReviewer: () => async (review: object) => review,
    configuration: (name: string) => configurations[name],
    ...given,
  } as unknown as PluginDependencies
}

describe('plugins', () => {
  it('are made in the order of their names', () => {
    const names = ['ResourceQuota', 'AlwaysAdmit', 'Priority']
    expect(makePlugins(names, dependencies()).map(({ name }) => name)).toEqual(names)
  })

  it('are all that the flags know, under their own names', () => {
    expect([...implementedPlugins].sort()).toEqual([...admissionPluginNames].sort())
    for (const name of implementedPlugins) expect(makePlugins([name], dependencies())[0]?.name).toBe(name)
  })

  it('that there are not keep the server from starting', () => {
    expect(() => makePlugins(['Priority', 'Other'], dependencies())).toThrow('there is no admission plugin "Other"')
  })

  it('that cannot use their configuration say so', () => {
    const configuration = (name: string) => (name === 'EventRateLimit' ? { limits: [] } : undefined)
    expect(() => makePlugins(['EventRateLimit'], dependencies({ configuration: configuration as never }))).toThrow(
      'failed to initialize admission plugin "EventRateLimit": limits: Invalid value: must not be empty',
    )
  })
})

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const

/** `CREATE pods`, `UPDATE deployments.apps/scale`. */
function shapeOf(text: string): RequestShape {
  const [operation = '', path = ''] = text.split(' ')
  const [name = '', subresource = ''] = path.split('/')
  const [resource = '', ...group] = name.split('.')
  return { operation: operation as RequestShape['operation'], group: group.join('.'), resource, subresource }
}

/** The operations on a path that a plugin is about. */
const handled = ({ handles }: AdmissionPlugin, path: string): string =>
  operations.filter((operation) => handles(shapeOf(`${operation} ${path}`))).join(' ')

describe('requests that a plugin is about', () => {
  const both = 'CREATE UPDATE'
  it.each<[string, Readonly<Record<string, string>>]>([
    ['AlwaysPullImages', { pods: both, 'pods/status': '', 'pods.x': '', services: '' }],
    [
      'DefaultIngressClass',
      { 'ingresses.networking.k8s.io': 'CREATE', ingresses: '', 'ingresses.networking.k8s.io/status': '' },
    ],
    ['DefaultStorageClass', { persistentvolumeclaims: 'CREATE', 'persistentvolumeclaims/status': '', pods: '' }],
    ['DefaultTolerationSeconds', { pods: both, 'pods/binding': '' }],
    ['DenyServiceExternalIPs', { services: both, 'services/status': '', 'services.x': '' }],
    ['ExtendedResourceToleration', { pods: both, 'pods/resize': '' }],
    ['LimitPodHardAntiAffinityTopology', { pods: both, 'pods/status': '' }],
    ['PersistentVolumeClaimResize', { persistentvolumeclaims: 'UPDATE', persistentvolumes: '' }],
    ['PodNodeSelector', { pods: 'CREATE', 'pods/binding': '' }],
    ['PodTolerationRestriction', { pods: both, 'pods/status': '' }],
    ['PodTopologyLabels', { pods: 'CREATE', 'pods/binding': 'CREATE', 'pods/status': '', 'pods.x': '', bindings: '' }],
    ['RuntimeClass', { pods: 'CREATE', 'pods/status': '' }],
    [
      'StorageObjectInUseProtection',
      {
        persistentvolumes: 'CREATE',
        'persistentvolumes/status': '',
        pods: '',
        'volumeattributesclasses.storage.k8s.io': '',
      },
    ],
    ['TaintNodesByCondition', { nodes: 'CREATE', 'nodes/status': '' }],
    [
      'NodeRestriction',
      { pods: 'CREATE UPDATE DELETE', 'leases.coordination.k8s.io': 'CREATE UPDATE DELETE', leases: '', secrets: '' },
    ],
    [
      'CertificateApproval',
      {
        'certificatesigningrequests.certificates.k8s.io/approval': 'UPDATE',
        'certificatesigningrequests.certificates.k8s.io': '',
      },
    ],
    [
      'CertificateSigning',
      {
        'certificatesigningrequests.certificates.k8s.io/status': 'UPDATE',
        'certificatesigningrequests.certificates.k8s.io': '',
      },
    ],
    [
      'CertificateSubjectRestriction',
      {
        'certificatesigningrequests.certificates.k8s.io': 'CREATE',
        'certificatesigningrequests.certificates.k8s.io/status': '',
      },
    ],
    [
      'PodSecurity',
      {
        pods: both,
        'pods/exec': '',
        'pods/ephemeralcontainers': both,
        namespaces: both,
        'namespaces/status': '',
        'namespaces.x': '',
        'deployments.apps': both,
        deployments: '',
        'deployments.apps/scale': '',
        replicationcontrollers: both,
        'replicationcontrollers.apps': '',
        podtemplates: both,
        'cronjobs.batch': both,
        secrets: '',
      },
    ],
    ['MutatingAdmissionPolicy', { pods: 'CREATE UPDATE CONNECT' }],
    ['MutatingAdmissionWebhook', { pods: 'CREATE UPDATE DELETE CONNECT' }],
    ['ValidatingAdmissionWebhook', { pods: 'CREATE UPDATE DELETE CONNECT' }],
    ['ValidatingAdmissionPolicy', { pods: 'CREATE UPDATE DELETE CONNECT' }],
    ['ResourceQuota', { pods: both, 'pods/resize': 'UPDATE', secrets: 'CREATE', events: '' }],
    [
      'LimitRanger',
      {
        pods: 'CREATE',
        'pods/resize': 'UPDATE',
        'pods/status': '',
        'pods.x': '',
        persistentvolumeclaims: both,
        'persistentvolumeclaims/status': '',
        secrets: '',
      },
    ],
    [
      'ServiceAccount',
      { pods: 'CREATE', 'pods/ephemeralcontainers': 'UPDATE', 'pods/status': '', 'pods.x': '', secrets: '' },
    ],
    ['Priority', { pods: both, 'pods/status': '', 'priorityclasses.scheduling.k8s.io': both, priorityclasses: '' }],
    [
      'ImagePolicyWebhook',
      { pods: both, 'pods/ephemeralcontainers': both, 'pods/status': '', 'pods.x': '', secrets: '' },
    ],
    ['NamespaceLifecycle', { pods: both, namespaces: 'CREATE UPDATE DELETE', 'namespaces.x': both }],
    ['NamespaceExists', { pods: 'CREATE UPDATE DELETE' }],
    ['NamespaceAutoProvision', { pods: 'CREATE' }],
    [
      'OwnerReferencesPermissionEnforcement',
      { pods: both, 'pods/status': '', 'pods/binding': both, 'pods.x/status': both, 'nodes/status': both },
    ],
    ['NodeDeclaredFeatureValidator', { pods: 'UPDATE', 'pods/resize': 'UPDATE', 'pods/status': '' }],
    ['ClusterTrustBundleAttest', { 'clustertrustbundles.certificates.k8s.io': both, clustertrustbundles: '' }],
    ['EventRateLimit', { events: both, 'events.events.k8s.io': '', 'events/status': '', pods: '' }],
    ['AlwaysAdmit', { pods: '' }],
    ['AlwaysDeny', { pods: 'CREATE UPDATE DELETE CONNECT' }],
  ])('%s', (name, expected) => {
    const [plugin] = makePlugins([name], dependencies())
    expect(Object.fromEntries(Object.keys(expected).map((path) => [path, handled(plugin!, path)]))).toEqual(expected)
  })
})
