/** What a node's certificate does not give: other nodes, other pods' secrets and tokens, labels that place workloads. */
import type { CertificatePair } from '../../../src/pki/certificates.ts'
import { type Attack, forbidden, secretPath } from './attack.ts'

const merge = { 'content-type': 'application/merge-patch+json' }
const pods = '/api/v1/namespaces/default/pods'
const container = { name: 'c', image: 'i' }

/** The nodes `own` and `other`, and a pod on the other. */
export const nodeObjects: readonly { readonly path: string; readonly body: object }[] = [
  { path: '/api/v1/nodes', body: { metadata: { name: 'own' } } },
  { path: '/api/v1/nodes', body: { metadata: { name: 'other' } } },
  {
    path: pods,
    body: {
      metadata: { name: 'elsewhere' },
      spec: { nodeName: 'other', serviceAccountName: 'robot', containers: [container] },
    },
  },
]

const attempts: readonly Omit<Attack, 'refusals' | 'certificate'>[] = [
  { name: 'a secret of no pod of its own', path: secretPath },
  { name: 'all secrets', path: '/api/v1/secrets' },
  { name: 'a watch of all secrets', path: '/api/v1/namespaces/default/secrets?watch=1' },
  {
    name: "another node's state",
    method: 'PATCH',
    path: '/api/v1/nodes/other/status',
    headers: merge,
    body: { status: {} },
  },
  {
    name: 'another node',
    method: 'PATCH',
    path: '/api/v1/nodes/other',
    headers: merge,
    body: { metadata: { labels: { a: 'b' } } },
  },
  {
    name: 'a label that places workloads',
    method: 'PATCH',
    path: '/api/v1/nodes/own',
    headers: merge,
    body: { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } },
  },
  {
    name: 'taints of its own taken away',
    method: 'PATCH',
    path: '/api/v1/nodes/own',
    headers: merge,
    body: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  },
  { name: 'the end of a node', method: 'DELETE', path: '/api/v1/nodes/other' },
  { name: 'a node of another name', method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'third' } } },
  {
    name: 'a pod that is no mirror',
    method: 'POST',
    path: pods,
    body: {
      metadata: { name: 'own' },
      spec: { nodeName: 'own', serviceAccountName: 'robot', containers: [container] },
    },
  },
  { name: "another node's pod, deleted", method: 'DELETE', path: `${pods}/elsewhere` },
  {
    name: "the state of another node's pod",
    method: 'PATCH',
    path: `${pods}/elsewhere/status`,
    headers: merge,
    body: { status: { phase: 'Running' } },
  },
  {
    name: 'a token of an account without a pod',
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/robot/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  },
  {
    name: 'a lease of another node',
    method: 'POST',
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    body: { metadata: { name: 'other' } },
  },
  { name: 'a proxy to another node', path: '/api/v1/nodes/other/proxy/pods' },
]

export const nodeAttacks = (certificate: CertificatePair): Attack[] =>
  attempts.map((attempt) => ({ ...attempt, name: `a node: ${attempt.name}`, certificate, refusals: forbidden }))
