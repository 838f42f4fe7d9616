import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { signingRequest } from '../testing/signing-request.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { nodeRestriction } from './node-restriction.ts'

const user = { name: 'system:node:n1', groups: ['system:nodes'], extra: new Map() }
const of = (group: string, resource: string) => ({ group, version: 'v1', resource })
const pods = of('', 'pods')
const pod = (spec: object, metadata: object = {}): KubeObject =>
  testObject(
    'Pod',
    'x',
    { spec: { containers: [{ name: 'c' }], ...spec } },
    { namespace: 'ns', uid: 'pod-uid', ...metadata },
  )
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true }
const mirror = (more: object = {}, spec: object = {}): KubeObject =>
  pod(
    { nodeName: 'n1', ...spec },
    { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...more },
  )

const claim = (name: string, volumeName: string) =>
  testObject('PersistentVolumeClaim', name, { spec: { volumeName } }, { namespace: 'ns' })
const volumes: KubeObject[] = [
  testObject('PersistentVolume', 'by-driver', { spec: { csi: { driver: 'd.example.com' } } }),
  testObject('PersistentVolume', 'moved', { spec: { awsElasticBlockStore: { volumeID: 'v' } } }),
]
const cluster = (spec: object = {}, options: Parameters<typeof testCluster>[1] = {}) =>
  testCluster(
    {
      pods: [pod({ nodeName: 'n1', ...spec })],
      nodes: [testObject('Node', 'n1', {}, { uid: 'u1' })],
      persistentvolumeclaims: [
        claim('c1', 'by-driver'),
        claim('c2', 'moved'),
        claim('x-scratch', 'by-driver'),
        claim('lost', 'none'),
      ],
      persistentvolumes: volumes,
      'csidrivers.storage.k8s.io': [
        testObject('CSIDriver', 'd.example.com', { spec: { tokenRequests: [{ audience: 'store' }] } }),
        testObject('CSIDriver', 'ebs.csi.aws.com', { spec: { tokenRequests: [{ audience: 'aws' }] } }),
      ],
    },
    options,
  )

const ask = (request: Partial<AdmissionRequest>, given = cluster()): Promise<KubeObject | string | undefined> =>
  pluginOutcome(nodeRestriction(given), testRequest({ user, ...request }))
const said = (answer: KubeObject | string | undefined): string => (typeof answer === 'string' ? answer : '')

it('looks at nobody but nodes', async () => {
  const request = { resource: of('', 'nodes'), name: 'n2', object: testObject('Node', 'n2') }
  expect(said(await ask({ ...request, user: { ...user, groups: [] } }))).toBe('')
  expect(said(await ask({ ...request, user: { ...user, name: 'somebody' } }))).toBe('')
  expect(said(await ask({ ...request, user: { ...user, name: 'system:node:' } }))).toContain(
    'could not determine node from user "system:node:"',
  )
})

