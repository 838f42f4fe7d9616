import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { nodeRoleRules } from '../rbac/bootstrap-policy.ts'
import { resourceRequest, user } from '../testing/attributes.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { NodeAuthorizer, type NodeAuthorizerOptions } from './node-authorizer.ts'
import { NodeGraph } from './node-graph.ts'

const object = (kind: string, name: string, namespace: string, more: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  ...more,
})
function world(more: Partial<NodeAuthorizerOptions> = {}) {
  const pods = new MemorySource([
    object('Pod', 'p', 'ns', {
      spec: {
        nodeName: 'n1',
        serviceAccountName: 'robot',
        imagePullSecrets: [{ name: 'pull' }],
        containers: [
          { env: [{ valueFrom: { secretKeyRef: { name: 'env' } } }], envFrom: [{ configMapRef: { name: 'all' } }] },
        ],
        volumes: [
          { name: 'a', secret: { secretName: 'vol' } },
          { name: 'b', persistentVolumeClaim: { claimName: 'claim' } },
          { name: 'c', projected: { sources: [{ configMap: { name: 'projected' } }] } },
          { name: 'd', ephemeral: {} },
        ],
        resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }],
      },
      status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }] },
    }),
  ])
  const graph = new NodeGraph({
    pods,
    persistentVolumes: new MemorySource([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv' },
        spec: {
          claimRef: { namespace: 'ns', name: 'claim' },
          csi: { nodeStageSecretRef: { name: 'stage', namespace: 'csi' } },
        },
      },
    ]),
    resourceSlices: new MemorySource([
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 'slice' },
        spec: { nodeName: 'n1' },
      },
    ]),
    podCertificateRequests: new MemorySource([
      object('PodCertificateRequest', 'wanted', 'ns', { spec: { nodeName: 'n1', podName: 'p' } }),
    ]),
    volumeAttachments: new MemorySource([
      { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'va' }, spec: { nodeName: 'n1' } },
    ]),
  })
  const authorizer = new NodeAuthorizer({
    graph,
    rules: nodeRoleRules(() => false),
    withSelectors: true,
    withAccounts: false,
    withPodCertificates: false,
    ...more,
  })
  return { pods, authorizer }
}
const node = (name: string) => user(`system:node:${name}`, 'system:nodes', 'system:authenticated')
const get = (
  resource: string,
  name: string,
  namespace = 'ns',
  more: Partial<RequestAttributes> = {},
): Partial<RequestAttributes> => ({ resource, name, namespace, ...more })
const unrelated = "no relationship found between node 'n2' and this object"
const fieldSelector = [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }]

