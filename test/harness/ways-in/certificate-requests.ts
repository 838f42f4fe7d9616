/** Certificates beyond what a signer gives: for administrators, in other names, approved or signed by who may only ask. */
import { signingRequest } from '../../../src/admission/testing/signing-request.ts'
import type { Attack } from './attack.ts'
import { asUser } from './limited-users.ts'

const userRequest = signingRequest({ commonName: 'requester' })
const nodeRequest = signingRequest({ commonName: 'system:node:n', organizations: ['system:nodes'] })

const request = (spec: object): object => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'x' },
  spec: { request: 'AAAA', usages: ['client auth'], signerName: 'kubernetes.io/kube-apiserver-client', ...spec },
})
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

/** A request that is good for its signer. */
const askedOf = (signerName: string): object =>
  signerName.endsWith('serving')
    ? { request: nodeRequest, usages: ['digital signature', 'server auth'] }
    : { request: userRequest, usages: ['client auth'] }

const signers = ['kubernetes.io/kube-apiserver-client', 'kubernetes.io/kubelet-serving', 'example.com/other']

/** What the administrator makes first: requests that nobody has approved. */
export const certificateObjects: readonly { readonly path: string; readonly body: object }[] = signers.map(
  (signerName, i) => ({
    path: requests,
    body: { ...request({ signerName, ...askedOf(signerName) }), metadata: { name: `asked-${i}` } },
  }),
)

export const certificateAttacks: readonly Attack[] = asUser('requester', [
  {
    name: 'a request that is none',
    method: 'POST',
    path: requests,
    body: request({ username: 'admin', groups: ['system:masters'] }),
    refusals: [400, 403, 422],
    leaves: { path: `${requests}/x`, without: 'system:masters' },
  },
  {
    name: 'a client certificate of the administrators',
    method: 'POST',
    path: requests,
    body: request({ request: signingRequest({ commonName: 'admin', organizations: ['system:masters'] }) }),
    refusals: [403],
    leaves: { path: `${requests}/x`, without: '"spec"' },
  },
  {
    name: 'a client certificate of the administrators among others',
    method: 'POST',
    path: requests,
    body: request({ request: signingRequest({ commonName: 'a', organizations: ['people', 'system:masters'] }) }),
    refusals: [403],
    leaves: { path: `${requests}/x`, without: '"spec"' },
  },
  ...['approval', 'status'].flatMap((part) =>
    signers.map((signerName, i) => ({
      name: `the ${part} of a request to ${signerName}`,
      method: 'PUT',
      path: `${requests}/asked-${i}/${part}`,
      body: {
        ...request({ signerName, ...askedOf(signerName) }),
        metadata: { name: `asked-${i}` },
        status: {
          conditions: [{ type: 'Approved', status: 'True', reason: 'Mine' }],
          certificate: Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64'),
        },
      },
      refusals: [403, 409, 422],
      leaves: { path: `${requests}/asked-${i}`, without: 'Mine' },
    })),
  ),
  {
    name: 'a request in the name of an administrator',
    method: 'POST',
    path: `${requests}?dryRun=All`,
    body: request({ username: 'admin', groups: ['system:masters'], signerName: 'example.com/any' }),
    refusals: [400, 403, 422],
    leaves: { path: `${requests}/x`, without: 'system:masters' },
  },
])