describe('mirror pods', () => {
  const projected = (source: JsonObject) => ({ volumes: [{ name: 'v', projected: { sources: [source] } }] })
  it.each<[string, KubeObject, string]>([
    ['its own', mirror(), ''],
    ['not a mirror', pod({ nodeName: 'n1' }), 'annotation, node "n1" can only create mirror pods'],
    ['of another node', mirror({}, { nodeName: 'n2' }), 'can only create pods with spec.nodeName set to itself'],
    ['without owner', mirror({ ownerReferences: [] }), 'can only create pods with an owner reference set to itself'],
    ['with two owners', mirror({ ownerReferences: [owner, owner] }), 'with a single owner reference set to itself'],
    [
      'owned by a pod',
      mirror({ ownerReferences: [{ ...owner, kind: 'Pod' }] }),
      'with an owner reference set to itself',
    ],
    [
      'not controlled',
      mirror({ ownerReferences: [{ ...owner, controller: false }] }),
      'can only create pods with a controller owner reference set to itself',
    ],
    [
      'blocking',
      mirror({ ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    ['of an old node', mirror({ ownerReferences: [{ ...owner, uid: 'u0' }] }), 'UID mismatch: expected u0 got u1'],
    ['with an account', mirror({}, { serviceAccountName: 'a' }), 'reference a service account'],
    ['with a secret', mirror({}, { volumes: [{ name: 'v', secret: { secretName: 's' } }] }), 'reference secrets'],
    ['with a config map', mirror({}, { volumes: [{ name: 'v', configMap: { name: 's' } }] }), 'reference configmaps'],
    ['with trust', mirror({}, projected({ clusterTrustBundle: {} })), 'reference clustertrustbundles'],
    [
      'with a claim',
      mirror({}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
      'reference persistentvolumeclaims',
    ],
    ['with devices', mirror({}, { resourceClaims: [{ name: 'r' }] }), 'reference resourceclaims'],
  ])('%s', async (_, object, message) => {
    const answer = said(await ask({ resource: pods, object }))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })
})

describe('other writes of pods', () => {
  const bound = pod({ nodeName: 'n1' })
  const foreign = pod({ nodeName: 'n2' })
  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['deletes its own', { operation: 'DELETE', oldObject: bound }, ''],
    ['deletes another', { operation: 'DELETE', oldObject: foreign }, 'can only delete pods with spec.nodeName'],
    ['updates', { operation: 'UPDATE', object: bound, oldObject: bound }, 'unexpected operation "UPDATE"'],
    ['reports', { operation: 'UPDATE', subresource: 'status', object: bound, oldObject: bound }, ''],
    [
      'reports of another',
      { operation: 'UPDATE', subresource: 'status', object: foreign, oldObject: foreign },
      'node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'labels through the status',
      {
        operation: 'UPDATE',
        subresource: 'status',
        object: pod({ nodeName: 'n1' }, { labels: { a: 'b' } }),
        oldObject: bound,
      },
      'node "n1" cannot update labels through pod status',
    ],
    [
      'claims through the status',
      {
        operation: 'UPDATE',
        subresource: 'status',
        object: { ...bound, status: { resourceClaimStatuses: [{ name: 'r' }] } },
        oldObject: bound,
      },
      'node "n1" cannot update resource claim statues',
    ],
    ['evicts its own', { subresource: 'eviction', name: 'x', object: testObject('Eviction', 'x') }, ''],
    ['evicts what is not there', { subresource: 'eviction', name: 'y' }, 'pod "y" not found'],
    [
      'binds',
      { subresource: 'binding' },
      `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
    ],
  ])('%s', async (_, request, message) => {
    const answer = said(await ask({ resource: pods, ...request }))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })

  it('evicts no pod of another node', async () => {
    const given = testCluster({ pods: [foreign] })
    const answer = await ask({ resource: pods, subresource: 'eviction', name: 'x' }, given)
    expect(answer).toBe('pods "x" is forbidden: node n1 can only evict pods with spec.nodeName set to itself')
  })
})

describe('nodes', () => {
  const node = (labels: object = {}, more: object = {}, metadata: object = {}) =>
    testObject('Node', 'n1', more, { labels, ...metadata })
  const update = (object: KubeObject, oldObject = node()): Partial<AdmissionRequest> => ({
    operation: 'UPDATE',
    object,
    oldObject,
  })
  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['registers', { object: node({ 'kubernetes.io/hostname': 'n1', 'example.com/x': 'y' }) }, ''],
    ['registers another', { name: 'n2', object: node() }, 'node "n1" is not allowed to modify node "n2"'],
    [
      'sets protected labels',
      { object: node({ 'node-restriction.kubernetes.io/b': '', 'x.node-restriction.kubernetes.io/a': '' }) },
      'not allowed to set the following labels: node-restriction.kubernetes.io/b, x.node-restriction.kubernetes.io/a',
    ],
    ['sets labels that are not for kubelets', { object: node({ 'foo.k8s.io/x': '' }) }, 'labels: foo.k8s.io/x'],
    [
      'sets labels for kubelets',
      {
        object: node({
          'kubelet.kubernetes.io/x': '',
          'a.node.kubernetes.io/y': '',
          'topology.kubernetes.io/zone': 'z',
        }),
      },
      '',
    ],
    [
      'changes protected labels',
      update(node({ 'kubernetes.io/role': 'm' })),
      'is not allowed to modify labels: kubernetes.io/role',
    ],
    [
      'removes protected labels',
      update(node(), node({ 'kubernetes.io/role': 'm' })),
      'is not allowed to modify labels',
    ],
    ['keeps protected labels', update(node({ 'kubernetes.io/role': 'm' }), node({ 'kubernetes.io/role': 'm' })), ''],
    [
      'changes taints',
      update(node({}, { spec: { taints: [{ key: 'a' }] } })),
      'node "n1" is not allowed to modify taints',
    ],
    [
      'changes owners',
      update(node({}, {}, { ownerReferences: [{ ...owner }] })),
      'node "n1" is not allowed to modify ownerReferences',
    ],
    ['brings a configuration', { object: node({}, { spec: { configSource: {} } }) }, 'with a non-nil configSource'],
    ['changes its configuration', update(node({}, { spec: { configSource: {} } })), 'to a new non-nil configSource'],
  ])('%s', async (_, request, message) => {
    const answer = said(await ask({ resource: of('', 'nodes'), namespace: '', name: 'n1', ...request }))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })
})

describe('claims', () => {
  const claimed = (status: object, metadata: object = {}) =>
    testObject(
      'PersistentVolumeClaim',
      'c',
      { spec: { volumeName: 'v' }, status },
      { resourceVersion: '1', ...metadata },
    )
  const request = (object: KubeObject): Partial<AdmissionRequest> => ({
    operation: 'UPDATE',
    resource: of('', 'persistentvolumeclaims'),
    subresource: 'status',
    name: 'c',
    object,
    oldObject: claimed({ phase: 'Bound' }),
  })
  const other = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions'
  it('reports sizes and conditions, and nothing else', async () => {
    const grown = { phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [{ type: 'Resizing' }] }
    expect(said(await ask(request(claimed(grown, { resourceVersion: '' }))))).toBe('')
    expect(said(await ask(request(claimed({ phase: 'Lost' }))))).toContain(other)
    expect(said(await ask(request(claimed({ phase: 'Bound' }, { labels: { a: 'b' } }))))).toContain(other)
    expect(said(await ask({ ...request(claimed({})), subresource: '' }))).toContain('may only update PVC status')
  })
  it('reports on resizing where there is such a thing', async () => {
    const resized = claimed({ phase: 'Bound', allocatedResources: { storage: '2Gi' } })
    expect(said(await ask(request(resized)))).toContain(other)
    const given = cluster({}, { gates: ['RecoverVolumeExpansionFailure'] })
    expect(said(await ask(request(resized), given))).toBe('')
  })
})

describe('tokens', () => {
  const bound = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'pod-uid' }
  const token = (spec: object): Partial<AdmissionRequest> => ({
    resource: of('', 'serviceaccounts'),
    subresource: 'token',
    name: 'robot',
    object: testObject('TokenRequest', '', { spec: { boundObjectRef: bound, ...spec } }),
  })
  it.each<[string, object, string]>([
    ['of its pod', {}, ''],
    ['of nobody', { boundObjectRef: null }, 'node requested token not bound to a pod'],
    ['of a secret', { boundObjectRef: { ...bound, kind: 'Secret' } }, 'node requested token not bound to a pod'],
    ['without uid', { boundObjectRef: { ...bound, uid: '' } }, 'node requested token with a pod binding without a uid'],
    ['of a pod that is gone', { boundObjectRef: { ...bound, name: 'y' } }, 'pod "y" not found'],
    [
      'of an older pod',
      { boundObjectRef: { ...bound, uid: 'old' } },
      'The object might have been deleted and then recreated',
    ],
  ])('%s', async (_, spec, message) => {
    const answer = said(await ask(token(spec)))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })

  it('of no pod of another node', async () => {
    const given = testCluster({ pods: [pod({ nodeName: 'n2' })] })
    expect(said(await ask(token({}), given))).toContain('bound to a pod scheduled on a different node')
  })

  const gates = ['ServiceAccountNodeAudienceRestriction']
  const volume = (source: object) => ({ volumes: [{ name: 'scratch', ...source }] })
  const named = (audience: string) =>
    volume({
      projected: { sources: [{ serviceAccountToken: { path: 'p', ...(audience === '' ? {} : { audience }) } }] },
    })
  const unknown = (audience: string) =>
    `audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`
  it.each<[string, object, string[], string]>([
    ['that a volume names', named('vault'), ['vault'], ''],
    ['for the server itself', named(''), [], ''],
    ['that nothing names', named('vault'), ['other'], unknown('other')],
    ['without one', {}, [], unknown('')],
    ['two at once', named('vault'), ['vault', 'other'], 'node may only request 0 or 1 audiences'],
    ['of a driver', volume({ csi: { driver: 'd.example.com' } }), ['store'], ''],
    ['of a driver behind a claim', volume({ persistentVolumeClaim: { claimName: 'c1' } }), ['store'], ''],
    ['of a driver that moved', volume({ persistentVolumeClaim: { claimName: 'c2' } }), ['aws'], ''],
    ['of a driver that moved, inline', volume({ awsElasticBlockStore: {} }), ['aws'], ''],
    ['of a driver behind an ephemeral claim', volume({ ephemeral: { volumeClaimTemplate: {} } }), ['store'], ''],
    ['of a driver that asks for another', volume({ csi: { driver: 'd.example.com' } }), ['aws'], unknown('aws')],
    [
      'of a driver that is missing',
      volume({ csi: { driver: 'none' } }),
      ['a'],
      'error validating audience "a": csidriver.storage.k8s.io "none" not found',
    ],
    [
      'of a volume that is missing',
      volume({ persistentVolumeClaim: { claimName: 'lost' } }),
      ['a'],
      'error validating audience "a": persistentvolume "none" not found',
    ],
  ])('for an audience %s', async (_, spec, audiences, message) => {
    const answer = said(await ask(token({ audiences }), cluster(spec, { gates })))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })

  it('for an audience that the node was given a right to', async () => {
    const asked: string[] = []
    const given = cluster(
      {},
      {
        gates,
        allowed: ({ verb, resource, namespace, name }) => {
          asked.push(`${verb} ${resource} ${namespace}/${name}`)
          return true
        },
      },
    )
    expect(said(await ask(token({ audiences: ['vault'] }), given))).toBe('')
    expect(asked).toEqual(['request-serviceaccounts-token-audience vault ns/robot'])
  })
})

describe('certificates', () => {
  const own = signingRequest({ commonName: 'system:node:n1', organizations: ['system:nodes'] })
  const foreign = signingRequest({ commonName: 'system:node:n2', organizations: ['system:nodes'] })
  const request = (signerName: string, text: string): Partial<AdmissionRequest> => ({
    resource: of('certificates.k8s.io', 'certificatesigningrequests'),
    namespace: '',
    name: 'r',
    object: testObject('CertificateSigningRequest', 'r', { spec: { signerName, request: text } }),
  })
  const serving = 'kubernetes.io/kubelet-serving'
  it.each([
    ['its own', serving, own, ''],
    ['those of another', serving, foreign, 'can only create a node CSR with CN=system:node:n1'],
    ['another for the server', 'kubernetes.io/kube-apiserver-client-kubelet', foreign, 'can only create a node CSR'],
    ['others', 'example.com/x', foreign, ''],
    ['nonsense', serving, 'eA==', 'unable to parse csr: PEM block type must be CERTIFICATE REQUEST'],
  ])('%s', async (_, signer, text, message) => {
    const answer = said(await ask(request(signer, text)))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })
  it('of others where it is allowed', async () => {
    const given = cluster({}, { gates: ['AllowInsecureKubeletCertificateSigningRequests'] })
    expect(said(await ask(request(serving, foreign), given))).toBe('')
  })
})

describe('what is named like the node', () => {
  const leases = of('coordination.k8s.io', 'leases')
  const slices = of('resource.k8s.io', 'resourceslices')
  const slice = (nodeName?: string) => testObject('ResourceSlice', 's', { spec: { nodeName } })
  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['its lease', { resource: leases, namespace: 'kube-node-lease', name: 'n1' }, ''],
    [
      'a lease elsewhere',
      { resource: leases, name: 'n1' },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      'the lease of another',
      { resource: leases, namespace: 'kube-node-lease', name: 'n2' },
      'can only access node lease with the same name as the requesting node',
    ],
    ['its drivers', { resource: of('storage.k8s.io', 'csinodes'), name: 'n1' }, ''],
    [
      'the drivers of another',
      { resource: of('storage.k8s.io', 'csinodes'), name: 'n2' },
      'can only access CSINode with the same name as the requesting node',
    ],
    ['its devices', { resource: slices, object: slice('n1') }, ''],
    [
      'devices of another',
      { resource: slices, object: slice('n2') },
      'can only create ResourceSlice with the same NodeName',
    ],
    [
      'removes devices of nobody',
      { resource: slices, operation: 'DELETE', oldObject: slice() },
      'can only delete ResourceSlice',
    ],
    ['updates devices', { resource: slices, operation: 'UPDATE', object: slice('n2'), oldObject: slice('n2') }, ''],
  ])('%s', async (_, request, message) => {
    const answer = said(await ask(request))
    if (message === '') expect(answer).toBe('')
    else expect(answer).toContain(message)
  })
})

describe('mirror pods since v1.34', () => {
  const later = cluster({}, { gates: ['release:mirrorPodReferences'] })
  const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] })
  const projected = (source: object) => volume({ projected: { sources: [source] } })

  it.each<[object, string]>([
    [{ serviceAccountName: 'a' }, 'serviceaccounts'],
    [{ imagePullSecrets: [{ name: 's' }] }, 'secrets'],
    [{ resourceClaims: [{ name: 'c' }] }, 'resourceclaims'],
    [volume({ configMap: { name: '' } }), 'configmaps (via configmap volumes)'],
    [volume({ secret: {} }), 'secrets (via secret volumes)'],
    [volume({ csi: { driver: 'd' } }), 'csidrivers (via CSI volumes)'],
    [volume({ glusterfs: { endpoints: 'e', path: 'p' } }), 'endpoints (via glusterFS volumes)'],
    [volume({ persistentVolumeClaim: { claimName: 'c' } }), 'persistentvolumeclaims'],
    [volume({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'],
    [volume({ azureFile: { secretName: '' } }), 'secrets (via azureFile volumes)'],
    [projected({ configMap: {} }), 'configmaps (via projected volumes)'],
    [projected({ secret: {} }), 'secrets (via projected volumes)'],
    [projected({ serviceAccountToken: { path: 'p' } }), 'serviceaccounts (via projected volumes)'],
    [projected({ clusterTrustBundle: { path: 'p' } }), 'clustertrustbundles'],
    [projected({ podCertificate: {} }), 'podcertificates'],
  ])('refer to nothing of the API: %j', async (spec, what) => {
    const answer = await ask({ resource: pods, object: mirror({}, spec) }, later)
    expect(said(answer)).toContain(`node "n1" can not create pods that reference ${what}`)
  })

  it('have no sources of types that are not known', async () => {
    expect(said(await ask({ resource: pods, object: mirror({}, projected({})) }, later))).toContain(
      'error checking mirror pod for API references: unknown source for projected volume "v"',
    )
  })

  it.each([volume({ hostPath: { path: '/' } }), volume({ emptyDir: {} }), projected({ downwardAPI: {} })])(
    'may have %j',
    async (spec) => {
      expect(said(await ask({ resource: pods, object: mirror({}, spec) }, later))).toBe('')
    },
  )
})

it('leaves the claim for extended resources to others', async () => {
  const status = (name: string) => ({
    ...pod({ nodeName: 'n1' }),
    status: { extendedResourceClaimStatus: { resourceClaimName: name, requestMappings: [] } },
  })
  const update = { resource: pods, subresource: 'status', operation: 'UPDATE' } as const
  const told = async (object: KubeObject) => said(await ask({ ...update, object, oldObject: status('a') }))
  expect(await told(status('a'))).toBe('')
  expect(await told(status('b'))).toContain('node "n1" cannot update extended resource claim status')
  expect(await told(pod({ nodeName: 'n1' }))).toContain('node "n1" cannot update extended resource claim status')
})

describe('certificates of pods', () => {
  const resource = of('certificates.k8s.io', 'podcertificaterequests')
  const running = (metadata: object = {}, spec: object = {}) =>
    testCluster(
      {
        pods: [pod({ nodeName: 'n1', serviceAccountName: 'robot', ...spec }, metadata)],
        nodes: [testObject('Node', 'n1', {}, { uid: 'u1' })],
        serviceaccounts: [testObject('ServiceAccount', 'robot', {}, { namespace: 'ns', uid: 'sa-uid' })],
      },
      { gates: ['PodCertificateRequest'] },
    )
  const whole = {
    nodeName: 'n1',
    nodeUID: 'u1',
    podName: 'x',
    podUID: 'pod-uid',
    serviceAccountName: 'robot',
    serviceAccountUID: 'sa-uid',
  }
  const asked = (spec: object, given = running(), more: Partial<AdmissionRequest> = {}) =>
    ask({ resource, object: testObject('PodCertificateRequest', 'x', { spec: { ...whole, ...spec } }), ...more }, given)

  it('are asked for by the node that runs the pod', async () => {
    expect(said(await asked({}))).toBe('')
  })

  it.each<[object, string]>([
    [{ nodeName: 'n2' }, 'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'],
    [
      { nodeUID: 'u2' },
      'PodCertificateRequest for pod "ns/x" names node UID "u2", inconsistent with the running node ("u1")',
    ],
    [{ podName: 'y' }, 'while retrieving pod "ns/y" named in the PodCertificateRequest: pod "y" not found'],
    [
      { podUID: 'o' },
      'PodCertificateRequest for pod "ns/x" contains pod UID ("o") which differs from running pod "pod-uid"',
    ],
    [
      { serviceAccountName: 'other' },
      'PodCertificateRequest for pod "ns/x" contains serviceAccountName ("other") that differs from running pod ("robot")',
    ],
    [
      { serviceAccountUID: 'o' },
      'PodCertificateRequest for pod "ns/x" names service account UID "o", which differs from the running service account ("sa-uid")',
    ],
  ])('names what there is: %j', async (spec, why) => {
    expect(said(await asked(spec))).toContain(why)
  })

  it('are for no pod of another node, mirror pod or account that is gone', async () => {
    expect(said(await asked({}, running({}, { nodeName: 'n2' })))).toContain('pod "ns/x" is not running on node "n1"')
    const annotations = { 'kubernetes.io/config.mirror': 'm' }
    expect(said(await asked({}, running({ annotations })))).toContain('pod "ns/x" is a mirror pod')
    const gone = running({}, { serviceAccountName: 'gone' })
    expect(said(await asked({ serviceAccountName: 'gone' }, gone))).toContain(
      'while retrieving service account "ns/gone" named in the PodCertificateRequest: serviceaccount "gone" not found',
    )
    const without = testCluster({}, { gates: ['PodCertificateRequest'] })
    expect(said(await asked({}, without))).toContain('while retrieving node "n1" named in the PodCertificateRequest')
  })

  it('are only asked for, and behind the gate', async () => {
    expect(said(await asked({}, cluster()))).toContain('PodCertificateRequest feature gate is disabled')
    expect(said(await asked({}, running(), { operation: 'UPDATE' }))).toContain('unexpected operation UPDATE')
    expect(said(await asked({}, running(), { subresource: 'status' }))).toContain('unexpected subresource status')
  })
})