describe('NodeAuthorizer', () => {
  it.each<[Partial<RequestAttributes>]>([
    [get('secrets', 'pull')],
    [get('secrets', 'env', 'ns', { verb: 'watch' })],
    [get('secrets', 'vol')],
    [get('secrets', 'stage', 'csi')],
    [get('configmaps', 'all')],
    [get('configmaps', 'projected')],
    [get('persistentvolumeclaims', 'claim')],
    [get('persistentvolumeclaims', 'claim', 'ns', { verb: 'patch', subresource: 'status' })],
    [get('persistentvolumeclaims', 'p-d')],
    [get('persistentvolumes', 'pv', '')],
    [get('resourceclaims', 'p-gpu', 'ns', { apiGroup: 'resource.k8s.io' })],
    [get('volumeattachments', 'va', '', { apiGroup: 'storage.k8s.io' })],
    [get('serviceaccounts', 'robot', 'ns', { verb: 'create', subresource: 'token' })],
    [get('pods', 'p')],
    [get('resourceslices', 'slice', '', { apiGroup: 'resource.k8s.io' })],
    [get('pods', 'p', 'ns', { verb: 'watch' })],
  ])('lets the node of the pod %j, and no other', (request) => {
    const { authorizer } = world()
    expect(authorizer.authorize(resourceRequest(node('n1'), request))).toEqual({ verdict: 'allow', reason: '' })
    expect(authorizer.authorize(resourceRequest(node('n2'), request))).toEqual({
      verdict: 'no opinion',
      reason: unrelated,
    })
    expect(authorizer.authorize(resourceRequest(user('system:node:n1'), request)).verdict).toBe('no opinion')
  })

  it.each<[Partial<RequestAttributes>, string]>([
    [get('secrets', '', 'ns', { verb: 'list' }), 'No Object name found'],
    [get('secrets', 'vol', 'ns', { verb: 'update' }), 'can only read resources of this type'],
    [get('persistentvolumes', 'pv', '', { verb: 'list' }), 'can only get individual resources of this type'],
    [get('nodes', '', '', { verb: 'list' }), "node 'n1' cannot read all nodes, only its own Node object"],
    [get('nodes', 'n2', ''), "node 'n1' cannot read 'n2', only its own Node object"],
    [get('pods', '', '', { verb: 'list' }), 'can only list/watch pods with spec.nodeName field selector'],
    [
      get('leases', 'n2', 'kube-node-lease', { apiGroup: 'coordination.k8s.io' }),
      'can only access node lease with the same name as the requesting node',
    ],
    [
      get('leases', 'n1', 'ns', { apiGroup: 'coordination.k8s.io' }),
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      get('csinodes', 'n2', '', { apiGroup: 'storage.k8s.io' }),
      'can only access CSINode with the same name as the requesting node',
    ],
    [get('serviceaccounts', 'robot', 'ns', { verb: 'get' }), 'not allowed to get service accounts'],
    [get('serviceaccounts', 'robot', 'ns', { verb: 'list' }), 'can only create tokens for individual service accounts'],
    [get('deployments', 'd', 'ns', { apiGroup: 'apps' }), ''],
    [
      get('resourceslices', '', '', { apiGroup: 'resource.k8s.io', verb: 'list' }),
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    [get('secrets', 'vol', 'ns', { subresource: 'x' }), 'cannot read subresource'],
    [get('secrets', 'vol', ''), 'can only read namespaced object of this type'],
    [get('persistentvolumes', 'pv', '', { subresource: 'status' }), 'cannot get subresource'],
    [get('persistentvolumeclaims', 'claim', 'ns', { subresource: 'status' }), 'can only get/update/patch this type'],
    [
      get('persistentvolumeclaims', 'claim', 'ns', { subresource: 'status', verb: 'delete' }),
      'can only get/update/patch this type',
    ],
    [
      get('leases', 'n1', 'kube-node-lease', { apiGroup: 'coordination.k8s.io', verb: 'list' }),
      'can only get, create, update, patch, or delete a node lease',
    ],
    [
      get('csinodes', 'n1', '', { apiGroup: 'storage.k8s.io', verb: 'watch' }),
      'can only get, create, update, patch, or delete a CSINode',
    ],
    [
      get('csinodes', 'n1', '', { apiGroup: 'storage.k8s.io', subresource: 'status' }),
      'cannot authorize CSINode subresources',
    ],
    [get('serviceaccounts', 'robot', 'ns', { verb: 'create' }), 'can only create token subresource of serviceaccount'],
    [
      get('serviceaccounts', '', 'ns', { verb: 'create', subresource: 'token' }),
      'can only create tokens for individual service accounts',
    ],
    [
      get('resourceslices', 'slice', '', { apiGroup: 'resource.k8s.io', subresource: 'status' }),
      'cannot authorize ResourceSlice subresources',
    ],
    [
      get('resourceslices', 'slice', '', { apiGroup: 'resource.k8s.io', verb: 'approve' }),
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
    ],
    [get('nodes', 'n1', '', { subresource: 'proxy' }), ''],
    [get('nodes', 'n1', '', { subresource: 'status' }), ''],
    [get('nodes', 'n1', '', { verb: 'delete' }), ''],
    [get('pods', 'p', 'ns', { verb: 'update' }), ''],
    [get('pods', 'p', 'ns', { verb: 'get', subresource: 'log' }), ''],
    [get('pods', 'p', 'ns', { verb: 'create', subresource: 'status' }), ''],
    [get('pods', 'p', 'ns', { verb: 'update', subresource: 'eviction' }), ''],
    [get('pods', 'p', 'ns', { verb: 'create', subresource: 'exec' }), ''],
    ...[
      [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
      [{ key: 'spec.nodeName', operator: 'NotIn', values: ['n1'] }],
      [{ key: 'spec.nodeName', operator: 'In', values: ['n1', 'n2'] }],
      [{ key: 'spec.nodeName', operator: 'In', values: ['n2'] }],
    ].map((other): [Partial<RequestAttributes>, string] => [
      get('pods', '', '', { verb: 'list', fieldSelector: other }),
      'can only list/watch pods with spec.nodeName field selector',
    ]),
  ])('refuses %j', (request, reason) => {
    const { authorizer } = world()
    expect(authorizer.authorize(resourceRequest(node('n1'), request))).toEqual({ verdict: 'no opinion', reason })
  })

  it.each<[Partial<RequestAttributes>]>([
    [get('nodes', 'n1', '')],
    [get('nodes', '', '', { verb: 'create' })],
    [get('nodes', 'n1', '', { verb: 'patch', subresource: 'status' })],
    [get('pods', '', '', { verb: 'watch', fieldSelector })],
    [get('pods', 'x', 'ns', { verb: 'create', subresource: 'eviction' })],
    [get('leases', 'n1', 'kube-node-lease', { apiGroup: 'coordination.k8s.io', verb: 'update' })],
    [get('services', '', '', { verb: 'list' })],
    ...['list', 'watch', 'deletecollection'].map((verb): [Partial<RequestAttributes>] => [
      get('resourceslices', '', '', { apiGroup: 'resource.k8s.io', verb, fieldSelector }),
    ]),
    [get('pods', 'x', 'ns', { verb: 'create' })],
    [get('pods', 'x', 'ns', { verb: 'delete' })],
    [get('pods', 'x', 'ns', { verb: 'update', subresource: 'status' })],
    [get('pods', 'x', 'ns', { verb: 'patch', subresource: 'status' })],
    [get('nodes', 'n1', '', { verb: 'update', subresource: 'status' })],
    [get('nodes', 'n2', '', { verb: 'update' })],
    [get('nodes', 'n2', '', { verb: 'patch' })],
    [get('nodes', 'n1', '', { verb: 'watch' })],
    [get('leases', '', 'kube-node-lease', { apiGroup: 'coordination.k8s.io', verb: 'create' })],
    [get('csinodes', 'n1', '', { apiGroup: 'storage.k8s.io', verb: 'delete' })],
    [get('csinodes', '', '', { apiGroup: 'storage.k8s.io', verb: 'create' })],
    [get('resourceslices', '', '', { apiGroup: 'resource.k8s.io', verb: 'create' })],
    [get('persistentvolumeclaims', 'claim', 'ns', { verb: 'update', subresource: 'status' })],
  ])('allows %j', (request) => {
    const { authorizer } = world()
    expect(authorizer.authorize(resourceRequest(node('n1'), request)).verdict).toBe('allow')
  })

  it('lets nodes see all nodes, pods and slices where they need not select', () => {
    const { authorizer } = world({ withSelectors: false })
    const verdictOf = (request: Partial<RequestAttributes>) =>
      authorizer.authorize(resourceRequest(node('n1'), request)).verdict
    expect(verdictOf(get('nodes', '', '', { verb: 'list' }))).toBe('allow')
    expect(verdictOf(get('pods', '', '', { verb: 'list' }))).toBe('allow')
    expect(verdictOf(get('resourceslices', '', '', { apiGroup: 'resource.k8s.io', verb: 'list' }))).toBe('allow')
  })

  it('lets nodes read the accounts of their pods where they may', () => {
    const { authorizer } = world({ withAccounts: true })
    const request = get('serviceaccounts', 'robot')
    expect(authorizer.authorize(resourceRequest(node('n1'), request)).verdict).toBe('allow')
    expect(authorizer.authorize(resourceRequest(node('n2'), request)).reason).toBe(unrelated)
    expect(authorizer.authorize(resourceRequest(node('n1'), { ...request, namespace: '' })).reason).toBe(
      'can only read namespaced object of this type',
    )
  })

  it('knows who is a node', () => {
    const { authorizer } = world()
    const judged = (name: string, ...groups: string[]) =>
      authorizer.authorize(resourceRequest(user(name, ...groups), get('nodes', 'n1', '')))
    expect(judged('system:node:n1', 'system:nodes').verdict).toBe('allow')
    expect(judged('n1', 'system:nodes')).toEqual({ verdict: 'no opinion', reason: '' })
    expect(judged('system:node:', 'system:nodes').reason).toBe('unknown node for user "system:node:"')
    expect(authorizer.rulesFor(user('ann')).incomplete).toBe(false)
    expect(authorizer.rulesFor(node('n1'))).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'node authorizer does not support user rule resolution',
    })
  })
})

