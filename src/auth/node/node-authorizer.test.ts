import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { nodeRoleRules } from '../rbac/bootstrap-policy.ts'
import { resourceRequest, user } from '../testing/attributes.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { NodeAuthorizer } from './node-authorizer.ts'
import { NodeGraph } from './node-graph.ts'

const object = (kind: string, name: string, namespace: string, more: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  ...more,
})
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
  volumeAttachments: new MemorySource([
    { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'va' }, spec: { nodeName: 'n1' } },
  ]),
})
const authorizer = new NodeAuthorizer({
  graph,
  rules: nodeRoleRules(() => false),
  withSelectors: true,
  withAccounts: false,
})
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
  ])('lets the node of the pod %j, and no other', (request) => {
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
  ])('refuses %j', (request, reason) => {
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
  ])('allows %j', (request) => {
    expect(authorizer.authorize(resourceRequest(node('n1'), request)).verdict).toBe('allow')
  })

  it('forgets what is gone', () => {
    const request = resourceRequest(node('n1'), get('secrets', 'vol'))
    pods.delete('ns', 'p')
    expect(authorizer.authorize(request).verdict).toBe('no opinion')
  })
})
