import { signingRequest } from '../../../src/admission/testing/signing-request.ts'
import type { JsonMap } from '../../differential/json.ts'
import type { Scenario, Step } from '../scenario.ts'
import { object } from './building.ts'

const group = 'certificates.k8s.io/v1'
const plain = signingRequest({ commonName: 'vincent', organizations: ['painters'] })
const kubelet = signingRequest({ commonName: 'system:node:differential', organizations: ['system:nodes'] })

const request = (name: string, spec: JsonMap): JsonMap =>
  object(group, 'CertificateSigningRequest', `<ns>-${name}`, { spec })
const at = (name: string): string => `${group}/certificatesigningrequests/<ns>-${name}`
const decide = (name: string, type: string): Step => ({
  patch: at(name),
  sub: 'approval',
  with: { status: { conditions: [{ type, status: 'True', reason: 'Decided', message: 'by hand' }] } },
})

const client = { signerName: 'kubernetes.io/kube-apiserver-client', request: plain, usages: ['client auth'] }

export const certificateScenarios: readonly Scenario[] = [
  {
    name: 'certificate-requests',
    steps: [
      {
        apply: [
          request('signed', client),
          request('short', { ...client, expirationSeconds: 3600 }),
          request('denied', client),
          request('pending', client),
          request('wrong-usage', { ...client, usages: ['server auth'] }),
          request('foreign', { ...client, signerName: 'example.com/signer' }),
          request('kubelet', {
            signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
            request: kubelet,
            usages: ['digital signature', 'client auth'],
          }),
          request('not-kubelet', {
            signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
            request: plain,
            usages: ['digital signature', 'client auth'],
          }),
        ],
      },
      ...['signed', 'short', 'wrong-usage', 'foreign', 'not-kubelet'].map((name) => decide(name, 'Approved')),
      decide('denied', 'Denied'),
      ...['signed', 'short', 'kubelet'].map((name): Step => ({ until: at(name), hasSome: ['status', 'certificate'] })),
      ...['wrong-usage', 'not-kubelet'].map(
        (name): Step => ({ until: at(name), has: { status: { conditions: [{ type: 'Failed' }] } } }),
      ),
    ],
  },
]