describe('certificates of pods', () => {
  const apiGroup = 'certificates.k8s.io'
  const ask = (request: Partial<RequestAttributes>, name = 'n1', withPodCertificates = true) =>
    world({ withPodCertificates }).authorizer.authorize(
      resourceRequest(node(name), { resource: 'podcertificaterequests', namespace: 'ns', apiGroup, ...request }),
    )
  const refused = (reason: string) => ({ verdict: 'no opinion', reason })

  it('are asked for and read by the node of the pod', () => {
    expect(ask({ verb: 'create' }).verdict).toBe('allow')
    expect(ask({ verb: 'get', name: 'wanted' }).verdict).toBe('allow')
    expect(ask({ verb: 'list', fieldSelector }).verdict).toBe('allow')
    expect(ask({ verb: 'get', name: 'wanted' }, 'n2')).toEqual(refused(unrelated))
  })

  it.each<[Partial<RequestAttributes>, string]>([
    [{ verb: 'watch' }, 'can only list/watch podcertificaterequests with nodeName field selector'],
    [{ verb: 'update', name: 'wanted' }, 'nodes may not update podcertificaterequests'],
    [
      { verb: 'get', name: 'wanted', subresource: 'status' },
      'nodes may not access the status subresource of PodCertificateRequests',
    ],
  ])('refuses %j', (request, reason) => {
    expect(ask(request)).toEqual(refused(reason))
  })

  it('are nothing of nodes without the gate', () => {
    expect(ask({ verb: 'create' }, 'n1', false)).toEqual(refused(''))
  })

  it('let nodes read the service accounts of their pods', () => {
    const { authorizer } = world({ withPodCertificates: true })
    expect(authorizer.authorize(resourceRequest(node('n1'), get('serviceaccounts', 'robot'))).verdict).toBe('allow')
  })
})
