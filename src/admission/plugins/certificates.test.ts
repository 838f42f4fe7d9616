import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { signingRequest } from '../testing/signing-request.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts'

const signer = 'example.com/robots'
const requests = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' }
const bundles = { ...requests, resource: 'clustertrustbundles' }
const made = (spec: object, status: object = {}): KubeObject =>
  testObject('CertificateSigningRequest', 'r', { spec: { signerName: signer, ...spec }, status })

/** A cluster in which the verb is allowed for signers of this name. */
const permitting = (verb: string, ...names: string[]) =>
  testCluster(
    {},
    {
      gates: ['ClusterTrustBundle'],
      allowed: (asked) =>
        asked.verb === verb &&
        asked.apiGroup === 'certificates.k8s.io' &&
        asked.resource === 'signers' &&
        names.includes(asked.name),
    },
  )
const outcome = async (plugin: AdmissionPlugin, request: Partial<AdmissionRequest>): Promise<string> => {
  const answer = await pluginOutcome(plugin, testRequest({ resource: requests, namespace: '', name: 'r', ...request }))
  return typeof answer === 'string' ? answer : 'passed'
}

describe('CertificateApproval', () => {
  const request = { operation: 'UPDATE', subresource: 'approval', object: made({}), oldObject: made({}) } as const
  it.each([
    ['of the signer', [signer], 'passed'],
    ['of all of its domain', ['example.com/*'], 'passed'],
    [
      'of another',
      ['example.com/others', '*'],
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/robots"',
    ],
  ])('by an approver %s', async (_, names, expected) => {
    expect(await outcome(certificateApproval(permitting('approve', ...names)), request)).toBe(expected)
  })

  it('goes by the signer that is stored', async () => {
    const object = made({ signerName: 'example.com/mine' })
    const plugin = certificateApproval(permitting('approve', 'example.com/mine'))
    expect(await outcome(plugin, { ...request, object })).toContain('"example.com/robots"')
  })
})

describe('CertificateSigning', () => {
  it.each([
    ['a certificate', { certificate: 'YQ==' }, [], 'user not permitted to sign requests with signerName'],
    ['a condition', { conditions: [{ type: 'Failed' }] }, [], 'user not permitted to sign requests with signerName'],
    ['a certificate of the signer', { certificate: 'YQ==' }, [signer], 'passed'],
    ['nothing', {}, [], 'passed'],
  ])('%s', async (_, status, names, expected) => {
    const request = {
      operation: 'UPDATE',
      subresource: 'status',
      object: made({}, status),
      oldObject: made({}),
    } as const
    expect(await outcome(certificateSigning(permitting('sign', ...names)), request)).toContain(expected)
  })
})

describe('CertificateSubjectRestriction', () => {
  const client = 'kubernetes.io/kube-apiserver-client'
  const masters = signingRequest({ commonName: 'ann', organizations: ['devs', 'system:masters'] })
  it.each([
    ['harmless', client, signingRequest({ commonName: 'system:masters', organizations: ['devs'] }), 'passed'],
    ['powerful', client, masters, `use of ${client} signer with system:masters group is not allowed`],
    ['powerful elsewhere', signer, masters, 'passed'],
    ['unreadable', client, 'eA==', 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST'],
  ])('%s', async (_, signerName, request, expected) => {
    const object = made({ signerName, request })
    expect(await outcome(certificateSubjectRestriction, { object })).toContain(expected)
  })
})

describe('ClusterTrustBundleAttest', () => {
  const bundle = (spec: object, metadata: object = {}): KubeObject =>
    testObject('ClusterTrustBundle', 'b', { spec: { trustBundle: 'pem', ...spec } }, metadata)
  const own = bundle({ signerName: signer })
  const refused = 'user not permitted to attest for signerName "example.com/robots"'
  it.each<[string, KubeObject, KubeObject | undefined, string]>([
    ['of a signer', own, undefined, refused],
    ['of nobody', bundle({}), undefined, 'passed'],
    ['that changes', bundle({ signerName: signer, trustBundle: 'other' }), own, refused],
    ['that gets a label', bundle({ signerName: signer }, { labels: { a: 'b' } }), own, refused],
    ['that gets an owner', bundle({ signerName: signer }, { ownerReferences: [], finalizers: ['x'] }), own, 'passed'],
  ])('%s', async (_, object, oldObject, expected) => {
    const operation = oldObject === undefined ? 'CREATE' : 'UPDATE'
    const request = { resource: bundles, operation, object, oldObject } as const
    expect(await outcome(clusterTrustBundleAttest(permitting('attest')), request)).toContain(expected)
    expect(await outcome(clusterTrustBundleAttest(permitting('attest', signer)), request)).toBe('passed')
  })

  it('is there only where bundles are', () => {
    const shape = { operation: 'CREATE', group: bundles.group, resource: bundles.resource, subresource: '' } as const
    expect(clusterTrustBundleAttest(testCluster()).handles(shape)).toBe(false)
    expect(clusterTrustBundleAttest(permitting('attest')).handles(shape)).toBe(true)
  })
})
